/* second_person.c - replaces "the user" and changes the verb after it. The rules are made for the
 * descriptions of definitions; they are no grammar of English. */
#include "page/second_person.h"

#include "base/ascii.h"
#include "base/buf.h"

#define TEXT_MAX ((size_t)4096)

/* Verbs that change more than their ending, and words that do not change. */
static const struct {
    const char *third;
    const char *second;
} verbs[] = { { "is", "are" },    { "has", "have" },  { "does", "do" },
              { "was", "were" },  { "goes", "go" },   { "watches", "watch" },
              { "must", "must" }, { "tries", "try" }, { "studies", "study" } };

/* Verbs that are irregular are in the table; from others the ending is taken. */
static struct str
second_person(struct str verb)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (str_eq_c(verb, verbs[i].third))
            return str_of(verbs[i].second);
    return str_ends(verb, STR("s")) && !str_ends(verb, STR("ss")) ? str_first(verb, verb.len - 1)
                                                                  : verb;
}

static struct str
first_word(struct str text)
{
    size_t length = 0;
    while (length < text.len && ascii_is_letter(text.ptr[length]))
        length++;
    return str_first(text, length);
}

/* After "the user ": keeps an adverb and changes the verb to the second person. */
static struct str
take_verb(struct buf *out, struct str rest)
{
    struct str word = first_word(rest);
    if (str_ends(word, STR("ly"))) {
        buf_add(out, str_first(rest, word.len + 1));
        rest = str_from(rest, word.len + 1);
        word = first_word(rest);
    }
    buf_add(out, second_person(word));
    return str_from(rest, word.len);
}

/* Definitions speak of "the user", pages to "you": the same sentences serve both. */
struct str
second_person_text(struct arena *mem, struct str text)
{
    static const struct str his = STR("the user's"), he = STR("the user "), end = STR("the user");
    struct buf out = buf_in(mem, TEXT_MAX);
    while (text.len > 0) {
        /* The longer form first. */
        if (str_starts(text, his)) {
            buf_add_c(&out, "your");
            text = str_from(text, his.len);
        } else if (str_starts(text, he)) {
            buf_add_c(&out, "you ");
            text = take_verb(&out, str_from(text, he.len));
        } else if (str_starts(text, end)) {
            buf_add_c(&out, "you");
            text = str_from(text, end.len);
        } else {
            buf_add_char(&out, text.ptr[0]);
            text = str_from(text, 1);
        }
    }
    return buf_str(&out);
}
