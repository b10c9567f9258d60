#include "unit/store_kit.h"

#include "base/clock.h"
#include "crypt/password.h"
#include "flow/accounts.h"
#include "store/record_store.h"
#include "store/tx.h"

#include <pthread.h>

static const int64_t now = 1794648600;

static enum err
make(struct kit *kit, const struct account_params *params, struct user *out,
     struct account_problems *problems)
{
    return account_make(kit->db, kit->mem, params, now, out, problems);
}

static struct user
made(struct kit *kit, const char *username, const char *email)
{
    struct account_params params = { .username = str_of(username),
                                     .email = str_of(email),
                                     .confirmed = true };
    struct account_problems problems;
    struct user user;
    assert_int_equal(make(kit, &params, &user, &problems), ERR_NONE);
    assert_false(account_problems_any(&problems));
    return user;
}

static size_t
count_accounts(struct kit *kit)
{
    struct user *users;
    size_t count;
    assert_int_equal(account_list(kit->db, kit->mem, 0, 100, &users, &count), ERR_NONE);
    return count;
}

/* ---- creating ---- */

static void
account_make_stores_all_fields(struct kit *kit)
{
    struct account_params params = {
        .username = STR(" Ada.L "),
        .email = STR(" Ada@Example.org "),
        .confirmed = true,
        .name = STR("  Ada Lo\xcc\x88velace "),
        .password = STR("five yellow tractors hum"),
    };
    struct account_problems problems = { .username = "left over" };
    struct user user, found;
    assert_int_equal(make(kit, &params, &user, &problems), ERR_NONE);
    assert_false(account_problems_any(&problems));

    assert_int_equal(account_find(kit->db, kit->mem, user.id, &found), ERR_NONE);
    assert_true(user_id_well_formed(found.id));
    assert_true(str_eq(found.id, user.id));
    assert_true(str_eq_c(found.username, "ada.l"));
    assert_true(str_eq_c(found.email, "Ada@Example.org"));
    assert_true(str_eq_c(found.name, "Ada L\xc3\xb6velace"));
    assert_true(password_matches(found.password_hash, params.password));
    assert_int_equal(found.status, USER_ACTIVE);
    assert_int_equal(found.created_at, now);
    assert_int_equal(found.updated_at, now);
    assert_int_equal(found.position, user.position);
    assert_true(found.position >= user_position(now, 0));
    assert_true(found.position < user_position(now + 1, 0));
}

static void
only_the_username_is_required(struct kit *kit)
{
    struct user found;
    made(kit, "ada", NULL);
    made(kit, "bob", ""); /* empty means none, so it is not a duplicate */
    made(kit, "cyd", "  ");
    assert_int_equal(account_find(kit->db, kit->mem, STR("bob"), &found), ERR_NONE);
    assert_false(str_present(found.email));
    assert_false(str_present(found.name));
    assert_false(str_present(found.password_hash));
    assert_false(password_matches(found.password_hash, STR("")));
}

static void
every_invalid_field_is_reported_and_nothing_is_stored(struct kit *kit)
{
    struct account_problems problems;
    struct user user;
    struct account_params all_wrong = {
        .username = STR("1"),
        .email = STR("ada"),
        .confirmed = true,
        .name = STR("A\nB"),
        .password = STR("short"),
    };
    assert_int_equal(make(kit, &all_wrong, &user, &problems), ERR_INVALID);
    assert_non_null(strstr(problems.username, "Start the username with a letter"));
    assert_non_null(strstr(problems.email, "needs an @ sign"));
    assert_non_null(strstr(problems.name, "can't contain line breaks"));
    assert_non_null(strstr(problems.password, "at least 10"));

    struct account_params own_name = {
        .username = STR("zkqvxwjy"),
        .password = STR("zkqvxwjy-31"),
    };
    assert_int_equal(make(kit, &own_name, &user, &problems), ERR_INVALID);
    assert_null(problems.username);
    assert_non_null(strstr(problems.password, "your own name"));

    struct account_params empty_password = { .username = STR("ada"), .password = STR("") };
    assert_int_equal(make(kit, &empty_password, &user, &problems), ERR_INVALID);
    assert_non_null(problems.password);

    struct account_params nothing = { 0 };
    assert_int_equal(make(kit, &nothing, &user, &problems), ERR_INVALID);
    assert_non_null(problems.username);
    assert_int_equal(count_accounts(kit), 0);
}

static void
taken_usernames_and_addresses_are_reported(struct kit *kit)
{
    static const struct {
        const char *username;
        const char *email;
        const char *username_problem;
        const char *email_problem;
    } rows[] = {
        { "ADA", NULL, "The username ada is taken. Choose another.", NULL },
        { "ada", "new@example.org", "The username ada is taken. Choose another.", NULL },
        { "bob", "ADA@example.org", NULL,
          "The email address ADA@example.org already has an account. Sign in, or use another "
          "address." },
        { "ada", "ada@example.org", "The username ada is taken. Choose another.",
          "The email address ada@example.org already has an account. Sign in, or use another "
          "address." },
    };
    made(kit, "ada", "ada@example.org");
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct account_params params = { .username = str_of(rows[i].username),
                                         .email = str_of(rows[i].email),
                                         .confirmed = true };
        struct account_problems problems;
        struct user user;
        assert_int_equal(make(kit, &params, &user, &problems), ERR_TAKEN);
        assert_true(str_eq_c(str_of(problems.username), rows[i].username_problem));
        assert_true(str_eq_c(str_of(problems.email), rows[i].email_problem));
        assert_null(problems.name);
        assert_null(problems.password);
    }
    assert_int_equal(count_accounts(kit), 1);
}

struct rival {
    struct db *db;
    enum err err;
};

static void *
make_ada(void *argument)
{
    struct rival *rival = argument;
    struct arena *mem = arena_new();
    struct account_params params = { .username = STR("ada"),
                                     .email = STR("ada@example.org"),
                                     .confirmed = true };
    struct account_problems problems;
    struct user user;
    rival->err = account_make(rival->db, mem, &params, now, &user, &problems);
    arena_free(mem);
    return NULL;
}

static void
concurrent_sign_ups_for_a_username_create_one_account(struct kit *kit)
{
    enum { RIVALS = 16 };
    pthread_t threads[RIVALS];
    struct rival rivals[RIVALS];
    for (size_t i = 0; i < RIVALS; i++) {
        rivals[i].db = kit->db;
        assert_int_equal(pthread_create(&threads[i], NULL, make_ada, &rivals[i]), 0);
    }
    int won = 0, lost = 0;
    for (size_t i = 0; i < RIVALS; i++) {
        pthread_join(threads[i], NULL);
        won += rivals[i].err == ERR_NONE;
        lost += rivals[i].err == ERR_TAKEN;
    }
    assert_int_equal(won, 1);
    assert_int_equal(lost, RIVALS - 1);
    assert_int_equal(count_accounts(kit), 1);
}

/* ---- finding ---- */

static void
accounts_are_found_by_id_username_and_address_in_any_case(struct kit *kit)
{
    struct user ada = made(kit, "ada", "Ada@example.org");
    made(kit, "bob", "bob@example.org");
    const struct str ways[] = {
        ada.id,
        STR("ada"),
        STR("ADA"),
        STR(" Ada "),
        STR("ada@example.org"),
        STR("ADA@EXAMPLE.ORG"),
    };
    for (size_t i = 0; i < KIT_COUNT(ways); i++) {
        struct user found;
        assert_int_equal(account_find(kit->db, kit->mem, ways[i], &found), ERR_NONE);
        assert_true(str_eq(found.id, ada.id));
        assert_true(str_eq_c(found.email, "Ada@example.org"));
    }
}

static void
invalid_logins_are_not_found(struct kit *kit)
{
    made(kit, "ada", "ada@example.org");
    char *much = arena_alloc(kit->mem, 100000);
    memset(much, 'a', 99999);
    const struct str ways[] = {
        STR_NONE,
        STR(""),
        STR("bob"),
        STR("bob@example.org"),
        STR("@"),
        STR("ada@"),
        STR("ada\0x"),
        STR("ada@example.org\0"),
        STR("ad\xff"),
        STR("ad\xff@example.org"),
        STR("usr_AAAAAAAAAAAAAAAAAAAAAA"),
        STR("usr_AAAAAAAAAAAAAAAAAAAAA\0"),
        STR("' OR 1=1 --"),
        { much, 99999 },
    };
    for (size_t i = 0; i < KIT_COUNT(ways); i++) {
        struct user found;
        assert_int_equal(account_find(kit->db, kit->mem, ways[i], &found), ERR_NOT_FOUND);
        assert_int_equal(account_delete(kit->db, kit->mem, ways[i], &found), ERR_NOT_FOUND);
        assert_int_equal(account_set_status(kit->db, kit->mem, ways[i], USER_DISABLED, now, &found),
                         ERR_NOT_FOUND);
    }
    assert_int_equal(count_accounts(kit), 1);
}

static void
paging_lists_every_account_once(struct kit *kit)
{
    for (int i = 0; i < 7; i++)
        made(kit, str_format(kit->mem, "user-%d", i).ptr, NULL);
    size_t seen = 0;
    int64_t after = 0;
    for (;;) {
        struct user *users;
        size_t count;
        assert_int_equal(account_list(kit->db, kit->mem, after, 3, &users, &count), ERR_NONE);
        if (count == 0)
            break;
        assert_true(count <= 3);
        for (size_t i = 0; i < count; i++) {
            assert_true(users[i].position > after);
            after = users[i].position;
            seen++;
        }
    }
    assert_int_equal(seen, 7);
}

/* ---- changing ---- */

static void
disabling_and_enabling_change_status_and_epoch(struct kit *kit)
{
    struct user ada = made(kit, "ada", NULL), out, found;
    assert_int_equal(
        account_set_status(kit->db, kit->mem, STR("Ada"), USER_DISABLED, now + 5, &out), ERR_NONE);
    assert_true(str_eq(out.id, ada.id));
    assert_int_equal(out.status, USER_DISABLED);
    assert_int_equal(out.updated_at, now + 5);
    assert_int_equal(account_find(kit->db, kit->mem, ada.id, &found), ERR_NONE);
    assert_int_equal(found.status, USER_DISABLED);

    assert_int_equal(account_set_status(kit->db, kit->mem, ada.id, USER_ACTIVE, now + 6, &out),
                     ERR_NONE);
    assert_int_equal(out.status, USER_ACTIVE);
}

static void
a_new_password_replaces_the_old_one(struct kit *kit)
{
    struct account_params params = { .username = STR("ada"),
                                     .name = STR("Zkqvxwjy"),
                                     .password = STR("five yellow tractors hum") };
    struct account_problems problems;
    struct user ada, out, found;
    const char *problem = "left over";
    struct str next = STR("seven violet umbrellas fly");
    assert_int_equal(make(kit, &params, &ada, &problems), ERR_NONE);

    assert_int_equal(
        account_set_password(kit->db, kit->mem, STR("ada"), next, now + 5, &out, &problem),
        ERR_NONE);
    assert_null(problem);
    assert_int_equal(account_find(kit->db, kit->mem, ada.id, &found), ERR_NONE);
    assert_true(password_matches(found.password_hash, next));
    assert_false(password_matches(found.password_hash, params.password));
    assert_int_equal(found.updated_at, now + 5);
    assert_true(str_eq(out.password_hash, found.password_hash));
}

static void
a_rejected_password_changes_nothing(struct kit *kit)
{
    struct account_params params = { .username = STR("ada"),
                                     .name = STR("Zkqvxwjy"),
                                     .password = STR("five yellow tractors hum") };
    struct account_problems problems;
    struct user ada, out, found;
    const char *problem;
    assert_int_equal(make(kit, &params, &ada, &problems), ERR_NONE);

    static const struct {
        struct str password;
        const char *expected;
    } rows[] = {
        { STR_NONE, "at least 10" },
        { STR("password123"), "many people use" },
        { STR("zkqvxwjy-31"), "your own name" },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        assert_int_equal(account_set_password(kit->db, kit->mem, STR("ada"), rows[i].password, now,
                                              &out, &problem),
                         ERR_INVALID);
        assert_non_null(strstr(problem, rows[i].expected));
    }
    assert_int_equal(account_set_password(kit->db, kit->mem, STR("bob"),
                                          STR("seven violet umbrellas fly"), now, &out, &problem),
                     ERR_NOT_FOUND);
    assert_null(problem);
    assert_int_equal(account_find(kit->db, kit->mem, ada.id, &found), ERR_NONE);
    assert_true(str_eq(found.password_hash, ada.password_hash));
}

struct record_work {
    struct arena *mem;
    struct str user_id;
    size_t count;
};

static enum err
put_record(struct db_tx *tx, void *argument)
{
    struct record_work *work = argument;
    struct record record = { .domain = STR("music"), .json = STR("{}"), .atom_count = 1 };
    return record_store_put(tx, work->mem, work->user_id, &record);
}

static enum err
count_records(struct db_tx *tx, void *argument)
{
    struct record_work *work = argument;
    struct record *records;
    return record_store_list(tx, work->mem, work->user_id, STR_NONE, &records, &work->count);
}

static void
deleting_an_account_frees_its_username(struct kit *kit)
{
    struct user ada = made(kit, "ada", "ada@example.org"), out;
    made(kit, "bob", NULL);
    struct record_work work = { kit->mem, ada.id, 0 };
    assert_int_equal(tx_write(kit->db, put_record, &work), ERR_NONE);
    assert_int_equal(tx_write(kit->db, count_records, &work), ERR_NONE);
    assert_int_equal(work.count, 1);
    assert_int_equal(account_delete(kit->db, kit->mem, STR("ada@example.org"), &out), ERR_NONE);
    assert_int_equal(tx_write(kit->db, count_records, &work), ERR_NONE);
    assert_int_equal(work.count, 0);
    assert_true(str_eq(out.id, ada.id));
    assert_true(str_eq_c(out.username, "ada"));
    assert_int_equal(account_find(kit->db, kit->mem, ada.id, &out), ERR_NOT_FOUND);
    assert_int_equal(account_delete(kit->db, kit->mem, ada.id, &out), ERR_NOT_FOUND);
    assert_int_equal(count_accounts(kit), 1);
    assert_false(str_eq(made(kit, "ada", "ada@example.org").id, ada.id));
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(account_make_stores_all_fields),
        KIT_CASE(only_the_username_is_required),
        KIT_CASE(every_invalid_field_is_reported_and_nothing_is_stored),
        KIT_CASE(taken_usernames_and_addresses_are_reported),
        KIT_CASE(concurrent_sign_ups_for_a_username_create_one_account),
        KIT_CASE(accounts_are_found_by_id_username_and_address_in_any_case),
        KIT_CASE(invalid_logins_are_not_found),
        KIT_CASE(paging_lists_every_account_once),
        KIT_CASE(disabling_and_enabling_change_status_and_epoch),
        KIT_CASE(a_new_password_replaces_the_old_one),
        KIT_CASE(a_rejected_password_changes_nothing),
        KIT_CASE(deleting_an_account_frees_its_username),
    };
    return KIT_RUN("flow/accounts", cases, LOG_WARN);
}
