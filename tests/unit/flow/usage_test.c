#include "unit/flow/world.h"

#include "flow/tally.h"
#include "flow/usage.h"
#include "store/usage_store.h"

#include <pthread.h>

#define DAY ((int64_t)86400)
#define NOON (T0 / DAY * DAY + DAY / 2)

SQL(usage_rows, "SELECT (SELECT COUNT(*) FROM person_use), (SELECT COUNT(*) FROM app_use),"
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
assert_rows(struct kit *kit, int64_t people, int64_t apps, int64_t refusals)
{
    struct counting counting = { .mem = kit->mem };
    assert_int_equal(tx_read(kit->db, count_rows, &counting), ERR_NONE);
    assert_int_equal(db_cell_int(&counting.rows, 0, 0), people);
    assert_int_equal(db_cell_int(&counting.rows, 0, 1), apps);
    assert_int_equal(db_cell_int(&counting.rows, 0, 2), refusals);
}

static struct grant_usage
grant_usage(struct world *world, struct tally *tally, int64_t now)
{
    struct grant_usage usage;
    assert_int_equal(usage_of_grant(world->kit->db, world->kit->mem, tally, world->ada.id,
                                    world->app.id, now, &usage),
                     ERR_NONE);
    return usage;
}

static struct app_usage
app_usage(struct world *world, struct tally *tally, int64_t now)
{
    struct app_usage usage;
    assert_int_equal(
        usage_of_app(world->kit->db, world->kit->mem, tally, world->app.id, now, &usage), ERR_NONE);
    return usage;
}

static void
refuse(struct world *world, struct tally *tally, const char *reason, const char *detail,
       int64_t now)
{
    struct refusal refusal = { .app_id = world->app.id,
                               .endpoint = STR("POST /oauth/token"),
                               .error = STR("invalid_grant"),
                               .reason = str_of(reason),
                               .detail = str_of(detail),
                               .times = 1,
                               .first_at = now,
                               .last_at = now };
    tally_refuse(tally, world->kit->mem, &refusal);
}

static size_t
refusals(struct world *world, struct tally *tally, struct refusal **out)
{
    size_t count = 0;
    assert_int_equal(
        refusals_of_app(world->kit->db, world->kit->mem, tally, world->app.id, out, &count),
        ERR_NONE);
    return count;
}

static void
use_is_seen_before_it_is_written_and_the_same_after(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct tally *tally = tally_new();
    tally_count(tally, world.ada.id, world.app.id, USAGE_CALL, NOON - DAY);
    tally_count(tally, world.ada.id, world.app.id, USAGE_CALL, NOON);
    tally_count(tally, world.ada.id, world.app.id, USAGE_TOKENS, NOON + 5);
    tally_count(tally, world.ada.id, world.app.id, USAGE_REFUSED, NOON + 9);
    tally_count(tally, STR_NONE, world.app.id, USAGE_FAILED, NOON);
    for (int round = 0; round < 2; round++) {
        struct grant_usage grant = grant_usage(&world, tally, NOON);
        assert_int_equal(grant.days[USAGE_DAYS - 1], 2);
        assert_int_equal(grant.days[USAGE_DAYS - 2], 1);
        assert_int_equal(grant.last_use, NOON + 5);
        struct app_usage app = app_usage(&world, tally, NOON);
        assert_int_equal(app.days[USAGE_DAYS - 1].day, NOON / DAY);
        assert_int_equal(app.days[USAGE_DAYS - 1].counts[USAGE_CALL], 1);
        assert_int_equal(app.days[USAGE_DAYS - 1].counts[USAGE_TOKENS], 1);
        assert_int_equal(app.days[USAGE_DAYS - 1].counts[USAGE_REFUSED], 1);
        assert_int_equal(app.days[USAGE_DAYS - 1].counts[USAGE_FAILED], 1);
        assert_int_equal(app.days[USAGE_DAYS - 2].counts[USAGE_CALL], 1);
        assert_int_equal(app.people, round);
        assert_rows(kit, 2 * round, 2 * round, 0);
        assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
    }
    assert_rows(kit, 2, 2, 0);
    tally_free(tally);
}

static void
two_processes_add_to_the_same_rows(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct tally *tallies[2] = { tally_new(), tally_new() };
    struct refusal *list;
    for (int i = 0; i < 6; i++) {
        struct tally *tally = tallies[i % 2];
        tally_count(tally, world.ada.id, world.app.id, USAGE_CALL, NOON + i);
        refuse(&world, tally, "The code is too old.", i == 5 ? "last" : "", NOON + i);
        assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
    }
    assert_int_equal(grant_usage(&world, NULL, NOON).days[USAGE_DAYS - 1], 6);
    assert_int_equal(grant_usage(&world, NULL, NOON).last_use, NOON + 5);
    assert_int_equal(app_usage(&world, NULL, NOON).people, 1);
    assert_int_equal(refusals(&world, NULL, &list), 1);
    assert_int_equal(list[0].times, 6);
    assert_int_equal(list[0].first_at, NOON);
    assert_int_equal(list[0].last_at, NOON + 5);
    assert_true(str_eq_c(list[0].detail, "last"));
    tally_free(tallies[0]);
    tally_free(tallies[1]);
}

static void
the_newest_refusals_are_kept_and_shown_first(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct tally *tally = tally_new();
    struct refusal *list;
    for (int i = 0; i < 3 * REFUSALS_PER_APP_MAX; i++) {
        refuse(&world, tally, str_format(kit->mem, "reason %d", i).ptr, "", NOON + i);
        if (i % 20 == 0)
            assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
    }
    size_t count = refusals(&world, tally, &list);
    assert_int_equal(count, REFUSALS_PER_APP_MAX);
    assert_true(str_eq_c(list[0].reason, "reason 149"));
    for (size_t i = 1; i < count; i++)
        assert_true(list[i].last_at <= list[i - 1].last_at);
    assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
    assert_rows(kit, 0, 0, REFUSALS_PER_APP_MAX);
    tally_free(tally);
}

static void
what_a_person_or_an_app_leaves_is_deleted_and_not_written_again(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct user bob = world_user(kit, "bob"), user;
    struct app app;
    struct tally *tally = tally_new();
    for (int round = 0; round < 2; round++) {
        tally_count(tally, world.ada.id, world.app.id, USAGE_CALL, NOON);
        tally_count(tally, bob.id, world.app.id, USAGE_CALL, NOON);
        refuse(&world, tally, "The secret is wrong.", "", NOON);
        if (round == 0) {
            assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
            assert_rows(kit, 2, 1, 1);
            assert_int_equal(account_delete(kit->db, kit->mem, bob.id, &user), ERR_NONE);
            assert_rows(kit, 1, 1, 1);
        }
    }
    assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
    assert_rows(kit, 1, 1, 1); /* bob's second call was of nobody */
    tally_count(tally, world.ada.id, world.app.id, USAGE_CALL, NOON);
    assert_int_equal(app_delete(kit->db, kit->mem, world.app.id, &app), ERR_NONE);
    assert_rows(kit, 0, 0, 0);
    assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
    assert_rows(kit, 0, 0, 0);
    tally_free(tally);
}

static void
a_developer_who_goes_takes_the_counts_of_all_apps_along(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct user bob = world_user(kit, "bob"), user;
    struct tally *tally = tally_new();
    tally_count(tally, bob.id, world.app.id, USAGE_CALL, NOON);
    refuse(&world, tally, "The secret is wrong.", "", NOON);
    assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
    assert_rows(kit, 1, 1, 1);
    assert_int_equal(account_delete(kit->db, kit->mem, world.ada.id, &user), ERR_NONE);
    assert_rows(kit, 0, 0, 0);
    tally_free(tally);
}

static void
old_days_are_not_shown_and_in_the_end_removed(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct tally *tally = tally_new();
    bool more = true;
    tally_count(tally, world.ada.id, world.app.id, USAGE_CALL, NOON);
    refuse(&world, tally, "The secret is wrong.", "", NOON);
    assert_int_equal(usage_write(kit->db, kit->mem, tally), ERR_NONE);
    struct grant_usage grant = grant_usage(&world, tally, NOON + USAGE_DAYS * DAY);
    assert_int_equal(grant.last_use, NOON);
    for (size_t i = 0; i < USAGE_DAYS; i++)
        assert_int_equal(grant.days[i], 0);
    assert_int_equal(app_usage(&world, tally, NOON + USAGE_DAYS * DAY).people, 0);
    const struct {
        const char *why;
        int64_t now, people, apps, refusals;
    } rows[] = {
        { "nothing yet", NOON + REFUSAL_KEPT_SECONDS - 1, 1, 1, 1 },
        { "the refusal", NOON + REFUSAL_KEPT_SECONDS, 1, 1, 0 },
        { "not before its day", NOON + (USAGE_KEPT_DAYS - 1) * DAY, 1, 1, 0 },
        { "the counts", NOON + USAGE_KEPT_DAYS * DAY, 0, 0, 0 },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        assert_int_equal(usage_clean(kit->db, kit->mem, rows[i].now, &more), ERR_NONE);
        assert_false(more);
        assert_rows(kit, rows[i].people, rows[i].apps, rows[i].refusals);
    }
    tally_free(tally);
}

/* ---- a crowd ---- */

#define CROWD 8
#define EACH 2000

struct counter {
    struct world *world;
    struct tally *tally;
    struct str bob;
};

static void *
count_along(void *argument)
{
    struct counter *counter = argument;
    for (int i = 0; i < EACH; i++)
        tally_count(counter->tally, i % 2 == 0 ? counter->world->ada.id : counter->bob,
                    counter->world->app.id, USAGE_CALL, NOON);
    return NULL;
}

static void
nothing_is_lost_when_all_count_while_it_is_written(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct counter counter = { &world, tally_new(), world_user(kit, "bob").id };
    pthread_t threads[CROWD];
    for (int i = 0; i < CROWD; i++)
        pthread_create(&threads[i], NULL, count_along, &counter);
    for (int i = 0; i < 20; i++)
        assert_int_equal(usage_write(kit->db, kit->mem, counter.tally), ERR_NONE);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(usage_write(kit->db, kit->mem, counter.tally), ERR_NONE);
    assert_int_equal(app_usage(&world, NULL, NOON).days[USAGE_DAYS - 1].counts[USAGE_CALL],
                     CROWD * EACH);
    assert_int_equal(grant_usage(&world, NULL, NOON).days[USAGE_DAYS - 1], CROWD * EACH / 2);
    assert_rows(kit, 2, 1, 0);
    tally_free(counter.tally);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(use_is_seen_before_it_is_written_and_the_same_after),
        KIT_CASE(two_processes_add_to_the_same_rows),
        KIT_CASE(the_newest_refusals_are_kept_and_shown_first),
        KIT_CASE(what_a_person_or_an_app_leaves_is_deleted_and_not_written_again),
        KIT_CASE(a_developer_who_goes_takes_the_counts_of_all_apps_along),
        KIT_CASE(old_days_are_not_shown_and_in_the_end_removed),
        KIT_CASE(nothing_is_lost_when_all_count_while_it_is_written),
    };
    return KIT_RUN("flow/usage", cases, LOG_WARN);
}
