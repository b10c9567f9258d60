#include "unit/assert_str.h"
#include "unit/test_arena.h"

#include "template/template.h"

static const char *the_source;

static struct str
find(const char *name)
{
    if (strcmp(name, "page") == 0)
        return str_of(the_source);
    return strcmp(name, "name") == 0 ? STR("<b>{{name}}</b>") : STR_NONE;
}

static struct str
render(const char *source, const struct values *values)
{
    struct why why = { 0 };
    struct template_set *set = template_set_new(find, NULL);
    struct buf out = buf_in(mem, 10000);
    the_source = source;
    if (template_load(set, "page", &why) != ERR_NONE)
        fail_msg("%s: %s", source, why.text);
    assert_int_equal(template_render(set, "page", values, &out), ERR_NONE);
    template_set_free(set);
    return buf_str(&out);
}

static void
values_are_escaped_for_their_context(void **state)
{
    static const struct {
        const char *source;
        struct str value;
        const char *out;
    } rows[] = {
        { "<p>{{v}}</p>", { "a & <b>", 7 }, "<p>a &amp; &lt;b&gt;</p>" },
        { "<p title=\"{{v}}\">", { "\"'>", 3 }, "<p title=\"&quot;&#39;&gt;\">" },
        { "<p title='{{v}}'>", { "\"'>", 3 }, "<p title='&quot;&#39;&gt;'>" },
        { "<title>{{v}}</title>", { "</title>", 8 }, "<title>&lt;/title&gt;</title>" },
        { "<textarea>{{v}}</textarea>",
          { "</textarea>", 11 },
          "<textarea>&lt;/textarea&gt;</textarea>" },
        { "{{v}}", { "{{v}}", 5 }, "{{v}}" },
        { "{{v}}",
          { "a\0b\xff", 4 },
          "a\xef\xbf\xbd"
          "b\xef\xbf\xbd" },
        { "{{v}}", { NULL, 0 }, "" },
        { "a{{unknown}}b", { "", 0 }, "ab" },
        { "<a href=\"/s?q={{v}}\">",
          { "a b&c=d/e?f#g\"", 14 },
          "<a href=\"/s?q=a%20b%26c%3Dd%2Fe%3Ff%23g%22\">" },
        { "<a href='/{{v}}'>", { "/evil.example", 13 }, "<a href='/%2Fevil.example'>" },
        { "<a href=\"/{{v}}\">", { "\xc3\xa9\xff", 3 }, "<a href=\"/%C3%A9%FF\">" },
        { "<a href=\"https://a.example/?x={{v}}\">",
          { "'", 1 },
          "<a href=\"https://a.example/?x=%27\">" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct values *values = values_new(mem);
        values_text(values, "v", rows[i].value);
        assert_str(render(rows[i].source, values), str_of(rows[i].out), rows[i].source);
    }
}

static void
only_paths_and_web_addresses_begin_an_address(void **state)
{
    static const struct {
        struct str value;
        const char *out;
    } rows[] = {
        { { "/", 1 }, "/" },
        { { "/a/b?c=d&e", 10 }, "/a/b?c=d&amp;e" },
        { { "https://a.example/x'y", 21 }, "https://a.example/x&#39;y" },
        { { "http://a.example", 16 }, "http://a.example" },
        { { "/caf\xc3\xa9", 6 }, "/caf\xc3\xa9" },
        { { "", 0 }, "#" },
        { { NULL, 0 }, "#" },
        { { "//evil.example", 14 }, "#" },
        { { "///evil.example", 15 }, "#" },
        { { "/\\evil.example", 14 }, "#" },
        { { "\\\\evil.example", 14 }, "#" },
        { { "/a\\b", 4 }, "#" },
        { { "/\t/evil.example", 15 }, "#" },
        { { "/\n/evil.example", 15 }, "#" },
        { { "/\r/evil.example", 15 }, "#" },
        { { "/\0/evil.example", 15 }, "#" },
        { { "\t/a", 3 }, "#" },
        { { " /a", 3 }, "#" },
        { { "https://a\x7f", 10 }, "#" },
        { { "javascript:alert(1)", 19 }, "#" },
        { { "JaVaScRiPt:alert(1)", 19 }, "#" },
        { { " javascript:alert(1)", 20 }, "#" },
        { { "java\nscript:alert(1)", 20 }, "#" },
        { { "data:text/html,<script>", 23 }, "#" },
        { { "vbscript:x", 10 }, "#" },
        { { "HTTPS://a.example", 17 }, "#" },
        { { "https:a.example", 15 }, "#" },
        { { "https:/a.example", 16 }, "#" },
        { { "mailto:a@b.example", 18 }, "#" },
        { { "relative", 8 }, "#" },
        { { "#fragment", 9 }, "#" },
        { { "?query", 6 }, "#" },
    };
    static const char *const attributes[] = { "href", "src", "action", "formaction", "HREF" };
    (void)state;
    for (size_t a = 0; a < ROWS(attributes); a++) {
        for (size_t i = 0; i < ROWS(rows); i++) {
            struct values *values = values_new(mem);
            values_text(values, "v", rows[i].value);
            struct str source = str_format(mem, "<a %s=\"{{v}}\">", attributes[a]);
            struct str out = str_format(mem, "<a %s=\"%s\">", attributes[a], rows[i].out);
            assert_str(render(source.ptr, values), out, rows[i].value.ptr);
        }
    }
}

static void
a_second_value_in_an_address_is_a_component(void **state)
{
    struct values *values = values_new(mem);
    (void)state;
    values_text(values, "base", STR("https://a.example"));
    values_text(values, "evil", STR("//evil.example?x"));
    assert_str(render("<a href=\"{{base}}{{evil}}\">", values),
               STR("<a href=\"https://a.example%2F%2Fevil.example%3Fx\">"), "directly after");
    assert_str(render("<a href=\"{{nothing}}{{evil}}\">", values),
               STR("<a href=\"#%2F%2Fevil.example%3Fx\">"), "after nothing");
    assert_str(render("<a href=\"/in{{#base}}?next={{base}}{{/base}}\">", values),
               STR("<a href=\"/in?next=https%3A%2F%2Fa.example\">"), "in a section");
    assert_str(render("<p title=\"x\"></p><a href=\"{{base}}\">", values),
               STR("<p title=\"x\"></p><a href=\"https://a.example\">"), "a new attribute");
}

static void
sections_ask_for_flags_texts_and_lists(void **state)
{
    struct values *values = values_new(mem);
    (void)state;
    values_flag(values, "on", true);
    values_flag(values, "off", false);
    values_text(values, "text", STR("x"));
    values_text(values, "zero", STR("0"));
    values_text(values, "empty", STR(""));
    values_text(values, "absent", STR_NONE);
    values_item(values, "list");
    values_item(values, "list");
    static const struct {
        const char *name;
        const char *out;
    } rows[] = {
        { "on", "y" },    { "off", "n" },    { "text", "y" },  { "zero", "y" },
        { "empty", "n" }, { "absent", "n" }, { "list", "yy" }, { "unknown", "n" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *name = rows[i].name;
        struct str source =
            str_format(mem, "{{#%s}}y{{/%s}}{{^%s}}n{{/%s}}", name, name, name, name);
        assert_str(render(source.ptr, values), str_of(rows[i].out), name);
    }
    assert_str(render("[{{on}}{{list}}]", values), STR("[]"), "no texts");
}

static void
list_items_hide_outer_names(void **state)
{
    struct values *values = values_new(mem);
    (void)state;
    values_text(values, "name", STR("outer"));
    values_text(values, "shared", STR("s"));
    struct values *first = values_item(values, "people");
    values_text(first, "name", STR("Ada"));
    values_text(values_item(first, "pets"), "pet", STR("cat"));
    values_text(values_item(first, "pets"), "pet", STR("<dog>"));
    struct values *second = values_item(values, "people");
    values_text(second, "name", STR(""));
    values_item(values, "people");
    assert_str(render("{{name}}:{{#people}}({{name}}{{shared}}{{#pets}}[{{name}} {{pet}}]{{/pets}}"
                      "{{^pets}}-{{/pets}}){{/people}}:{{name}}",
                      values),
               STR("outer:(Adas[Ada cat][Ada &lt;dog&gt;])(s-)(outers-):outer"), "nested");
    assert_str(render("{{#people}}{{>name}}{{/people}}", values),
               STR("<b>Ada</b><b></b><b>outer</b>"), "included");
    assert_str(render("{{#people}}{{#people}}.{{/people}}{{/people}}", values), STR("........."),
               "the same list inside itself");
}

static void
attributes_come_and_go_with_their_section(void **state)
{
    struct values *values = values_new(mem);
    (void)state;
    values_flag(values, "on", true);
    values_item(values, "twice");
    values_item(values, "twice");
    assert_str(render("<input name=\"x\"{{#on}} checked{{/on}}>", values),
               STR("<input name=\"x\" checked>"), "on");
    assert_str(render("<input name=\"x\"{{^on}} checked{{/on}}>", values),
               STR("<input name=\"x\">"), "off");
    assert_str(render("<input {{#twice}}a=\"b\" on{{/twice}}>", values),
               STR("<input a=\"b\" on a=\"b\" on >"), "names do not run together");
    assert_str(render("<p class=\"a{{#on}} b{{/on}}\">", values), STR("<p class=\"a b\">"),
               "in a value");
}

static void
the_last_value_of_a_name_counts(void **state)
{
    struct values *values = values_new(mem);
    (void)state;
    values_text(values, "a", STR("1"));
    values_text(values, "a", STR("2"));
    assert_str(render("{{a}}", values), STR("2"), "text");
    values_item(values, "a");
    assert_str(render("[{{a}}{{#a}}x{{/a}}]", values), STR("[x]"), "a list instead");
    values_flag(values, "a", false);
    assert_str(render("{{^a}}no{{/a}}", values), STR("no"), "a flag instead");
    values_item(values, "a");
    assert_str(render("{{#a}}x{{/a}}", values), STR("x"), "a new list, not the old one");
}

static void
a_page_beyond_the_limit_sets_overflow(void **state)
{
    struct template_set *set = template_set_new(find, NULL);
    struct buf out = buf_in(mem, 10);
    (void)state;
    the_source = "123456789{{v}}";
    assert_int_equal(template_load(set, "page", NULL), ERR_NONE);
    struct values *values = values_new(mem);
    values_text(values, "v", STR("ab"));
    assert_int_equal(template_render(set, "page", values, &out), ERR_NONE);
    assert_true(out.overflow);
    assert_int_equal(template_render(set, "other", values, &out), ERR_NOT_FOUND);
    template_set_free(set);
}

static void
a_part_is_rendered_once_and_not_escaped_again(void **state)
{
    struct why why = { 0 };
    struct values *values = values_new(mem);
    const struct part *part = NULL;
    struct template_set *set = template_set_new(find, NULL);
    (void)state;
    the_source = "<p>{{v}}</p>";
    assert_int_equal(template_load(set, "page", &why), ERR_NONE);
    values_text(values, "v", STR("<&>"));
    assert_int_equal(part_render(set, "page", values, mem, &part), ERR_NONE);
    assert_int_equal(part_render(set, "other", values, mem, &part), ERR_NOT_FOUND);
    template_set_free(set);

    struct values *outer = values_new(mem);
    values_part(outer, "part", part);
    values_text(outer, "text", STR("<&>"));
    assert_str(render("<div>{{=part}}</div>", outer), STR("<div><p>&lt;&amp;&gt;</p></div>"), "");
    assert_str(render("<div>{{#part}}{{=part}}{{/part}}{{=none}}</div>", outer),
               STR("<div><p>&lt;&amp;&gt;</p></div>"), "in a section");
    assert_str(render("<div>{{=text}}{{part}}</div>", outer), STR("<div></div>"), "other kinds");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_escaped_for_their_context),
        cmocka_unit_test(a_part_is_rendered_once_and_not_escaped_again),
        cmocka_unit_test(only_paths_and_web_addresses_begin_an_address),
        cmocka_unit_test(a_second_value_in_an_address_is_a_component),
        cmocka_unit_test(sections_ask_for_flags_texts_and_lists),
        cmocka_unit_test(list_items_hide_outer_names),
        cmocka_unit_test(attributes_come_and_go_with_their_section),
        cmocka_unit_test(the_last_value_of_a_name_counts),
        cmocka_unit_test(a_page_beyond_the_limit_sets_overflow),
    };
    return cmocka_run_group_tests(tests, make_memory, free_memory);
}
