#include "unit/store/tokens.h"

WORK(clean, token_clean_expired(tx, a->mem, a->now, a->number, &a->removed))

SQL(test_count_rows,
    "SELECT (SELECT COUNT(*) FROM access_token) + (SELECT COUNT(*) FROM refresh_token)"
    " + (SELECT COUNT(*) FROM token_family) + (SELECT COUNT(*) FROM app_grant)"
    " + (SELECT COUNT(*) FROM session) + (SELECT COUNT(*) FROM auth_request)"
    " + (SELECT COUNT(*) FROM auth_code)");

static enum err
count_rows(struct db_tx *tx, void *argument)
{
    struct args *a = argument;
    struct db_rows rows = { 0 };
    enum err err = db_query_values(tx, a->mem, &test_count_rows, NULL, 0, &rows);
    a->number = db_cell_int(&rows, 0, 0);
    return err;
}

static int64_t
rows_left(struct kit *kit)
{
    struct args args = { .mem = kit->mem };
    assert_int_equal(kit_read(kit->db, count_rows, &args), ERR_NONE);
    return args.number;
}

static enum err
add_session_and_request(struct db_tx *tx, void *argument)
{
    struct args *a = argument;
    struct session session = { .hash = STR("s"),
                               .user_id = ada.id,
                               .device = STR(""),
                               .address = STR(""),
                               .created_at = T0,
                               .expires_at = T0 + 100 };
    struct auth_request request = { .hash = STR("r"),
                                    .session_hash = STR("s"),
                                    .app_id = finder.id,
                                    .redirect_uri = STR("x"),
                                    .challenge = STR("x"),
                                    .shown = STR(""),
                                    .expires_at = T0 + 200 };
    enum err err = session_store_add(tx, a->mem, &session);
    return err ? err : request_store_add(tx, a->mem, &request);
}

static size_t
cleaned(struct kit *kit, int64_t now, int64_t limit)
{
    struct args args = { .mem = kit->mem, .now = now, .number = limit };
    assert_int_equal(tx_write(kit->db, clean, &args), ERR_NONE);
    return args.removed;
}

static void
delete_expired_deletes_only_expired_rows(struct kit *kit)
{
    begin(kit);
    struct args code = { .code = { .hash = STR("code"),
                                   .family_id = family.id,
                                   .app_id = finder.id,
                                   .redirect_uri = STR("x"),
                                   .challenge = STR("x"),
                                   .expires_at = T0 + 60 } };
    assert_int_equal(write_one(kit, add_code, code), ERR_NONE);
    assert_int_equal(write_one(kit, add_session_and_request, (struct args){ 0 }), ERR_NONE);
    assert_int_equal(rows_left(kit), 7);
    const int64_t month = (int64_t)30 * 24 * 3600;
    const struct {
        const char *why;
        int64_t now;
        size_t removed;
    } rows[] = {
        { "nothing yet", T0 + 99, 0 },
        { "the session", T0 + 100, 1 },
        { "the request", T0 + 200, 1 },
        { "the family", T0 + 4000, 1 },
        { "not the grant, for a renewal", T0 + 5000, 0 },
        { "not the access token, to tell whose it was", T0 + 7199, 0 },
        { "the access token", T0 + 7200, 1 },
        { "nothing more for a long time", T0 + month - 1, 0 },
        { "the refresh token", T0 + month, 1 },
        { "nothing before the code is forgotten", T0 + month + 59, 0 },
        { "the code", T0 + month + 60, 1 },
        { "nothing more for two months", T0 + 5000 + 3 * month - 1, 0 },
        { "the grant", T0 + 5000 + 3 * month, 1 },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        size_t removed = cleaned(kit, rows[i].now, 100);
        if (removed != rows[i].removed)
            fail_msg("%s: %zu removed", rows[i].why, removed);
    }
    assert_int_equal(rows_left(kit), 0);
}

static void
delete_expired_stops_at_the_limit(struct kit *kit)
{
    begin(kit); /* four rows that expire within a year */
    for (int i = 0; i < 5; i++)
        add_another_family(kit, str_format(kit->mem, "more_%d", i).ptr, T0);
    int64_t later = T0 + FAMILY_SECONDS;
    assert_int_equal(rows_left(kit), 9);
    assert_int_equal(cleaned(kit, later, 4), 4);
    assert_int_equal(rows_left(kit), 5);
    assert_int_equal(cleaned(kit, later, 4), 4);
    assert_int_equal(cleaned(kit, later, 4), 1);
    assert_int_equal(cleaned(kit, later, 4), 0);
    assert_int_equal(rows_left(kit), 0);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(delete_expired_deletes_only_expired_rows),
        KIT_CASE(delete_expired_stops_at_the_limit),
    };
    return KIT_RUN("store/token_clean", cases, LOG_WARN);
}
