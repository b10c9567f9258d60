#include "unit/store/rows.h"

struct args {
    struct arena *mem;
    struct session session;
    struct user user;
    struct str hash, other;
    int64_t now;
    struct session *list;
    size_t count;
    struct auth_request request;
    enum user_status status;
};

WORK(add_work, session_store_add(tx, a->mem, &a->session))
WORK(find_work, session_store_find(tx, a->mem, a->hash, a->now, &a->session, &a->user))
WORK(list_work, session_store_list(tx, a->mem, a->user.id, a->now, &a->list, &a->count))
WORK(end_work, session_store_end(tx, a->mem, a->hash))
WORK(end_all_work, session_store_end_all(tx, a->mem, a->user.id))
WORK(status_work, user_store_put_status(tx, a->mem, a->user.id, a->status, T0))
WORK(delete_user_work, user_store_delete(tx, a->mem, a->user.id))
WORK(add_request_work, request_store_add(tx, a->mem, &a->request))
WORK(find_request_work, request_store_find(tx, a->mem, a->hash, a->other, a->now, &a->request))
WORK(take_request_work, request_store_take(tx, a->mem, a->hash, a->other, a->now, &a->request))
WORK(move_request_work, request_store_move(tx, a->mem, a->hash, a->other, a->now, a->session.hash))

static const struct session session = {
    .hash = { "s1", 2 },
    .user_id = { ADA, 26 },
    .device = { "Firefox 'on' Linux", 18 },
    .address = { "2001:db8::1", 11 },
    .created_at = T0,
    .expires_at = T0 + 100,
};

static void
add(struct kit *kit, const char *hash, const char *user, int64_t created_at)
{
    struct args args = { .mem = kit->mem, .session = session };
    args.session.hash = str_copy(kit->mem, str_of(hash));
    args.session.user_id = str_of(user);
    args.session.created_at = created_at;
    assert_int_equal(tx_write(kit->db, add_work, &args), ERR_NONE);
}

static enum err
find(struct kit *kit, const char *hash, int64_t now)
{
    struct args args = { .mem = kit->mem, .hash = str_of(hash), .now = now };
    return kit_read(kit->db, find_work, &args);
}

static size_t
count(struct kit *kit, struct str user_id)
{
    struct args args = { .mem = kit->mem, .user = { .id = user_id }, .now = T0 };
    assert_int_equal(kit_read(kit->db, list_work, &args), ERR_NONE);
    return args.count;
}

static void
a_session_reads_back_with_its_user(struct kit *kit)
{
    rows_begin(kit);
    add(kit, "s1", ADA, T0);
    add(kit, "s2", BOB, T0);
    struct args args = { .mem = kit->mem, .hash = STR("s1"), .now = T0 };
    assert_int_equal(kit_read(kit->db, find_work, &args), ERR_NONE);
    assert_same_text(args.session.hash, session.hash);
    assert_same_text(args.session.user_id, session.user_id);
    assert_same_text(args.session.device, session.device);
    assert_same_text(args.session.address, session.address);
    assert_int_equal(args.session.created_at, T0);
    assert_int_equal(args.session.expires_at, T0 + 100);
    assert_same_text(args.user.username, ada.username);
    assert_int_equal(find(kit, "s3", T0), ERR_NOT_FOUND);
    assert_int_equal(find(kit, "", T0), ERR_NOT_FOUND);
    assert_int_equal(find(kit, NULL, T0), ERR_NOT_FOUND);
}

static void
a_session_expires_and_is_deleted_by_id_or_with_its_user(struct kit *kit)
{
    rows_begin(kit);
    add(kit, "s1", ADA, T0);
    assert_int_equal(find(kit, "s1", T0 + 99), ERR_NONE);
    assert_int_equal(find(kit, "s1", T0 + 100), ERR_NOT_FOUND);

    struct args args = { .mem = kit->mem, .hash = STR("s1"), .user = ada, .status = USER_DISABLED };
    assert_int_equal(tx_write(kit->db, status_work, &args), ERR_NONE);
    assert_int_equal(find(kit, "s1", T0), ERR_NOT_FOUND);
    args.status = USER_ACTIVE;
    assert_int_equal(tx_write(kit->db, status_work, &args), ERR_NONE);
    assert_int_equal(find(kit, "s1", T0), ERR_NOT_FOUND); /* stays invalid */

    add(kit, "s2", BOB, T0);
    args.hash = STR("s2");
    assert_int_equal(tx_write(kit->db, end_work, &args), ERR_NONE);
    assert_int_equal(find(kit, "s2", T0), ERR_NOT_FOUND);
    assert_int_equal(tx_write(kit->db, end_work, &args), ERR_NONE);

    add(kit, "s3", BOB, T0);
    args.user = bob;
    assert_int_equal(tx_write(kit->db, delete_user_work, &args), ERR_NONE);
    assert_int_equal(find(kit, "s3", T0), ERR_NOT_FOUND);
}

static void
all_sessions_of_a_user_are_deleted_or_all_but_one(struct kit *kit)
{
    rows_begin(kit);
    add(kit, "a1", ADA, T0);
    add(kit, "a2", ADA, T0 + 1);
    add(kit, "a3", ADA, T0 + 2);
    add(kit, "b1", BOB, T0);
    struct args args = { .mem = kit->mem, .user = ada, .now = T0 };
    assert_int_equal(kit_read(kit->db, list_work, &args), ERR_NONE);
    assert_int_equal(args.count, 3);
    assert_same_text(args.list[0].hash, STR("a3")); /* newest first */
    assert_same_text(args.list[2].hash, STR("a1"));
    assert_int_equal(tx_write(kit->db, end_all_work, &args), ERR_NONE);
    assert_int_equal(count(kit, ada.id), 0);
    assert_int_equal(count(kit, bob.id), 1);
}

static void
over_fifty_sessions_the_oldest_is_deleted(struct kit *kit)
{
    rows_begin(kit);
    add(kit, "b1", BOB, T0 - 1);
    for (int i = 0; i < SESSIONS_PER_USER_MAX + 2; i++)
        add(kit, str_format(kit->mem, "a%d", i).ptr, ADA, T0 + i);
    assert_int_equal(count(kit, ada.id), SESSIONS_PER_USER_MAX);
    assert_int_equal(find(kit, "a0", T0), ERR_NOT_FOUND);
    assert_int_equal(find(kit, "a1", T0), ERR_NOT_FOUND);
    assert_int_equal(find(kit, "a2", T0), ERR_NONE);
    assert_int_equal(find(kit, "a51", T0), ERR_NONE);
    assert_int_equal(find(kit, "b1", T0), ERR_NONE);
}

static void
the_new_session_is_kept_among_those_of_the_same_second(struct kit *kit)
{
    rows_begin(kit);
    for (int i = 0; i < SESSIONS_PER_USER_MAX; i++)
        add(kit, str_format(kit->mem, "m%d", i).ptr, ADA, T0);
    for (const char *name = "az"; *name != '\0'; name++) {
        /* Hashes that sort before and after the others. */
        const char *hash = str_format(kit->mem, "%c", *name).ptr;
        add(kit, hash, ADA, T0);
        assert_int_equal(find(kit, hash, T0), ERR_NONE);
        assert_int_equal(count(kit, ada.id), SESSIONS_PER_USER_MAX);
    }
}

/* ---- requests ---- */

static const struct auth_request request = {
    .hash = { "r1", 2 },
    .session_hash = { "s1", 2 },
    .app_id = { FINDER, 26 },
    .redirect_uri = { "http://127.0.0.1:8/cb", 21 },
    .shown = { "Finder\n\n", 8 },
    .scopes = SCOPE_AGENT_HINTS | KIT_MUSIC,
    .state = { "x y&z", 5 },
    .challenge = { "challenge", 9 },
    .must_sign_in = true,
    .expires_at = T0 + 600,
};

static void
add_request(struct kit *kit, const struct auth_request *row)
{
    struct args args = { .mem = kit->mem, .request = *row };
    assert_int_equal(tx_write(kit->db, add_request_work, &args), ERR_NONE);
}

static void
assert_same_request(const struct auth_request *a, const struct auth_request *b)
{
    assert_same_text(a->hash, b->hash);
    assert_same_text(a->session_hash, b->session_hash);
    assert_same_text(a->app_id, b->app_id);
    assert_same_text(a->shown, b->shown);
    assert_same_text(a->redirect_uri, b->redirect_uri);
    assert_int_equal(a->scopes, b->scopes);
    assert_same_text(a->state, b->state);
    assert_same_text(a->challenge, b->challenge);
    assert_int_equal(a->must_sign_in, b->must_sign_in);
    assert_int_equal(a->must_consent, b->must_consent);
    assert_int_equal(a->expires_at, b->expires_at);
}

static void
a_request_reads_back_with_or_without_state(struct kit *kit)
{
    struct auth_request plain = request, empty = request;
    plain.hash = STR("r2");
    plain.state = STR_NONE;
    plain.must_sign_in = false;
    plain.must_consent = true;
    empty.hash = STR("r3");
    empty.state = STR("");
    const struct auth_request *all[] = { &request, &plain, &empty };
    for (size_t i = 0; i < KIT_COUNT(all); i++) {
        add_request(kit, all[i]);
        struct args args = { .mem = kit->mem, .hash = all[i]->hash, .other = STR("s1"), .now = T0 };
        assert_int_equal(kit_read(kit->db, find_request_work, &args), ERR_NONE);
        assert_same_request(&args.request, all[i]);
    }
}

static void
a_request_is_found_and_taken_only_in_its_session_until_it_expires(struct kit *kit)
{
    rows_begin(kit);
    add(kit, "s1", ADA, T0);
    add_request(kit, &request);
    static const struct {
        const char *hash, *session;
        int64_t now;
    } rows[] = {
        { "r2", "s1", T0 },
        { "r1", "s2", T0 },
        { "r1", NULL, T0 },
        { "r1", "s1", T0 + 600 },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct args args = { .mem = kit->mem,
                             .hash = str_of(rows[i].hash),
                             .other = str_of(rows[i].session),
                             .now = rows[i].now };
        assert_int_equal(kit_read(kit->db, find_request_work, &args), ERR_NOT_FOUND);
        assert_int_equal(tx_write(kit->db, take_request_work, &args), ERR_NOT_FOUND);
    }
    struct args args = { .mem = kit->mem, .hash = STR("r1"), .other = STR("s1"), .now = T0 + 599 };
    assert_int_equal(tx_write(kit->db, take_request_work, &args), ERR_NONE);
    assert_same_request(&args.request, &request);
    assert_int_equal(tx_write(kit->db, take_request_work, &args), ERR_NOT_FOUND);
    assert_int_equal(kit_read(kit->db, find_request_work, &args), ERR_NOT_FOUND);
}

static void
a_request_moves_to_the_next_session_only_from_its_own(struct kit *kit)
{
    rows_begin(kit);
    add(kit, "s1", ADA, T0);
    add(kit, "s2", ADA, T0);
    add_request(kit, &request);
    struct args foreign = { .mem = kit->mem,
                            .hash = STR("r1"),
                            .other = STR("s9"),
                            .session = { .hash = STR("s8") },
                            .now = T0 };
    assert_int_equal(tx_write(kit->db, move_request_work, &foreign), ERR_NONE);
    foreign.other = STR("s8");
    assert_int_equal(kit_read(kit->db, find_request_work, &foreign), ERR_NOT_FOUND);

    struct args own = { .mem = kit->mem,
                        .hash = STR("r1"),
                        .other = STR("s1"),
                        .session = { .hash = STR("s2") },
                        .now = T0 };
    assert_int_equal(tx_write(kit->db, move_request_work, &own), ERR_NONE);
    assert_int_equal(kit_read(kit->db, find_request_work, &own), ERR_NOT_FOUND);
    own.other = STR("s2");
    assert_int_equal(kit_read(kit->db, find_request_work, &own), ERR_NONE);
    assert_false(own.request.must_sign_in); /* the user has signed in */
}

/* Deleted, expired, and unknown sessions are treated alike. */
static void
a_request_of_an_invalid_session_is_found_by_any_and_taken_after_a_move(struct kit *kit)
{
    static const struct {
        const char *session; /* of the request */
        bool end;
        int64_t now;
    } rows[] = { { "s1", true, T0 }, { "s1", false, T0 + 100 }, { "s7", false, T0 } };
    rows_begin(kit);
    add(kit, "s2", BOB, T0 + 1);
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct auth_request row = request;
        row.hash = str_format(kit->mem, "r%zu", i);
        row.session_hash = str_of(rows[i].session);
        struct args ended = { .mem = kit->mem, .hash = STR("s1") };
        assert_int_equal(tx_write(kit->db, end_work, &ended), ERR_NONE);
        add(kit, "s1", ADA, T0);
        add_request(kit, &row);
        if (rows[i].end)
            assert_int_equal(tx_write(kit->db, end_work, &ended), ERR_NONE);
        struct args args = { .mem = kit->mem, .hash = row.hash, .now = rows[i].now };
        assert_int_equal(kit_read(kit->db, find_request_work, &args),
                         ERR_NONE); /* without a session */
        args.other = STR("s2");
        assert_int_equal(kit_read(kit->db, find_request_work, &args), ERR_NONE);
        assert_same_request(&args.request, &row);
        assert_int_equal(tx_write(kit->db, take_request_work, &args), ERR_NOT_FOUND);
        args.other = STR_NONE;
        args.session.hash = STR("s2");
        assert_int_equal(tx_write(kit->db, move_request_work, &args), ERR_NONE);
        args.other = STR("s2");
        assert_int_equal(tx_write(kit->db, take_request_work, &args), ERR_NONE);
        assert_false(args.request.must_sign_in);
        assert_same_text(args.request.state, request.state);
    }
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_session_reads_back_with_its_user),
        KIT_CASE(a_session_expires_and_is_deleted_by_id_or_with_its_user),
        KIT_CASE(all_sessions_of_a_user_are_deleted_or_all_but_one),
        KIT_CASE(over_fifty_sessions_the_oldest_is_deleted),
        KIT_CASE(the_new_session_is_kept_among_those_of_the_same_second),
        KIT_CASE(a_request_reads_back_with_or_without_state),
        KIT_CASE(a_request_is_found_and_taken_only_in_its_session_until_it_expires),
        KIT_CASE(a_request_moves_to_the_next_session_only_from_its_own),
        KIT_CASE(a_request_of_an_invalid_session_is_found_by_any_and_taken_after_a_move),
    };
    return KIT_RUN("store/session_store", cases, LOG_WARN);
}
