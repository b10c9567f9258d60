#include "unit/assert_str.h"

#include "api/openapi.h"
#include "base/arena.h"
#include "base/buf.h"
#include "portal/reference.h"
#include "unit/domains_kit.h"

#include <string.h>

static struct arena *mem;
static struct reference reference;

static int
setup(void **state)
{
    (void)state;
    struct openapi_params place = { STR("https://api.example"), STR("https://id.example"),
                                    kit_domains() };
    struct str document = STR_NONE;
    struct why why = { 0 };
    mem = arena_new();
    if (openapi_make(mem, &place, &document, &why) ||
        reference_make(mem, document, &reference, &why))
        fail_msg("%s", why.text);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    arena_free(mem);
    return 0;
}

static const struct reference_endpoint *
endpoint(const char *id)
{
    for (size_t g = 0; g < reference.group_count; g++)
        for (size_t i = 0; i < reference.groups[g].count; i++)
            if (str_eq_c(reference.groups[g].endpoints[i].id, id))
                return &reference.groups[g].endpoints[i];
    fail_msg("there is no endpoint %s", id);
    return NULL;
}

static struct str
kind_of(const struct reference_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (str_eq_c(fields->list[i].name, name))
            return fields->list[i].kind;
    fail_msg("there is no field %s", name);
    return STR_NONE;
}

static void
types_are_described_as_text(void **state)
{
    (void)state;
    const struct reference_endpoint *atoms = endpoint("listAtoms");
    const struct reference_endpoint *suppress = endpoint("suppressAtom");
    const struct {
        const char *why;
        const struct reference_fields *fields;
        const char *name, *kind;
    } table[] = {
        { "a number with bounds", &atoms->parameters, "limit",
          "integer from 1 to 100; default `20`" },
        { "a choice", &atoms->parameters, "status",
          "`active`, `suppressed`, `held`, or `all`; default `active`" },
        { "behind a reference", &suppress->calls[0].body, "reason",
          "`not_accurate`, `outdated`, `not_mine`, `too_personal`, or `other`" },
        { "a time", &suppress->members, "suppressed_at", "time" },
        { "one value only", &endpoint("authorize")->parameters, "response_type", "`code`" },
        { "a text with a length", &endpoint("introspectToken")->calls[0].body, "token",
          "string (max 4096 characters)" },
        { "something or nothing", &endpoint("getUserInfo")->members, "name", "string or null" },
        { "of several kinds", &endpoint("getPreferences")->members, "preferences", "object" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_str(kind_of(table[i].fields, table[i].name), str_of(table[i].kind), table[i].why);
}

static void
example_calls_are_complete(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        size_t number;
        const char *text;
    } table[] = {
        { "getAlive", 0, "curl \"https://api.example/healthz\"" },
        { "getDomainStats", 0,
          "curl -H \"Authorization: Bearer $token\" "
          "\"https://api.example/v1/domains/music_preferences/stats\"" },
        { "listAtoms", 0,
          "curl -H \"Authorization: Bearer $token\" "
          "\"https://api.example/v1/preferences/atoms?domain=music_preferences&limit=2\"" },
        { "introspectToken", 0,
          "curl -u \"$client:$secret\" \"https://api.example/oauth/introspect\" \\\n"
          "    -d token=pn_at_…" },
        { "suppressAtom", 0,
          "curl -H \"Authorization: Bearer $token\" "
          "\"https://api.example/v1/preferences/suppress\" \\\n"
          "    -H \"Content-Type: application/json\" \\\n"
          "    -d '{ \"atom_id\": \"atm_RmFjdE9mVGhlRXhhbXBsZQ\", \"reason\": \"not_accurate\" "
          "}'" },
        { "getTokens", 1,
          "curl \"https://api.example/oauth/token\" \\\n    -d grant_type=refresh_token \\\n"
          "    -d client_id=app_Q2xpZW50T2ZUaGVHdWlkZQ \\\n    -d client_secret=pn_cs_… \\\n"
          "    -d refresh_token=pn_rt_…" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_str(endpoint(table[i].id)->calls[table[i].number].text, str_of(table[i].text),
                   table[i].id);
    assert_true(endpoint("authorize")->is_url);
    assert_true(str_starts(endpoint("authorize")->calls[0].text,
                           STR("https://id.example/oauth/authorize?response_type=code&")));
}

static void
a_shared_response_is_listed_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < reference.shared.count; i++)
        for (size_t j = 0; j < i; j++)
            assert_false(str_eq(reference.shared.list[i].shared, reference.shared.list[j].shared));
    const struct reference_endpoint *tokens = endpoint("getTokens");
    for (size_t i = 0; i < tokens->responses.count; i++)
        if (str_eq_c(tokens->responses.list[i].status, "400")) {
            assert_str(tokens->responses.list[i].shared, STR(""), "its own");
            assert_str(tokens->responses.list[i].errors,
                       STR("`invalid_grant`, `invalid_request`, `invalid_scope`, "
                           "`invalid_target`, `unsupported_grant_type`"),
                       "every code");
        }
}

static void
every_endpoint_and_every_domain_is_in_the_text(void **state)
{
    (void)state;
    struct buf out = buf_in(mem, 1024 * 1024);
    reference_write(&out, &reference);
    assert_false(out.overflow);
    const char *text = str_c(mem, buf_str(&out));
    size_t count = 0;
    for (size_t g = 0; g < reference.group_count; g++)
        for (size_t i = 0; i < reference.groups[g].count; i++, count++) {
            const struct reference_endpoint *one = &reference.groups[g].endpoints[i];
            struct str line = str_format(mem, "\n`%s %.*s`", one->method, STR_ARG(one->path));
            assert_non_null(strstr(text, line.ptr));
            assert_true(one->responses.count > 0);
        }
    assert_true(count >= 17);
    assert_int_equal(reference.record_count, kit_domains()->count);
    for (size_t i = 0; i < reference.record_count; i++) {
        struct str line = str_format(mem, "\n`%.*s`: ", STR_ARG(reference.records[i].domain));
        assert_non_null(strstr(text, line.ptr));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(types_are_described_as_text),
        TEST(example_calls_are_complete),
        TEST(a_shared_response_is_listed_once),
        TEST(every_endpoint_and_every_domain_is_in_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
