#include "unit/assert_str.h"
#include "unit/test_arena.h"

#include "template/catalog.h"
#include "template/template.h"

#define SAME(actual, expected) assert_str((actual), str_of(expected), "")

static const char *the_source;

static const char english[] = "# a remark\n"
                              "page.lang = en\n"
                              "\n"
                              "hello = Hello *{name}*, you have `{count}` & more.\n"
                              "plain = Hello {name}, welcome\n"
                              "    to the <club>.\n"
                              "braces = {{a}}\n"
                              "sentence.taken = The name {name} is taken; choose another.\n"
                              "sentence.short = Too short.\n";

static const char german[] = "page.lang = de\n"
                             "hello = Hallo *{name}*, du hast `{count}` & mehr.\n"
                             "plain = Hallo {name} & willkommen im <Club>.\n"
                             "braces = {{b}}\n"
                             "sentence.taken = Den Namen {name} gibt es schon.\n"
                             "sentence.short = Zu kurz.\n";

static struct str
find(const char *name)
{
    return strcmp(name, "page") == 0 ? str_of(the_source) : STR_NONE;
}

static struct catalog *
read_words(const char *file)
{
    struct catalog *catalog = NULL;
    struct why why = { 0 };
    if (catalog_read(mem, "xx.strings", str_of(file), &catalog, &why) != ERR_NONE)
        fail_msg("%s", why.text);
    return catalog;
}

/* What comes out, or the problem the template was refused for. */
static const char *
render(struct catalog *catalog, const char *source)
{
    struct why why = { 0 };
    struct template_set *set = template_set_new(find, catalog);
    struct values *values = values_new(mem);
    struct buf out = buf_in(mem, 10000);
    values_text(values, "name", STR("<Ada>"));
    values_text(values, "count", STR("3"));
    the_source = source;
    enum err err = template_load(set, "page", &why);
    if (err == ERR_NONE)
        assert_int_equal(template_render(set, "page", values, &out), ERR_NONE);
    template_set_free(set);
    return err == ERR_NONE ? str_c(mem, buf_str(&out)) : str_c(mem, str_of(why.text));
}

static void
an_invalid_catalog_is_reported_with_its_line(void **state)
{
    static const struct {
        const char *file;
        const char *why;
    } rows[] = {
        { "a = b\nnonsense\n", "xx.strings, line 2: a line is: key = text" },
        { "A = b\n", "xx.strings, line 1: a key consists of parts of a-z, 0-9, _, "
                     "and -, separated by dots" },
        { "a..b = c\n", "xx.strings, line 1: a key consists of parts of a-z, 0-9, _, "
                        "and -, separated by dots" },
        { "a. = c\n", "xx.strings, line 1: a key ends with a letter or digit" },
        { " = c\n", "xx.strings, line 1: this line continues no message" },
        { "a =\n", "xx.strings, line 1: the text after = is missing: a" },
        { "a = b\n\na = c\n", "xx.strings, line 3: this key is repeated: a" },
        { "a = {b\n", "xx.strings, line 1: { is not followed by a name and }; the brace itself is "
                      "written {{: a" },
        { "a = {B}\n", "xx.strings, line 1: { is not followed by a name and }; the brace itself is "
                       "written {{: a" },
        { "a = b}\n", "xx.strings, line 1: } without {; the brace itself is written }}: a" },
        { "a = {b}{b}{b}{b}{b}{b}{b}\n", "xx.strings, line 1: the text has too many values: a" },
        { "a = \xff\n", "xx.strings, line 1: the text contains NUL or is not valid UTF-8: a" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct catalog *catalog = NULL;
        struct why why = { 0 };
        assert_int_equal(catalog_read(mem, "xx.strings", str_of(rows[i].file), &catalog, &why),
                         ERR_INVALID);
        assert_string_equal(why.text, rows[i].why);
    }
}

static void
a_text_is_said_with_its_values(void **state)
{
    struct catalog *catalog = read_words(english);
    struct message_value name = { "name", STR("{count} <b>") };
    (void)state;
    SAME(catalog_format(catalog, mem, "plain", &name, 1),
         "Hello {count} <b>, welcome to the <club>.");
    SAME(catalog_format(catalog, mem, "plain", NULL, 0), "Hello , welcome to the <club>.");
    SAME(catalog_format(catalog, mem, "braces", NULL, 0), "{a}");
    SAME(catalog_format(catalog, mem, "missing", NULL, 0), "[missing]");
}

static void
a_template_escapes_messages_for_their_context(void **state)
{
    static const struct {
        const char *source;
        const char *out;
    } rows[] = {
        { "<p>{{:hello}}</p>", "<p>Hello <strong>&lt;Ada&gt;</strong>, you have "
                               "<code>3</code> &amp; more.</p>" },
        { "<p>{{:plain}}</p>", "<p>Hello &lt;Ada&gt;, welcome to the &lt;club&gt;.</p>" },
        { "<img alt=\"{{:plain}}\">",
          "<img alt=\"Hello &lt;Ada&gt;, welcome to the &lt;club&gt;.\">" },
        { "<title>{{:plain}}</title>",
          "<title>Hello &lt;Ada&gt;, welcome to the &lt;club&gt;.</title>" },
        { "<p>{{:braces}} - {{name}}</p>", "<p>{a} - &lt;Ada&gt;</p>" },
    };
    struct catalog *catalog = read_words(english);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(render(catalog, rows[i].source), rows[i].out);
}

static void
a_template_with_a_catalog_must_not_contain_text(void **state)
{
    static const char own[] =
        "template page, line 1: this text belongs in the message catalog; write {{:key}}";
    static const struct {
        const char *source;
        const char *why;
    } rows[] = {
        { "<p>Hello</p>", own },
        { "<title>Hello</title>", own },
        { "<p>7</p>", own },
        { "<p>\xc2\xb7</p>", own },
        { "<p>&middot;</p>", own },
        { "<img alt=\"A cat\">", own },
        { "<input placeholder='name'>", own },
        { "<nav aria-label=\"You\">", own },
        { "<p>{{:nothing}}</p>", "template page, line 1: the message catalog has no key nothing" },
        { "<a href=\"{{:plain}}\">", "template page, line 1: a message is allowed only between "
                                     "elements and in attributes that are not URLs" },
        { "<p {{:plain}}>",
          "template page, line 1: a message is allowed only between elements and in "
          "attributes that are not URLs" },
        { "<img alt=\"{{:hello}}\">",
          "template page, line 1: a message with * or ` is allowed only between elements" },
        { "<script>{{:plain}}</script>", "template page, line 1: a mark is not allowed inside "
                                         "<script>, <style>, and similar elements" },
    };
    struct catalog *catalog = read_words(english);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(render(catalog, rows[i].source), rows[i].why);
    assert_string_equal(render(NULL, "<p>Hello</p>"), "<p>Hello</p>");
    assert_string_equal(render(NULL, "{{:plain}}"),
                        "template page, line 1: there is no message catalog");
    assert_string_equal(render(read_words("page.lang = en\nodd = *so\n"), "{{:odd}}"),
                        "template page, line 1: a * or ` of this text is not closed");
}

static void
a_second_language_is_a_second_file(void **state)
{
    struct catalog *catalog = read_words(german), *model = read_words(english);
    struct why why = { 0 };
    (void)state;
    assert_int_equal(catalog_compare(model, catalog, &why), ERR_NONE);
    assert_string_equal(render(catalog, "<html lang=\"{{:page.lang}}\"><p>{{:plain}}</p>"),
                        "<html lang=\"de\"><p>Hallo &lt;Ada&gt; &amp; willkommen im "
                        "&lt;Club&gt;.</p>");
}

static void
a_language_with_other_keys_or_values_is_refused(void **state)
{
    static const struct {
        const char *file;
        const char *why;
    } rows[] = {
        { "a = {x}\n", "xx.strings: message b is missing" },
        { "a = {x}\nb = c\nc = d\n", "xx.strings, line 3: this key is not in the base catalog: c" },
        { "a = {y}\nb = c\n",
          "xx.strings, line 1: the values differ from those of the base catalog: a" },
        { "a = x\nb = c\n",
          "xx.strings, line 1: the values differ from those of the base catalog: a" },
        { "a = {x}\nb = c {x}\n",
          "xx.strings, line 2: the values differ from those of the base catalog: b" },
    };
    struct catalog *model = read_words("a = one {x}\nb = c\n");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct why why = { 0 };
        assert_int_equal(catalog_compare(model, read_words(rows[i].file), &why), ERR_INVALID);
        assert_string_equal(why.text, rows[i].why);
    }
}

static void
a_sentence_of_a_lower_module_is_found_by_its_text(void **state)
{
    struct catalog *from = read_words(english), *to = read_words(german);
    (void)state;
    SAME(catalog_translate(from, to, mem, STR("Too short.")), "Zu kurz.");
    SAME(catalog_translate(from, to, mem, STR("The name ada; x is taken; choose another.")),
         "Den Namen ada; x gibt es schon.");
    assert_false(str_present(catalog_translate(from, to, mem, STR("The name ada is taken."))));
    assert_false(str_present(catalog_translate(from, to, mem, STR("Too short. Really."))));
    assert_false(
        str_present(catalog_translate(from, to, mem, STR("Hello ada, welcome to the <club>."))));
}

static void
an_unused_message_fails_at_startup(void **state)
{
    struct catalog *catalog = read_words("page.lang = en\nsentence.x = X.\nused = U\nidle = I\n");
    struct why why = { 0 };
    (void)state;
    assert_true(catalog_use(catalog, STR("used")));
    assert_false(catalog_use(catalog, STR("unknown")));
    assert_int_equal(catalog_check(catalog, &why), ERR_INVALID);
    assert_string_equal(why.text, "xx.strings, line 4: no page uses this message: idle");
    assert_true(catalog_use(catalog, STR("idle")));
    assert_int_equal(catalog_check(catalog, &why), ERR_NONE);
    why = (struct why){ 0 };
    assert_int_equal(catalog_check(read_words("used = U\n"), &why), ERR_INVALID);
    assert_string_equal(why.text, "xx.strings: message page.lang is missing");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_invalid_catalog_is_reported_with_its_line),
        cmocka_unit_test(a_text_is_said_with_its_values),
        cmocka_unit_test(a_template_escapes_messages_for_their_context),
        cmocka_unit_test(a_template_with_a_catalog_must_not_contain_text),
        cmocka_unit_test(a_second_language_is_a_second_file),
        cmocka_unit_test(a_language_with_other_keys_or_values_is_refused),
        cmocka_unit_test(a_sentence_of_a_lower_module_is_found_by_its_text),
        cmocka_unit_test(an_unused_message_fails_at_startup),
    };
    return cmocka_run_group_tests(tests, make_memory, free_memory);
}
