/* registration_test.c - clients that register themselves: ids, rows, and their end. */
#include "unit/assert_str.h"
#include "unit/store_kit.h"

#include "client/registration.h"
#include "store/app_store.h"
#include "store/tx.h"

#define NOW ((int64_t)1800000000)
#define DAY APP_DAY
#define BODY(name, uri, method)                                      \
    "{\"client_name\":\"" name "\",\"redirect_uris\":[\"" uri "\"]," \
    "\"token_endpoint_auth_method\":\"" method "\"}"
#define LOOPBACK "http://127.0.0.1:8123/callback"

static enum err
add(struct kit *kit, const char *body, const char *hosts, int64_t now, struct app *out,
    const struct secret **secret, struct client_problem *problem)
{
    struct client_metadata metadata;
    struct registration_params params = {
        .document = str_of(body), .schemes = STR("cursor"), .hosts = str_of(hosts), .now = now
    };
    return registration_add(kit->db, kit->mem, &params, &metadata, out, secret, problem);
}

static struct app
added(struct kit *kit, const char *body, int64_t now)
{
    struct app app;
    const struct secret *secret;
    struct client_problem problem = { 0 };
    assert_int_equal(add(kit, body, NULL, now, &app, &secret, &problem), ERR_NONE);
    assert_true((secret == NULL) == app.is_public);
    assert_true(str_present(app.secret_hash) == !app.is_public);
    return app;
}

static struct app
stored(struct kit *kit, struct str id)
{
    struct app app;
    struct db_tx *tx = tx_begin_read(kit->db);
    assert_int_equal(tx_end_read(tx, app_store_find(tx, kit->mem, id, &app)), ERR_NONE);
    return app;
}

static void
a_public_client_has_one_row_whatever_its_port(struct kit *kit)
{
    struct app first = added(kit, BODY("A", LOOPBACK, "none"), NOW);
    struct app again = added(kit, BODY("A", "http://127.0.0.1:9/callback", "none"), NOW + 5);
    assert_str(again.id, first.id, "the same client");
    assert_true(str_starts(first.id, STR("dyn_")));
    assert_int_equal(again.created_at, NOW);
    assert_int_equal(stored(kit, first.id).kind, APP_REGISTERED);
    static const char *const others[] = {
        BODY("B", LOOPBACK, "none"),
        BODY("A", "http://127.0.0.1:8123/other", "none"),
        BODY("A", "http://localhost:8123/callback", "none"),
        BODY("A", LOOPBACK, "client_secret_post"),
    };
    for (size_t i = 0; i < ROWS(others); i++)
        assert_false(str_eq(added(kit, others[i], NOW).id, first.id));
}

static void
a_client_with_a_secret_has_a_row_each_time(struct kit *kit)
{
    struct app first = added(kit, BODY("A", LOOPBACK, "client_secret_basic"), NOW);
    struct app again = added(kit, BODY("A", LOOPBACK, "client_secret_basic"), NOW);
    assert_false(str_eq(first.id, again.id));
    assert_false(str_eq(first.secret_hash, again.secret_hash));
}

static void
registering_again_gives_another_week(struct kit *kit)
{
    struct app app = added(kit, BODY("A", LOOPBACK, "none"), NOW);
    assert_int_equal(app.expires_at, NOW + 7 * DAY);
    added(kit, BODY("A", LOOPBACK, "none"), NOW + DAY / 2);
    assert_int_equal(stored(kit, app.id).expires_at, NOW + 7 * DAY); /* not a write per call */
    added(kit, BODY("A", LOOPBACK, "none"), NOW + 3 * DAY);
    assert_int_equal(stored(kit, app.id).expires_at, NOW + 10 * DAY);
}

static void
an_invalid_document_is_explained_and_stores_nothing(struct kit *kit)
{
    static const struct {
        const char *body, *hosts, *error, *part;
    } rows[] = {
        { "{", NULL, "invalid_client_metadata", "JSON" },
        { "[]", NULL, "invalid_client_metadata", "object" },
        { "{}", NULL, "invalid_redirect_uri", "redirect_uris" },
        { BODY("A", "javascript:alert(1)", "none"), NULL, "invalid_redirect_uri",
          "redirect_uris[0] (javascript:alert(1))" },
        { BODY("A", LOOPBACK, "private_key_jwt"), NULL, "invalid_client_metadata",
          "token_endpoint_auth_method" },
        { BODY("A", "https://evil.example/back", "none"), "good.example", "invalid_redirect_uri",
          "client-registration" },
        { BODY("\\u202eA", LOOPBACK, "none"), NULL, "invalid_client_metadata", "client_name" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct app app = { 0 };
        const struct secret *secret;
        struct client_problem problem = { 0 };
        assert_int_equal(add(kit, rows[i].body, rows[i].hosts, NOW, &app, &secret, &problem),
                         ERR_INVALID);
        assert_string_equal(problem.error, rows[i].error);
        assert_row(memmem(problem.sentence.ptr, problem.sentence.len, rows[i].part,
                          strlen(rows[i].part)) != NULL,
                   rows[i].body);
        assert_null(secret);
        assert_false(str_present(app.id));
    }
}

int
main(void)
{
    const struct kit_case cases[] = {
        KIT_CASE(a_public_client_has_one_row_whatever_its_port),
        KIT_CASE(a_client_with_a_secret_has_a_row_each_time),
        KIT_CASE(registering_again_gives_another_week),
        KIT_CASE(an_invalid_document_is_explained_and_stores_nothing),
    };
    return KIT_RUN("registration", cases, LOG_INFO);
}
