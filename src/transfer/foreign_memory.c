/* foreign_memory.c - patterns of English sentences, as lists of beginnings.
 *
 * Assistants write "The user likes jazz", "User prefers window seats", or only "Likes jazz". The
 * sentences become the user's own: "I like jazz". A sentence that no pattern matches stays as it
 * is. Comparisons ignore case, and nothing here decides what a sentence means: that is for
 * foreign_memories.c. */
#include "transfer/foreign_memory.h"

#include "base/ascii.h"
#include "value/value.h"
#include "text/utf8.h"

/* ---- lines ---- */

static bool
drop_start(struct str *text, struct str start)
{
    if (!str_starts(*text, start))
        return false;
    *text = str_trim(str_from(*text, start.len));
    return true;
}

/* "- ", "* ", "• ", "3. ", "[2025-03-01] ", "[x] ". */
static bool
drop_sign(struct str *text)
{
    static const char *const signs[] = { "- ",      "* ",      "+ ", "\u2022", "\u00b7",
                                         "\u2013 ", "\u2014 ", "> ", NULL };
    for (size_t i = 0; signs[i] != NULL; i++)
        if (drop_start(text, str_of(signs[i])))
            return true;
    size_t digits = 0;
    while (digits < text->len && digits < 4 && ascii_is_digit(text->ptr[digits]))
        digits++;
    if (digits > 0 && digits + 1 < text->len &&
        (text->ptr[digits] == '.' || text->ptr[digits] == ')') && text->ptr[digits + 1] == ' ') {
        *text = str_trim(str_from(*text, digits + 1));
        return true;
    }
    size_t close = str_index(*text, ']');
    if (text->len > 0 && text->ptr[0] == '[' && close < 24 && close + 1 < text->len) {
        *text = str_trim(str_from(*text, close + 1));
        return true;
    }
    return false;
}

/* Signs may be combined: "- [x] 3. ". */
static struct str
without_line_end(struct str line)
{
    line = str_trim(str_ends(line, STR("\r")) ? str_first(line, line.len - 1) : line);
    while (line.len > 0 && drop_sign(&line))
        ;
    return line;
}

/* Takes pairs of the same mark from both ends: **bold**, "quoted", `code`. */
static struct str
without_marks(struct str text)
{
    static const struct {
        const char *open, *close;
    } marks[] = {
        { "**", "**" }, { "*", "*" }, { "\"", "\"" }, { "`", "`" }, { "\u201c", "\u201d" }
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct str open = str_of(marks[i].open), close = str_of(marks[i].close);
        if (text.len > open.len + close.len && str_starts(text, open) && str_ends(text, close))
            text = str_trim((struct str){ text.ptr + open.len, text.len - open.len - close.len });
    }
    return text;
}

/* A heading is a line of Markdown that begins with #, a line that ends with a colon, or a bold line
 * without a full stop. */
struct memory_line
memory_read(struct str line)
{
    struct str text = without_line_end(line), plain = without_marks(text);
    bool marked = str_starts(text, STR("**")) && str_ends(text, STR("**"));
    if (plain.len == 0 || str_starts(text, STR("```")) || str_starts(text, STR("---")))
        return (struct memory_line){ MEMORY_NOTHING, STR_NONE };
    if (str_starts(text, STR("#"))) {
        while (drop_start(&plain, STR("#")))
            ;
        return (struct memory_line){ MEMORY_HEADING, plain };
    }
    if (str_ends(plain, STR(":")) || (marked && !str_ends(plain, STR("."))))
        return (struct memory_line){ MEMORY_HEADING, plain };
    return (struct memory_line){ MEMORY_STATEMENT, plain };
}

/* A line that is too long for a statement is cut at the ends of its sentences; a sentence that is
 * still too long is returned whole, and the caller counts it as unused. */
bool
memory_cut(struct str *rest, struct str *sentence)
{
    if (rest->len == 0)
        return false;
    size_t end = rest->len;
    if (utf8_length(*rest) > VALUE_MAX_CHARACTERS)
        for (size_t i = 0; i + 1 < rest->len && end == rest->len; i++)
            if ((rest->ptr[i] == '.' || rest->ptr[i] == ';') && rest->ptr[i + 1] == ' ')
                end = i + 1;
    *sentence = str_trim(str_first(*rest, end));
    *rest = str_trim(str_from(*rest, end));
    return true;
}

/* ---- persons ---- */

static bool
starts_nocase(struct str text, struct str start)
{
    return str_eq_nocase(str_first(text, start.len), start) && text.len > start.len;
}

/* "They" is taken for the user, as in the memories of assistants. Verbs that are not listed stay in
 * the third person, with their subject. */
struct str
memory_first_person(struct arena *mem, struct str text)
{
    static const struct {
        const char *third, *first;
    } verbs[] = {
        { "is", "am" },
        { "has", "have" },
        { "does not", "do not" },
        { "doesn't", "don't" },
        { "likes", "like" },
        { "loves", "love" },
        { "enjoys", "enjoy" },
        { "prefers", "prefer" },
        { "dislikes", "dislike" },
        { "hates", "hate" },
        { "avoids", "avoid" },
        { "wants", "want" },
        { "needs", "need" },
        { "works", "work" },
        { "lives", "live" },
        { "uses", "use" },
        { "speaks", "speak" },
        { "plays", "play" },
        { "follows", "follow" },
        { "eats", "eat" },
        { "drinks", "drink" },
        { "owns", "own" },
        { "reads", "read" },
        { "watches", "watch" },
        { "listens", "listen" },
        { "studies", "study" },
        { "runs", "run" },
        { "cannot", "cannot" },
        { "can't", "can't" },
        { "never", "never" },
        { "was", "was" },
        { "would", "would" },
        { "travels", "travel" },
        { "codes", "code" },
        { "appreciates", "appreciate" },
        { "considers", "consider" },
    };
    static const char *const subjects[] = { "The user ", "User ", "They " };
    struct str rest = text;
    while (rest.len > 0 && rest.ptr[rest.len - 1] == '.')
        rest = str_trim(str_first(rest, rest.len - 1));
    static const char *const owners[] = { "The user's ", "User's ", "Their " };
    for (size_t i = 0; i < 3; i++)
        if (starts_nocase(rest, str_of(owners[i])))
            return str_format(mem, "My %.*s", STR_ARG(str_from(rest, strlen(owners[i]))));
    bool subject = false;
    for (size_t i = 0; i < 3 && !subject; i++)
        if (starts_nocase(rest, str_of(subjects[i]))) {
            rest = str_from(rest, strlen(subjects[i]));
            subject = true;
        }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        struct str verb = str_of(verbs[i].third);
        if (starts_nocase(rest, verb) && rest.ptr[verb.len] == ' ')
            return str_format(mem, "I %s%.*s", verbs[i].first, STR_ARG(str_from(rest, verb.len)));
    }
    /* With its subject, but without the full stop at the end. */
    return subject ? str_first(text, (size_t)(rest.ptr + rest.len - text.ptr)) : rest;
}

/* Longer beginnings need no precedence: no entry is a beginning of another that means something
 * else. An absent *rest: the text states no taste. */
void
memory_liking(struct str text, struct str *rest, bool *negative)
{
    static const struct {
        const char *words;
        bool negative;
    } beginnings[] = {
        { "I like ", false },
        { "I love ", false },
        { "I enjoy ", false },
        { "I prefer ", false },
        { "I really like ", false },
        { "I am a fan of ", false },
        { "I am into ", false },
        { "I do not like ", true },
        { "I don't like ", true },
        { "I dislike ", true },
        { "I hate ", true },
        { "I avoid ", true },
        { "I cannot stand ", true },
        { "I can't stand ", true },
        { "I do not eat ", true },
        { "I don't eat ", true },
        { "I am not a fan of ", true },
        { "I never eat ", true },
        { "I do not want ", true },
        { "I don't want ", true },
    };
    *rest = STR_NONE;
    *negative = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (starts_nocase(text, str_of(beginnings[i].words))) {
            *rest = str_from(text, strlen(beginnings[i].words));
            *negative = beginnings[i].negative;
            return;
        }
}

/* ---- labels ---- */

/* At the first occurrence. False: it is missing, or nothing is before or after it. */
static bool
split_at(struct str text, struct str mark, struct str *before, struct str *after)
{
    for (size_t i = 0; i + mark.len < text.len; i++)
        if (str_starts(str_from(text, i), mark)) {
            *before = str_trim(str_first(text, i));
            *after = str_trim(str_from(text, i + mark.len));
            return before->len > 0 && after->len > 0;
        }
    return false;
}

/* A label is short: a long text before a colon is a sentence of its own. */
bool
memory_label(struct str text, struct str *label, struct str *values)
{
    static const char *const verbs[] = { " is ", " are ", " include ", " includes " };
    struct str rest = text;
    if (split_at(text, STR(": "), label, values) && label->len <= 60) {
        if (starts_nocase(*label, STR("my ")))
            *label = str_from(*label, 3);
        return true;
    }
    if (!starts_nocase(text, STR("my ")) && !starts_nocase(text, STR("favorite ")))
        return false;
    if (starts_nocase(text, STR("my ")))
        rest = str_from(text, 3);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (split_at(rest, str_of(verbs[i]), label, values) && label->len <= 60)
            return true;
    return false;
}
