/* machine.c - what the machine gives the service: files, permissions, disk, and mail server. */
#include "doctor/doctor.h"

#include "base/arena.h"
#include "config/settings.h"
#include "db/db.h"
#include "net/smtp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#define MIB (1024 * 1024)
#define FREE_FAIL ((uint64_t)64 * MIB)
#define FREE_WARN ((uint64_t)1024 * MIB)
/* An odd number, so that one of them is the median. */
#define FLUSHES 7
#define FLUSH_SLOW_US 100000
#define FLUSH_IMPOSSIBLE_US 5 /* faster than any disk that writes */

/* "." for a name without a slash. */
static struct str
folder_of(struct arena *mem, struct str file)
{
    size_t slash = file.len;
    while (slash > 0 && file.ptr[slash - 1] != '/')
        slash--;
    return slash == 0 ? STR(".") : str_copy(mem, str_first(file, slash));
}

/* ---- permissions ---- */

/* Rights of the group are the operator's choice. */
static void
check_private_file(struct doctor_report *report, const char *check, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        doctor_problem(report, DOCTOR_FAIL, check,
                       "Correct the setting, or run this command as the user of the service.",
                       "%s cannot be read: %s", path, strerror(errno));
    else if ((info.st_mode & S_IRWXO) != 0)
        doctor_problem(report, DOCTOR_FAIL, check, "Run chmod o= on it.",
                       "every user of this machine can use %s (mode %03o)", path,
                       (unsigned)info.st_mode & 0777);
    else
        doctor_ok(report, check, "%s is private (mode %03o)", path, (unsigned)info.st_mode & 0777);
}

/* With the sticky bit, as in /tmp, other users cannot replace the file. */
static void
check_folder(struct doctor_report *report, const char *folder)
{
    struct stat info;
    if (stat(folder, &info) == 0 && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
        (info.st_mode & S_ISVTX) == 0)
        doctor_problem(report, DOCTOR_FAIL, "store folder", "Run chmod go-w on it.",
                       "other users can replace the store in %s (mode %03o)", folder,
                       (unsigned)info.st_mode & 0777);
    else
        doctor_ok(report, "store folder", "only its owner can change %s", folder);
}

/* ---- disk ---- */

/* NULL: nothing is known against it. */
static const char *
unsuitable_disk(const struct statfs *disk)
{
    switch ((unsigned long)disk->f_type) {
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
        return "in memory, and lost when the machine restarts";
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case 0xff534d42: /* CIFS */
    case 0xfe534d42: /* SMB 2 */
        return "on a network, whose locks and flushes SQLite cannot rely on";
    default:
        return NULL;
    }
}

/* A full disk stops all writes, so it fails before the disk is full. */
static void
check_space(struct doctor_report *report, const char *folder, const struct statfs *disk)
{
    uint64_t bytes = (uint64_t)disk->f_bavail * (uint64_t)disk->f_bsize;
    if (bytes >= FREE_WARN)
        doctor_ok(report, "disk space", "%llu MiB are free in %s",
                  (unsigned long long)(bytes / MIB), folder);
    else
        doctor_problem(report, bytes < FREE_FAIL ? DOCTOR_FAIL : DOCTOR_WARN, "disk space",
                       "Free disk space, or move the store.", "only %llu MiB are free in %s",
                       (unsigned long long)(bytes / MIB), folder);
}

static int
compare(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return one < other ? -1 : one > other;
}

/* The median time of a flush, in microseconds; -1: it failed, see errno. */
static int64_t
flush_us(struct arena *mem, const char *folder)
{
    static const char block[4096];
    char *path = (char *)(uintptr_t)str_format(mem, "%s/penchant-doctor-XXXXXX", folder).ptr;
    int64_t took[FLUSHES];
    int fd = mkostemp(path, O_CLOEXEC);
    bool failed = fd < 0;
    for (size_t i = 0; !failed && i < FLUSHES; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        failed = write(fd, block, sizeof block) != sizeof block || fdatasync(fd) != 0;
        clock_gettime(CLOCK_MONOTONIC, &after);
        took[i] =
            (after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000;
    }
    /* close() and unlink() may change it. */
    int problem = errno;
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    errno = problem;
    if (failed)
        return -1;
    qsort(took, FLUSHES, sizeof *took, compare);
    return took[FLUSHES / 2];
}

/* A flush that takes no time did not wait for a disk: acknowledged writes would be lost with the
 * power. */
static void
check_flush(struct doctor_report *report, const char *folder)
{
    int64_t us = flush_us(report->mem, folder);
    if (us < 0)
        doctor_problem(report, DOCTOR_FAIL, "flush",
                       "Check the disk, and run this command as the user of the service.",
                       "cannot write and flush a file in %s: %s", folder, strerror(errno));
    else if (us > FLUSH_SLOW_US)
        doctor_problem(report, DOCTOR_WARN, "flush", "Move the store to a faster disk.",
                       "a flush takes %lld ms; every write waits for one", (long long)us / 1000);
    else if (us < FLUSH_IMPOSSIBLE_US)
        doctor_problem(report, DOCTOR_WARN, "flush",
                       "Use a file system that flushes, or acknowledged writes can be lost.",
                       "a flush takes only %lld microseconds, so it is not written to a disk",
                       (long long)us);
    else
        doctor_ok(report, "flush", "a flush takes %lld.%02lld ms", (long long)us / 1000,
                  (long long)us % 1000 / 10);
}

/* A missing folder makes the other checks meaningless, so it is the only problem then. */
static void
check_disk(struct doctor_report *report, const struct settings *settings)
{
    struct statfs disk;
    struct str file = db_path_beside(report->mem, settings->store, "");
    const char *folder = str_c(report->mem, folder_of(report->mem, file));
    if (statfs(folder, &disk) != 0) {
        doctor_problem(report, DOCTOR_FAIL, "store folder",
                       "Correct the setting store, or create the folder.", "%s cannot be used: %s",
                       folder, strerror(errno));
        return;
    }
    check_private_file(report, "store file", file.ptr);
    check_folder(report, folder);
    const char *problem = unsuitable_disk(&disk);
    if (problem != NULL)
        doctor_problem(report, DOCTOR_WARN, "disk", "Move the store to a local disk.", "%s is %s",
                       folder, problem);
    else
        doctor_ok(report, "disk", "%s is on a local file system", folder);
    check_space(report, folder, &disk);
    check_flush(report, folder);
}

/* ---- mail ---- */

/* Connects to the mail server without sending anything. */
static void
check_mail(struct doctor_report *report, const struct settings *settings)
{
    struct why why = { 0 };
    struct smtp_settings smtp = { settings->smtp_url, settings->smtp_from, settings->smtp_user,
                                  settings->smtp_password, settings->smtp_ca };
    if (settings->smtp_url == NULL)
        doctor_problem(report, DOCTOR_WARN, "mail", "Set smtp-url and smtp-from.",
                       "email is not configured: users cannot reset a forgotten password by email");
    else if (smtp_check(&smtp, &why))
        doctor_problem(report, DOCTOR_FAIL, "mail",
                       "Correct smtp-url, smtp-user, smtp-password, or smtp-ca.",
                       "%s cannot be used: %s", settings->smtp_url, why.text);
    else
        doctor_ok(report, "mail", "%s accepts connections", settings->smtp_url);
}

/* With PostgreSQL, the disk is the database server's. */
void
doctor_check_machine(struct doctor_report *report, const struct doctor_target *target)
{
    const struct settings *settings = target->settings;
    if (db_address_is_sqlite(settings->store))
        check_disk(report, settings);
    if (settings->tls_key != NULL)
        check_private_file(report, "tls-key", settings->tls_key);
    check_mail(report, settings);
}
