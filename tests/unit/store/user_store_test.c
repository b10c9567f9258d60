#include "store/row_key.h"
#include "store/tx.h"
#include "store/user_store.h"
#include "unit/store_kit.h"

/* ---- each function of the store in its own transaction ---- */

typedef enum err find_function(struct db_tx *tx, struct arena *mem, struct str key,
                               struct user *out);

struct call {
    struct arena *mem;
    find_function *find;
    const struct user *user;
    struct str key;
    enum user_status status;
    struct str password_hash;
    int64_t now;
    int64_t after;
    int64_t limit;
    struct user found;
    struct user *list;
    size_t count;
};

static enum err
add_work(struct db_tx *tx, void *argument)
{
    struct call *call = argument;
    return user_store_add(tx, call->mem, call->user);
}

static enum err
add(struct kit *kit, const struct user *user)
{
    struct call call = { .mem = kit->mem, .user = user };
    return tx_write(kit->db, add_work, &call);
}

static enum err
find_work(struct db_tx *tx, void *argument)
{
    struct call *call = argument;
    return call->find(tx, call->mem, call->key, &call->found);
}

static enum err
find(struct kit *kit, find_function *function, const char *key, struct user *out)
{
    struct call call = { .mem = kit->mem, .find = function, .key = str_of(key) };
    enum err err = kit_read(kit->db, find_work, &call);
    *out = call.found;
    return err;
}

static enum err
list_work(struct db_tx *tx, void *argument)
{
    struct call *call = argument;
    return user_store_list(tx, call->mem, call->after, call->limit, &call->list, &call->count);
}

/* The usernames in the order of the list, each followed by a space. */
static const char *
names(struct kit *kit, int64_t after, int64_t limit)
{
    struct call call = { .mem = kit->mem, .after = after, .limit = limit };
    if (kit_read(kit->db, list_work, &call) != ERR_NONE)
        return "failed";
    struct str text = STR("");
    for (size_t i = 0; i < call.count; i++)
        text = str_format(kit->mem, "%s%s ", text.ptr, call.list[i].username.ptr);
    return text.ptr;
}

static enum err
put_status_work(struct db_tx *tx, void *argument)
{
    struct call *call = argument;
    return user_store_put_status(tx, call->mem, call->key, call->status, call->now);
}

static enum err
put_password_work(struct db_tx *tx, void *argument)
{
    struct call *call = argument;
    return user_store_put_password(tx, call->mem, call->key, call->password_hash, call->now);
}

static enum err
delete_work(struct db_tx *tx, void *argument)
{
    struct call *call = argument;
    return user_store_delete(tx, call->mem, call->key);
}

/* ---- users ---- */

#define ADA "usr_AAAAAAAAAAAAAAAAAAAAAA"
#define BOB "usr_BBBBBBBBBBBBBBBBBBBBBB"
#define CY "usr_CCCCCCCCCCCCCCCCCCCCCC"

static const struct user ada = {
    .id = { ADA, 26 },
    .username = { "ada", 3 },
    .email = { "Ada@Example.org", 15 },
    .name = { "Ada L", 5 },
    .password_hash = { "$argon2id$x", 11 },
    .position = 20,
    .created_at = 1000,
    .updated_at = 1001,
};

static const struct user bob = {
    .id = { BOB, 26 },
    .username = { "bob", 3 },
    .status = USER_DISABLED,
    .position = INT64_C(5000000000) << 30,
    .created_at = INT64_C(5000000000),
    .updated_at = INT64_C(5000000001),
};

static const struct user cy = { .id = { CY, 26 }, .username = { "cy-1", 4 }, .position = 10 };

static void
assert_same_text(struct str a, struct str b)
{
    assert_int_equal(str_present(a), str_present(b));
    assert_true(str_eq(a, b));
}

static void
assert_same_user(const struct user *a, const struct user *b)
{
    assert_same_text(a->id, b->id);
    assert_same_text(a->username, b->username);
    assert_same_text(a->email, b->email);
    assert_same_text(a->name, b->name);
    assert_same_text(a->password_hash, b->password_hash);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->position, b->position);
    assert_int_equal(a->created_at, b->created_at);
    assert_int_equal(a->updated_at, b->updated_at);
}

/* ---- tests ---- */

static void
a_user_reads_back_by_id_username_and_email(struct kit *kit)
{
    struct user found;
    assert_int_equal(add(kit, &ada), ERR_NONE);
    assert_int_equal(add(kit, &bob), ERR_NONE);
    assert_int_equal(find(kit, user_store_find, ADA, &found), ERR_NONE);
    assert_same_user(&found, &ada);
    assert_int_equal(find(kit, user_store_find_username, "ada", &found), ERR_NONE);
    assert_same_user(&found, &ada);
    assert_int_equal(find(kit, user_store_find_email, "ada@example.org", &found), ERR_NONE);
    assert_same_user(&found, &ada);
    assert_int_equal(find(kit, user_store_find, BOB, &found), ERR_NONE);
    assert_same_user(&found, &bob);
}

static void
strings_are_never_executed_as_sql(struct kit *kit)
{
    struct user found, odd = ada;
    odd.name =
        STR("Robert'); DROP TABLE user_account;-- \"%s\" \\ $1 \xe5\xb1\xb1\xf0\x9f\x8e\xb8");
    odd.email = STR("o'\"hara\\@example.org");
    assert_int_equal(add(kit, &odd), ERR_NONE);
    assert_int_equal(find(kit, user_store_find, ADA, &found), ERR_NONE);
    assert_same_user(&found, &odd);
    assert_int_equal(find(kit, user_store_find_username, "' OR '1'='1", &found), ERR_NOT_FOUND);
}

static void
many_users_may_have_no_email(struct kit *kit)
{
    struct user found;
    assert_int_equal(add(kit, &bob), ERR_NONE);
    assert_int_equal(add(kit, &cy), ERR_NONE);
    assert_int_equal(find(kit, user_store_find_email, "", &found), ERR_NOT_FOUND);
}

static void
a_duplicate_is_rejected_and_changes_nothing(struct kit *kit)
{
    struct user found;
    struct user same_name = bob, same_address = bob, same_id = bob;
    same_name.username = ada.username;
    same_address.email = STR("ADA@example.ORG");
    same_id.id = ada.id;
    assert_int_equal(add(kit, &ada), ERR_NONE);
    assert_int_equal(add(kit, &ada), ERR_TAKEN);
    assert_int_equal(add(kit, &same_name), ERR_TAKEN);
    assert_int_equal(add(kit, &same_address), ERR_TAKEN);
    assert_int_equal(add(kit, &same_id), ERR_TAKEN);
    assert_string_equal(names(kit, 0, 10), "ada ");
    assert_int_equal(find(kit, user_store_find, ADA, &found), ERR_NONE);
    assert_same_user(&found, &ada);
}

static void
an_unknown_user_is_not_found_and_cannot_be_changed(struct kit *kit)
{
    struct user found;
    assert_int_equal(add(kit, &ada), ERR_NONE);
    assert_int_equal(find(kit, user_store_find, BOB, &found), ERR_NOT_FOUND);
    assert_int_equal(find(kit, user_store_find_username, "bob", &found), ERR_NOT_FOUND);
    assert_int_equal(find(kit, user_store_find_email, "bob@example.org", &found), ERR_NOT_FOUND);
    struct call call = { .mem = kit->mem, .key = bob.id, .password_hash = STR("x") };
    assert_int_equal(tx_write(kit->db, put_status_work, &call), ERR_NOT_FOUND);
    assert_int_equal(tx_write(kit->db, put_password_work, &call), ERR_NOT_FOUND);
    assert_int_equal(tx_write(kit->db, delete_work, &call), ERR_NOT_FOUND);
    assert_int_equal(find(kit, user_store_find, ADA, &found), ERR_NONE);
    assert_same_user(&found, &ada);
}

static void
users_are_listed_by_position_in_pages(struct kit *kit)
{
    assert_string_equal(names(kit, 0, 10), "");
    assert_int_equal(add(kit, &ada), ERR_NONE);
    assert_int_equal(add(kit, &bob), ERR_NONE);
    assert_int_equal(add(kit, &cy), ERR_NONE);
    static const struct {
        int64_t after;
        int64_t limit;
        const char *expected;
    } rows[] = {
        { 0, 10, "cy-1 ada bob " },
        { 0, 2, "cy-1 ada " },
        { 20, 2, "bob " },
        { 10, 1, "ada " },
        { 9, 1, "cy-1 " },
        { -1, 10, "cy-1 ada bob " },
        { INT64_MAX, 10, "" },
        { 0, 0, "" },
        { 0, -1, "" },
        { 21, INT64_MAX, "bob " },
        { INT64_MIN, 1, "cy-1 " },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++)
        assert_string_equal(names(kit, rows[i].after, rows[i].limit), rows[i].expected);
}

static void
a_change_affects_no_other_column_or_user(struct kit *kit)
{
    struct user found, expected = ada;
    assert_int_equal(add(kit, &ada), ERR_NONE);
    assert_int_equal(add(kit, &bob), ERR_NONE);

    struct call call = { .mem = kit->mem, .key = ada.id, .status = USER_DISABLED, .now = 2000 };
    assert_int_equal(tx_write(kit->db, put_status_work, &call), ERR_NONE);
    expected.status = USER_DISABLED;
    expected.updated_at = 2000;
    assert_int_equal(find(kit, user_store_find, ADA, &found), ERR_NONE);
    assert_same_user(&found, &expected);

    call.password_hash = STR("$argon2id$y");
    call.now = 3000;
    assert_int_equal(tx_write(kit->db, put_password_work, &call), ERR_NONE);
    expected.password_hash = STR("$argon2id$y");
    expected.updated_at = 3000;
    assert_int_equal(find(kit, user_store_find, ADA, &found), ERR_NONE);
    assert_same_user(&found, &expected);

    assert_int_equal(find(kit, user_store_find, BOB, &found), ERR_NONE);
    assert_same_user(&found, &bob);
}

/* ---- the user header row ---- */

SQL(test_headers,
    "SELECT row_key, user_id, generation, auth_version, atom_sequence FROM user_record"
    " WHERE domain = '' ORDER BY row_key");

struct heads {
    struct arena *mem;
    struct db_rows rows;
};

static enum err
list_heads(struct db_tx *tx, void *argument)
{
    struct heads *heads = argument;
    return db_query_values(tx, heads->mem, &test_headers, NULL, 0, &heads->rows);
}

static struct db_rows
heads_of(struct kit *kit)
{
    struct heads heads = { .mem = kit->mem };
    assert_int_equal(kit_read(kit->db, list_heads, &heads), ERR_NONE);
    return heads.rows;
}

static enum err
break_seal_work(struct db_tx *tx, void *argument)
{
    struct call *call = argument;
    return user_store_bump_auth_version(tx, call->mem, call->key);
}

static void
the_user_header_row_is_added_and_deleted_with_the_account(struct kit *kit)
{
    assert_int_equal(add(kit, &ada), ERR_NONE);
    assert_int_equal(add(kit, &bob), ERR_NONE);
    assert_int_equal(add(kit, &ada), ERR_TAKEN);
    struct db_rows rows = heads_of(kit);
    assert_int_equal(rows.count, 2);
    assert_true(str_eq(db_cell_text(&rows, 0, 1), ada.id));
    assert_int_equal(db_cell_int(&rows, 0, 0), row_key_of_user(ada.id));
    assert_int_equal(db_cell_int(&rows, 0, 2), 1);
    assert_true(str_eq(db_cell_text(&rows, 1, 1), bob.id));
    assert_int_equal(db_cell_int(&rows, 1, 0), row_key_of_user(bob.id));
    struct call call = { .mem = kit->mem, .key = ada.id };
    assert_int_equal(tx_write(kit->db, delete_work, &call), ERR_NONE);
    rows = heads_of(kit);
    assert_int_equal(rows.count, 1);
    assert_true(str_eq(db_cell_text(&rows, 0, 1), bob.id));
}

/* Ids that differ except in the bits of the row key. */
static void
users_with_the_same_row_key_have_different_auth_versions(struct kit *kit)
{
    struct user one = ada, two = bob;
    one.id = STR("usr_AAAAAAAAABAAAAAAAAAAAA");
    two.id = STR("usr_AAAAAAAAACAAAAAAAAAAAA");
    assert_int_equal(row_key_of_user(one.id), row_key_of_user(two.id));
    assert_int_equal(add(kit, &one), ERR_NONE);
    assert_int_equal(add(kit, &two), ERR_NONE);
    struct db_rows rows = heads_of(kit);
    assert_int_equal(rows.count, 2);
    assert_int_equal(db_cell_int(&rows, 1, 0), db_cell_int(&rows, 0, 0) + 1);
    assert_true(db_cell_int(&rows, 0, 3) != db_cell_int(&rows, 1, 3));
    struct call call = { .mem = kit->mem, .key = two.id };
    int64_t auth_version = db_cell_int(&rows, 0, 3), other = db_cell_int(&rows, 1, 3);
    assert_int_equal(tx_write(kit->db, break_seal_work, &call), ERR_NONE);
    rows = heads_of(kit);
    assert_int_equal(db_cell_int(&rows, 0, 3), auth_version);
    assert_int_not_equal(db_cell_int(&rows, 1, 3), other);
    assert_int_equal(tx_write(kit->db, delete_work, &call), ERR_NONE);
    rows = heads_of(kit);
    assert_int_equal(rows.count, 1);
    assert_true(str_eq(db_cell_text(&rows, 0, 1), one.id));
}

static void
a_change_of_status_changes_the_auth_version_and_a_new_password_does_not(struct kit *kit)
{
    struct call call = { .mem = kit->mem,
                         .key = ada.id,
                         .password_hash = STR("$argon2id$z"),
                         .status = USER_DISABLED,
                         .now = 2000 };
    assert_int_equal(add(kit, &ada), ERR_NONE);
    struct db_rows rows = heads_of(kit);
    int64_t first = db_cell_int(&rows, 0, 3);
    assert_int_equal(tx_write(kit->db, put_password_work, &call), ERR_NONE);
    rows = heads_of(kit);
    assert_int_equal(db_cell_int(&rows, 0, 3), first);
    assert_int_equal(tx_write(kit->db, put_status_work, &call), ERR_NONE);
    rows = heads_of(kit);
    int64_t second = db_cell_int(&rows, 0, 3);
    call.status = USER_ACTIVE;
    assert_int_equal(tx_write(kit->db, put_status_work, &call), ERR_NONE);
    rows = heads_of(kit);
    assert_true(first != second && db_cell_int(&rows, 0, 3) != first &&
                db_cell_int(&rows, 0, 3) != second);
    call.key = STR("usr_nobody");
    assert_int_equal(tx_write(kit->db, break_seal_work, &call), ERR_NONE);
}

static void
a_deleted_user_is_not_found_and_the_username_is_free(struct kit *kit)
{
    struct user found, next = bob;
    next.username = ada.username;
    next.email = ada.email;
    next.position = ada.position;
    struct call call = { .mem = kit->mem, .key = ada.id };
    assert_int_equal(add(kit, &ada), ERR_NONE);
    assert_int_equal(tx_write(kit->db, delete_work, &call), ERR_NONE);
    assert_int_equal(find(kit, user_store_find, ADA, &found), ERR_NOT_FOUND);
    assert_int_equal(tx_write(kit->db, delete_work, &call), ERR_NOT_FOUND);
    assert_int_equal(add(kit, &next), ERR_NONE);
    assert_int_equal(find(kit, user_store_find_username, "ada", &found), ERR_NONE);
    assert_same_user(&found, &next);
}

static void
an_unknown_status_is_an_internal_error(struct kit *kit)
{
    struct user found, odd = ada;
    odd.status = (enum user_status)99; /* stored as "unknown" */
    assert_int_equal(add(kit, &odd), ERR_NONE);
    assert_int_equal(find(kit, user_store_find, ADA, &found), ERR_INTERNAL);
    assert_string_equal(names(kit, 0, 10), "failed");
    struct call call = { .mem = kit->mem, .key = ada.id };
    assert_int_equal(tx_write(kit->db, delete_work, &call), ERR_NONE);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_user_reads_back_by_id_username_and_email),
        KIT_CASE(strings_are_never_executed_as_sql),
        KIT_CASE(many_users_may_have_no_email),
        KIT_CASE(a_duplicate_is_rejected_and_changes_nothing),
        KIT_CASE(an_unknown_user_is_not_found_and_cannot_be_changed),
        KIT_CASE(users_are_listed_by_position_in_pages),
        KIT_CASE(the_user_header_row_is_added_and_deleted_with_the_account),
        KIT_CASE(users_with_the_same_row_key_have_different_auth_versions),
        KIT_CASE(a_change_of_status_changes_the_auth_version_and_a_new_password_does_not),
        KIT_CASE(a_change_affects_no_other_column_or_user),
        KIT_CASE(a_deleted_user_is_not_found_and_the_username_is_free),
        KIT_CASE(an_unknown_status_is_an_internal_error),
    };
    return KIT_RUN("store/user_store", cases, LOG_WARN);
}
