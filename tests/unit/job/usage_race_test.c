/* Counting, writing, and reading concurrently. */
#include "unit/job/counts.h"

#include <pthread.h>

#define CROWD 8
#define EACH 2000

struct counter {
    struct world *world;
    struct usage_counters *counters;
    struct str bob;
};

static void *
count_along(void *argument)
{
    struct counter *counter = argument;
    for (int i = 0; i < EACH; i++)
        usage_counters_add(counter->counters, i % 2 == 0 ? counter->world->ada.id : counter->bob,
                           counter->world->app.id, USAGE_CALL, NOON);
    return NULL;
}

static void
no_count_is_lost_while_counters_are_written(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct counter counter = { &world, usage_counters_new(), world_user(kit, "bob").id };
    pthread_t threads[CROWD];
    for (int i = 0; i < CROWD; i++)
        pthread_create(&threads[i], NULL, count_along, &counter);
    for (int i = 0; i < 20; i++)
        write_counts(kit, counter.counters);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    write_counts(kit, counter.counters);
    assert_int_equal(app_usage(&world, NULL, NOON).days[USAGE_DAYS - 1].counts[USAGE_CALL],
                     CROWD * EACH);
    assert_int_equal(grant_usage(&world, NULL, NOON).days[USAGE_DAYS - 1], CROWD * EACH / 2);
    assert_rows(kit, 2, 1, 0);
    usage_counters_free(counter.counters);
}

struct writer {
    struct kit *kit;
    struct usage_counters *counters;
    _Atomic bool done;
};

static void *
write_beside(void *argument)
{
    struct writer *writer = argument;
    struct arena *mem = arena_new();
    assert_int_equal(usage_write(writer->kit->db, mem, writer->counters), ERR_NONE);
    writer->done = true;
    arena_free(mem);
    return NULL;
}

static void
no_count_is_missed_by_a_read_while_counters_are_written(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct writer writer = { .kit = kit, .counters = usage_counters_new() };
    pthread_t thread;
    for (int64_t calls = 1; calls <= 50; calls++) {
        usage_counters_add(writer.counters, world.ada.id, world.app.id, USAGE_CALL, NOON);
        writer.done = false;
        pthread_create(&thread, NULL, write_beside, &writer);
        while (!writer.done) {
            struct app_usage of_app = app_usage(&world, writer.counters, NOON);
            assert_true(of_app.days[USAGE_DAYS - 1].counts[USAGE_CALL] >= calls);
            assert_true(grant_usage(&world, writer.counters, NOON).days[USAGE_DAYS - 1] >= calls);
        }
        pthread_join(thread, NULL);
        assert_int_equal(grant_usage(&world, writer.counters, NOON).days[USAGE_DAYS - 1], calls);
    }
    usage_counters_free(writer.counters);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(no_count_is_lost_while_counters_are_written),
        KIT_CASE(no_count_is_missed_by_a_read_while_counters_are_written),
    };
    return KIT_RUN("job/usage_race", cases, LOG_WARN);
}
