/* sandbox.c - file rules with Landlock; sandbox_calls.c has the system calls.
 *
 * The rules are additive: all rights that this kernel knows are refused, and each path gets some
 * back. Paths are opened once, here, and the rules hold for the files that were found: a file
 * that is replaced by another one later is a different file, unless its folder is allowed. Each
 * version of the kernel's interface knows more rights; a right that it does not know must not be
 * in a rule. */
#include "host/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The headers of Debian 12 end at version 2 of the interface. */
#define FS_TRUNCATE (1ULL << 14)  /* version 3 */
#define FS_IOCTL_DEV (1ULL << 15) /* version 5 */
#define SCOPE_SIGNAL (1ULL << 1)  /* version 6 */

/* The layout of struct landlock_ruleset_attr in the newest version of the interface that is used;
 * older kernels get its beginning. */
struct ruleset {
    uint64_t files;
    uint64_t network; /* not restricted */
    uint64_t scope;
};

#define FILE_RIGHTS                                                                              \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | \
     FS_TRUNCATE | FS_IOCTL_DEV)
#define READ_RIGHTS (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_RIGHTS                                                                           \
    (READ_RIGHTS | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE | LANDLOCK_ACCESS_FS_MAKE_REG | \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE)

/* ---- paths ---- */

void
sandbox_allow(struct sandbox *sandbox, const char *path, enum sandbox_right right)
{
    if (path == NULL)
        return;
    if (sandbox->count == SANDBOX_PATHS_MAX)
        abort(); /* a bug that shows at every start: increase SANDBOX_PATHS_MAX */
    sandbox->paths[sandbox->count++] = (struct sandbox_path){ path, right };
}

/* Files that libraries open when they are first needed, so later than the start of the service. */
void
sandbox_allow_system(struct sandbox *sandbox)
{
    static const char *const read[] = {
        /* names and services */
        "/etc/resolv.conf",
        "/etc/hosts",
        "/etc/nsswitch.conf",
        "/etc/host.conf",
        "/etc/gai.conf",
        "/etc/services",
        "/etc/protocols",
        "/run/systemd/resolve",
        "/run/resolvconf",
        "/run/NetworkManager",
        /* certificates and rules of TLS */
        "/etc/ssl/certs",
        "/etc/ssl/openssl.cnf",
        "/etc/pki/tls/certs",
        "/etc/ca-certificates",
        "/usr/share/ca-certificates",
        "/usr/local/share/ca-certificates",
        "/etc/gnutls",
        "/etc/crypto-policies",
        "/usr/share/p11-kit",
        "/etc/pkcs11",
        /* libraries that name resolution loads */
        "/etc/ld.so.cache",
        "/lib",
        "/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        /* time zones, randomness, the process itself, the number of processors */
        "/etc/localtime",
        "/usr/share/zoneinfo",
        "/dev/urandom",
        "/dev/random",
        "/proc/self",
        "/proc/sys/vm",
        "/proc/sys/crypto",
        "/proc/stat",
        "/sys/devices/system/cpu",
    };
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        sandbox_allow(sandbox, read[i], SANDBOX_READ);
    sandbox_allow(sandbox, "/dev/null", SANDBOX_WRITE);
}

static bool
right_includes(enum sandbox_right held, enum sandbox_right wanted)
{
    return held == wanted || (held == SANDBOX_WRITE && wanted == SANDBOX_READ);
}

/* A folder is below itself. "/" ends in a slash already. */
static bool
is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0)
        return false;
    return path[length] == '\0' || path[length] == '/' || (length > 0 && folder[length - 1] == '/');
}

/* True also for a path that does not exist: then nothing is missing. */
bool
sandbox_covers(const struct sandbox *sandbox, const char *path, enum sandbox_right right)
{
    char real[PATH_MAX], folder[PATH_MAX];
    if (realpath(path, real) == NULL)
        return true;
    for (size_t i = 0; i < sandbox->count; i++)
        if (right_includes(sandbox->paths[i].right, right) &&
            realpath(sandbox->paths[i].path, folder) != NULL && is_below(real, folder))
            return true;
    return false;
}

/* ---- Landlock ---- */

/* Rights of folders are not allowed in the rule of a file: the kernel would refuse the rule. */
static uint64_t
rights_of(enum sandbox_right right, bool folder)
{
    if (right == SANDBOX_REMOVE_FOLDER)
        return LANDLOCK_ACCESS_FS_REMOVE_DIR;
    uint64_t rights = right == SANDBOX_WRITE ? WRITE_RIGHTS : READ_RIGHTS;
    return folder ? rights : rights & FILE_RIGHTS;
}

/* A path that cannot be opened now cannot be opened later either. */
static bool
add_rule(int ruleset, const struct sandbox_path *path, uint64_t handled)
{
    struct stat info;
    int fd = open(path->path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return true;
    bool added = fstat(fd, &info) == 0;
    if (added) {
        struct landlock_path_beneath_attr rule = {
            .allowed_access = rights_of(path->right, S_ISDIR(info.st_mode)) & handled,
            .parent_fd = fd,
        };
        added = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    }
    close(fd);
    return added;
}

/* Everything that this kernel can refuse, so that only the rules allow it. */
static struct ruleset
ruleset_for(long version)
{
    uint64_t files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1; /* version 1 */
    if (version >= 2)
        files |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3)
        files |= FS_TRUNCATE;
    if (version >= 5)
        files |= FS_IOCTL_DEV;
    return (struct ruleset){ .files = files, .scope = version >= 6 ? SCOPE_SIGNAL : 0 };
}

/* On older kernels, the rules cover files only. Everything that the program needs
 * later must be open or allowed by now. */
static enum err
restrict_files(const struct sandbox *sandbox, struct why *why)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) {
        why_set(why,
                "files: the kernel has no Landlock (%s); it needs Linux 5.13 or newer with "
                "lsm=landlock",
                strerror(errno));
        return ERR_UNAVAILABLE;
    }
    struct ruleset rules = ruleset_for(version);
    /* As many members as this version of the interface has. */
    size_t size = version >= 6   ? sizeof rules
                  : version >= 4 ? offsetof(struct ruleset, scope)
                                 : offsetof(struct ruleset, network);
    int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    bool done = fd >= 0;
    for (size_t i = 0; done && i < sandbox->count; i++)
        done = add_rule(fd, &sandbox->paths[i], rules.files);
    done = done && syscall(SYS_landlock_restrict_self, fd, 0) == 0;
    if (!done)
        why_set(why, "files: Landlock failed: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return done ? ERR_NONE : ERR_UNAVAILABLE;
}

/* Both parts are attempted, even if the first one fails: either is better than none. */
enum err
sandbox_enter(const struct sandbox *sandbox, struct why *why)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* both parts require it */
    enum err files = restrict_files(sandbox, why);
    enum err calls = sandbox_filter_calls(why);
    return files ? files : calls;
}
