/* reserve.c - disk space for transactions that revoke access.
 *
 * The store holds an unlinked file of RESERVE_BYTES. If a commit fails because the disk is full,
 * the file is emptied, and until it can be filled again only urgent transactions run: revocation
 * and sign-out work on a full disk, and nothing else uses up the space. Checkpoints are then made
 * early, so that urgent transactions use the same part of the log again and again.
 *
 * Only the thread that has the write connection calls these, apart from opening and closing. */
#include "sqlite/sqlite.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define RESERVE_BYTES (4 * 1024 * 1024)

/* False: the disk is full. Asks for twice the reserve, because the space that was released is not
 * enough to go on. Other errors, as on a file system that cannot reserve space, leave the store
 * without a reserve. */
static bool
fill(struct sqlite_store *store)
{
    int problem = posix_fallocate(store->reserve_fd, 0, 2 * RESERVE_BYTES);
    store->has_reserve =
        ftruncate(store->reserve_fd, problem == 0 ? RESERVE_BYTES : 0) == 0 && problem == 0;
    return problem != ENOSPC && problem != EDQUOT;
}

/* The file is unlinked at once: it needs no cleaning up after a crash. If it cannot be
 * filled, the disk is full already. */
void
sqlite_reserve_open(struct sqlite_store *store)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.reserve-XXXXXX", store->path);
    store->reserve_fd = mkostemp(path, O_CLOEXEC);
    if (store->reserve_fd < 0)
        return;
    unlink(path);
    store->db.is_full = !fill(store);
}

void
sqlite_reserve_close(struct sqlite_store *store)
{
    if (store->reserve_fd >= 0)
        close(store->reserve_fd);
}

/* Called before each group: as soon as there is space again, all writes are accepted. */
void
sqlite_reserve_refill(struct sqlite_store *store)
{
    if (!store->db.is_full || (store->reserve_fd >= 0 && !fill(store)))
        return;
    store->db.is_full = false;
    log_info("store_space_available");
}

/* Frees the space of the reserve for the log, so that urgent writes succeed on a full disk. Until
 * sqlite_reserve_refill() succeeds, other writes are rejected. */
void
sqlite_reserve_release(struct sqlite_store *store)
{
    if (!store->db.is_full || !store->has_reserve || ftruncate(store->reserve_fd, 0) != 0)
        return;
    store->has_reserve = false;
    log_error("store_full",
              log_text("problem", STR("the disk is full; until space is free, only sign-out and "
                                      "revocation are possible")));
}
