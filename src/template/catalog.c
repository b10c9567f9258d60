/* catalog.c - reads message catalogs, and finds messages by key or by their English sentence.
 *
 * Entries are sorted by key for lookups by bisection. Sentences without values are also sorted by
 * text. A sentence with values cannot be found that way: each such message is compared as a
 * pattern, in the order of the keys, which is a linear search; there are few. All checks happen at
 * the start of the program, so that the functions that pages call do not fail. */
#include "template/catalog.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

#define MESSAGES_MAX 4096
#define TEXT_BYTES_MAX 4096

/* The linker collects declared keys in one section and defines symbols for its ends. */
extern const char __start_penchant_messages[];
extern const char __stop_penchant_messages[];

/* At least one key, so that the section exists in programs without pages. */
MESSAGE(language, "page.lang");

/* One message. `used` is set when a page, a handler, or an email names its key. */
struct entry {
    struct str key;
    struct str text;
    size_t line;
    bool used;
};

/* All messages of one language. Texts point into a copy of the file. */
struct catalog {
    const char *name;
    struct entry *entries; /* by key */
    size_t count;
    /* Those under "sentence.": without values, sorted by text; then those with values. */
    const struct entry **sentences;
    size_t plain_count, sentence_count;
};

/* ---- messages ---- */

/* Names of values in a message: {count}. */
static bool
is_value_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!ascii_is_lower(c) && !(i > 0 && (c == '_' || ascii_is_digit(c))))
            return false;
    }
    return name.len > 0;
}

/* A text that passed text_problem(): a value always has its closing brace. */
bool
message_cut(struct str *rest, struct message_piece *piece)
{
    if (rest->len == 0)
        return false;
    char first = rest->ptr[0];
    if (first == '{' && !str_starts(*rest, STR("{{"))) {
        size_t end = str_index(*rest, '}');
        *piece = (struct message_piece){ str_from(str_first(*rest, end), 1), true };
        *rest = str_from(*rest, end + 1);
        return true;
    }
    size_t length = 1;
    if (first != '{' && first != '}')
        while (length < rest->len && rest->ptr[length] != '{' && rest->ptr[length] != '}')
            length++;
    *piece = (struct message_piece){ str_first(*rest, length), false };
    /* A doubled brace is cut as one character, and its second half is skipped. */
    *rest = str_from(*rest, first == '{' || first == '}' ? 2 : length);
    return true;
}

/* NULL if valid, else the problem. */
static const char *
text_problem(struct str text)
{
    size_t values = 0;
    if (text.len == 0)
        return "the text after = is missing";
    if (!utf8_valid(text) || str_index(text, '\0') < text.len)
        return "the text contains NUL or is not valid UTF-8";
    for (size_t i = 0; i < text.len; i++) {
        bool twice = i + 1 < text.len && text.ptr[i + 1] == text.ptr[i];
        if (text.ptr[i] == '}' && !twice)
            return "} without {; the brace itself is written }}";
        if ((text.ptr[i] == '}' || text.ptr[i] == '{') && twice) {
            i++;
            continue;
        }
        if (text.ptr[i] != '{')
            continue;
        struct str rest = str_from(text, i + 1);
        size_t length = str_index(rest, '}');
        if (length == rest.len || !is_value_name(str_first(rest, length)))
            return "{ is not followed by a name and }; the brace itself is written {{";
        if (++values > MESSAGE_VALUES_MAX)
            return "the text has too many values";
        i += length + 1;
    }
    return NULL;
}

/* NULL: the key is well-formed. */
static const char *
key_problem(struct str key)
{
    bool inside = false; /* of a part between dots */
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        bool fine = ascii_is_lower(c) || ascii_is_digit(c) || c == '_' || c == '-';
        if (!fine && !(c == '.' && inside))
            return "a key consists of parts of a-z, 0-9, _, and -, separated by dots";
        inside = c != '.';
    }
    return inside ? NULL : "a key ends with a letter or digit";
}

/* ---- the file ---- */

static enum err
refuse(const char *name, size_t line, struct why *why, const char *problem, struct str key)
{
    why_set(why, "%s, line %zu: %s%s%.*s", name, line, problem, key.len > 0 ? ": " : "",
            STR_ARG(key));
    return ERR_INVALID;
}

static int
by_key(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    return str_order(one->key, other->key);
}

/* Also reports repeated keys, which are adjacent now, and checks the texts, which are complete only
 * after all lines were read. */
static enum err
sort(struct catalog *catalog, struct why *why)
{
    qsort(catalog->entries, catalog->count, sizeof *catalog->entries, by_key);
    for (size_t i = 1; i < catalog->count; i++)
        if (str_eq(catalog->entries[i].key, catalog->entries[i - 1].key))
            return refuse(catalog->name, catalog->entries[i].line, why, "this key is repeated",
                          catalog->entries[i].key);
    for (size_t i = 0; i < catalog->count; i++) {
        const char *problem = text_problem(catalog->entries[i].text);
        if (problem != NULL)
            return refuse(catalog->name, catalog->entries[i].line, why, problem,
                          catalog->entries[i].key);
    }
    return ERR_NONE;
}

static int
by_text(const void *a, const void *b)
{
    const struct entry *const *one = a, *const *other = b;
    return str_order((*one)->text, (*other)->text);
}

static bool
has_braces(struct str text)
{
    return str_index(text, '{') < text.len || str_index(text, '}') < text.len;
}

/* Braces of any kind go to the second group, also {{, which is a literal brace but not equal to the
 * sentence. */
static void
index_sentences(struct arena *mem, struct catalog *catalog)
{
    catalog->sentences = ARENA_ARRAY(mem, const struct entry *, catalog->count + 1);
    for (size_t values = 0; values < 2; values++) {
        for (size_t i = 0; i < catalog->count; i++)
            if (str_starts(catalog->entries[i].key, STR("sentence.")) &&
                has_braces(catalog->entries[i].text) == (values == 1))
                catalog->sentences[catalog->sentence_count++] = &catalog->entries[i];
        if (values == 0)
            catalog->plain_count = catalog->sentence_count;
    }
    qsort(catalog->sentences, catalog->plain_count, sizeof(struct entry *), by_text);
}

/* A line that starts a new message. */
static enum err
take_line(struct catalog *catalog, struct str line, size_t number, struct why *why)
{
    size_t equals = str_index(line, '=');
    struct str key = str_trim(str_first(line, equals));
    const char *problem = equals == line.len ? "a line is: key = text" : key_problem(key);
    if (problem == NULL && catalog->count == MESSAGES_MAX)
        problem = "the catalog has too many messages";
    if (problem != NULL)
        return refuse(catalog->name, number, why, problem, STR(""));
    catalog->entries[catalog->count++] =
        (struct entry){ .key = key, .text = str_trim(str_from(line, equals + 1)), .line = number };
    return ERR_NONE;
}

/* A line that begins with a blank continues the message above it. Errors name the line, because
 * translators read them. */
enum err
catalog_read(struct arena *mem, const char *name, struct str file, struct catalog **out,
             struct why *why)
{
    struct catalog *catalog = ARENA_NEW(mem, struct catalog);
    struct str rest = str_copy(mem, file), line;
    catalog->name = str_c(mem, str_of(name));
    catalog->entries = ARENA_ARRAY(mem, struct entry, MESSAGES_MAX);
    for (size_t number = 1; str_cut(&rest, '\n', &line); number++) {
        struct str bare = str_trim(line);
        enum err err = ERR_NONE;
        if (bare.len == 0 || line.ptr[0] == '#')
            continue;
        if (line.ptr[0] != ' ' && line.ptr[0] != '\t') {
            err = take_line(catalog, line, number, why);
        } else if (catalog->count == 0) {
            err = refuse(name, number, why, "this line continues no message", STR(""));
        } else {
            struct entry *last = &catalog->entries[catalog->count - 1];
            last->text = str_format(mem, "%.*s%s%.*s", STR_ARG(last->text),
                                    last->text.len > 0 ? " " : "", STR_ARG(bare));
        }
        if (err)
            return err;
    }
    *out = catalog;
    enum err err = sort(catalog, why);
    if (err == ERR_NONE)
        index_sentences(mem, catalog);
    return err;
}

/* ---- finding ---- */

/* Entries are sorted by key after reading. */
static struct entry *
find(const struct catalog *catalog, struct str key)
{
    struct entry wanted = { .key = key };
    return catalog->count == 0 ? NULL
                               : bsearch(&wanted, catalog->entries, catalog->count,
                                         sizeof *catalog->entries, by_key);
}

struct str
catalog_find(const struct catalog *catalog, struct str key)
{
    const struct entry *entry = find(catalog, key);
    return entry == NULL ? STR_NONE : entry->text;
}

/* A value that the caller did not give is left out. */
static struct str
fill(struct arena *mem, struct str text, const struct message_value *values, size_t count)
{
    struct buf out = buf_in(mem, TEXT_BYTES_MAX * 16);
    struct message_piece piece;
    while (message_cut(&text, &piece)) {
        if (!piece.is_value)
            buf_add(&out, piece.text);
        for (size_t i = 0; piece.is_value && i < count; i++)
            if (str_eq_c(piece.text, values[i].name))
                buf_add(&out, values[i].text);
    }
    return buf_str(&out);
}

struct str
catalog_format(const struct catalog *catalog, struct arena *mem, const char *key,
               const struct message_value *values, size_t count)
{
    struct str text = catalog_find(catalog, str_of(key));
    return str_present(text) ? fill(mem, text, values, count) : str_format(mem, "[%s]", key);
}

/* Where `part` begins in `text`; text.len if nowhere. */
static size_t
index_of(struct str text, struct str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (str_starts(str_from(text, i), part))
            return i;
    return text.len;
}

/* Whether the sentence is this message with values; if so, returns them. A value ends where the
 * literal text after it occurs first, so that a value must not contain that text. */
static bool
matches(struct arena *mem, struct str text, struct str sentence, struct message_value *values,
        size_t *count)
{
    struct message_piece piece;
    const char *open = NULL; /* start of the value that ends at the next literal piece */
    *count = 0;
    while (message_cut(&text, &piece)) {
        if (piece.is_value) {
            /* Two values in a row would have no text between them to end the first; the second one
             * replaces it. */
            open = str_c(mem, piece.text);
            continue;
        }
        size_t at = open == NULL ? 0 : index_of(sentence, piece.text);
        if (!str_starts(str_from(sentence, at), piece.text))
            return false;
        if (open != NULL)
            values[(*count)++] = (struct message_value){ open, str_first(sentence, at) };
        sentence = str_from(sentence, at + piece.text.len);
        open = NULL;
    }
    if (open != NULL)
        values[(*count)++] = (struct message_value){ open, sentence };
    return open != NULL || sentence.len == 0;
}

/* For sentences of lower modules, which have no key: the English text finds the message. Sentences
 * with values are compared with each pattern; there are few. Absent: there is no translation. */
struct str
catalog_translate(const struct catalog *from, const struct catalog *to, struct arena *mem,
                  struct str sentence)
{
    struct message_value values[MESSAGE_VALUES_MAX];
    const struct entry wanted = { .text = sentence }, *wanted_at = &wanted;
    const struct entry *const *plain =
        from->plain_count == 0
            ? NULL
            : bsearch(&wanted_at, from->sentences, from->plain_count, sizeof wanted_at, by_text);
    if (plain != NULL)
        return catalog_find(to, (*plain)->key);
    for (size_t i = from->plain_count; i < from->sentence_count; i++) {
        const struct entry *entry = from->sentences[i];
        size_t count;
        if (matches(mem, entry->text, sentence, values, &count))
            return catalog_format(to, mem, str_c(mem, entry->key), values, count);
    }
    return STR_NONE;
}

/* ---- selection ---- */

/* RFC 4647 section 3.4 (lookup), with the roles named from the view of the user: "de-AT" is served
 * by "de". */
bool
language_covers(struct str range, struct str tag)
{
    return str_eq_nocase(str_first(range, tag.len), tag) &&
           (range.len == tag.len || (range.len > tag.len && range.ptr[tag.len] == '-'));
}

/* The first catalog, English, if the language has none. */
const struct catalog *
catalog_pick(const struct catalog *const *list, struct str tag)
{
    for (size_t i = 0; list[i] != NULL; i++)
        if (language_covers(tag, catalog_find(list[i], STR("page.lang"))))
            return list[i];
    return list[0];
}

/* ---- checks at startup ---- */

/* False: there is no such key. */
bool
catalog_use(struct catalog *catalog, struct str key)
{
    struct entry *entry = find(catalog, key);
    if (entry != NULL)
        entry->used = true;
    return entry != NULL;
}

/* KEY() puts every key into a section of the program, so that a missing message stops the program
 * at the start, not on the page that needs it. */
static enum err
use_declared(struct catalog *catalog, struct why *why)
{
    const char *at = __start_penchant_messages;
    while (at < __stop_penchant_messages) {
        size_t length = strnlen(at, (size_t)(__stop_penchant_messages - at));
        if (length > 0 && !catalog_use(catalog, str_of(at))) {
            why_set(why, "%s: message %s is missing", catalog->name, at);
            return ERR_INVALID;
        }
        at += length + 1;
    }
    return ERR_NONE;
}

/* Messages under "sentence." are used by their text, which cannot be counted. */
enum err
catalog_check(struct catalog *catalog, struct why *why)
{
    enum err err = use_declared(catalog, why);
    for (size_t i = 0; i < catalog->count && !err; i++)
        if (!catalog->entries[i].used && !str_starts(catalog->entries[i].key, STR("sentence.")))
            err = refuse(catalog->name, catalog->entries[i].line, why, "no page uses this message",
                         catalog->entries[i].key);
    return err;
}

static bool
has_value(struct str text, struct str name)
{
    struct message_piece piece;
    while (message_cut(&text, &piece))
        if (piece.is_value && str_eq(piece.text, name))
            return true;
    return false;
}

/* Whether `b` has every value of `a`. */
static bool
values_within(struct str a, struct str b)
{
    struct message_piece piece;
    while (message_cut(&a, &piece))
        if (piece.is_value && !has_value(b, piece.text))
            return false;
    return true;
}

/* Each translation has the same keys and values as the base catalog. */
enum err
catalog_compare(const struct catalog *base, const struct catalog *other, struct why *why)
{
    for (size_t i = 0; i < other->count; i++)
        if (find(base, other->entries[i].key) == NULL)
            return refuse(other->name, other->entries[i].line, why,
                          "this key is not in the base catalog", other->entries[i].key);
    for (size_t i = 0; i < base->count; i++) {
        const struct entry *one = &base->entries[i], *two = find(other, one->key);
        if (two == NULL) {
            why_set(why, "%s: message %.*s is missing", other->name, STR_ARG(one->key));
            return ERR_INVALID;
        }
        if (!values_within(one->text, two->text) || !values_within(two->text, one->text))
            return refuse(other->name, two->line, why,
                          "the values differ from those of the base catalog", two->key);
    }
    return ERR_NONE;
}
