#include "unit/assert_str.h"

#include "base/arena.h"
#include "template/template.h"

struct file {
    const char *name;
    const char *source;
};

static const struct file *the_files;

static struct str
find(const char *name)
{
    for (const struct file *file = the_files; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0)
            return str_of(file->source);
    return STR_NONE;
}

static enum err
load(const struct file *files, const char *name, struct why *why)
{
    the_files = files;
    *why = (struct why){ 0 };
    struct template_set *set = template_set_new(find, NULL);
    enum err err = template_load(set, name, why);
    template_set_free(set);
    return err;
}

static void
a_refusal_names_template_line_and_problem(void **state)
{
    static const struct {
        const char *source;
        const char *why;
    } rows[] = {
        { "a\nb\n{{#x}}\nc", "template page, line 4: a section is not closed" },
        { "a\n{{/x}}", "template page, line 2: this section was not opened in this file" },
        { "{{#x}}{{#y}}\n{{/x}}{{/y}}",
          "template page, line 2: another section must be closed first" },
        { "{{#x}}{{^y}}{{/x}}", "template page, line 1: another section must be closed first" },
        { "{{", "template page, line 1: {{ is not followed by a name and }}" },
        { "{{a", "template page, line 1: {{ is not followed by a name and }}" },
        { "{{a}", "template page, line 1: {{ is not followed by a name and }}" },
        { "{{a}b}}", "template page, line 1: {{ is not followed by a name and }}" },
        { "\n\n<{{a}}>", "template page, line 3: a mark is not allowed in a tag's name" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct why why;
        struct file files[] = { { "page", rows[i].source }, { 0 } };
        assert_row(load(files, "page", &why) == ERR_INVALID, rows[i].source);
        assert_str(str_of(why.text), str_of(rows[i].why), rows[i].source);
    }
}

static void
names_have_one_form(void **state)
{
    static const char *const rows[] = {
        "{{}}",     "{{ a }}",   "{{A}}",  "{{1a}}",  "{{_a}}",       "{{a.b}}",
        "{{{a}}}",  "{{&a}}",    "{{!a}}", "{{#}}",   "{{# a}}",      "{{>}}",
        "{{>a/b}}", "{{>../a}}", "{{=}}",  "{{a b}}", "{{\xc3\xa9}}", "{{a\nb}}",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct why why;
        struct file files[] = { { "page", rows[i] }, { 0 } };
        assert_row(load(files, "page", &why) == ERR_INVALID, rows[i]);
        assert_row(strstr(why.text, "a name is a letter") != NULL, rows[i]);
    }
}

static void
a_part_stands_between_elements(void **state)
{
    static const char *const rows[] = {
        "<p title=\"{{=a}}\">",  "<a href=\"{{=a}}\">",         "<p {{=a}}>",
        "<title>{{=a}}</title>", "<textarea>{{=a}}</textarea>",
    };
    struct why why;
    (void)state;
    assert_int_equal(load((struct file[]){ { "page", "<p>{{=a}}</p>" }, { 0 } }, "page", &why),
                     ERR_NONE);
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct file files[] = { { "page", rows[i] }, { 0 } };
        assert_row(load(files, "page", &why) == ERR_INVALID, rows[i]);
        assert_row(strstr(why.text, "a part is allowed only between elements") != NULL, rows[i]);
    }
}

static void
includes_are_resolved_when_a_page_is_loaded(void **state)
{
    static const struct file files[] = {
        { "page", "{{>head}}x{{>foot}}" },
        { "head", "<p>{{#a}}{{>part-1}}{{/a}}" },
        { "part-1", "<b>{{c}}</b>" },
        { "foot", "</p>" },
        { "missing", "a\n{{>nowhere}}" },
        { "self", "{{>self}}" },
        { "ring", "{{>ring_2}}" },
        { "ring_2", "x\n{{>ring_3}}" },
        { "ring_3", "\n\n{{>ring}}" },
        { "opens", "{{>opener}}{{/a}}" },
        { "opener", "{{#a}}" },
        { "closes", "{{#a}}{{>closer}}" },
        { "closer", "x\n{{/a}}" },
        { "leaves", "{{>leaver}}>" },
        { "leaver", "<p" },
        { 0 },
    };
    static const struct {
        const char *page;
        enum err err;
        const char *why;
    } rows[] = {
        { "page", ERR_NONE, "" },
        { "nothing", ERR_NOT_FOUND, "there is no template named nothing" },
        { "missing", ERR_INVALID, "template missing includes nowhere, which does not exist" },
        { "self", ERR_INVALID, "template self, line 1: a template may not include itself" },
        { "ring", ERR_INVALID, "template ring_3, line 3: a template may not include itself" },
        { "opens", ERR_INVALID, "template opener, line 1: a section is not closed" },
        { "closes", ERR_INVALID,
          "template closer, line 2: this section was not opened in this file" },
        { "leaves", ERR_INVALID,
          "template leaver, line 1: the file ends inside a tag, a comment or an element" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct why why;
        assert_row(load(files, rows[i].page, &why) == rows[i].err, rows[i].page);
        assert_str(str_of(why.text), str_of(rows[i].why), rows[i].page);
    }
}

static void
what_nests_has_a_ceiling(void **state)
{
    static const struct file doubling[] = {
        { "page", "{{>a}}{{>a}}{{>a}}{{>a}}" },
        { "a", "{{>b}}{{>b}}{{>b}}{{>b}}" },
        { "b", "{{>c}}{{>c}}{{>c}}{{>c}}" },
        { "c", "{{>d}}{{>d}}{{>d}}{{>d}}" },
        { "d", "{{>e}}{{>e}}{{>e}}{{>e}}" },
        { "e", "x" },
        { 0 },
    };
    static const struct file chain[] = {
        { "page", "{{>a}}" },
        { "a", "{{>b}}" },
        { "b", "{{>c}}" },
        { "c", "{{>d}}" },
        { "d", "{{>e}}" },
        { "e", "{{>f}}" },
        { "f", "{{>g}}" },
        { "g", "{{>h}}" },
        { "h", "{{>i}}" },
        { "i", "x" },
        { 0 },
    };
    struct file sections[] = { { "page", "{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}"
                                         "{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}" },
                               { 0 } };
    struct why why;
    (void)state;
    assert_int_equal(load(doubling, "page", &why), ERR_INVALID);
    assert_non_null(strstr(why.text, "too many files"));
    assert_int_equal(load(chain, "page", &why), ERR_INVALID);
    assert_non_null(strstr(why.text, "included too deeply"));
    assert_int_equal(load(chain, "a", &why), ERR_NONE);
    assert_int_equal(load(sections, "page", &why), ERR_INVALID);
    assert_non_null(strstr(why.text, "sections are nested too deeply"));
}

static void
a_page_with_too_many_marks_is_refused(void **state)
{
    enum { MARKS = 70000 };
    struct arena *mem = arena_new();
    char *source = arena_alloc(mem, MARKS * 5 + 1);
    (void)state;
    for (size_t i = 0; i < MARKS; i++)
        memcpy(source + i * 5, "{{a}}", 5);
    struct file files[] = { { "page", source }, { 0 } };
    struct why why;
    assert_int_equal(load(files, "page", &why), ERR_INVALID);
    assert_non_null(strstr(why.text, "too many marks"));
    arena_free(mem);
}

static void
a_failed_load_leaves_nothing_and_a_second_load_is_fine(void **state)
{
    static const struct file bad[] = { { "page", "<{{a}}>" }, { "other", "fine" }, { 0 } };
    struct arena *mem = arena_new();
    struct buf out = buf_in(mem, 100);
    struct template_set *set = template_set_new(find, NULL);
    (void)state;
    the_files = bad;
    assert_int_equal(template_load(set, "page", NULL), ERR_INVALID);
    assert_int_equal(template_render(set, "page", values_new(mem), &out), ERR_NOT_FOUND);
    assert_int_equal(template_load(set, "other", NULL), ERR_NONE);
    assert_int_equal(template_load(set, "other", NULL), ERR_NONE);
    assert_int_equal(template_render(set, "other", values_new(mem), &out), ERR_NONE);
    assert_str(buf_str(&out), STR("fine"), "rendered");
    template_set_free(set);
    template_set_free(NULL);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusal_names_template_line_and_problem),
        cmocka_unit_test(names_have_one_form),
        cmocka_unit_test(a_part_stands_between_elements),
        cmocka_unit_test(includes_are_resolved_when_a_page_is_loaded),
        cmocka_unit_test(what_nests_has_a_ceiling),
        cmocka_unit_test(a_page_with_too_many_marks_is_refused),
        cmocka_unit_test(a_failed_load_leaves_nothing_and_a_second_load_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
