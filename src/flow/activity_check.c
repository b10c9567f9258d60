/* activity_check.c - recomputes the hashes of each user's activity and compares them with the
 * stored chain. */
#include "flow/activity_check.h"

#include "base/arena.h"
#include "base/buf.h"
#include "store/activity_store.h"
#include "store/user_store.h"

#define USERS_PER_STEP 200

/* A problem of one user is a line of the report and no error, so that the check goes on with the
 * next user. */
static enum err
check_user(struct db_tx *tx, struct arena *mem, struct str user_id, struct buf *report)
{
    struct activity_log log;
    int64_t day;
    enum err err = activity_store_log(tx, mem, user_id, &log);
    const char *problem = err ? NULL : activity_problem(mem, &log, &day);
    if (problem != NULL)
        buf_add_format(report, "activity of %.*s: the day %.*s %s\n", STR_ARG(user_id),
                       STR_ARG(activity_date(mem, day)), problem);
    return err;
}

/* The work of db_inspect(): one snapshot, on a connection of its own. Memory stays bounded, because
 * one arena holds a step of users and the other the log of one user. */
enum err
activity_check(struct db_tx *tx, void *report)
{
    struct arena *users_mem = arena_new(), *mem = arena_new();
    struct user *users = NULL;
    size_t count = USERS_PER_STEP;
    int64_t after = -1;
    enum err err = ERR_NONE;
    while (count == USERS_PER_STEP && !err) {
        arena_reset(users_mem);
        err = user_store_list(tx, users_mem, after, USERS_PER_STEP, &users, &count);
        for (size_t i = 0; i < count && !err; i++) {
            err = check_user(tx, mem, users[i].id, report);
            after = users[i].position;
            arena_reset(mem);
        }
    }
    arena_free(mem);
    arena_free(users_mem);
    return err;
}
