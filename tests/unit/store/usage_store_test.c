#include "unit/store_kit.h"

#include "store/app_store.h"
#include "credential/grant_store.h"
#include "store/tx.h"
#include "store/usage_store.h"

#define TODAY 20000

struct adding {
    struct arena *mem;
    struct str app_id;
    uint32_t chance; /* of the position, or the part */
    struct usage_slot slot;
};

static enum err
add_day(struct db_tx *tx, void *argument)
{
    struct adding *adding = argument;
    struct usage_day day = { .day = TODAY, .counts[USAGE_CALL] = 1 };
    return usage_store_add_app(tx, adding->mem, adding->app_id, &day, adding->chance,
                               &adding->slot);
}

static enum err
add_app(struct db_tx *tx, void *argument)
{
    const struct adding *adding = argument;
    struct app app = { .id = adding->app_id,
                       .owner_id = STR("usr_owner"),
                       .name = STR("an app"),
                       .redirect_uris = STR("https://c.example/cb"),
                       .is_public = true,
                       .position = (int64_t)adding->chance + 1 };
    return app_store_add(tx, adding->mem, &app);
}

static struct usage_slot
slot_of(struct kit *kit, const char *app_id, uint32_t part)
{
    struct adding adding = { .mem = kit->mem, .app_id = str_of(app_id), .chance = part };
    assert_int_equal(tx_write(kit->db, add_day, &adding), ERR_NONE);
    return adding.slot;
}

struct reading {
    struct arena *mem;
    struct str app_id;
    struct app_usage usage;
};

static enum err
read_usage(struct db_tx *tx, void *argument)
{
    struct reading *reading = argument;
    return usage_store_find_app(tx, reading->mem, reading->app_id, TODAY, TODAY * (int64_t)86400,
                                &reading->usage);
}

static void
the_slot_of_an_apps_day_follows_from_its_id_and_parts_add_up(struct kit *kit)
{
    static const char *const apps[] = { "app_aaaaaaaa", "app_aaaaaaba", "app_baaaaaaa" };
    int64_t numbers[KIT_COUNT(apps)];
    for (size_t i = 0; i < KIT_COUNT(apps); i++) {
        struct adding adding = { .mem = kit->mem,
                                 .app_id = str_of(apps[i]),
                                 .chance = (uint32_t)i };
        assert_int_equal(tx_write(kit->db, add_app, &adding), ERR_NONE);
        struct usage_slot slot = slot_of(kit, apps[i], 63);
        assert_true(slot.exists);
        numbers[i] = slot.number;
        assert_int_equal(slot.number >> 42, TODAY);
        for (size_t other = 0; other < i; other++)
            assert_true(numbers[other] != slot.number);
    }
    for (size_t i = 0; i < KIT_COUNT(apps); i++) {
        struct reading reading = { .mem = kit->mem, .app_id = str_of(apps[i]) };
        assert_int_equal(slot_of(kit, apps[i], 7).number, numbers[i]);
        assert_int_equal(slot_of(kit, apps[i], 7).number, numbers[i]);
        assert_int_equal(kit_read(kit->db, read_usage, &reading), ERR_NONE);
        assert_int_equal(reading.usage.days[USAGE_DAYS - 1].counts[USAGE_CALL], 3);
    }
}

/* ---- counts that are written while the user disconnects the app ---- */

#define USER "usr_xyAAAAAAAAAAAAAAAAAAAA"
#define APP "app_aaaaaaaa"
#define NOON (TODAY * (int64_t)86400 + 43200)

SQL(test_user_usage, "SELECT (SELECT COUNT(*) FROM user_usage),"
                     " (SELECT COUNT(*) FROM usage_revocation)");

struct late {
    struct arena *mem;
    bool reconnects;
    size_t removed;
    int64_t now;
    struct db_rows rows;
};

/* The writer has read the revocations before the user disconnected the app. */
static enum err
disconnect_and_write(struct db_tx *tx, void *argument)
{
    struct late *late = argument;
    struct usage_day day = { .day = TODAY, .counts[USAGE_CALL] = 1 };
    struct user_usage count = { .user_id = STR(USER), .calls = 1, .last_use = NOON };
    struct usage_revoked none = { 0 };
    struct usage_slot slot;
    struct grant grant = { .id = STR("grt_xy"),
                           .user_id = STR(USER),
                           .app_id = STR(APP),
                           .shown = STR(""),
                           .expires_at = NOON + 86400 };
    enum err err = usage_store_end_grant(tx, late->mem, STR(USER), STR(APP), NOON);
    if (!err)
        err = usage_store_add_app(tx, late->mem, STR(APP), &day, 1, &slot);
    if (!err)
        err = usage_store_add_users(tx, late->mem, STR(APP), slot.number, &count, 1, &none);
    return err || !late->reconnects ? err : grant_store_add(tx, late->mem, &grant);
}

static enum err
clean(struct db_tx *tx, void *argument)
{
    struct late *late = argument;
    return usage_store_delete_expired(tx, late->mem, late->now, 200, &late->removed);
}

static enum err
count_late(struct db_tx *tx, void *argument)
{
    struct late *late = argument;
    return db_query_values(tx, late->mem, &test_user_usage, NULL, 0, &late->rows);
}

static void
assert_late(struct kit *kit, struct late *late, int64_t now, int64_t counts, int64_t revocations)
{
    late->now = now;
    assert_int_equal(tx_write(kit->db, clean, late), ERR_NONE);
    assert_int_equal(kit_read(kit->db, count_late, late), ERR_NONE);
    assert_int_equal(db_cell_int(&late->rows, 0, 0), counts);
    assert_int_equal(db_cell_int(&late->rows, 0, 1), revocations);
}

static void
late_counts(struct kit *kit, bool reconnects)
{
    struct adding adding = { .mem = kit->mem, .app_id = STR(APP) };
    struct late late = { .mem = kit->mem, .reconnects = reconnects };
    assert_int_equal(tx_write(kit->db, add_app, &adding), ERR_NONE);
    assert_int_equal(tx_write(kit->db, disconnect_and_write, &late), ERR_NONE);
    assert_late(kit, &late, NOON + USAGE_END_KNOWN_SECONDS - 1, 1, 1);
    assert_late(kit, &late, NOON + USAGE_END_KNOWN_SECONDS, reconnects ? 1 : 0, 0);
}

static void
a_count_written_during_a_disconnection_is_deleted_with_the_revocation(struct kit *kit)
{
    late_counts(kit, false);
}

static void
a_count_stays_if_the_user_has_connected_the_app_again(struct kit *kit)
{
    late_counts(kit, true);
}

SQL(test_revoked_id, "SELECT COUNT(*) FROM usage_revocation WHERE user_id = '" USER "'");

static enum err
forget(struct db_tx *tx, void *argument)
{
    struct late *late = argument;
    enum err err = usage_store_forget_user(tx, late->mem, STR(USER), NOON);
    return err ? err : db_query_values(tx, late->mem, &test_revoked_id, NULL, 0, &late->rows);
}

static void
the_id_of_a_deleted_user_is_not_kept_for_late_counts(struct kit *kit)
{
    struct adding adding = { .mem = kit->mem, .app_id = STR(APP) };
    struct late late = { .mem = kit->mem };
    assert_int_equal(tx_write(kit->db, add_app, &adding), ERR_NONE);
    assert_int_equal(tx_write(kit->db, disconnect_and_write, &late), ERR_NONE);
    assert_int_equal(tx_write(kit->db, forget, &late), ERR_NONE);
    assert_int_equal(db_cell_int(&late.rows, 0, 0), 0);
    assert_late(kit, &late, NOON + USAGE_END_KNOWN_SECONDS - 1, 1, 1);
    assert_late(kit, &late, NOON + USAGE_END_KNOWN_SECONDS, 0, 0);
}

static void
a_deleted_app_has_no_slot(struct kit *kit)
{
    assert_false(slot_of(kit, "app_gone", 7).exists);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(the_slot_of_an_apps_day_follows_from_its_id_and_parts_add_up),
        KIT_CASE(a_count_written_during_a_disconnection_is_deleted_with_the_revocation),
        KIT_CASE(a_count_stays_if_the_user_has_connected_the_app_again),
        KIT_CASE(the_id_of_a_deleted_user_is_not_kept_for_late_counts),
        KIT_CASE(a_deleted_app_has_no_slot),
    };
    return KIT_RUN("store/usage_store", cases, LOG_WARN);
}
