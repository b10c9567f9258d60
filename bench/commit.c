/* commit.c - writes per second that SQLite acknowledges: one writer, then many.
 *
 * usage: commit FOLDER SECONDS
 * Each writer adds one user after another through db_write(), which returns when the user is on
 * disk. Each round has a new store in FOLDER. Prints {"one":{…},"many":{…}}. Used by commit.mjs,
 * with and without a slow disk. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "crypt/random.h"
#include "db/db.h"
#include "model/user.h"
#include "store/user_store.h"

#include <pthread.h>
#include <stdatomic.h>

#define WRITERS 64

struct round {
    struct db *db;
    int64_t end_ns;
    _Atomic uint32_t turn; /* makes positions unique without asking chance */
    _Atomic uint64_t acknowledged;
    _Atomic uint64_t failed;
};

struct addition {
    struct arena *mem;
    struct user user;
};

static enum err
add_user(struct db_tx *tx, void *argument)
{
    struct addition *addition = argument;
    return user_store_add(tx, addition->mem, &addition->user);
}

static struct user
make_user(struct arena *mem, uint32_t turn)
{
    int64_t now = clock_now();
    struct str id = random_id(mem, "usr_");
    return (struct user){
        .id = id,
        .username = id, /* the store does not judge names; it only keeps them unique */
        .email = str_format(mem, "%.*s@example.org", (int)id.len, id.ptr),
        .name = STR("A writer's user"),
        .status = USER_ACTIVE,
        .position = user_position(now, turn),
        .created_at = now,
        .updated_at = now,
    };
}

static void *
write_users(void *argument)
{
    struct round *round = argument;
    struct addition addition = { .mem = arena_new() };
    while (clock_ticks_ns() < round->end_ns) {
        arena_reset(addition.mem);
        addition.user = make_user(addition.mem, atomic_fetch_add(&round->turn, 1));
        if (db_write(round->db, add_user, &addition) == ERR_NONE)
            atomic_fetch_add(&round->acknowledged, 1);
        else
            atomic_fetch_add(&round->failed, 1);
    }
    arena_free(addition.mem);
    return NULL;
}

/* Prints the result of the round. False if it could not be run. */
static bool
run_round(const char *folder, const char *name, size_t writers, int64_t seconds)
{
    struct arena *mem = arena_new();
    struct str address = str_format(mem, "sqlite:%s/%s-penchant.db", folder, name);
    struct db_settings settings = { .address = str_c(mem, address) };
    struct round round = { 0 };
    struct why why = { 0 };
    if (db_open(&settings, &round.db, &why) != ERR_NONE) {
        fprintf(stderr, "commit: %s\n", why.text);
        arena_free(mem);
        return false;
    }

    pthread_t threads[WRITERS];
    size_t started = 0;
    int64_t start_ns = clock_ticks_ns();
    round.end_ns = start_ns + seconds * 1000000000;
    while (started < writers && pthread_create(&threads[started], NULL, write_users, &round) == 0)
        started++;
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    double took = (double)(clock_ticks_ns() - start_ns) / 1e9;
    db_close(round.db);
    arena_free(mem);

    uint64_t acknowledged = atomic_load(&round.acknowledged);
    uint64_t failed = atomic_load(&round.failed);
    if (started < writers || failed > 0 || acknowledged == 0) {
        fprintf(stderr, "commit: %zu of %zu writers ran, %llu writes failed\n", started, writers,
                (unsigned long long)failed);
        return false;
    }
    printf("\"%s\":{\"writers\":%zu,\"seconds\":%.3f,\"acknowledged\":%llu,\"per_second\":%.1f}",
           name, writers, took, (unsigned long long)acknowledged, (double)acknowledged / took);
    return true;
}

int
main(int argc, char **argv)
{
    int64_t seconds;
    if (argc != 3 || !str_to_int(str_of(argv[2]), 1, 3600, &seconds)) {
        fprintf(stderr, "usage: commit FOLDER SECONDS\n");
        return 2;
    }
    log_setup(LOG_AS_TEXT, LOG_WARN);
    random_start();
    printf("{");
    if (!run_round(argv[1], "one", 1, seconds))
        return 1;
    printf(",");
    if (!run_round(argv[1], "many", WRITERS, seconds))
        return 1;
    printf("}\n");
    return 0;
}
