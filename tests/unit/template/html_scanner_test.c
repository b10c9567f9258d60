#include "unit/assert_str.h"

#include "template/template.h"

static const char *the_source;

static struct str
find(const char *name)
{
    return strcmp(name, "page") == 0 ? str_of(the_source) : STR_NONE;
}

/* Loads a page of that source. Empty if it loads, else what is wrong. */
static struct why
load(const char *source)
{
    struct why why = { 0 };
    struct template_set *set = template_set_new(find, NULL);
    the_source = source;
    enum err err = template_load(set, "page", &why);
    if (err != ERR_NONE && err != ERR_INVALID)
        fail_msg("%s: %s", source, err_name(err));
    if ((err == ERR_NONE) != (why.text[0] == '\0'))
        fail_msg("%s: a refusal and its reason must come together", source);
    template_set_free(set);
    return why;
}

static void
marks_are_allowed_where_escaping_is_safe(void **state)
{
    static const char *const rows[] = {
        "",
        "plain text",
        "{{a}}",
        "<p>{{a}}</p>",
        "<P CLASS=\"x\">{{a}}</P >",
        "<p title=\"{{a}}\">",
        "<p title='{{a}}'>",
        "<p title=\"x {{a}} > y\" lang='{{b}}'>",
        "<br/>{{a}}<br />{{b}}",
        "<title>{{a}}</title>",
        "<textarea>{{a}}</textarea >{{b}}",
        "<!DOCTYPE html>{{a}}",
        "<!-- a comment - with -- dashes -->{{a}}",
        "<!---->{{a}}",
        "<script>if (a < b && c > \"{\") {}</script>{{a}}",
        "<script>x = '</scripty>'</script>{{a}}",
        "<STYLE>a{b:c}</style>{{a}}",
        "<script src=\"/a.js\"></script>{{a}}",
        "<script src=\"/a.js?v={{version}}\"></script>",
        "<a href=\"{{a}}\">",
        "<a href='{{a}}'>",
        "<a href=\"/x?y={{a}}&amp;z={{b}}\">",
        "<a href=\"https://example.org/{{a}}\">",
        "<a href=\"#{{a}}\">",
        "<a href=\"?a={{a}}\">",
        "<a href=\"/x{{#a}}?a={{a}}{{/a}}\">",
        "<a href=\"{{base}}/x/{{id}}\">",
        "<form action=\"{{a}}\"><button formaction=\"/x/{{a}}\">",
        "<img src=\"{{a}}\" alt=\"{{b}}\">",
        "<input value=\"x\"{{#on}} checked{{/on}}>",
        "<input {{#on}}checked{{/on}}>",
        "<input {{#on}}checked {{/on}}name=\"x\">",
        "<input {{#on}}value=\"{{v}}\"{{/on}} name=x>",
        "<a {{#url}}href=\"{{url}}\"{{/url}}>",
        "<meta name=\"description\" content=\"{{a}}\">",
        "<p data-x=\"{{a}}\" aria-label=\"{{b}}\">",
        "<p class=\"a{{#b}} c{{/b}}\">",
        "a { b } c }} d",
        "caf\xc3\xa9 {{a}}",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct why why = load(rows[i]);
        if (why.text[0] != '\0')
            fail_msg("%s: %s", rows[i], why.text);
    }
}

static void
marks_are_rejected_where_no_escaping_is_safe(void **state)
{
    static const struct {
        const char *source;
        const char *problem; /* a part of it */
    } rows[] = {
        { "<script>var x = \"{{a}}\"</script>", "inside <script>" },
        { "<script>{{#a}}{{/a}}</script>", "inside <script>" },
        { "<SCRIPT>{{a}}</SCRIPT>", "inside <script>" },
        { "<script/>{{a}}", "inside <script>" },
        { "<script>\"</scripty>{{a}}\"</script>", "inside <script>" },
        { "<script>\"</scrip\"{{a}}</script>", "inside <script>" },
        { "<style>{{a}}</style>", "inside <script>" },
        { "<noscript>{{a}}</noscript>", "inside <script>" },
        { "<iframe>{{a}}</iframe>", "inside <script>" },
        { "<xmp>{{a}}</xmp>", "inside <script>" },
        { "<!-- {{a}} -->", "comment" },
        { "<!--{{a}}-->", "comment" },
        { "<!{{a}}>", "comment or doctype" },
        { "<!-{{a}}", "comment or doctype" },
        { "<!DOCTYPE {{a}}>", "doctype" },
        { "<{{a}}>", "tag's name" },
        { "<p{{a}}>", "tag's name" },
        { "<p{{#a}} x{{/a}}>", "tag's name" },
        { "</{{a}}>", "tag's name" },
        { "</p{{a}}>", "tag's name" },
        { "</p {{a}}>", "end tag" },
        { "<p {{a}}>", "between attributes" },
        { "<p {{a}}=\"x\">", "between attributes" },
        { "<p x{{a}}=\"x\">", "attribute's name" },
        { "<p x=\"y\"{{a}}>", "between attributes" },
        { "<p x={{a}}>", "in quotes" },
        { "<p x=y{{a}}>", "in quotes" },
        { "<p x={{#a}}y{{/a}}>", "in quotes" },
        { "<br /{{a}}>", "before the >" },
        { "<p onclick=\"{{a}}\">", "attribute of this name" },
        { "<p ONCLICK='f({{a}})'>", "attribute of this name" },
        { "<p style=\"color:{{a}}\">", "attribute of this name" },
        { "<iframe srcdoc=\"{{a}}\">", "attribute of this name" },
        { "<img srcset=\"{{a}}\">", "attribute of this name" },
        { "<object data=\"{{a}}\">", "attribute of this name" },
        { "<svg><use xlink:href=\"{{a}}\">", "attribute of this name" },
        { "<meta http-equiv=\"refresh\" content=\"0;url={{a}}\">", "http-equiv" },
        { "<meta content=\"0;url={{a}}\" http-equiv=refresh>", "http-equiv" },
        { "<meta {{#a}}content=\"{{b}}\"{{/a}} {{#c}}http-equiv{{/c}}>", "http-equiv" },
        { "<script src=\"{{a}}\"></script>", "choose what this element loads" },
        { "<iframe src=\"{{a}}\"></iframe>", "choose what this element loads" },
        { "<base href=\"{{a}}\">", "choose what this element loads" },
        { "<a href=\"javascript:f('{{a}}')\">", "an address with a mark must begin" },
        { "<a href=\"java&#115;cript:f('{{a}}')\">", "an address with a mark must begin" },
        { "<a href=\" {{a}}\">", "an address with a mark must begin" },
        { "<a href=\"x{{a}}\">", "an address with a mark must begin" },
        { "<a href=\"{{#a}}{{b}}{{/a}}\">", "may not begin with a section" },
        { "<a href=\"{{^a}}javascript:{{/a}}{{b}}\">", "may not begin with a section" },
        { "<title><{{a}}</title>", "inside a tag" },
        { "<p title=\"{{>b}}\">", "only between elements" },
        { "<p {{>b}}>", "only between elements" },
        { "<title>{{>b}}</title>", "only between elements" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct why why = load(rows[i].source);
        if (strstr(why.text, rows[i].problem) == NULL)
            fail_msg("%s: %s", rows[i].source, why.text);
    }
}

static void
html_that_browsers_would_have_to_repair_is_refused(void **state)
{
    static const struct {
        const char *source;
        const char *problem;
    } rows[] = {
        { "a < b", "written &lt;" },
        { "<1>", "written &lt;" },
        { "<?xml?>", "written &lt;" },
        { "</>", "written &lt;" },
        { "<![CDATA[x]]>", "may follow <!" },
        { "<!-x>", "may follow <!" },
        { "<!-->x-->", "a comment must end" },
        { "<!--->x-->", "a comment must end" },
        { "<!-- x --!> -->", "a comment must end" },
        { "<p title=\"x\"lang=\"y\">", "white space, / or >" },
        { "<p title = \"x\">", "not allowed in an attribute name" },
        { "<p title= \"x\">", "must follow = at once" },
        { "<p title=>", "must follow = at once" },
        { "<p \"x\">", "not allowed in an attribute name" },
        { "<p x<y>", "white space, / or >" },
        { "<p<b>", "white space, / or >" },
        { "<p x=a\"b>", "must be in quotes" },
        { "<p x=a<b>", "must be in quotes" },
        { "<br / x>", "> must follow /" },
        { "</p class=\"x\">", "no attributes" },
        { "</p/>", "white space, / or >" },
        { "<script><!-- --></script>", "<! is not allowed" },
        { "<title>a <b></title>", "only its own end tag" },
        { "<textarea></text></textarea>", "only its own end tag" },
        { "<plaintext>", "cannot be closed" },
        { "<p", "the file ends inside" },
        { "<p title=\"x", "the file ends inside" },
        { "<!-- x", "the file ends inside" },
        { "<script>x", "the file ends inside" },
        { "<title>x", "the file ends inside" },
        { "<averyveryverylongnameofatag>", "too long" },
        { "<p averyveryverylongnameofanattribute>", "too long" },
        { "a\xff", "not valid UTF-8" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct why why = load(rows[i].source);
        if (strstr(why.text, rows[i].problem) == NULL)
            fail_msg("%s: %s", rows[i].source, why.text);
    }
}

static void
sections_end_in_the_place_they_began_in(void **state)
{
    static const char *const rows[] = {
        "{{#a}}<p title=\"{{/a}}\">",
        "<p title=\"{{#a}}\">{{/a}}",
        "<p title=\"{{#a}}\" lang=\"{{/a}}\">",
        "<p title=\"{{#a}}\" title=\"{{/a}}\">",
        "<p title=\"{{#a}}\" lang='{{/a}}'>",
        "<p {{#a}}>{{/a}}",
        "<p {{#a}}><b {{/a}}>",
        "<script {{#a}}></script><b {{/a}}>{{c}}",
        "<p {{#a}}title=\"{{/a}}\">",
        "<p {{#a}}title={{/a}}>",
        "<p {{#a}}title=x{{/a}}>",
        "{{#a}}<script>{{/a}}</script>",
        "{{#a}}<!-- {{/a}} -->",
        "{{#a}}<{{/a}}p>",
        "<title>{{#a}}</title>{{/a}}",
        "<title>{{#a}}</title><title>{{/a}}</title>",
        "<title>{{#a}}</title><textarea>{{/a}}</textarea>",
        "{{#a}}<title>{{/a}}</title>",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct why why = load(rows[i]);
        if (strstr(why.text, "a section must end in the same context in which it began") == NULL)
            fail_msg("%s: %s", rows[i], why.text);
    }
    assert_non_null(strstr(load("<p x=\"y\"{{#a}}checked{{/a}}>").text, "white space"));
    assert_non_null(strstr(load("<p x=\"y\"{{#a}} checked{{/a}}x>").text, "white space"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_allowed_where_escaping_is_safe),
        cmocka_unit_test(marks_are_rejected_where_no_escaping_is_safe),
        cmocka_unit_test(html_that_browsers_would_have_to_repair_is_refused),
        cmocka_unit_test(sections_end_in_the_place_they_began_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
