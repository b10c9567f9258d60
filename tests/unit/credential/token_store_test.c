#include "unit/store/tokens.h"

WORK(put_grant, grant_store_put(tx, a->mem, &a->grant))
WORK(end_grant, grant_store_end(tx, a->mem, ada.id, finder.id))
WORK(put_app, app_store_put(tx, a->mem, &a->app))
WORK(delete_app, app_store_delete(tx, a->mem, finder.id))
WORK(put_user, user_store_put_status(tx, a->mem, ada.id, a->status, T0))
WORK(delete_user, user_store_delete(tx, a->mem, ada.id))
WORK(find_family, family_store_find(tx, a->mem, a->id, a->now, &a->live))
WORK(put_family_times, family_store_put_times(tx, a->mem, &a->family))
WORK(bump_auth_version, user_store_bump_auth_version(tx, a->mem, a->id))
WORK(end_family, family_store_end(tx, a->mem, a->id))
WORK(end_families, family_store_end_user(tx, a->mem, ada.id))
WORK(find_code, code_store_find(tx, a->mem, a->id, &a->code))
WORK(redeem_code, code_store_redeem(tx, a->mem, a->id, a->now))

WORK(find_access, access_store_find(tx, a->mem, a->id, a->now, &a->access, NULL))
WORK(end_access, access_store_end(tx, a->mem, a->id))
WORK(find_refresh, refresh_store_find(tx, a->mem, a->id, a->now, &a->refresh))
WORK(use_refresh, refresh_store_use(tx, a->mem, a->id, STR_NONE, a->now))
WORK(reuse_refresh, refresh_store_reuse(tx, a->mem, a->id, REUSES_MAX))

static enum err
look(struct kit *kit, tx_work *work, const char *id, int64_t now)
{
    struct args args = { .mem = kit->mem, .id = str_of(id), .now = now };
    return kit_read(kit->db, work, &args);
}

static void
assert_valid(struct kit *kit, bool valid, const char *why)
{
    enum err expected = valid ? ERR_NONE : ERR_NOT_FOUND;
    if (look(kit, find_family, "fam_1", T0) != expected ||
        look(kit, find_access, "at", T0) != expected)
        fail_msg("%s: it %s", why, valid ? "is not valid" : "is valid");
}

static void
a_family_and_its_token_read_back(struct kit *kit)
{
    begin(kit);
    struct args args = { .mem = kit->mem, .id = family.id, .now = T0 };
    assert_int_equal(kit_read(kit->db, find_family, &args), ERR_NONE);
    assert_same_text(args.live.family.id, family.id);
    assert_same_text(args.live.family.grant_id, family.grant_id);
    assert_same_text(args.live.family.user_id, family.user_id);
    assert_same_text(args.live.family.app_id, family.app_id);
    assert_int_equal(args.live.family.user_epoch, 0);
    assert_int_equal(args.live.family.app_epoch, 3);
    assert_int_equal(args.live.family.scopes, family.scopes);
    assert_true(args.live.family.domains_limited);
    assert_int_equal(args.live.family.created_at, T0);
    assert_int_equal(args.live.family.expires_at, T0 + 4000);
    assert_int_equal(args.live.granted.scopes, HINTS | MUSIC);
    assert_true(args.live.granted.hint_domains == MUSIC);
    assert_true(args.live.granted.write_domains == DOMAINS_ALL);
    assert_int_equal(args.live.granted_until, T0 + 5000);

    args.id = STR("at");
    assert_int_equal(kit_read(kit->db, find_access, &args), ERR_NONE);
    assert_same_text(args.access.user_id, ada.id);
    assert_same_text(args.access.app_id, finder.id);
    assert_int_equal(args.access.allowed.scopes,
                     HINTS | MUSIC); /* of the token, and still granted */
    assert_true(args.access.allowed.hint_domains == MUSIC);
    assert_true(args.access.allowed.write_domains == 0);
    assert_int_equal(args.access.created_at, T0);
    assert_int_equal(args.access.expires_at, T0 + 3600);
    assert_int_equal(look(kit, find_access, "rt", T0), ERR_NOT_FOUND);
    assert_int_equal(look(kit, find_access, NULL, T0), ERR_NOT_FOUND);
    assert_int_equal(look(kit, find_refresh, "at", T0), ERR_NOT_FOUND);
}

static void
every_revocation_invalidates_the_token_for_good(struct kit *kit)
{
    struct app disabled = finder, risen = finder;
    disabled.status = APP_DISABLED;
    risen.epoch = 4;
    struct grant over = grant, other = grant;
    over.expires_at = T0;
    other.id = STR("grt_2");
    const struct {
        const char *why;
        tx_work *work;
        struct args args;
        tx_work *undo; /* does not make it valid again; NULL: cannot be undone */
        struct args undo_args;
    } rows[] = {
        { "the family ends", end_family, { .id = family.id }, NULL, { 0 } },
        { "all families of the person end", end_families, { 0 }, NULL, { 0 } },
        { "the grant ends, and a new one is given",
          end_grant,
          { 0 },
          add_grant,
          { .grant = other } },
        { "a new grant takes the old one's place", add_grant, { .grant = other }, NULL, { 0 } },
        { "the app is in a new epoch", put_app, { .app = risen }, NULL, { 0 } },
        { "the app is deleted", delete_app, { 0 }, NULL, { 0 } },
        { "the person is disabled, and enabled",
          put_user,
          { .status = USER_DISABLED },
          put_user,
          { .status = USER_ACTIVE } },
        { "the person is deleted", delete_user, { 0 }, NULL, { 0 } },
        { "the grant's date is reached", put_grant, { .grant = over }, NULL, { 0 } },
        { "the app is disabled", put_app, { .app = disabled }, NULL, { 0 } },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        assert_int_equal(db_write(kit->db, kit_clear, kit), ERR_NONE);
        begin(kit);
        assert_valid(kit, true, rows[i].why);
        assert_int_equal(write_one(kit, rows[i].work, rows[i].args), ERR_NONE);
        assert_valid(kit, false, rows[i].why);
        if (rows[i].undo != NULL)
            assert_int_equal(write_one(kit, rows[i].undo, rows[i].undo_args), ERR_NONE);
        assert_valid(kit, false, rows[i].why);
    }
}

/* ---- the auth version ---- */

SQL(test_lose_families, "DELETE FROM token_family");

static enum err
lose_families(struct db_tx *tx, void *argument)
{
    struct args *a = argument;
    return db_query_values(tx, a->mem, &test_lose_families, NULL, 0, NULL);
}

/* Deletes the families directly, which leaves the auth version unchanged. */
static void
with_the_current_auth_version_neither_family_nor_grant_is_read(struct kit *kit)
{
    begin(kit);
    assert_int_equal(write_one(kit, lose_families, (struct args){ 0 }), ERR_NONE);
    assert_int_equal(look(kit, find_access, "at", T0), ERR_NONE);
    assert_int_equal(write_one(kit, bump_auth_version, (struct args){ .id = bob.id }), ERR_NONE);
    assert_int_equal(look(kit, find_access, "at", T0), ERR_NONE);
    assert_int_equal(write_one(kit, bump_auth_version, (struct args){ .id = ada.id }), ERR_NONE);
    assert_int_equal(look(kit, find_access, "at", T0), ERR_NOT_FOUND);
}

static void
with_an_old_auth_version_family_and_grant_decide(struct kit *kit)
{
    struct grant narrow = grant, wide = grant;
    narrow.allowed = (struct permissions){ .scopes = MUSIC };
    narrow.expires_at = T0 + 2000;
    wide.expires_at = T0 + 9000;
    begin(kit);
    struct args under_seal = { .mem = kit->mem, .id = STR("at"), .now = T0 };
    assert_int_equal(kit_read(kit->db, find_access, &under_seal), ERR_NONE);
    assert_int_equal(write_one(kit, bump_auth_version, (struct args){ .id = ada.id }), ERR_NONE);
    struct args broken = under_seal;
    assert_int_equal(kit_read(kit->db, find_access, &broken), ERR_NONE);
    assert_same_text(broken.access.user_id, under_seal.access.user_id);
    assert_same_text(broken.access.app_id, under_seal.access.app_id);
    assert_memory_equal(&broken.access.allowed, &under_seal.access.allowed,
                        sizeof broken.access.allowed);
    assert_int_equal(broken.access.created_at, under_seal.access.created_at);
    assert_int_equal(broken.access.expires_at, under_seal.access.expires_at);
    assert_int_equal(broken.access.valid_until, under_seal.access.valid_until);
    assert_int_equal(broken.access.generation, under_seal.access.generation);

    assert_int_equal(write_one(kit, put_grant, (struct args){ .grant = narrow }), ERR_NONE);
    assert_int_equal(kit_read(kit->db, find_access, &broken), ERR_NONE);
    assert_int_equal(broken.access.allowed.scopes, MUSIC);
    assert_true(broken.access.allowed.hint_domains == 0);
    assert_int_equal(broken.access.valid_until, T0 + 2000);
    assert_int_equal(look(kit, find_access, "at", T0 + 2000), ERR_NOT_FOUND);
    assert_int_equal(write_one(kit, put_grant, (struct args){ .grant = wide }), ERR_NONE);
    assert_int_equal(kit_read(kit->db, find_access, &broken), ERR_NONE);
    assert_int_equal(broken.access.allowed.scopes, HINTS | MUSIC);
    assert_true(broken.access.allowed.hint_domains == MUSIC);
    assert_int_equal(broken.access.valid_until, T0 + 3600);
    wide.allowed = (struct permissions){ HINTS | MUSIC, DOMAINS_ALL & ~MUSIC, 0, 0 };
    assert_int_equal(write_one(kit, put_grant, (struct args){ .grant = wide }), ERR_NONE);
    assert_int_equal(kit_read(kit->db, find_access, &broken), ERR_NONE);
    assert_int_equal(broken.access.allowed.scopes, HINTS | MUSIC);
    assert_true(broken.access.allowed.hint_domains == 0); /* the domain is not for hints anymore */
}

static void
a_token_expires_no_later_than_its_family_and_grant(struct kit *kit)
{
    const struct {
        int64_t family_ends, grant_ends, expected;
    } rows[] = {
        { T0 + 9000, T0 + 9000, T0 + 3600 },
        { T0 + 1000, T0 + 9000, T0 + 1000 },
        { T0 + 9000, T0 + 1000, T0 + 1000 },
        { T0 + 3600, T0 + 3600, T0 + 3600 },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct grant this_grant = grant;
        struct family this_family = family;
        this_grant.expires_at = rows[i].grant_ends;
        this_family.expires_at = rows[i].family_ends;
        assert_int_equal(db_write(kit->db, kit_clear, kit), ERR_NONE);
        begin_with(kit, &this_grant, &this_family);
        for (int broken = 0; broken < 2; broken++) {
            struct args args = { .mem = kit->mem, .id = STR("at"), .now = rows[i].expected - 1 };
            assert_int_equal(kit_read(kit->db, find_access, &args), ERR_NONE);
            assert_int_equal(args.access.valid_until, rows[i].expected);
            assert_int_equal(look(kit, find_access, "at", rows[i].expected), ERR_NOT_FOUND);
            assert_int_equal(write_one(kit, bump_auth_version, (struct args){ .id = ada.id }),
                             ERR_NONE);
        }
    }
}

/* The row key is made of ten characters of the hash; the whole hash is compared. */
static void
of_two_tokens_with_one_row_key_the_second_is_rejected_and_neither_matches_the_other(struct kit *kit)
{
    begin(kit);
    struct access_token token = { .scopes = HINTS, .created_at = T0, .expires_at = T0 + 3600 };
    token.hash = STR("AAAAAAAAAAone");
    assert_int_equal(write_one(kit, add_access, (struct args){ .token = token }), ERR_NONE);
    token.hash = STR("AAAAAAAAAAtwo");
    assert_int_equal(write_one(kit, add_access, (struct args){ .token = token }), ERR_UNAVAILABLE);
    assert_int_equal(look(kit, find_access, "AAAAAAAAAAone", T0), ERR_NONE);
    assert_int_equal(look(kit, find_access, "AAAAAAAAAAtwo", T0), ERR_NOT_FOUND);
    struct args refresh = { .id = STR("AAAAAAAAAAone"), .family = family, .now = T0 };
    assert_int_equal(write_one(kit, add_refresh, refresh), ERR_NONE);
    refresh.id = STR("AAAAAAAAAAtwo");
    assert_int_equal(write_one(kit, add_refresh, refresh), ERR_UNAVAILABLE);
    assert_int_equal(look(kit, find_refresh, "AAAAAAAAAAone", T0), ERR_NONE);
    assert_int_equal(look(kit, find_refresh, "AAAAAAAAAAtwo", T0), ERR_NOT_FOUND);
}

static void
families_and_tokens_expire(struct kit *kit)
{
    begin(kit);
    assert_int_equal(look(kit, find_access, "at", T0 + 3599), ERR_NONE);
    assert_int_equal(look(kit, find_access, "at", T0 + 3600), ERR_NOT_FOUND);
    assert_int_equal(look(kit, find_family, "fam_1", T0 + 3999), ERR_NONE);
    assert_int_equal(look(kit, find_family, "fam_1", T0 + 4000), ERR_NOT_FOUND);
    struct args later = { .family = family };
    later.family.expires_at = T0 + 6000;
    assert_int_equal(write_one(kit, put_family_times, later), ERR_NONE);
    assert_int_equal(look(kit, find_family, "fam_1", T0 + 4999), ERR_NONE);
    assert_int_equal(look(kit, find_family, "fam_1", T0 + 5000), ERR_NOT_FOUND); /* the grant's */
}

static void
revoking_a_token_keeps_the_family_and_revoking_the_family_revokes_its_tokens(struct kit *kit)
{
    begin(kit);
    assert_int_equal(write_one(kit, end_access, (struct args){ .id = STR("at") }), ERR_NONE);
    assert_int_equal(look(kit, find_access, "at", T0), ERR_NOT_FOUND);
    assert_int_equal(look(kit, find_family, "fam_1", T0), ERR_NONE);
    assert_int_equal(look(kit, find_refresh, "rt", T0), ERR_NONE);
    assert_int_equal(write_one(kit, end_family, (struct args){ .id = family.id }), ERR_NONE);
    assert_int_equal(look(kit, find_family, "fam_1", T0), ERR_NOT_FOUND);
    assert_int_equal(look(kit, find_refresh, "rt", T0), ERR_NOT_FOUND);
    assert_int_equal(write_one(kit, end_family, (struct args){ .id = family.id }), ERR_NONE);
}

static void
over_a_hundred_families_of_a_grant_the_oldest_is_revoked(struct kit *kit)
{
    begin(kit);
    for (int i = 1; i < FAMILIES_PER_GRANT_MAX; i++)
        add_another_family(kit, str_format(kit->mem, "more_%d", i).ptr, T0 + i);
    assert_valid(kit, true, "a hundred");
    add_another_family(kit, "newest", T0 + 500);
    assert_valid(kit, false, "a hundred and one");
    assert_int_equal(look(kit, find_refresh, "rt", T0), ERR_NOT_FOUND);
    assert_int_equal(look(kit, find_family, "more_1", T0), ERR_NONE);
    assert_int_equal(look(kit, find_family, "newest", T0), ERR_NONE);
}

static void
the_new_family_is_kept_among_those_of_the_same_second(struct kit *kit)
{
    begin(kit);
    for (int i = 1; i < FAMILIES_PER_GRANT_MAX; i++)
        add_another_family(kit, str_format(kit->mem, "more_%d", i).ptr, T0);
    add_another_family(kit, "a", T0);
    assert_int_equal(look(kit, find_family, "a", T0), ERR_NONE);
    add_another_family(kit, "z", T0);
    assert_int_equal(look(kit, find_family, "z", T0), ERR_NONE);
}

static void
a_code_is_redeemed_once_before_it_expires_and_kept(struct kit *kit)
{
    struct args args = { .mem = kit->mem,
                         .id = STR("code"),
                         .now = T0 + 60,
                         .code = { .hash = STR("code"),
                                   .family_id = family.id,
                                   .app_id = finder.id,
                                   .redirect_uri = STR("http://127.0.0.1:8/cb"),
                                   .challenge = STR("challenge"),
                                   .expires_at = T0 + 60 } };
    assert_int_equal(tx_write(kit->db, add_code, &args), ERR_NONE);
    assert_int_equal(tx_write(kit->db, redeem_code, &args), ERR_NOT_FOUND); /* too late */
    args.now = T0 + 59;
    assert_int_equal(tx_write(kit->db, redeem_code, &args), ERR_NONE);
    assert_int_equal(tx_write(kit->db, redeem_code, &args), ERR_NOT_FOUND); /* twice */
    assert_int_equal(kit_read(kit->db, find_code, &args), ERR_NONE);
    assert_same_text(args.code.family_id, family.id);
    assert_same_text(args.code.app_id, finder.id);
    assert_same_text(args.code.redirect_uri, STR("http://127.0.0.1:8/cb"));
    assert_same_text(args.code.challenge, STR("challenge"));
    assert_int_equal(args.code.redeemed_at, T0 + 59);
    assert_int_equal(args.code.expires_at, T0 + 60);
    args.id = STR("codes");
    assert_int_equal(kit_read(kit->db, find_code, &args), ERR_NOT_FOUND);
    assert_int_equal(tx_write(kit->db, redeem_code, &args), ERR_NOT_FOUND);
}

static void
a_refresh_token_is_used_once_and_retried_three_times(struct kit *kit)
{
    begin(kit);
    struct args args = { .mem = kit->mem, .id = STR("rt"), .now = T0 + 5 };
    assert_int_equal(kit_read(kit->db, find_refresh, &args), ERR_NONE);
    assert_same_text(args.refresh.hash, STR("rt"));
    assert_same_text(args.refresh.family_id, family.id);
    assert_same_text(args.refresh.app_id, finder.id);
    assert_int_equal(args.refresh.expires_at, T0 + REFRESH_SECONDS);
    assert_int_equal(args.refresh.used_at, 0);
    assert_int_equal(args.refresh.reuses, 0);

    assert_int_equal(tx_write(kit->db, use_refresh, &args), ERR_NONE);
    assert_int_equal(tx_write(kit->db, use_refresh, &args), ERR_NOT_FOUND);
    for (int i = 0; i < REUSES_MAX; i++)
        assert_int_equal(tx_write(kit->db, reuse_refresh, &args), ERR_NONE);
    assert_int_equal(tx_write(kit->db, reuse_refresh, &args), ERR_NOT_FOUND);
    assert_int_equal(kit_read(kit->db, find_refresh, &args), ERR_NONE); /* also used ones */
    assert_int_equal(args.refresh.used_at, T0 + 5);
    assert_int_equal(args.refresh.reuses, REUSES_MAX);

    assert_int_equal(look(kit, find_refresh, "rt", T0 + 5 + REUSE_SECONDS), ERR_NONE);
    assert_int_equal(look(kit, find_refresh, "rt", T0 + 5 + REUSE_SECONDS + 1), ERR_NOT_FOUND);
    args.id = STR("unused");
    args.family = family;
    assert_int_equal(tx_write(kit->db, add_refresh, &args), ERR_NONE);
    assert_int_equal(look(kit, find_refresh, "unused", T0 + 5 + REFRESH_SECONDS - 1), ERR_NONE);
    assert_int_equal(look(kit, find_refresh, "unused", T0 + 5 + REFRESH_SECONDS), ERR_NOT_FOUND);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_family_and_its_token_read_back),
        KIT_CASE(every_revocation_invalidates_the_token_for_good),
        KIT_CASE(with_the_current_auth_version_neither_family_nor_grant_is_read),
        KIT_CASE(with_an_old_auth_version_family_and_grant_decide),
        KIT_CASE(a_token_expires_no_later_than_its_family_and_grant),
        KIT_CASE(
            of_two_tokens_with_one_row_key_the_second_is_rejected_and_neither_matches_the_other),
        KIT_CASE(families_and_tokens_expire),
        KIT_CASE(revoking_a_token_keeps_the_family_and_revoking_the_family_revokes_its_tokens),
        KIT_CASE(over_a_hundred_families_of_a_grant_the_oldest_is_revoked),
        KIT_CASE(the_new_family_is_kept_among_those_of_the_same_second),
        KIT_CASE(a_code_is_redeemed_once_before_it_expires_and_kept),
        KIT_CASE(a_refresh_token_is_used_once_and_retried_three_times),
    };
    return KIT_RUN("store/token_store", cases, LOG_WARN);
}
