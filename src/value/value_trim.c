/* value_trim.c - users write more than the value: "I like jazz a lot". Trimming takes away phrases
 * that add nothing, from both ends, until none is left. */
#include "value/value_trim.h"

#include "base/ascii.h"
#include "domain/value_text.h"
#include "value/value_speech.h"

#include <string.h>

/* ---- phrases ---- */

static bool
joins_words(char c)
{
    return c == ' ' || c == '-' || c == '_';
}

/* Compares the start of a text as written with a folded phrase. Returns the length that matches and
 * ends with a word; 0: none. Only ASCII letters are folded: other letters must match as written. */
static size_t
match_phrase(struct str text, struct str phrase)
{
    size_t at = 0;
    for (size_t i = 0; i < phrase.len; i++, at++) {
        if (at == text.len)
            return 0;
        char c = text.ptr[at];
        c = ascii_to_lower(c);
        if (c != phrase.ptr[i] && !(phrase.ptr[i] == ' ' && joins_words(c)))
            return 0;
    }
    /* "on" is no part of "on-prem". */
    bool hyphen = at < text.len && text.ptr[at] == '-' && str_index(phrase, ' ') == phrase.len;
    bool ends = at == text.len || joins_words(text.ptr[at]) || text.ptr[at] == ':';
    return ends && !hyphen ? at : 0;
}

/* What remains after a phrase was taken away may begin with a joining mark. */
struct str
value_trim_ends(struct str text)
{
    while (text.len > 0 && (joins_words(text.ptr[0]) || text.ptr[0] == ':'))
        text = str_from(text, 1);
    while (text.len > 0 && strchr(" -_:.!,", text.ptr[text.len - 1]) != NULL)
        text = str_first(text, text.len - 1);
    return text;
}

struct str
value_trim_marks(struct str text)
{
    while (text.len > 0 && strchr(" .,!", text.ptr[text.len - 1]) != NULL)
        text = str_first(text, text.len - 1);
    return text;
}

struct str
value_trim_time(struct str text)
{
    static const char *const times[] = { " right now",  " at the moment", " currently", " now",
                                         " at present", " these days",    " for now",   NULL };
    for (size_t i = 0; times[i] != NULL; i++)
        if (str_ends(text, str_of(times[i])))
            return str_first(text, text.len - strlen(times[i]));
    return text;
}

struct str
value_trim_remark(struct str text)
{
    size_t open = str_index(text, '(');
    return open > 1 && str_ends(text, STR(")")) ? value_trim_ends(str_first(text, open)) : text;
}

static bool
starts_word(char c)
{
    return ascii_is_alphanumeric(c) || (unsigned char)c >= 0x80;
}

/* ---- fillers ---- */

bool
value_trim_filler(struct str *text, struct str list, bool at_end)
{
    struct str phrase, left = STR("");
    while (left.len == 0 && str_cut(&list, ',', &phrase)) {
        size_t tail = text->len > phrase.len ? text->len - phrase.len : 0;
        if (!at_end && tail > 0 && match_phrase(*text, phrase) == phrase.len)
            left = value_trim_ends(str_from(*text, phrase.len));
        else if (at_end && tail > 0 && strchr(" ,", text->ptr[tail - 1]) != NULL &&
                 match_phrase(str_from(*text, tail), phrase) == phrase.len)
            left = value_trim_ends(str_first(*text, tail));
    }
    if (left.len == 0 || !starts_word(left.ptr[0]))
        return false;
    *text = left;
    return true;
}

static bool
starts_with_emoji(struct str text)
{
    return str_starts(text, STR("\xf0\x9f")) || str_starts(text, STR("\xe2\x9d")) ||
           str_starts(text, STR("\xe2\x98"));
}

/* In any script, at least at the start. */
static bool
has_letter(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (ascii_is_letter(text.ptr[i]))
            return true;
    return text.len > 0 && (unsigned char)text.ptr[0] >= 0x80 && !starts_with_emoji(text);
}

/* "pizza 🍕": an emoji after the last word. A text without words keeps them all. */
static bool
trim_emoji(struct str *text)
{
    size_t space = text->len;
    while (space > 0 && text->ptr[space - 1] != ' ')
        space--;
    if (space <= 1 || !starts_with_emoji(str_from(*text, space)) ||
        !has_letter(str_first(*text, space)))
        return false;
    *text = value_trim_ends(str_first(*text, space - 1));
    return true;
}

/* How people hedge and chat around a value: "vim btw", "just a microwave", "mostly jazz". A "mostly
 * vegetarian diet" is one. */
bool
value_trim_fillers(const struct member *member, struct str *text)
{
    static const char hedges[] = "just,only,a bit of,a little bit of,definitely,probably,maybe,"
                                 "honestly,usually,often,mostly,mainly,primarily,especially";
    static const char chat[] = "btw,lol,haha,tbh,please,pls,though,obviously,of course,for sure,"
                               "mostly,mainly,usually,one day,someday,some day,if possible";
    if (member->safety != SAFETY_NONE && value_trim_filler(text, STR("only"), true))
        return true;                  /* "halal only" */
    if (member_lists_dangers(member)) /* "allergic to only penicillin"; "mostly" is in doubt */
        return value_trim_filler(text, STR("only,just,also,especially,esp,e.g.,including"), false);
    if (value_is_of_names(member) || member->safety == SAFETY_CRITICAL)
        return false;
    bool graded = member->hint.form == FORM_ADJECTIVE || member->hint.form == FORM_ROLE;
    return trim_emoji(text) || value_trim_filler(text, str_of(chat), true) ||
           (!graded && value_trim_filler(text, str_of(hedges), false));
}

/* Never trims the whole text, and the rest must begin with a word: "(btw)" is not trimmed to
 * nothing. */
bool
value_trim_one_phrase(const struct member *member, struct str *text)
{
    for (size_t i = 0; i < member->trim_count; i++) {
        struct str phrase = member->trims[i], left = STR("");
        size_t length = match_phrase(*text, phrase);
        size_t tail = text->len > phrase.len ? text->len - phrase.len : 0;
        if (length > 0)
            left = value_trim_ends(str_from(*text, length));
        else if (tail > 0 && joins_words(text->ptr[tail - 1]) &&
                 match_phrase(str_from(*text, tail), phrase) == phrase.len)
            left = value_trim_ends(str_first(*text, tail));
        if (left.len > 0 && starts_word(left.ptr[0])) {
            *text = left;
            return true;
        }
    }
    return value_trim_fillers(member, text);
}
