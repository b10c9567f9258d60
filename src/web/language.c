/* language.c - loads one catalog and one set of templates per language, and selects a language.
 *
 * Everything is checked at startup: every page parses, every key exists and is used, and all
 * catalogs have the keys of English. English is list[0], whatever the order of the files. */
#include "web/language.h"

#include "base/arena.h"
#include "base/embedded.h"
#include "template/catalog.h"
#include "template/template.h"
#include "web/accept_header.h"

#include <stdio.h>
#include <string.h>

#define PAGE_NAME_MAX 64
#define ENDING ".strings"

/* ---- loading ---- */

/* "signup" -> the source of pages/signup.html. */
static struct str
find_page(const char *name)
{
    char path[PAGE_NAME_MAX + 16];
    int length = snprintf(path, sizeof path, "pages/%s.html", name);
    return length > 0 && (size_t)length < sizeof path ? embedded_find(path) : STR_NONE;
}

/* The name of a file in pages/ without its ending; absent: another file. */
static struct str
name_of(const struct embedded *file, const char *ending)
{
    struct str path = str_of(file->name);
    if (!str_starts(path, STR("pages/")) || !str_ends(path, str_of(ending)))
        return STR_NONE;
    return str_from(str_first(path, path.len - strlen(ending)), strlen("pages/"));
}

/* Templates are parsed once per language, with its messages put in. */
static enum err
load_pages(struct arena *mem, struct language *language, struct why *why)
{
    language->pages = template_set_new(find_page, language->catalog);
    for (const struct embedded *file = embedded_files; file->name != NULL; file++) {
        struct str page = name_of(file, ".html");
        if (!str_present(page))
            continue;
        enum err err = template_load(language->pages, str_c(mem, page), why);
        if (err != ERR_NONE)
            return err;
    }
    return catalog_check(language->catalog, why);
}

/* The name of the file and page.lang must agree, since the name becomes the language tag of
 * pages. */
static enum err
load_one(struct arena *mem, const struct embedded *file, struct language *language, struct why *why)
{
    language->tag = str_copy(mem, name_of(file, ENDING));
    enum err err =
        catalog_read(mem, file->name, embedded_find(file->name), &language->catalog, why);
    if (err == ERR_NONE &&
        !str_eq(catalog_find(language->catalog, STR("page.lang")), language->tag)) {
        why_set(why, "%s: page.lang must be %.*s", file->name, STR_ARG(language->tag));
        err = ERR_INVALID;
    }
    return err == ERR_NONE ? load_pages(mem, language, why) : err;
}

/* A translation with other keys than the English catalog stops the start, so no page can miss a
 * message later. */
enum err
languages_load(struct arena *mem, struct languages *out, struct why *why)
{
    size_t files = 0;
    while (embedded_files[files].name != NULL)
        files++;
    out->list = ARENA_ARRAY(mem, struct language, files + 1);
    out->count = 1; /* list[0] is English */
    for (const struct embedded *file = embedded_files; file->name != NULL; file++) {
        struct str tag = name_of(file, ENDING);
        if (!str_present(tag))
            continue;
        struct language *language = &out->list[str_eq_c(tag, "en") ? 0 : out->count++];
        enum err err = load_one(mem, file, language, why);
        if (err != ERR_NONE)
            return err;
    }
    if (out->list[0].catalog == NULL) {
        why_set(why, "pages/en" ENDING " is missing");
        return ERR_INVALID;
    }
    out->catalogs = ARENA_ARRAY(mem, const struct catalog *, out->count + 1); /* ends with NULL */
    for (size_t i = 0; i < out->count; i++)
        out->catalogs[i] = out->list[i].catalog;
    for (size_t i = 1; i < out->count; i++) {
        enum err err = catalog_compare(out->list[0].catalog, out->list[i].catalog, why);
        if (err != ERR_NONE)
            return err;
    }
    return ERR_NONE;
}

void
languages_free(struct languages *languages)
{
    for (size_t i = 0; i < languages->count; i++)
        template_set_free(languages->list[i].pages);
}

/* ---- selection ---- */

/* The longest tag that covers the wanted one: "de-AT" finds "de" if there is no closer one. */
const struct language *
language_find(const struct languages *languages, struct str tag)
{
    const struct language *best = NULL;
    for (size_t i = 0; i < languages->count; i++)
        if (language_covers(tag, languages->list[i].tag) &&
            (best == NULL || best->tag.len < languages->list[i].tag.len))
            best = &languages->list[i];
    return best;
}

/* RFC 9110 §12.5.4: the highest weight wins, and among equal ones the first. */
const struct language *
language_pick(const struct languages *languages, struct str accept)
{
    const struct language *best = NULL;
    int best_weight = 0;
    struct str range;
    while (str_cut(&accept, ',', &range)) {
        struct str name;
        int weight = accept_weight(range, &name);
        const struct language *found = language_find(languages, name);
        if (found != NULL && weight > best_weight) {
            best = found;
            best_weight = weight;
        }
    }
    return best;
}
