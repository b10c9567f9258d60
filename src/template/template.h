/* template.h - HTML templates with context-aware escaping.
 *
 * A template is an HTML file of pages/ with these marks and no others:
 *   {{name}}                         the value, escaped for its context: text or a quoted
 *                                    attribute. In href, src, action and formaction a value must
 *                                    start with '/' (not '//'), "https://" or "http://"; any other
 *                                    value becomes "#".
 *   {{#name}} … {{/name}}            repeated for each item of a list; shown once for a true flag
 *                                    or a non-empty text; else omitted
 *   {{^name}} … {{/name}}            shown when {{#name}} would be omitted
 *   {{:key}}                         a message of the catalog (catalog.h); its {name} is {{name}}
 *   {{>file}}                        another template of pages/ (without its path and ".html")
 *   {{=name}}                        a part: a template that was rendered before; only between
 *                                    elements
 * Names of a list item hide outer names. Unescaped output is not possible. A mark inside <script>,
 * <style>, a comment, an unquoted attribute, a tag's or an attribute's name is an
 * error, reported when the template is loaded.
 *
 * Templates are parsed once at startup; afterwards they are read-only and safe from any thread. */
#ifndef TEMPLATE_TEMPLATE_H
#define TEMPLATE_TEMPLATE_H

#include "base/buf.h"
#include "base/err.h"

struct template;
struct template_set;
struct catalog;

/* `find` returns a template's source by name ("signup"), or absent; the text must outlive the set.
 * With a catalog, templates may not contain visible text of their own; with NULL they may. Messages
 * are looked up when a template is loaded, so each language has its own set. */
struct template_set *template_set_new(struct str (*find)(const char *name),
                                      struct catalog *catalog);
void template_set_free(struct template_set *set);

/* Parses the page and its includes; `why` has the template, line, and problem. */
enum err template_load(struct template_set *set, const char *name, struct why *why);

/* The values of one page, in the request's arena. Names and texts are not copied. */
struct values;
struct values *values_new(struct arena *mem);
void values_text(struct values *values, const char *name, struct str text);
void values_flag(struct values *values, const char *name, bool on);
struct values *values_item(struct values *values, const char *name); /* appends an item to a list */

/* A rendered template that pages contain without rendering it again. It is allocated in `mem`, is
 * read-only, and may be used from any thread. */
struct part;
enum err part_render(const struct template_set *set, const char *name, const struct values *values,
                     struct arena *mem, const struct part **out);
void values_part(struct values *values, const char *name, const struct part *part);

/* Renders a loaded template. A name without a value is empty. ERR_NOT_FOUND if not loaded. */
enum err template_render(const struct template_set *set, const char *name,
                         const struct values *values, struct buf *out);

#endif
