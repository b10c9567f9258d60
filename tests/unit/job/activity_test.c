#include "crypt/random.h"
#include "job/activity.h"
#include "job/activity_counters.h"
#include "job/expiry.h"
#include "store/activity_store.h"
#include "unit/flow/world.h"

#define DAY ((int64_t)86400)
#define NOON (T0 / DAY * DAY + DAY / 2)

#define AREAS 3

static struct domain areas[AREAS];
static const struct domains all = { .list = areas, .count = AREAS };
static const char *const area_names[AREAS] = { "food_profile", "music_preferences", "travel" };

static struct activity_counters *
counters_begin(void)
{
    for (size_t i = 0; i < AREAS; i++)
        areas[i].name = str_of(area_names[i]);
    return activity_counters_new(&all);
}

static void
count_read(struct activity_counters *counters, const struct world *world, uint64_t domains,
           int64_t now)
{
    static const uint16_t facts[DOMAINS_MAX] = { 2, 3, 5 };
    struct activity_count count = { .user_id = world->ada.id,
                                    .app_id = world->app.id,
                                    .action = ACTIVITY_READ,
                                    .domains = domains,
                                    .facts = facts,
                                    .now = now };
    activity_counters_add(counters, &count);
}

static size_t
records_of(struct world *world, struct activity_counters *counters, struct activity **out)
{
    size_t count = 0;
    assert_int_equal(
        activity_of_user(world->kit->db, world->kit->mem, counters, world->ada.id, out, &count),
        ERR_NONE);
    return count;
}

static void
write_all(struct kit *kit, struct activity_counters *counters)
{
    assert_int_equal(activity_write(kit->db, kit->mem, counters), ERR_NONE);
}

static void
close_days(struct kit *kit, int64_t now)
{
    bool more;
    assert_int_equal(expiry_step(kit->db, kit->mem, activity_store_close, now, EXPIRY_ROWS, &more),
                     ERR_NONE);
    assert_false(more);
}

struct reading {
    struct arena *mem;
    struct str user_id;
    struct activity_log log;
};

static enum err
read_log(struct db_tx *tx, void *argument)
{
    struct reading *reading = argument;
    return activity_store_log(tx, reading->mem, reading->user_id, &reading->log);
}

static struct activity_log
log_of(struct kit *kit, struct str user_id)
{
    struct reading reading = { .mem = kit->mem, .user_id = user_id };
    int64_t day;
    assert_int_equal(kit_read(kit->db, read_log, &reading), ERR_NONE);
    assert_null(activity_problem(kit->mem, &reading.log, &day));
    return reading.log;
}

static void
activity_is_the_same_before_and_after_it_is_written(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct activity_counters *counters = counters_begin();
    struct activity *records;
    count_read(counters, &world, 3, NOON);
    count_read(counters, &world, 1, NOON + 9);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(records_of(&world, counters, &records), 2);
        for (size_t i = 0; i < 2; i++) {
            bool food = str_eq_c(records[i].subject, "food_profile");
            assert_int_equal(records[i].times, food ? 2 : 1);
            assert_int_equal(records[i].facts, food ? 4 : 3);
            assert_int_equal(records[i].first_at, NOON);
            assert_int_equal(records[i].last_at, NOON + 9);
            assert_int_equal(records[i].is_first, round);
        }
        write_all(kit, counters);
    }
    activity_counters_free(counters);
}

static void
only_the_first_read_ever_is_marked(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct activity_counters *counters = counters_begin();
    struct activity *records;
    for (int64_t day = 0; day < 3; day++) {
        count_read(counters, &world, 1, NOON + day * DAY);
        write_all(kit, counters);
    }
    assert_int_equal(records_of(&world, counters, &records), 3);
    assert_false(records[0].is_first);
    assert_false(records[1].is_first);
    assert_true(records[2].is_first); /* the oldest */
    activity_counters_free(counters);
}

static void
counts_of_a_closed_day_go_to_the_next_open_one(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct activity_counters *counters = counters_begin();
    count_read(counters, &world, 1, NOON);
    write_all(kit, counters);
    close_days(kit, NOON + DAY / 2 + ACTIVITY_CLOSE_SECONDS - 1);
    assert_int_equal(log_of(kit, world.ada.id).chain.hash.len, 0); /* too early */
    close_days(kit, NOON + DAY);
    struct activity_log first = log_of(kit, world.ada.id);
    assert_true(first.days[0].closed);
    count_read(counters, &world, 1, NOON + 1); /* arrives late */
    write_all(kit, counters);
    close_days(kit, NOON + DAY);
    struct activity_log log = log_of(kit, world.ada.id);
    assert_int_equal(log.day_count, 2);
    assert_int_equal(log.days[1].day, NOON / DAY + 1);
    assert_false(log.days[1].closed);
    assert_int_equal(log.record_count, 2);
    assert_int_equal(log.records[1].first_at, NOON + 1);
    close_days(kit, NOON + 2 * DAY);
    close_days(kit, NOON + 2 * DAY); /* nothing is left to do */
    log = log_of(kit, world.ada.id);
    assert_true(log.days[1].closed);
    activity_counters_free(counters);
}

static void
old_days_are_deleted_and_the_chain_keeps_their_hash(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct activity_counters *counters = counters_begin();
    bool more;
    for (int64_t day = 0; day < 4; day++)
        count_read(counters, &world, 1, NOON + day * DAY);
    write_all(kit, counters);
    close_days(kit, NOON + 4 * DAY);
    struct activity_log before = log_of(kit, world.ada.id);
    assert_int_equal(expiry_step(kit->db, kit->mem, activity_store_delete_expired,
                                 NOON + (ACTIVITY_KEPT_DAYS + 1) * DAY, EXPIRY_ROWS, &more),
                     ERR_NONE);
    struct activity_log log = log_of(kit, world.ada.id);
    assert_int_equal(log.day_count, 2);
    assert_int_equal(log.record_count, 2);
    assert_int_equal(log.chain.deleted_day, NOON / DAY + 1);
    assert_true(str_eq(log.chain.deleted_hash, before.days[1].hash));
    activity_counters_free(counters);
}

static void
activity_of_a_deleted_user_is_deleted_and_not_written_again(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct activity_counters *counters = counters_begin();
    struct user deleted;
    count_read(counters, &world, 1, NOON);
    write_all(kit, counters);
    close_days(kit, NOON + DAY);
    count_read(counters, &world, 1, NOON + DAY);
    assert_int_equal(account_delete(kit->db, kit->mem, world.ada.id, &deleted), ERR_NONE);
    write_all(kit, counters);
    struct activity_log log = log_of(kit, world.ada.id);
    assert_int_equal(log.day_count, 0);
    assert_int_equal(log.record_count, 0);
    assert_int_equal(log.chain.hash.len, 0);
    activity_counters_free(counters);
}

/* As if all were stored. */
static void
finish(struct activity_counters *counters, struct activity_batch batch)
{
    for (size_t i = 0; i < batch.count; i++)
        activity_counters_set_written(counters, &(struct counted_activity *){ &batch.list[i] }, 1);
    activity_counters_finish(counters);
}

static void
unwritten_counts_return_to_memory_and_malformed_ids_are_ignored(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct activity_counters *counters = counters_begin();
    struct activity_batch batch;
    struct activity *records;
    struct world odd = world;
    odd.app.id = STR("short");
    count_read(counters, &odd, 1, NOON);
    count_read(counters, &world, 7, NOON);
    activity_counters_drain(counters, kit->mem, &batch);
    assert_int_equal(batch.count, 3);
    count_read(counters, &world, 1, NOON + 1);
    assert_int_equal(records_of(&world, counters, &records), 3); /* drained ones, too */
    activity_counters_set_written(counters, &(struct counted_activity *){ &batch.list[0] }, 1);
    assert_int_equal(records_of(&world, counters, &records), 3);
    activity_counters_finish(counters);
    assert_int_equal(records_of(&world, counters, &records), 3);
    activity_counters_drain(counters, kit->mem, &batch);
    assert_int_equal(batch.count, 3);
    finish(counters, batch);
    assert_int_equal(records_of(&world, counters, &records), 0);
    assert_false(activity_counters_nearly_full(counters));
    activity_counters_free(counters);
}

static void
one_app_fills_one_slot_and_many_users_are_written_early(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct activity_counters *counters = counters_begin();
    struct activity_batch batch;
    for (uint64_t i = 0; i < 1000; i++)
        count_read(counters, &world, i % 8, NOON + (int64_t)i % 60);
    activity_counters_drain(counters, kit->mem, &batch);
    assert_int_equal(batch.count, AREAS + 1); /* however the requests vary */
    finish(counters, batch);
    size_t users = 0;
    for (; users < 100000 && !activity_counters_nearly_full(counters); users++) {
        struct world other = world;
        other.ada.id = random_id(kit->mem, "usr_");
        count_read(counters, &other, 1, NOON);
    }
    assert_in_range(users, 10000, 99999);
    activity_counters_free(counters);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(activity_is_the_same_before_and_after_it_is_written),
        KIT_CASE(only_the_first_read_ever_is_marked),
        KIT_CASE(counts_of_a_closed_day_go_to_the_next_open_one),
        KIT_CASE(old_days_are_deleted_and_the_chain_keeps_their_hash),
        KIT_CASE(activity_of_a_deleted_user_is_deleted_and_not_written_again),
        KIT_CASE(unwritten_counts_return_to_memory_and_malformed_ids_are_ignored),
        KIT_CASE(one_app_fills_one_slot_and_many_users_are_written_early),
    };
    return KIT_RUN("job/activity", cases, LOG_WARN);
}
