#include "unit/assert_str.h"

#include "base/arena.h"
#include "mcp/envelope.h"
#include "text/json_read.h"

#define MODERN_META                                                              \
    "\"_meta\":{\"" MCP_META "protocolVersion\":\"" MCP_VERSION "\",\"" MCP_META \
    "clientCapabilities\":{}}"
#define CALL(params) \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{" params "}}"
#define MODERN_CALL CALL("\"name\":\"get_hints\"," MODERN_META)

#define NO_HEADERS                   \
    {                                \
        STR_NONE, STR_NONE, STR_NONE \
    }
static const struct mcp_headers no_headers = NO_HEADERS;

static struct mcp_headers
modern_headers(void)
{
    return (struct mcp_headers){ STR(MCP_VERSION), STR("tools/call"), STR("get_hints") };
}

/* 0: the message is accepted; else the code. */
static int
code_of(struct arena *mem, const char *body, const struct mcp_headers *headers, int *status)
{
    struct mcp_message message;
    struct mcp_problem problem = { 0 };
    if (envelope_read(mem, str_of(body), headers, &message, &problem))
        return 0;
    assert_true(problem.sentence.len > 0);
    *status = problem.status;
    return problem.code;
}

static void
a_legacy_request_needs_no_headers(void **state)
{
    struct arena *mem = arena_new();
    struct mcp_message message;
    struct mcp_problem problem;
    (void)state;
    assert_true(envelope_read(mem, STR(CALL("\"name\":\"x\"")), &no_headers, &message, &problem));
    assert_int_equal(message.era, MCP_LEGACY);
    assert_false(message.is_notification);
    assert_str(message.id, STR("7"), "id");
    assert_str(message.method, STR("tools/call"), "method");
    assert_str(json_member(message.params, "name")->text, STR("x"), "name");
    assert_null(message.meta);
    arena_free(mem);
}

static void
the_era_follows_from_the_version_alone(void **state)
{
    static const struct {
        const char *body;
        struct mcp_headers headers;
        int code;
    } cases[] = {
        /* A progress token and the headers of the modern era do not make a message modern. */
        { CALL("\"_meta\":{\"progressToken\":0}"), NO_HEADERS, 0 },
        { CALL(""), { STR_NONE, STR("tools/list"), STR("other") }, 0 },
        { CALL(""), { STR("2025-06-18"), STR_NONE, STR_NONE }, 0 },
        { CALL(""), { STR(" 2024-11-05 "), STR_NONE, STR_NONE }, 0 },
        /* A version that is not a legacy one does. */
        { CALL(""), { STR("2030-01-01"), STR_NONE, STR_NONE }, RPC_INVALID_PARAMS },
        { CALL("\"_meta\":{\"" MCP_META "protocolVersion\":1}"), NO_HEADERS, RPC_INVALID_PARAMS },
        { MODERN_CALL, NO_HEADERS, RPC_HEADER_MISMATCH },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = 0;
        assert_int_equal(code_of(mem, cases[i].body, &cases[i].headers, &status), cases[i].code);
        assert_int_equal(status, cases[i].code == 0 ? 0 : 400);
    }
    arena_free(mem);
}

static void
a_modern_request_repeats_itself_in_headers(void **state)
{
    struct arena *mem = arena_new();
    struct mcp_headers headers = modern_headers();
    int status = 0;
    (void)state;
    assert_int_equal(code_of(mem, MODERN_CALL, &headers, &status), 0);
    headers.name = STR("=?base64?Z2V0X2hpbnRz?=");
    assert_int_equal(code_of(mem, MODERN_CALL, &headers, &status), 0);
    static const struct str wrong[] = { STR("remember"), STR("GET_HINTS"), STR("get_hints2"),
                                        STR("=?base64?***?="), STR("") };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        headers.name = wrong[i];
        assert_int_equal(code_of(mem, MODERN_CALL, &headers, &status), RPC_HEADER_MISMATCH);
    }
    headers = modern_headers();
    headers.method = STR("tools/list");
    assert_int_equal(code_of(mem, MODERN_CALL, &headers, &status), RPC_HEADER_MISMATCH);
    headers = modern_headers();
    headers.version = STR("2025-11-25");
    assert_int_equal(code_of(mem, MODERN_CALL, &headers, &status), RPC_HEADER_MISMATCH);
    arena_free(mem);
}

static void
an_id_is_echoed_exactly_or_refused(void **state)
{
    static const struct {
        const char *id, *echoed; /* NULL: refused */
    } cases[] = {
        { "0", "0" },
        { "\"\"", "\"\"" },
        { "\"\\u00e9\\n\"", "\"\xc3\xa9\\n\"" },
        { "9007199254740992", "9007199254740992" },
        { "-9007199254740992", "-9007199254740992" },
        { "9007199254740993", NULL },
        { "null", NULL },
        { "1.5", NULL },
        { "true", NULL },
        { "[1]", NULL },
        { "{}", NULL },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mcp_message message;
        struct mcp_problem problem;
        struct str body =
            str_format(mem, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":%s}", cases[i].id);
        bool ok = envelope_read(mem, body, &no_headers, &message, &problem);
        assert_int_equal(ok, cases[i].echoed != NULL);
        if (ok)
            assert_str(message.id, str_of(cases[i].echoed), cases[i].id);
        else
            assert_int_equal(problem.code, RPC_INVALID_REQUEST);
    }
    arena_free(mem);
}

static void
what_is_not_one_request_is_a_notification_or_refused(void **state)
{
    static const struct {
        const char *body;
        int code;
    } cases[] = {
        { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", 0 },
        { "{\"jsonrpc\":\"2.0\",\"method\":5}", 0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", 0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", RPC_INVALID_REQUEST },
        { "{\"id\":1,\"method\":\"ping\"}", RPC_INVALID_REQUEST },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"method\":\"b\"}", RPC_PARSE_ERROR },
        { "", RPC_PARSE_ERROR },
        { "{", RPC_PARSE_ERROR },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mcp_message message;
        struct mcp_problem problem = { 0 };
        bool ok = envelope_read(mem, str_of(cases[i].body), &no_headers, &message, &problem);
        assert_int_equal(ok ? 0 : problem.code, cases[i].code);
        assert_true(!ok || message.is_notification);
    }
    arena_free(mem);
}

static void
a_header_value_is_trimmed_and_decoded(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    assert_str(envelope_header_value(mem, STR("  get_hints\t")), STR("get_hints"), "blanks");
    assert_str(envelope_header_value(mem, STR("=?base64?w6k=?=")), STR("\xc3\xa9"), "base64");
    assert_str(envelope_header_value(mem, STR("=?base64?")), STR("=?base64?"), "not encoded");
    assert_false(str_present(envelope_header_value(mem, STR("=?base64?/w==?=")))); /* not UTF-8 */
    assert_false(str_present(envelope_header_value(mem, STR("=?base64?a?="))));
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_legacy_request_needs_no_headers),
        cmocka_unit_test(the_era_follows_from_the_version_alone),
        cmocka_unit_test(a_modern_request_repeats_itself_in_headers),
        cmocka_unit_test(an_id_is_echoed_exactly_or_refused),
        cmocka_unit_test(what_is_not_one_request_is_a_notification_or_refused),
        cmocka_unit_test(a_header_value_is_trimmed_and_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
