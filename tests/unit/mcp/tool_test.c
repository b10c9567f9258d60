/* tool_test.c - arguments of tools: what is accepted, and the sentence about everything else. */
#include "unit/web/call_by_hand.h"

#include "domain/domain.h"
#include "mcp/fact_arguments.h"
#include "text/json_read.h"

static struct call call;
static struct mcp_call mcp;

static struct tool_args
args_of(const char *json)
{
    struct tool_args args = { .mcp = &mcp };
    call = call_by_hand();
    mcp = (struct mcp_call){ .call = &call };
    if (json != NULL)
        assert_int_equal(json_read(call.mem, str_of(json), 8, &args.object, NULL), ERR_NONE);
    return args;
}

static void
assert_problem(const struct tool_args *args, const char *expected, const char *why)
{
    assert_row((expected == NULL) == !str_present(args->problem), why);
    if (expected != NULL)
        assert_row(memmem(args->problem.ptr, args->problem.len, expected, strlen(expected)) != NULL,
                   why);
}

static void
texts_have_a_length(void **state)
{
    static const struct {
        const char *json, *text, *problem;
    } rows[] = {
        { NULL, NULL, NULL },
        { "{}", NULL, NULL },
        { "{\"task\":\"abc\"}", "abc", NULL },
        { "{\"task\":\"äöü\"}", "äöü", NULL },
        { "{\"task\":\"\"}", "", NULL },
        { "{\"task\":\"abcd\"}", NULL, "task must be a string of at most 3 characters." },
        { "{\"task\":3}", NULL, "must be a string" },
        { "{\"task\":null}", NULL, "must be a string" },
        { "{\"task\":[\"a\"]}", NULL, "must be a string" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct tool_args args = args_of(rows[i].json);
        assert_str(args_text(&args, "task", 3), str_of(rows[i].text), rows[i].json);
        assert_problem(&args, rows[i].problem, rows[i].json);
    }
}

static void
integers_have_limits(void **state)
{
    static const struct {
        const char *json;
        int64_t number;
        bool fails;
    } rows[] = {
        { "{}", 200, false },
        { "{\"n\":1}", 1, false },
        { "{\"n\":4000}", 4000, false },
        { "{\"n\":7.0}", 7, false },
        { "{\"n\":0}", 200, true },
        { "{\"n\":4001}", 200, true },
        { "{\"n\":1.5}", 200, true },
        { "{\"n\":\"7\"}", 200, true },
        { "{\"n\":true}", 200, true },
        { "{\"n\":1e300}", 200, true },
        { "{\"n\":-1}", 200, true },
        { "{\"n\":null}", 200, true },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct tool_args args = args_of(rows[i].json);
        assert_row(args_integer(&args, "n", 1, 4000, 200) == rows[i].number, rows[i].json);
        assert_problem(&args, rows[i].fails ? "n must be an integer from 1 to 4000." : NULL,
                       rows[i].json);
    }
}

static void
lists_have_strings_only(void **state)
{
    static const struct {
        const char *json;
        int count; /* -1: none */
        bool fails;
    } rows[] = {
        { "{}", -1, false },
        { "{\"values\":[]}", 0, false },
        { "{\"values\":[\"a\",\"b\"]}", 2, false },
        { "{\"values\":[\"a\",\"b\",\"c\"]}", -1, true },
        { "{\"values\":[\"a\",1]}", -1, true },
        { "{\"values\":[[\"a\"]]}", -1, true },
        { "{\"values\":\"a\"}", -1, true },
        { "{\"values\":{\"a\":\"b\"}}", -1, true },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct tool_args args = args_of(rows[i].json);
        const struct json_value *list = args_list(&args, "values", 2);
        assert_row((list == NULL ? -1 : (int)list->count) == rows[i].count, rows[i].json);
        assert_problem(&args, rows[i].fails ? "values must be a list of at most 2 strings." : NULL,
                       rows[i].json);
    }
}

static void
other_arguments_are_named_with_those_that_exist(void **state)
{
    static const char *const names[] = { "task", "domains", NULL };
    (void)state;
    struct tool_args fine = args_of("{\"task\":1,\"domains\":2}");
    args_only(&fine, names);
    assert_problem(&fine, NULL, "known");
    struct tool_args other = args_of("{\"task\":1,\"taks\":2,\"more\":3}");
    args_only(&other, names);
    assert_problem(&other, "There is no argument \"taks\". The arguments are: task, domains.",
                   "the first one");
    args_fail(&other, STR("A second problem."));
    assert_problem(&other, "\"taks\"", "the first problem stays");
    struct tool_args none = args_of(NULL);
    args_only(&none, names);
    assert_problem(&none, NULL, "no arguments");
}

static void
domains_are_found_or_listed(void **state)
{
    (void)state;
    struct tool_args known = args_of("{\"domain\":\"food_profile\"}");
    assert_str(args_domain(&known, "domain")->name, STR("food_profile"), "known");
    assert_problem(&known, NULL, "known");
    struct tool_args none = args_of("{}");
    assert_null(args_domain(&none, "domain"));
    assert_problem(&none, NULL, "absent");
    struct tool_args unknown = args_of("{\"domain\":\"food\"}");
    assert_null(args_domain(&unknown, "domain"));
    assert_problem(&unknown, "domain \"food\" does not exist. The domains are: ", "unknown");
    assert_problem(&unknown, "music_preferences", "the list");
}

/* `member`: NULL if there is a problem. */
static void
statements_name_a_member_or_a_property(void **state)
{
    static const struct {
        const char *json, *member, *property, *problem;
    } rows[] = {
        { "{\"domain\":\"food_profile\",\"member\":\"allergies\"}", "allergies", NULL, NULL },
        { "{\"domain\":\"coding_profile\",\"member\":\"indentation.width\"}", "indentation",
          "width", NULL },
        { "{\"member\":\"allergies\"}", NULL, NULL, "domain is required." },
        { "{\"domain\":\"food_profile\"}", NULL, NULL, "member is required." },
        { "{\"domain\":\"food_profile\",\"member\":\"Allergies\"}", NULL, NULL, "has no member" },
        { "{\"domain\":\"food_profile\",\"member\":\"allergies.\"}", NULL, NULL, "has no member" },
        { "{\"domain\":\"food_profile\",\"member\":\"allergies.x\"}", NULL, NULL, "has no member" },
        { "{\"domain\":\"coding_profile\",\"member\":\"indentation\"}", NULL, NULL,
          "indentation.width" },
        { "{\"domain\":\"coding_profile\",\"member\":\"indentation.x\"}", NULL, NULL,
          "has no member \"indentation.x\"" },
        { "{\"domain\":\"food_profile\",\"member\":\"\"}", NULL, NULL, "has no member \"\"" },
        { "{\"domain\":\"food_profile\",\"member\":\".\"}", NULL, NULL, "has no member \".\"" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct tool_args args = args_of(rows[i].json);
        struct statement statement;
        statement_read(&args, &statement);
        assert_problem(&args, rows[i].problem, rows[i].json);
        if (rows[i].problem != NULL)
            continue;
        assert_str(statement.member->name, str_of(rows[i].member), rows[i].json);
        assert_row((statement.property == NULL) == (rows[i].property == NULL), rows[i].json);
        if (rows[i].property != NULL)
            assert_str(statement.property->name, str_of(rows[i].property), rows[i].json);
    }
}

static void
values_are_read_as_the_member_stores_them(void **state)
{
    static const struct {
        const char *member, *text;
        enum json_type type;
        const char *problem;
    } rows[] = {
        { "indentation.width", "4", JSON_INT, NULL },
        { "indentation.width", "2.5", JSON_REAL, NULL },
        { "indentation.width", "four", JSON_NULL, "\"four\" must be a number." },
        { "indentation.width", "", JSON_NULL, "must be a number" },
        { "indentation.width", "4 5", JSON_NULL, "must be a number" },
        { "indentation.width", "[4]", JSON_NULL, "must be a number" },
        { "indentation.width", "\"4\"", JSON_NULL, "must be a number" },
        { "languages", "4", JSON_STR, NULL },
        { "languages", "true", JSON_STR, NULL },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct tool_args args = args_of(NULL);
        struct statement statement;
        const char *json = str_format(call.mem, "{\"domain\":\"coding_profile\",\"member\":\"%s\"}",
                                      rows[i].member)
                               .ptr;
        args = args_of(json);
        statement_read(&args, &statement);
        assert_problem(&args, NULL, json);
        const struct json_value *value = statement_value(&args, &statement, str_of(rows[i].text));
        assert_problem(&args, rows[i].problem, rows[i].text);
        if (rows[i].problem == NULL)
            assert_row(value->type == rows[i].type, rows[i].text);
        else
            assert_null(value);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(texts_have_a_length),
        CALL_TEST(integers_have_limits),
        CALL_TEST(lists_have_strings_only),
        CALL_TEST(other_arguments_are_named_with_those_that_exist),
        CALL_TEST(domains_are_found_or_listed),
        CALL_TEST(statements_name_a_member_or_a_property),
        CALL_TEST(values_are_read_as_the_member_stores_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
