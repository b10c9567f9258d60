#include "portal/guide.h"

#include "base/buf.h"
#include "portal/snippet.h"
#include "template/catalog.h"

#define SECTION STR("# ---- ")

/* The lines between the heading of this name and the next heading. The file ends with a heading, so
 * the last section has an end, too. */
static struct str
section(struct str file, const char *name)
{
    struct str line, rest = file;
    const char *start = NULL;
    while (str_cut(&rest, '\n', &line)) {
        if (!str_starts(line, SECTION))
            continue;
        if (start != NULL)
            return (struct str){ start, (size_t)(line.ptr - start) };
        if (str_eq_c(str_from(line, SECTION.len), name))
            start = line.ptr + line.len + 1;
    }
    return STR("");
}

/* Texts are in the message catalogs, code in guide.sh. The names connect the two. */
void
guide_read(struct arena *mem, const struct snippet *snippet, struct guide_step out[GUIDE_STEPS])
{
    const struct guide_step steps[GUIDE_STEPS] = {
        { "register", KEY("guide.register"), KEY("guide.register.text"), STR("") },
        { "pkce", KEY("guide.pkce"), KEY("guide.pkce.text"), STR("") },
        { "ask", KEY("guide.ask"), KEY("guide.ask.text"), STR("") },
        { "exchange", KEY("guide.exchange"), KEY("guide.exchange.text"), STR("") },
        { "refresh", KEY("guide.refresh"), KEY("guide.refresh.text"), STR("") },
        { "check", KEY("guide.check"), KEY("guide.check.text"), STR("") },
        { "call", KEY("guide.call"), KEY("guide.call.text"), STR("") },
        { "prompt", KEY("guide.prompt"), KEY("guide.prompt.text"), STR("") },
    };
    struct str file = snippet_fill(mem, "guide.sh", snippet);
    for (size_t i = 0; i < GUIDE_STEPS; i++) {
        out[i] = steps[i];
        out[i].code = section(file, steps[i].name);
    }
}

/* Titles and texts come from the catalog, like those of the pages. */
static void
write_program(struct buf *out, struct arena *mem, const struct catalog *catalog, const char *title,
              const char *text, const char *language, struct str code)
{
    struct str heading = catalog_format(catalog, mem, title, NULL, 0);
    struct str how = catalog_format(catalog, mem, text, NULL, 0);
    buf_add_format(out, "\n## %.*s\n\n%.*s\n\n```%s\n%.*s```\n", STR_ARG(heading), STR_ARG(how),
                   language, STR_ARG(code));
}

/* The same steps as on the page, as Markdown, and then whole programs. */
void
guide_write(struct buf *out, struct arena *mem, const struct catalog *catalog,
            const struct snippet *snippet)
{
    struct guide_step steps[GUIDE_STEPS];
    guide_read(mem, snippet, steps);
    for (size_t i = 0; i < GUIDE_STEPS; i++) {
        struct str title = catalog_format(catalog, mem, steps[i].title, NULL, 0);
        struct str text = catalog_format(catalog, mem, steps[i].text, NULL, 0);
        buf_add_format(out, "%s## %zu. %.*s\n\n%.*s\n\n```sh\n%.*s```\n", i == 0 ? "" : "\n", i + 1,
                       STR_ARG(title), STR_ARG(text), STR_ARG(steps[i].code));
    }
    write_program(out, mem, catalog, KEY("connect.javascript"), KEY("connect.javascript.run"), "js",
                  snippet_fill(mem, "snippet_openid_client.mjs", snippet));
    write_program(out, mem, catalog, KEY("connect.python"), KEY("connect.python.run"), "python",
                  snippet_fill(mem, "snippet_authlib.py", snippet));
}
