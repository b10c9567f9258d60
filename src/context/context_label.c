#include "context/context_internal.h"

#include "text/utf8.h"

#include <string.h>

/* Dropped from labels and names: "book a flight" becomes "book_flight". */
static const struct str dropped_words[] = {
    { "a", 1 },    { "an", 2 },    { "the", 3 }, { "my", 2 },    { "your", 4 },   { "our", 3 },
    { "his", 3 },  { "her", 3 },   { "me", 2 },  { "their", 5 }, { "some", 4 },   { "any", 3 },
    { "this", 4 }, { "these", 5 }, { "i", 1 },   { "us", 2 },    { "please", 6 },
};

const char *const label_little_words[] = {
    "about", "all", "also", "am", "and", "are", "around", "as", "at", "be", "between", "but", "by",
    "can", "could", "did", "during", "each", "else", "every", "for", "from", "has", "have", "how",
    "if", "im", "in", "into", "is", "it", "its", "just", "lets", "like", "more", "most", "no",
    "not", "of", "off", "on", "or", "other", "out", "over", "per", "should", "so", "something",
    "such", "than", "that", "them", "then", "there", "they", "those", "through", "to", "under",
    "up", "via", "was", "we", "what", "whats", "when", "where", "which", "while", "who", "why",
    "will", "with", "within", "without", "would", "you",
    /* spellings of chats, greetings */
    "u", "ur", "2", "4", "shld", "shud", "pls", "plz", "wanna", "gonna", "gimme", "lemme", "smth",
    "sth", "sum", "wat", "wht", "hey", "hi", "hello", "ok", "okay", "thx", "thanks", "kinda",
    "really", "maybe", "wheres", "id", "ive", "ill", "dont", "doesnt", "isnt", "cant", "wont",
    "someone", "anyone", "somewhere", "anything", "here",
    /* nouns that fit any subject */
    "advice", "choice", "detail", "example", "general", "idea", "info", "information",
    "inspiration", "online", "option", "spot", "stuff", "thing", "tip", "tool", "topic",
    /* quality, distance, time */
    "amazing", "available", "best", "better", "cheap", "close", "cool", "current", "custom",
    "daily", "different", "easy", "fast", "favorite", "favourite", "fun", "good", "great", "last",
    "latest", "local", "near", "nearby", "nearest", "new", "next", "nice", "now", "perfect",
    "popular", "quick", "right", "similar", "simple", "soon", "special", "today", "tomorrow",
    "tonight", "top", "upcoming", "week", "weekend", "weekly", NULL
};

const char *const label_action_words[] = {
    "add",        "advise",    "advisor",      "agent",     "answer",   "ask",        "assist",
    "assistance", "assistant", "bot",          "build",     "chat",     "chatbot",    "choose",
    "compare",    "context",   "conversation", "create",    "creator",  "curate",     "decide",
    "discover",   "discovery", "do",           "explore",   "fetch",    "find",       "finder",
    "generate",   "generator", "get",          "give",      "go",       "guide",      "handle",
    "help",       "intent",    "know",         "list",      "look",     "lookup",     "make",
    "manage",     "need",      "personalize",  "pick",      "plan",     "preference", "prep",
    "prepare",    "profile",   "provide",      "query",     "question", "recommend",  "request",
    "retrieve",   "search",    "select",       "selection", "service",  "session",    "set",
    "setup",      "show",      "suggest",      "support",   "task",     "tell",       "think",
    "try",        "update",    "use",          "user",      "want",     "workflow",   "write",
    NULL
};

/* ---- normalizing ---- */

/* Separates words with '_', and the parts of an enumeration with ','. */
struct writer {
    char *bytes;
    size_t length;
    enum letter_kind kana; /* of the last letter, or LETTER */
};

static void
put_separator(struct writer *out, char separator)
{
    char *last = out->length == 0 ? NULL : &out->bytes[out->length - 1];
    if (last != NULL && *last != '_' && *last != ',')
        out->bytes[out->length++] = separator;
    else if (last != NULL && separator == ',')
        *last = ',';
}

static void
put_text(struct writer *out, const char *text)
{
    while (*text != '\0')
        out->bytes[out->length++] = *text++;
}

static bool
is_lower(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}

static bool
is_upper(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool
is_letter(unsigned char c)
{
    return is_lower(c) || is_upper(c);
}

/* "bookFlight" has a new word at F, "HTTPServer" at S; "iOS" is one word. */
static bool
starts_camel_word(const unsigned char *at, size_t before, size_t after)
{
    if (!is_upper(*at) || before == 0)
        return false;
    if (is_lower(at[-1]))
        return before > 1 && is_letter(at[-2]);
    return is_upper(at[-1]) && after > 1 && is_lower(at[1]);
}

static bool
is_kana(enum letter_kind kind)
{
    return kind == LETTER_HIRAGANA || kind == LETTER_KATAKANA;
}

static void
begin_kana(struct writer *out, enum letter_kind kana)
{
    if (out->kana != kana)
        put_separator(out, '_');
    out->kana = kana;
}

/* Writes one non-ASCII character, or its first byte if it is damaged; returns the number of bytes
 * consumed. */
static size_t
put_beyond_ascii(struct writer *out, struct str rest)
{
    struct str left = rest;
    char letter[LETTER_BYTES];
    int32_t point = utf8_next(&left);
    if (point < 0) {
        out->bytes[out->length++] = rest.ptr[0];
        return 1;
    }
    enum letter_kind kind = label_letter(point, letter);
    if (kind == LETTER_SEPARATES_PARTS || kind == LETTER_SEPARATES)
        put_separator(out, kind == LETTER_SEPARATES ? '_' : ',');
    if (kind == LETTER_WORD)
        put_separator(out, '_');
    else if (kind != LETTER_NONE)
        begin_kana(out, is_kana(kind) ? kind : LETTER);
    put_text(out, letter);
    if (kind == LETTER_WORD)
        put_separator(out, '_');
    return rest.len - left.len;
}

static void
put_ascii(struct writer *out, unsigned char c)
{
    begin_kana(out, LETTER);
    if (is_upper(c))
        out->bytes[out->length++] = (char)(c - 'A' + 'a');
    else if (is_lower(c) || (c >= '0' && c <= '9'))
        out->bytes[out->length++] = (char)c;
    else if (c == '&') {
        put_separator(out, '_');
        put_text(out, "and_");
    } else if (c != '\'')
        put_separator(out, c == ',' || c == ';' ? ',' : '_');
}

static size_t
normalize(struct str text, char *bytes)
{
    const unsigned char *in = (const unsigned char *)text.ptr;
    struct writer out = { bytes, 0, LETTER };
    for (size_t i = 0; i < text.len;) {
        if (starts_camel_word(&in[i], i, text.len - i))
            put_separator(&out, '_');
        if (in[i] >= 0x80) {
            i += put_beyond_ascii(&out, str_from(text, i));
            continue;
        }
        put_ascii(&out, in[i]);
        i++;
    }
    while (out.length > 0 && (bytes[out.length - 1] == '_' || bytes[out.length - 1] == ','))
        out.length--;
    return out.length;
}

/* ---- words ---- */

#define LETTER(c) ((uint32_t)1 << ((c) - 'a'))

static bool
is_dropped(struct str word)
{
    const uint32_t starts = LETTER('a') | LETTER('h') | LETTER('i') | LETTER('m') | LETTER('o') |
                            LETTER('p') | LETTER('s') | LETTER('t') | LETTER('u') | LETTER('y');
    if (word.len == 0 || word.len > 6 || word.ptr[0] < 'a' || word.ptr[0] > 'z' ||
        (starts >> (word.ptr[0] - 'a') & 1) == 0)
        return false;
    for (size_t i = 0; i < sizeof dropped_words / sizeof dropped_words[0]; i++)
        if (str_eq(word, dropped_words[i]))
            return true;
    return false;
}

static bool
is_repeated(const struct label *label, struct str text)
{
    for (size_t i = 0; i < label->count; i++)
        if (str_eq(label->words[i].text, text))
            return true;
    return false;
}

static void
cut_words(struct label *out, struct str separated, bool drop)
{
    char *end = out->text_bytes;
    bool starts_part = false;
    out->count = 0;
    for (size_t i = 0, start = 0; i <= separated.len && out->count < LABEL_WORDS; i++) {
        if (i < separated.len && separated.ptr[i] != '_' && separated.ptr[i] != ',')
            continue;
        struct str word = label_without_article((struct str){ &separated.ptr[start], i - start });
        if (!drop || !is_dropped(word)) {
            memcpy(end, word.ptr, word.len);
            struct str text = { end, word.len };
            end += word.len;
            out->words[out->count] = (struct label_word){ .text = text,
                                                          .starts_part = starts_part,
                                                          .again = is_repeated(out, text) };
            out->count++;
            starts_part = false;
        }
        starts_part = starts_part || (i < separated.len && separated.ptr[i] == ',');
        start = i + 1;
    }
}

bool
label_split(struct str text, struct label *out)
{
    out->count = 0;
    if (text.len > LABEL_MAX)
        return false;
    size_t length = normalize(text, out->name_bytes);
    out->name = (struct str){ out->name_bytes, length };
    if (length == 0)
        return false;
    cut_words(out, out->name, true);
    if (out->count == 0)
        cut_words(out, out->name, false);
    for (size_t i = 0; i < length; i++)
        if (out->name_bytes[i] == ',')
            out->name_bytes[i] = '_';
    return true;
}

struct str
label_texts(const struct label *label, size_t first, size_t count)
{
    struct str start = label->words[first].text, end = label->words[first + count - 1].text;
    return (struct str){ start.ptr, (size_t)(end.ptr + end.len - start.ptr) };
}

struct str
label_bases(const struct label *label, size_t first, size_t count)
{
    struct str start = label->words[first].base, end = label->words[first + count - 1].base;
    return (struct str){ start.ptr, (size_t)(end.ptr + end.len - start.ptr) };
}

/* ---- forms of words ---- */

/* Texts are in UTF-8, so an ending of another script has at least two bytes. */
struct ending {
    struct str cut, put;
    size_t least;    /* minimum length of the whole word */
    bool after_hiss; /* "dishes", and not "planes" */
    bool undouble;   /* "planning" is "plan" */
};

#define ENDING(cut, put)      \
    { cut, sizeof(cut) - 1 }, \
    {                         \
        put, sizeof(put) - 1  \
    }

static const struct ending endings[FORM_SCRIPTS] = {
    { ENDING("s", ""), 4, false, false },
    { ENDING("es", ""), 5, true, false },
    { ENDING("ies", "y"), 5, false, false },
    { ENDING("ing", ""), 6, false, false },
    { ENDING("ing", "e"), 6, false, false },
    { ENDING("ing", ""), 7, false, true },
    { ENDING("ation", ""), 9, false, false },
    { ENDING("ation", "e"), 9, false, false },
    { ENDING("ion", ""), 8, false, false },
    { ENDING("ion", "e"), 8, false, false },
    { ENDING("ment", ""), 8, false, false },
    { ENDING("er", ""), 6, false, false },
    { ENDING("er", "e"), 6, false, false },
    { ENDING("er", ""), 7, false, true },
    { ENDING("ed", ""), 6, false, false },
    { ENDING("ed", "e"), 6, false, false },
    /* Russian */
    { ENDING("ами", ""), 12, false, false },
    { ENDING("ам", ""), 10, false, false },
    { ENDING("ах", ""), 10, false, false },
    { ENDING("ов", ""), 10, false, false },
    { ENDING("ом", ""), 10, false, false },
    { ENDING("а", ""), 8, false, false },
    { ENDING("у", ""), 8, false, false },
    { ENDING("ы", ""), 8, false, false },
    { ENDING("е", ""), 8, false, false },
    { ENDING("и", ""), 8, false, false },
    { ENDING("у", "а"), 8, false, false },
    { ENDING("ы", "а"), 8, false, false },
    { ENDING("и", "а"), 8, false, false },
    { ENDING("е", "а"), 8, false, false },
    { ENDING("ой", "а"), 10, false, false },
    { ENDING("ам", "а"), 10, false, false },
    { ENDING("ю", "я"), 8, false, false },
    { ENDING("и", "я"), 8, false, false },
    { ENDING("е", "я"), 8, false, false },
    { ENDING("ей", "я"), 10, false, false },
    { ENDING("и", "ь"), 8, false, false },
    { ENDING("ей", "ь"), 10, false, false },
    { ENDING("я", "ь"), 8, false, false },
    { ENDING("ий", "ие"), 10, false, false },
    { ENDING("и", "ия"), 8, false, false },
    { ENDING("ую", "ая"), 10, false, false },
    { ENDING("ой", "ая"), 10, false, false },
    { ENDING("ые", "ый"), 10, false, false },
    { ENDING("ого", "ый"), 12, false, false },
    { ENDING("ых", "ый"), 10, false, false },
    { ENDING("ия", "ие"), 10, false, false },
    /* Hindi */
    { ENDING("ों", ""), 12, false, false },
    { ENDING("ें", ""), 12, false, false },
    { ENDING("े", "ा"), 9, false, false },
    { ENDING("ों", "ा"), 12, false, false },
    { ENDING("ियां", "ी"), 18, false, false },
    { ENDING("ियों", "ी"), 18, false, false },
    /* Urdu */
    { ENDING("وں", ""), 8, false, false },
    { ENDING("يں", ""), 8, false, false },
    { ENDING("ے", "ا"), 6, false, false },
    /* Bengali */
    { ENDING("ের", ""), 12, false, false },
    { ENDING("ে", ""), 9, false, false },
    { ENDING("টা", ""), 12, false, false },
    { ENDING("টি", ""), 12, false, false },
    { ENDING("তে", ""), 12, false, false },
    { ENDING("র", ""), 9, false, false },
    /* Arabic */
    { ENDING("ات", ""), 10, false, false },
    { ENDING("ات", "ة"), 10, false, false },
    { ENDING("ي", ""), 8, false, false },
};

static bool
ends_in_hiss(struct str stem)
{
    return str_ends(stem, STR("s")) || str_ends(stem, STR("x")) || str_ends(stem, STR("z")) ||
           str_ends(stem, STR("ch")) || str_ends(stem, STR("sh")) || str_ends(stem, STR("o"));
}

bool
label_has_ending(struct str word, size_t n)
{
    const struct ending *ending = &endings[n - 1];
    return word.len >= ending->least &&
           word.ptr[word.len - 1] == ending->cut.ptr[ending->cut.len - 1] &&
           str_ends(word, ending->cut);
}

size_t
label_last_form(struct str word, size_t most)
{
    char last = word.len < 4 ? '\0' : word.ptr[word.len - 1]; /* 4: the least of all endings */
    if ((unsigned char)last >= 0x80)
        return FORM_SCRIPTS;
    bool may =
        last == 's' || (most > FORM_PLURALS && last == 'g') ||
        (most > FORM_INFLECTIONS && (last == 'n' || last == 't' || last == 'r' || last == 'd'));
    return may ? most : FORM_ITSELF;
}

struct str
label_form(struct str word, size_t n, char buffer[LABEL_BUFFER])
{
    if (n == FORM_ITSELF)
        return word;
    if (!label_has_ending(word, n))
        return STR_NONE;
    const struct ending *ending = &endings[n - 1];
    struct str stem = str_first(word, word.len - ending->cut.len), put = ending->put;
    if (ending->after_hiss && !ends_in_hiss(stem))
        return STR_NONE;
    if (ending->undouble) {
        if (stem.len < 2 || stem.ptr[stem.len - 1] != stem.ptr[stem.len - 2])
            return STR_NONE;
        stem.len--;
    }
    memcpy(buffer, stem.ptr, stem.len);
    if (put.len > 0)
        memcpy(buffer + stem.len, put.ptr, put.len);
    return (struct str){ buffer, stem.len + put.len };
}
