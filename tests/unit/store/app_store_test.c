#include "unit/store/rows.h"

#include "base/clock.h"

struct args {
    struct arena *mem;
    const struct app *app;
    struct app added;
    struct str id, owner;
    int64_t after, limit, number;
    struct app found;
    struct app *list;
    size_t count;
    struct grant grant;
};

WORK(add_work, (a->added = *a->app, app_store_add(tx, a->mem, &a->added)))
WORK(finish_work, app_store_finish_deletions(tx, a->mem, a->after, a->limit, &a->count))
WORK(find_work, app_store_find(tx, a->mem, a->id, &a->found))
WORK(put_work, app_store_put(tx, a->mem, a->app))
WORK(delete_work, app_store_delete(tx, a->mem, a->id))
WORK(count_work, app_store_count(tx, a->mem, a->owner, &a->number))
WORK(list_work, app_store_list(tx, a->mem, a->owner, a->after, a->limit, &a->list, &a->count))
WORK(add_grant_work, grant_store_add(tx, a->mem, &a->grant))
WORK(find_grant_work,
     grant_store_find(tx, a->mem, a->grant.user_id, a->grant.app_id, T0, &a->grant))

SQL(test_odd_status, "UPDATE app SET status = 'paused'");
WORK(odd_status_work, db_query_values(tx, a->mem, &test_odd_status, NULL, 0, NULL))

static enum err
find(struct kit *kit, struct str id, struct app *out)
{
    struct args args = { .mem = kit->mem, .id = id };
    enum err err = kit_read(kit->db, find_work, &args);
    *out = args.found;
    return err;
}

static void
assert_same_app(const struct app *a, const struct app *b)
{
    assert_same_text(a->id, b->id);
    assert_same_text(a->owner_id, b->owner_id);
    assert_same_text(a->name, b->name);
    assert_same_text(a->redirect_uris, b->redirect_uris);
    assert_int_equal(a->scopes, b->scopes);
    assert_int_equal(a->is_public, b->is_public);
    assert_same_text(a->secret_hash, b->secret_hash);
    assert_same_text(a->old_secret_hash, b->old_secret_hash);
    assert_int_equal(a->old_secret_expires_at, b->old_secret_expires_at);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->epoch, b->epoch);
    assert_int_equal(a->position, b->position);
    assert_int_equal(a->created_at, b->created_at);
    assert_int_equal(a->updated_at, b->updated_at);
}

/* The names in the order of the list, each followed by a bar. */
static const char *
names(struct kit *kit, struct str owner, int64_t after, int64_t limit)
{
    struct args args = { .mem = kit->mem, .owner = owner, .after = after, .limit = limit };
    assert_int_equal(kit_read(kit->db, list_work, &args), ERR_NONE);
    struct str text = STR("");
    for (size_t i = 0; i < args.count; i++)
        text = str_format(kit->mem, "%s%s|", text.ptr, args.list[i].name.ptr);
    return text.ptr;
}

static void
an_app_reads_back_as_stored(struct kit *kit)
{
    struct app found;
    rows_begin(kit);
    assert_int_equal(find(kit, finder.id, &found), ERR_NONE);
    assert_same_app(&found, &finder);
    assert_int_equal(find(kit, player.id, &found), ERR_NONE);
    assert_same_app(&found, &player);
    assert_int_equal(find(kit, STR("app_CCCCCCCCCCCCCCCCCCCCCC"), &found), ERR_NOT_FOUND);
}

static void
strings_are_never_executed_as_sql(struct kit *kit)
{
    struct app odd = finder, found;
    odd.name = STR("'); DROP TABLE app; -- \xf0\x9f\x8e\xb5 $1 %s");
    struct args args = { .mem = kit->mem, .app = &odd };
    assert_int_equal(tx_write(kit->db, add_work, &args), ERR_NONE);
    assert_int_equal(find(kit, odd.id, &found), ERR_NONE);
    assert_same_app(&found, &odd);
    assert_int_equal(find(kit, STR("' OR 1=1 --"), &found), ERR_NOT_FOUND);
}

static void
an_existing_id_or_position_is_taken_and_changes_nothing(struct kit *kit)
{
    struct app found, same_id = player, same_position = player;
    rows_begin(kit);
    same_id.id = finder.id;
    same_id.position = 77;
    same_position.id = STR("app_CCCCCCCCCCCCCCCCCCCCCC");
    same_position.position = finder.position;
    struct args args = { .mem = kit->mem, .app = &same_id };
    assert_int_equal(tx_write(kit->db, add_work, &args), ERR_TAKEN);
    args.app = &same_position;
    assert_int_equal(tx_write(kit->db, add_work, &args), ERR_TAKEN);
    assert_int_equal(find(kit, finder.id, &found), ERR_NONE);
    assert_same_app(&found, &finder);
    assert_string_equal(names(kit, STR_NONE, 0, 10), "Player|Concert Finder|");
}

static void
apps_are_listed_by_position_for_one_owner_or_all(struct kit *kit)
{
    struct app other = player;
    rows_begin(kit);
    other.id = STR("app_CCCCCCCCCCCCCCCCCCCCCC");
    other.owner_id = ada.id;
    other.name = STR("Other");
    other.position = 7;
    struct args args = { .mem = kit->mem, .app = &other };
    assert_int_equal(tx_write(kit->db, add_work, &args), ERR_NONE);
    static const struct {
        const char *owner;
        int64_t after, limit;
        const char *expected;
    } rows[] = {
        { NULL, 0, 10, "Player|Other|Concert Finder|" },
        { NULL, 5, 1, "Other|" },
        { NULL, 10, 10, "" },
        { BOB, 0, 10, "Player|Concert Finder|" },
        { BOB, 0, 1, "Player|" },
        { BOB, 5, 10, "Concert Finder|" },
        { ADA, 0, 10, "Other|" },
        { "usr_CCCCCCCCCCCCCCCCCCCCCC", 0, 10, "" },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++)
        assert_string_equal(names(kit, str_of(rows[i].owner), rows[i].after, rows[i].limit),
                            rows[i].expected);
    args.owner = bob.id;
    assert_int_equal(kit_read(kit->db, count_work, &args), ERR_NONE);
    assert_int_equal(args.number, 2);
    args.owner = STR("nobody");
    assert_int_equal(kit_read(kit->db, count_work, &args), ERR_NONE);
    assert_int_equal(args.number, 0);
}

static void
a_change_keeps_owner_and_creation_time(struct kit *kit)
{
    struct app found, changed = {
        .id = finder.id,
        .owner_id = STR("ignored"),
        .name = STR("Concerts"),
        .redirect_uris = STR("https://d.example/cb"),
        .scopes = PROFILE,
        .is_public = true, /* ignored, too */
        .secret_hash = STR("another"),
        .status = APP_DISABLED,
        .epoch = 4,
        .position = 99,
        .created_at = 99,
        .updated_at = 6000000000,
    };
    rows_begin(kit);
    struct args args = { .mem = kit->mem, .app = &changed };
    assert_int_equal(tx_write(kit->db, put_work, &args), ERR_NONE);
    struct app expected = changed;
    expected.owner_id = finder.owner_id;
    expected.is_public = false;
    expected.position = finder.position;
    expected.created_at = finder.created_at;
    assert_int_equal(find(kit, finder.id, &found), ERR_NONE);
    assert_same_app(&found, &expected);
    assert_int_equal(find(kit, player.id, &found), ERR_NONE);
    assert_same_app(&found, &player);
    changed.id = STR("app_CCCCCCCCCCCCCCCCCCCCCC");
    assert_int_equal(tx_write(kit->db, put_work, &args), ERR_NOT_FOUND);
}

static void
deleting_an_app_deletes_only_its_grants(struct kit *kit)
{
    struct app found;
    rows_begin(kit);
    struct args own = { .mem = kit->mem,
                        .id = finder.id,
                        .grant = { .id = STR("grt_1"),
                                   .user_id = ada.id,
                                   .app_id = finder.id,
                                   .shown = STR(""),
                                   .expires_at = NEVER_EXPIRES } };
    struct args other = own;
    other.grant.id = STR("grt_2");
    other.grant.app_id = player.id;
    assert_int_equal(tx_write(kit->db, add_grant_work, &own), ERR_NONE);
    assert_int_equal(tx_write(kit->db, add_grant_work, &other), ERR_NONE);
    assert_int_equal(tx_write(kit->db, delete_work, &own), ERR_NONE);
    assert_int_equal(find(kit, finder.id, &found), ERR_NOT_FOUND);
    assert_int_equal(kit_read(kit->db, find_grant_work, &own), ERR_NOT_FOUND);
    assert_int_equal(kit_read(kit->db, find_grant_work, &other), ERR_NONE);
    assert_int_equal(find(kit, player.id, &found), ERR_NONE);
    assert_int_equal(tx_write(kit->db, delete_work, &own), ERR_NOT_FOUND);
}

static void
an_unknown_status_is_an_internal_error(struct kit *kit)
{
    struct app found;
    rows_begin(kit);
    struct args args = { .mem = kit->mem };
    assert_int_equal(tx_write(kit->db, odd_status_work, &args), ERR_NONE);
    assert_int_equal(find(kit, finder.id, &found), ERR_INTERNAL);
}

/* ---- deleting an app with many grants ---- */

#define MANY_GRANTS 450
#define LATER (clock_now() + (int64_t)3 * 3600)

SQL(test_grants, "SELECT (SELECT COUNT(*) FROM app_grant), (SELECT COUNT(*) FROM deleted_app)");

struct grants {
    struct arena *mem;
    struct db_rows rows;
};

static enum err
add_many_grants(struct db_tx *tx, void *argument)
{
    struct grants *grants = argument;
    enum err err = ERR_NONE;
    for (int i = 0; i < MANY_GRANTS && !err; i++) {
        struct grant grant = { .id = str_format(grants->mem, "grt_%d", i),
                               .user_id = str_format(grants->mem, "usr_%d", i),
                               .app_id = finder.id,
                               .shown = STR(""),
                               .expires_at = T0 + 1000 };
        err = grant_store_add(tx, grants->mem, &grant);
    }
    return err;
}

static enum err
count_grants(struct db_tx *tx, void *argument)
{
    struct grants *grants = argument;
    return db_query_values(tx, grants->mem, &test_grants, NULL, 0, &grants->rows);
}

static void
assert_left(struct kit *kit, int64_t grant_count, int64_t deleted_apps)
{
    struct grants grants = { .mem = kit->mem };
    assert_int_equal(kit_read(kit->db, count_grants, &grants), ERR_NONE);
    assert_int_equal(db_cell_int(&grants.rows, 0, 0), grant_count);
    assert_int_equal(db_cell_int(&grants.rows, 0, 1), deleted_apps);
}

static size_t
finished(struct kit *kit, int64_t now)
{
    struct args args = { .mem = kit->mem, .after = now, .limit = 200 };
    assert_int_equal(tx_write(kit->db, finish_work, &args), ERR_NONE);
    return args.count;
}

static void
grants_of_a_deleted_app_are_deleted_in_steps(struct kit *kit)
{
    rows_begin(kit);
    struct args args = { .mem = kit->mem, .id = finder.id, .app = &finder };
    struct grants grants = { .mem = kit->mem };
    struct app found;
    assert_int_equal(tx_write(kit->db, add_many_grants, &grants), ERR_NONE);
    assert_int_equal(tx_write(kit->db, delete_work, &args), ERR_NONE);
    assert_int_equal(find(kit, finder.id, &found), ERR_NOT_FOUND);
    assert_left(kit, MANY_GRANTS - 200, 1);
    assert_int_equal(finished(kit, clock_now()), 200);
    assert_int_equal(finished(kit, clock_now()), 50);
    assert_left(kit, 0, 1);
    assert_int_equal(finished(kit, clock_now()), 0); /* remembered, and not looked at for a while */
    assert_left(kit, 0, 1);
    assert_int_equal(finished(kit, LATER), 0);
    assert_left(kit, 0, 0);
}

static void
an_app_with_the_id_of_a_deleted_one_gets_none_of_its_grants(struct kit *kit)
{
    rows_begin(kit);
    struct args args = { .mem = kit->mem, .id = finder.id, .app = &finder };
    struct grants grants = { .mem = kit->mem };
    struct app found;
    assert_int_equal(find(kit, finder.id, &found), ERR_NONE);
    int64_t epoch = found.epoch;
    assert_int_equal(tx_write(kit->db, add_many_grants, &grants), ERR_NONE);
    assert_int_equal(tx_write(kit->db, delete_work, &args), ERR_NONE);
    assert_int_equal(tx_write(kit->db, add_work, &args), ERR_NONE);
    assert_int_equal(find(kit, finder.id, &found), ERR_NONE);
    assert_int_equal(found.epoch, epoch + 1);
    assert_int_equal(args.added.epoch, epoch + 1);
    assert_left(kit, 0, 0);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(an_app_reads_back_as_stored),
        KIT_CASE(strings_are_never_executed_as_sql),
        KIT_CASE(an_existing_id_or_position_is_taken_and_changes_nothing),
        KIT_CASE(apps_are_listed_by_position_for_one_owner_or_all),
        KIT_CASE(a_change_keeps_owner_and_creation_time),
        KIT_CASE(deleting_an_app_deletes_only_its_grants),
        KIT_CASE(an_unknown_status_is_an_internal_error),
        KIT_CASE(grants_of_a_deleted_app_are_deleted_in_steps),
        KIT_CASE(an_app_with_the_id_of_a_deleted_one_gets_none_of_its_grants),
    };
    return KIT_RUN("store/app_store", cases, LOG_WARN);
}
