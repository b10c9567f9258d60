#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/command.h"
#include "command/control.h"
#include "base/arena.h"
#include "base/buf.h"

#include <string.h>

static struct arena *mem;

/* Splits at '|', so that a word may contain spaces. */
static enum err
parse(const char *typed, struct command_line *out, struct why *why)
{
    struct str words[16], rest = str_of(typed);
    size_t count = 0;
    while (count < 16 && str_cut(&rest, '|', &words[count]))
        count++;
    *why = (struct why){ 0 };
    return command_parse(mem, words, count, out, why);
}

static void
a_command_line_is_parsed(void **state)
{
    (void)state;
    struct command_line line;
    struct why why;
    assert_int_equal(
        parse("user|add|ada|--email|a@b.example|--name=Ada L|--store|sqlite:x|--json", &line, &why),
        ERR_NONE);
    assert_string_equal(line.command->words, "user add");
    assert_int_equal(line.call.argument_count, 1);
    assert_true(str_eq(line.call.arguments[0], STR("ada")));
    assert_true(str_eq(command_option_value(&line.call, "email"), STR("a@b.example")));
    assert_true(str_eq(command_option_value(&line.call, "name"), STR("Ada L")));
    assert_true(command_has(&line.call, "json"));
    assert_false(command_has(&line.call, "no-password"));
    assert_int_equal(line.flag_count, 1);
    assert_true(str_eq(line.flags[0].value, STR("sqlite:x")));
}

static void
after_two_dashes_everything_is_an_argument(void **state)
{
    (void)state;
    struct command_line line;
    struct why why;
    assert_int_equal(parse("user|disable|--|--json", &line, &why), ERR_NONE);
    assert_true(str_eq(line.call.arguments[0], STR("--json")));
    assert_false(command_has(&line.call, "json"));
}

static void
an_invalid_command_line_is_reported(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *summary;
    } cases[] = {
        { "dance", "there is no command dance; see `penchant help`" },
        { "serv", "there is no command serv; did you mean `penchant serve`?" },
        { "user", "user needs another word; see `penchant help user`" },
        { "user|add", "usage: penchant user add NAME" },
        { "user|add|ada|bob", "unexpected argument: bob" },
        { "user|add|ada|--colour|red", "there is no option --colour" },
        { "user|add|ada|--email", "--email needs a value" },
        { "user|list|--json=yes", "--json takes no value" },
        { "serve|--listen", "--listen needs a value" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct command_line line;
        struct why why;
        assert_int_equal(parse(cases[i].typed, &line, &why), ERR_INVALID);
        if (strstr(why.text, cases[i].summary) == NULL)
            fail_msg("%s: said \"%s\"", cases[i].typed, why.text);
    }
}

static void
every_command_is_described(void **state)
{
    (void)state;
    struct buf all = buf_in(mem, 1 << 20);
    command_describe_all(&all, HELP_TEXT);
    buf_add_char(&all, '\0');
    for (size_t table = 0; command_tables[table] != NULL; table++) {
        for (const struct command *row = command_tables[table]; row->words != NULL; row++) {
            assert_non_null(row->summary);
            assert_non_null(row->run);
            assert_non_null(row->arguments);
            assert_true(row->arguments_max <= COMMAND_ARGUMENTS_MAX);
            assert_non_null(strstr(buf_str(&all).ptr, row->words));
        }
    }
}

static void
a_control_request_is_parsed_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum err expected;
    } cases[] = {
        { "{\"args\":[\"user\",\"list\"]}", ERR_NONE },
        { "{\"args\":[\"user\"],\"stdin\":\"x\"}", ERR_NONE },
        { "{\"args\":\"user\"}", ERR_INVALID },
        { "{\"args\":[1]}", ERR_INVALID },
        { "{\"args\":[],\"stdin\":7}", ERR_INVALID },
        { "{}", ERR_INVALID },
        { "[]", ERR_INVALID },
        { "null", ERR_INVALID },
        { "", ERR_INVALID },
        { "{\"args\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}", ERR_INVALID },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str words[4], input;
        size_t count = 0;
        struct why why = { 0 };
        enum err err =
            control_read_request(mem, str_of(cases[i].line), words, 4, &count, &input, &why);
        if (err != cases[i].expected)
            fail_msg("%s: %s", cases[i].line, err_name(err));
        assert_true(err == ERR_NONE || why.text[0] != '\0');
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_line_is_parsed),
        cmocka_unit_test(after_two_dashes_everything_is_an_argument),
        cmocka_unit_test(an_invalid_command_line_is_reported),
        cmocka_unit_test(every_command_is_described),
        cmocka_unit_test(a_control_request_is_parsed_strictly),
    };
    mem = arena_new();
    int failed = cmocka_run_group_tests_name("command", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
