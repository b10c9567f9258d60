/* counts.h - writes usage counters and counts the stored rows. */
#ifndef UNIT_FLOW_COUNTS_H
#define UNIT_FLOW_COUNTS_H

#include "unit/flow/world.h"

#include "job/usage.h"
#include "job/usage_counters.h"

#define DAY ((int64_t)86400)
#define NOON (T0 / DAY * DAY + DAY / 2)

SQL(usage_rows, "SELECT (SELECT COUNT(*) FROM user_usage), (SELECT COUNT(*) FROM (SELECT DISTINCT "
                "app_id, day FROM app_usage) d),"
                " (SELECT COUNT(*) FROM app_refusal)");

struct counting {
    struct arena *mem;
    struct db_rows rows;
};

static enum err
count_rows(struct db_tx *tx, void *argument)
{
    struct counting *counting = argument;
    return db_query_values(tx, counting->mem, &usage_rows, NULL, 0, &counting->rows);
}

static void
assert_rows(struct kit *kit, int64_t users, int64_t apps, int64_t refusals)
{
    struct counting counting = { .mem = kit->mem };
    assert_int_equal(kit_read(kit->db, count_rows, &counting), ERR_NONE);
    assert_int_equal(db_cell_int(&counting.rows, 0, 0), users);
    assert_int_equal(db_cell_int(&counting.rows, 0, 1), apps);
    assert_int_equal(db_cell_int(&counting.rows, 0, 2), refusals);
}

static void
write_counts(struct kit *kit, struct usage_counters *counters)
{
    assert_int_equal(usage_write(kit->db, kit->mem, counters), ERR_NONE);
}

static struct grant_usage
grant_usage(struct world *world, struct usage_counters *counters, int64_t now)
{
    struct grant_usage usage;
    assert_int_equal(usage_of_grant(world->kit->db, world->kit->mem, counters, world->ada.id,
                                    world->app.id, now, &usage),
                     ERR_NONE);
    return usage;
}

static struct app_usage
app_usage(struct world *world, struct usage_counters *counters, int64_t now)
{
    struct app_usage usage;
    assert_int_equal(
        usage_of_app(world->kit->db, world->kit->mem, counters, world->app.id, now, &usage),
        ERR_NONE);
    return usage;
}

#endif
