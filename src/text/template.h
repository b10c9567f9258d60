/* template.h - pages from templates, escaped by position.
 *
 * A template is an HTML file of pages/ with these marks and no others:
 *   {{name}}                         the value, escaped for where it stands: text, or a quoted
 *                                    attribute. In href, src, action and formaction only a value
 *                                    that starts with '/' (not '//'), "https://" or "http://" comes
 *                                    out; any other becomes "#".
 *   {{#name}} … {{/name}}            once for each item of a list; for a true flag or a present,
 *                                    non-empty text, once; otherwise not at all
 *   {{^name}} … {{/name}}            when the above would come out empty
 *   {{:key}}                         a text of the catalogue (words.h), its {names} as {{name}}
 *   {{>file}}                        another template of pages/ (without its path and ".html")
 * Inside a list item its own names hide outer ones. There is no raw output. A mark inside <script>,
 * <style>, a comment, an unquoted attribute, a tag's or an attribute's name is an error of the
 * template, found when it is loaded.
 *
 * Templates are parsed once, at start, and are then read-only and shared between threads. */
#ifndef TEXT_TEMPLATE_H
#define TEXT_TEMPLATE_H

#include "base/buf.h"
#include "base/err.h"

struct template;
struct template_set;
struct catalog;

/* `find` gives a template's source by its name ("signup"), absent if there is none. `words` is one
 * language's catalogue, and then templates may hold no visible text of their own; NULL: there is
 * none, and they may. The texts are looked up when a template is loaded: a set is one language. */
struct template_set *template_set_new(struct str (*find)(const char *name),
                                      struct catalog *catalog);
void template_set_free(struct template_set *set);

/* Parses the page and all it includes; why names template, line and problem. */
enum err template_load(struct template_set *set, const char *name, struct why *why);

/* Values of one page. Built in the request's arena. Names and texts are not copied. */
struct values;
struct values *values_new(struct arena *mem);
void values_text(struct values *values, const char *name, struct str text);
void values_flag(struct values *values, const char *name, bool on);
struct values *values_item(struct values *values, const char *name); /* appends an item to a list */

/* Renders a loaded template. A name without a value comes out empty. ERR_NOT_FOUND if not loaded.
 */
enum err template_render(const struct template_set *set, const char *name,
                         const struct values *values, struct buf *out);

#endif
