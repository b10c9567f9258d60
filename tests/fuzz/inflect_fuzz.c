/* Any text in every form: a second time changes nothing, valid UTF-8 stays valid, a form adds no
 * word but an article, and only the word it is about changes. After a line break, a second text
 * that may be the plural of the first. */
#include "fuzz.h"

#include "text/utf8.h"
#include "value/inflect.h"
#include "wording/shape.h"

#define TEXT_MAX 1024

static size_t
count_spaces(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == ' ';
    return count;
}

static bool
is_with(struct arena *mem, const char *article, struct str text, struct str given)
{
    return str_eq(text, str_format(mem, "%s %.*s", article, STR_ARG(given)));
}

static void
gerund_holds(struct arena *mem, struct str text)
{
    struct str form = inflect_gerund(mem, text);
    size_t end = str_index(form, ' ');
    MUST(utf8_valid(form) && form.len <= text.len + 4); /* "running" */
    MUST(str_eq(str_from(form, end), str_from(text, str_index(text, ' '))));
    MUST(str_eq(form, text) || str_ends(str_first(form, end), STR("ing")));
    MUST(str_eq(inflect_gerund(mem, form), form));
}

static void
article_holds(struct arena *mem, struct str text)
{
    struct str form = shape_with_article(mem, text);
    MUST(str_eq(form, text) || is_with(mem, "a", form, text) || is_with(mem, "an", form, text));
    MUST(str_eq(shape_with_article(mem, form), form));
}

static void
decade_holds(struct arena *mem, struct str text)
{
    struct str form = shape_decade(mem, text);
    MUST(utf8_valid(form) && count_spaces(form) <= count_spaces(text) + 1);
    MUST(form.len <= text.len + strlen("the 19"));
    if (!str_eq(form, text))
        MUST(str_starts(form, STR("the ")) && str_ends(form, STR("0s")));
    MUST(str_eq(shape_decade(mem, form), form));
}

static void
proper_holds(struct arena *mem, struct str text)
{
    struct str form = shape_proper(mem, text);
    MUST(utf8_valid(form) && str_eq_nocase(form, text));
    MUST(str_eq(shape_proper(mem, form), form));
}

static void
plurals_hold(struct arena *mem, struct str one, struct str many)
{
    if (inflect_is_plural_of(many, one)) {
        MUST(many.len > one.len && many.len <= one.len + 2 && str_ends(many, STR("s")));
        MUST(!inflect_is_plural_of(one, many));
    }
    MUST(one.len < 2 || inflect_is_plural_of(str_format(mem, "%.*ss", STR_ARG(one)), one));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > TEXT_MAX)
        return 0;
    struct arena *mem = arena_new();
    struct str rest = fuzz_input(mem, data, size), text;
    str_cut(&rest, '\n', &text);
    text = fuzz_input(mem, (const uint8_t *)text.ptr, text.len);
    if (utf8_valid(text) && utf8_forbidden(text) < 0) {
        gerund_holds(mem, text);
        article_holds(mem, text);
        decade_holds(mem, text);
        proper_holds(mem, text);
        plurals_hold(mem, text, str_present(rest) ? rest : STR(""));
    } else { /* only within bounds */
        inflect_gerund(mem, text);
        shape_with_article(mem, text);
        shape_decade(mem, text);
        shape_proper(mem, text);
        inflect_is_plural_of(str_present(rest) ? rest : STR(""), text);
    }
    arena_free(mem);
    return 0;
}
