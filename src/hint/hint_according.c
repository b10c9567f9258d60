/* hint_according.c - names of apps in hints are chosen by their developers, so they are treated
 * like any untrusted text. */
#include "hint/hint_according.h"

#include "base/arena.h"
#include "base/buf.h"
#include "naming/name.h"
#include "value/phrase.h"
#include "value/value_patterns.h"
#include "hint/hint_quotes.h"
#include "model/app_names.h"
#include "text/utf8.h"
#include "tokenizer/tokenizer.h"

#define APPS_MAX 64 /* further ones are not counted */
#define NAME_MAX_BYTES (4 * (size_t)ACCORDING_NAME_MAX + 2)

/* How to answer is harmless as long as the definition has the words for it: units, tone, language.
 * A name, an expertise, or an occupation is about who the user is. */
bool
hint_attributes(const struct domain *domain, const struct member *member)
{
    return member->safety != SAFETY_NONE || member->sensitive || member->hint.form == FORM_ROLE ||
           (domain->always && member->vocabulary == NULL);
}

/* ---- one name ---- */

/* The letters of a word in ASCII, without a possessive: "User's" is "user". */
static bool
is_word(struct str word, const char *wanted)
{
    size_t length = 0;
    while (length < word.len && (word.ptr[length] | 0x20) >= 'a' &&
           (word.ptr[length] | 0x20) <= 'z')
        length++;
    return str_eq_nocase(str_first(word, length), str_of(wanted));
}

/* "the user's doctor", "System" */
static bool
claims_authority(struct str name)
{
    static const char *const words[] = { "user", "users", "system", "assistant", "you" };
    struct str word;
    while (str_cut(&name, ' ', &word)) {
        size_t front = 0; /* "(user)" */
        while (front < word.len && (unsigned char)word.ptr[front] < 'A')
            front++;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (is_word(str_from(word, front), words[i]))
                return true;
    }
    return false;
}

static bool
is_upper_or_digit(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* A comma or a bracket would end the name before its end. */
static bool
is_proper_name(struct arena *mem, struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == ',' || name.ptr[i] == '(' || name.ptr[i] == ')' || name.ptr[i] == '"')
            return false;
    return is_upper_or_digit(name.ptr[0]) && name_is_plain(name) && !phrase_reads_on(name) &&
           !hint_must_quote(mem, name);
}

/* STR_NONE means "an app": the name is too long, looks like an attack, or claims to be the user or
 * an authority. Tokens are counted after quoting, because quoting adds some. */
struct str
hint_app_name(struct arena *mem, struct str name)
{
    struct buf out = buf_in(mem, NAME_MAX_BYTES);
    if (!str_present(name) || name.len == 0 || utf8_length(name) > ACCORDING_NAME_MAX ||
        value_pattern_in(mem, name) != NULL || claims_authority(name))
        return STR_NONE;
    if (is_proper_name(mem, name))
        buf_add(&out, name);
    else
        hint_add_quoted(&out, name);
    if (out.overflow || tokenizer_count(buf_str(&out)) > ACCORDING_TOKENS_MAX)
        return STR_NONE;
    return buf_str(&out);
}

/* ---- all of them ---- */

static bool
has(const struct str *list, size_t count, struct str one)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(list[i], one))
            return true;
    return false;
}

/* The apps, the oldest of each fact, in the order of the facts. */
static size_t
list_apps(const struct ranked *facts, size_t count, struct str *out)
{
    size_t found = 0;
    for (size_t i = 0; i < count && found < APPS_MAX; i++) {
        struct str app = facts[i].atom->app;
        if (str_present(app) && app.len > 0 && !has(out, found, app))
            out[found++] = app;
    }
    return found;
}

/* At most two names, of which the second only if there is no third app. */
static struct str
write_names(struct arena *mem, const struct str *names, size_t named, size_t apps)
{
    if (named == 0)
        return apps < 2 ? STR("an app") : str_format(mem, "%zu apps", apps);
    if (apps == 1)
        return names[0];
    if (named == 2 && apps == 2)
        return str_format(mem, "%.*s and %.*s", STR_ARG(names[0]), STR_ARG(names[1]));
    return apps == 2 ? str_format(mem, "%.*s and another app", STR_ARG(names[0]))
                     : str_format(mem, "%.*s and %zu other apps", STR_ARG(names[0]), apps - 1);
}

/* `names` may be NULL, and the same name of two apps is written once. */
struct str
hint_according(struct arena *mem, const struct app_names *names, const struct ranked *facts,
               size_t count)
{
    struct str apps[APPS_MAX], usable[2];
    size_t found = list_apps(facts, count, apps), named = 0;
    for (size_t i = 0; i < found && named < 2 && names != NULL; i++) {
        struct str name = hint_app_name(mem, names->find(names->source, mem, apps[i]));
        if (str_present(name) && !has(usable, named, name))
            usable[named++] = name;
    }
    return write_names(mem, usable, named, found);
}
