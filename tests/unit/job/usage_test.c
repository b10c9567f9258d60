#include "job/expiry.h"
#include "store/housekeeping_store.h"
#include "store/refusal_store.h"
#include "store/usage_store.h"
#include "unit/job/counts.h"

#include "base/clock.h"
#include "flow/connections.h"

SQL(usage_revocation_rows, "SELECT COUNT(*) FROM usage_revocation");
SQL(usage_calls, "SELECT CAST(COALESCE(SUM(calls), 0) AS BIGINT) FROM user_usage");

struct asking {
    struct arena *mem;
    const struct sql *sql;
    int64_t number;
};

static enum err
ask(struct db_tx *tx, void *argument)
{
    struct asking *asking = argument;
    struct db_rows rows = { 0 };
    enum err err = db_query_values(tx, asking->mem, asking->sql, NULL, 0, &rows);
    asking->number = db_cell_int(&rows, 0, 0);
    return err;
}

static int64_t
number(struct kit *kit, const struct sql *sql)
{
    struct asking asking = { kit->mem, sql, 0 };
    assert_int_equal(tx_write(kit->db, ask, &asking), ERR_NONE);
    return asking.number;
}

struct connecting {
    struct arena *mem;
    struct grant grant;
};

static enum err
add_grant(struct db_tx *tx, void *argument)
{
    struct connecting *connecting = argument;
    return grant_store_add(tx, connecting->mem, &connecting->grant);
}

static void
connect_until(struct kit *kit, struct str user_id, struct str app_id, int64_t expires_at)
{
    struct connecting connecting = { kit->mem,
                                     { .id = random_id(kit->mem, "grt_"),
                                       .user_id = user_id,
                                       .app_id = app_id,
                                       .allowed.scopes = HINTS,
                                       .shown = STR(""),
                                       .expires_at = expires_at,
                                       .created_at = T0 } };
    assert_int_equal(tx_write(kit->db, add_grant, &connecting), ERR_NONE);
}

static void
connect_with(struct kit *kit, struct str user_id, struct str app_id)
{
    connect_until(kit, user_id, app_id, NOON + 1000 * DAY);
}

static void
refuse(struct world *world, struct usage_counters *counters, const char *reason, const char *detail,
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
    usage_counters_add_refusal(counters, world->kit->mem, &refusal);
}

static size_t
refusals(struct world *world, struct usage_counters *counters, struct refusal **out)
{
    size_t count = 0;
    assert_int_equal(
        refusals_of_app(world->kit->db, world->kit->mem, counters, world->app.id, out, &count),
        ERR_NONE);
    return count;
}

static void
usage_is_the_same_before_and_after_it_is_written(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct usage_counters *counters = usage_counters_new();
    usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON - DAY);
    usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON);
    usage_counters_add(counters, world.ada.id, world.app.id, USAGE_TOKENS, NOON + 5);
    usage_counters_add(counters, world.ada.id, world.app.id, USAGE_REFUSED, NOON + 9);
    usage_counters_add(counters, STR_NONE, world.app.id, USAGE_FAILED, NOON);
    for (int round = 0; round < 2; round++) {
        struct grant_usage grant = grant_usage(&world, counters, NOON);
        assert_int_equal(grant.days[USAGE_DAYS - 1], 2);
        assert_int_equal(grant.days[USAGE_DAYS - 2], 1);
        assert_int_equal(grant.last_use, NOON + 5);
        struct app_usage app = app_usage(&world, counters, NOON);
        assert_int_equal(app.days[USAGE_DAYS - 1].day, NOON / DAY);
        assert_int_equal(app.days[USAGE_DAYS - 1].counts[USAGE_CALL], 1);
        assert_int_equal(app.days[USAGE_DAYS - 1].counts[USAGE_TOKENS], 1);
        assert_int_equal(app.days[USAGE_DAYS - 1].counts[USAGE_REFUSED], 1);
        assert_int_equal(app.days[USAGE_DAYS - 1].counts[USAGE_FAILED], 1);
        assert_int_equal(app.days[USAGE_DAYS - 2].counts[USAGE_CALL], 1);
        assert_int_equal(app.users, round);
        assert_rows(kit, 2 * round, 2 * round, 0);
        write_counts(kit, counters);
    }
    assert_rows(kit, 2, 2, 0);
    usage_counters_free(counters);
}

static void
two_processes_add_to_the_same_rows(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct usage_counters *tallies[2] = { usage_counters_new(), usage_counters_new() };
    struct refusal *list;
    for (int i = 0; i < 6; i++) {
        struct usage_counters *counters = tallies[i % 2];
        usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON + i);
        refuse(&world, counters, "The code is too old.", i == 5 ? "last" : "", NOON + i);
        write_counts(kit, counters);
    }
    assert_int_equal(grant_usage(&world, NULL, NOON).days[USAGE_DAYS - 1], 6);
    assert_int_equal(grant_usage(&world, NULL, NOON).last_use, NOON + 5);
    assert_int_equal(app_usage(&world, NULL, NOON).users, 1);
    assert_int_equal(refusals(&world, NULL, &list), 1);
    assert_int_equal(list[0].times, 6);
    assert_int_equal(list[0].first_at, NOON);
    assert_int_equal(list[0].last_at, NOON + 5);
    assert_true(str_eq_c(list[0].detail, "last"));
    usage_counters_free(tallies[0]);
    usage_counters_free(tallies[1]);
}

static void
the_newest_refusals_are_kept_and_shown_first(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct usage_counters *counters = usage_counters_new();
    struct refusal *list;
    for (int i = 0; i < 3 * REFUSALS_PER_APP_MAX; i++) {
        refuse(&world, counters, str_format(kit->mem, "reason %d", i).ptr, "", NOON + i);
        if (i % 20 == 0)
            write_counts(kit, counters);
    }
    size_t count = refusals(&world, counters, &list);
    assert_int_equal(count, REFUSALS_PER_APP_MAX);
    assert_true(str_eq_c(list[0].reason, "reason 149"));
    for (size_t i = 1; i < count; i++)
        assert_true(list[i].last_at <= list[i - 1].last_at);
    write_counts(kit, counters);
    assert_rows(kit, 0, 0, REFUSALS_PER_APP_MAX);
    usage_counters_free(counters);
}

static void
usage_of_a_deleted_user_or_app_is_deleted_and_not_written_again(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct user bob = world_user(kit, "bob"), user;
    struct app app;
    struct usage_counters *counters = usage_counters_new();
    connect_with(kit, world.ada.id, world.app.id);
    connect_with(kit, bob.id, world.app.id);
    for (int round = 0; round < 2; round++) {
        usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON);
        usage_counters_add(counters, bob.id, world.app.id, USAGE_CALL, NOON);
        refuse(&world, counters, "The secret is wrong.", "", NOON);
        if (round == 0) {
            write_counts(kit, counters);
            assert_rows(kit, 2, 1, 1);
            assert_int_equal(account_delete(kit->db, kit->mem, bob.id, &user), ERR_NONE);
            assert_rows(kit, 1, 1, 1);
        }
    }
    write_counts(kit, counters);
    assert_rows(kit, 1, 1, 1); /* bob's second call had no user */
    usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON);
    assert_int_equal(app_delete(kit->db, kit->mem, world.app.id, &app), ERR_NONE);
    assert_rows(kit, 0, 0, 0);
    write_counts(kit, counters);
    assert_rows(kit, 0, 0, 0);
    usage_counters_free(counters);
}

static void
usage_of_a_grant_is_deleted_with_the_grant(struct kit *kit)
{
    static const char *const ways[] = { "disconnected", "narrowed to nothing", "over by its date" };
    struct world world = world_begin(kit);
    struct app other = world_app(kit, true, NULL);
    struct user bob = world_user(kit, "bob");
    struct usage_counters *counters = usage_counters_new();
    connect_with(kit, bob.id, world.app.id);
    connect_with(kit, world.ada.id, other.id);
    usage_counters_add(counters, bob.id, world.app.id, USAGE_CALL, NOON);
    usage_counters_add(counters, world.ada.id, other.id, USAGE_CALL, NOON);
    for (size_t way = 0; way < KIT_COUNT(ways); way++) {
        struct connection connection;
        bool more;
        enum err err;
        connect_until(kit, world.ada.id, world.app.id, NOON + (way == 2 ? 1 : 1000) * DAY);
        for (int ago = 0; ago < USAGE_KEPT_DAYS; ago += 40)
            usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON - ago * DAY);
        write_counts(kit, counters);
        assert_int_equal(grant_usage(&world, NULL, NOON).days[USAGE_DAYS - 1], 1);
        assert_rows(kit, 2 + 3, 4, 0);
        if (way == 0)
            err = connection_end(kit->db, kit->mem, world.ada.id, world.app.id, NOON, &connection);
        else if (way == 1)
            err = connection_narrow(kit->db, kit->mem, world.ada.id, world.app.id, 0, 0, NOON,
                                    &connection);
        else
            err = expiry_step(kit->db, kit->mem, token_clean_expired, NOON + 92 * DAY, EXPIRY_ROWS,
                              &more);
        assert_int_equal(err, ERR_NONE);
        if (grant_usage(&world, NULL, NOON).last_use != 0)
            fail_msg("%s", ways[way]);
        assert_rows(kit, 2, 4, 0); /* bob's, and ada's with the other app */
    }
    usage_counters_free(counters);
}

static void
an_unwritten_count_of_a_revoked_grant_is_written_only_if_there_is_a_new_grant(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct usage_counters *counters = usage_counters_new();
    struct connection connection;
    for (int again = 0; again < 2; again++) {
        connect_with(kit, world.ada.id, world.app.id);
        usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON);
        assert_int_equal(
            connection_end(kit->db, kit->mem, world.ada.id, world.app.id, NOON, &connection),
            ERR_NONE);
        usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL,
                           NOON + 1); /* read before */
        if (again)
            connect_with(kit, world.ada.id, world.app.id);
        write_counts(kit, counters);
        assert_rows(kit, again, 1, 0);
        assert_int_equal(grant_usage(&world, NULL, NOON).days[USAGE_DAYS - 1], 2 * again);
        assert_int_equal(number(kit, &usage_revocation_rows), 1);
    }
    usage_counters_free(counters);
}

static void
a_revocation_is_deleted_after_a_while(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct connection connection;
    bool more = true;
    connect_with(kit, world.ada.id, world.app.id);
    assert_int_equal(
        connection_end(kit->db, kit->mem, world.ada.id, world.app.id, NOON, &connection), ERR_NONE);
    for (int64_t late = -1; late <= 0; late++) {
        assert_int_equal(expiry_step(kit->db, kit->mem, usage_store_delete_expired,
                                     NOON + USAGE_END_KNOWN_SECONDS + late, EXPIRY_ROWS, &more),
                         ERR_NONE);
        assert_false(more);
        assert_int_equal(number(kit, &usage_revocation_rows), late < 0);
    }
}

static void
older_counts_are_written_only_for_existing_grants(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct user bob = world_user(kit, "bob");
    struct usage_counters *counters = usage_counters_new();
    connect_with(kit, bob.id, world.app.id);
    usage_counters_set_drained(counters, 0,
                               clock_steady_ms() - (int64_t)USAGE_END_KNOWN_SECONDS * 1000);
    for (int round = 0; round < 2; round++) {
        usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON);
        usage_counters_add(counters, bob.id, world.app.id, USAGE_CALL, NOON);
        write_counts(kit, counters);
        assert_rows(kit, 1 + round, 1, 0); /* then no count is old */
    }
    usage_counters_free(counters);
}

static void
thousands_of_users_are_written_and_each_is_summed(struct kit *kit)
{
    static const size_t counts[] = { 9, 10, 11, 20, 2345 };
    struct world world = world_begin(kit);
    for (size_t n = 0; n < KIT_COUNT(counts); n++) {
        struct app app = n == 0 ? world.app : world_app(kit, true, NULL);
        struct usage_counters *counters = usage_counters_new();
        struct app_usage usage;
        int64_t before = number(kit, &usage_calls);
        struct str *users = ARENA_ARRAY(kit->mem, struct str, counts[n]);
        for (size_t i = 0; i < counts[n]; i++)
            users[i] = random_id(kit->mem, "usr_");
        for (int round = 1; round <= 3; round++) {
            for (size_t i = 0; i < counts[n]; i++)
                for (size_t times = 0; times <= i % 3; times++)
                    usage_counters_add(counters, users[i], app.id, USAGE_CALL, NOON);
            write_counts(kit, counters);
            assert_int_equal(usage_of_app(kit->db, kit->mem, NULL, app.id, NOON, &usage), ERR_NONE);
            assert_int_equal(usage.users, counts[n]);
            assert_int_equal(number(kit, &usage_calls) - before,
                             usage.days[USAGE_DAYS - 1].counts[USAGE_CALL]);
        }
        for (size_t i = 0; i < counts[n]; i += 7) {
            struct grant_usage grant;
            assert_int_equal(
                usage_of_grant(kit->db, kit->mem, NULL, users[i], app.id, NOON, &grant), ERR_NONE);
            assert_int_equal(grant.days[USAGE_DAYS - 1], 3 * (i % 3 + 1));
        }
        usage_counters_free(counters);
    }
}

static void
deleting_a_developer_deletes_the_usage_of_all_apps(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct user bob = world_user(kit, "bob"), user;
    struct usage_counters *counters = usage_counters_new();
    usage_counters_add(counters, bob.id, world.app.id, USAGE_CALL, NOON);
    refuse(&world, counters, "The secret is wrong.", "", NOON);
    write_counts(kit, counters);
    assert_rows(kit, 1, 1, 1);
    assert_int_equal(account_delete(kit->db, kit->mem, world.ada.id, &user), ERR_NONE);
    assert_rows(kit, 0, 0, 0);
    usage_counters_free(counters);
}

static void
old_days_are_not_shown_and_later_deleted(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct usage_counters *counters = usage_counters_new();
    expiry_delete *const steps[] = { usage_store_delete_expired, refusal_store_delete_expired };
    bool more = true;
    usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, NOON);
    refuse(&world, counters, "The secret is wrong.", "", NOON);
    write_counts(kit, counters);
    struct grant_usage grant = grant_usage(&world, counters, NOON + USAGE_DAYS * DAY);
    assert_int_equal(grant.last_use, NOON);
    for (size_t i = 0; i < USAGE_DAYS; i++)
        assert_int_equal(grant.days[i], 0);
    assert_int_equal(app_usage(&world, counters, NOON + USAGE_DAYS * DAY).users, 0);
    const struct {
        const char *why;
        int64_t now, users, apps, refusals;
    } rows[] = {
        { "nothing yet", NOON + REFUSAL_KEPT_SECONDS - 1, 1, 1, 1 },
        { "the refusal", NOON + REFUSAL_KEPT_SECONDS, 1, 1, 0 },
        { "not before its day", NOON + (USAGE_KEPT_DAYS - 1) * DAY, 1, 1, 0 },
        { "the counts", NOON + USAGE_KEPT_DAYS * DAY, 0, 0, 0 },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        for (size_t j = 0; j < KIT_COUNT(steps); j++) {
            assert_int_equal(
                expiry_step(kit->db, kit->mem, steps[j], rows[i].now, EXPIRY_ROWS, &more),
                ERR_NONE);
            assert_false(more);
        }
        assert_rows(kit, rows[i].users, rows[i].apps, rows[i].refusals);
    }
    usage_counters_free(counters);
}

/* ---- many users ---- */

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(usage_is_the_same_before_and_after_it_is_written),
        KIT_CASE(two_processes_add_to_the_same_rows),
        KIT_CASE(the_newest_refusals_are_kept_and_shown_first),
        KIT_CASE(usage_of_a_deleted_user_or_app_is_deleted_and_not_written_again),
        KIT_CASE(usage_of_a_grant_is_deleted_with_the_grant),
        KIT_CASE(an_unwritten_count_of_a_revoked_grant_is_written_only_if_there_is_a_new_grant),
        KIT_CASE(a_revocation_is_deleted_after_a_while),
        KIT_CASE(older_counts_are_written_only_for_existing_grants),
        KIT_CASE(thousands_of_users_are_written_and_each_is_summed),
        KIT_CASE(deleting_a_developer_deletes_the_usage_of_all_apps),
        KIT_CASE(old_days_are_not_shown_and_later_deleted),
    };
    return KIT_RUN("job/usage", cases, LOG_WARN);
}
