/* No template or value causes a crash, and in valid templates no value changes the markup. */
#include "fuzz.h"

#include "template/template.h"
#include "text/utf8.h"

#include <string.h>

static struct str the_page, the_part;

static const char good_page[] =
    "<!DOCTYPE html><title>{{v}}</title>{{>row}}<p class='{{v}}'>{{#v}}{{v}}{{/v}}{{^v}}-{{/v}}"
    "<a href=\"{{v}}\" title=\"{{v}}\"{{#v}} hidden{{/v}}>x</a><a href='/a?b={{v}}&amp;c={{v}}'>"
    "<form action=\"{{v}}/{{v}}\"><textarea>{{v}}</textarea><img src='{{v}}' alt='{{v}}'>";
static const char good_row[] = "{{#items}}<b>{{v}}{{#items}}{{v}}{{/items}}</b>{{/items}}";

static struct str
find_input(const char *name)
{
    return strcmp(name, "page") == 0 ? the_page : strcmp(name, "a") == 0 ? the_part : STR_NONE;
}

static struct str
find_good(const char *name)
{
    return str_of(strcmp(name, "page") == 0  ? good_page
                  : strcmp(name, "row") == 0 ? good_row
                                             : NULL);
}

static struct values *
values_of(struct arena *mem, struct str text)
{
    struct values *values = values_new(mem);
    values_text(values, "v", text);
    values_text(values, "a", text);
    values_flag(values, "b", true);
    values_text(values_item(values, "items"), "v", text);
    values_text(values_item(values_item(values, "items"), "items"), "v", text);
    return values;
}

static struct str
render(struct arena *mem, const struct template_set *set, struct str text)
{
    struct buf out = buf_in(mem, (size_t)1 << 20);
    MUST(template_render(set, "page", values_of(mem, text), &out) == ERR_NONE);
    MUST(out.overflow || utf8_valid(buf_str(&out)));
    return str_copy(mem, buf_str(&out));
}

/* The markup of the page: every byte that could be part of it. */
static struct str
markup(struct arena *mem, struct str page)
{
    char *kept = arena_alloc(mem, page.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < page.len; i++)
        if (strchr("<>\"'=", page.ptr[i]) != NULL && page.ptr[i] != '\0')
            kept[length++] = page.ptr[i];
    return (struct str){ kept, length };
}

static void
render_input(struct arena *mem, struct str value)
{
    struct template_set *set = template_set_new(find_input, NULL);
    struct why why = { 0 };
    enum err err = template_load(set, "page", &why);
    MUST(err == ERR_NONE || (err == ERR_INVALID && strncmp(why.text, "template ", 9) == 0));
    if (err == ERR_NONE) {
        struct str page = markup(mem, render(mem, set, value));
        /* = may be text of a value, so it is not compared here. */
        struct str plain = markup(mem, render(mem, set, STR("/x")));
        size_t a = 0, b = 0;
        for (size_t i = 0; i < page.len; i++)
            a += page.ptr[i] != '=';
        for (size_t i = 0; i < plain.len; i++)
            b += plain.ptr[i] != '=';
        MUST(a == b || value.len == 0);
    }
    template_set_free(set);
}

static void
render_good(struct arena *mem, struct str value)
{
    static struct template_set *good;
    if (good == NULL) {
        good = template_set_new(find_good, NULL);
        MUST(template_load(good, "page", NULL) == ERR_NONE);
    }
    struct str page = render(mem, good, value);
    if (value.len > 0 && str_index(value, '=') == value.len)
        MUST(str_eq(markup(mem, page), markup(mem, render(mem, good, STR("x")))));
    /* URLs are paths, http(s) URLs, or empty. */
    for (const char *at = page.ptr; (at = strstr(at, "<a href=\"")) != NULL;) {
        at += 9;
        MUST(at[0] == '#' || (at[0] == '/' && at[1] != '/' && at[1] != '\\') ||
             strncmp(at, "http://", 7) == 0 || strncmp(at, "https://", 8) == 0);
    }
}

/* The input is value, page, and part, separated by 0x01. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str rest = fuzz_input(mem, data, size);
    struct str value = STR_NONE;
    the_page = the_part = STR_NONE;
    str_cut(&rest, '\x01', &value);
    render_good(mem, value);
    if (str_cut(&rest, '\x01', &the_page)) {
        the_part = str_present(rest) ? rest : STR_NONE;
        render_input(mem, value);
    }
    arena_free(mem);
    return 0;
}
