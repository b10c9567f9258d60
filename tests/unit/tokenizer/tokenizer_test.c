#include "unit/assert_str.h"

#include "base/arena.h"
#include "tokenizer/tokenizer.h"

#include <stdlib.h>

struct row {
    const char *why;
    struct str text;
    size_t expected;
};

static void
assert_counts(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t actual = tokenizer_count(rows[i].text);
        if (actual != rows[i].expected)
            print_error("%s: %zu tokens, expected %zu\n", rows[i].why, actual, rows[i].expected);
        assert_int_equal(actual, rows[i].expected);
    }
}

static void
counts_match_tiktoken(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "allergies", STR("Allergic to peanuts and shellfish."), 8 },
        { "cuisines", STR("Enjoys Italian, Japanese, and Thai food."), 10 },
        { "dislikes", STR("Avoids cilantro and olives."), 6 },
        { "artists", STR("Favorite artists include Radiohead, Björk, Kendrick Lamar, and 4 more."),
          18 },
        { "airlines", STR("Flies with Lufthansa and KLM when possible."), 10 },
        { "languages", STR("Writes mainly Python, TypeScript, and Rust."), 10 },
        { "genres", STR("Listens mostly to indie rock, jazz, and hip-hop."), 13 },
    };
    assert_counts(rows, ROWS(rows));
}

static void
unusual_texts_match_tiktoken(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "nothing", STR(""), 0 },
        { "absent", STR_NONE, 0 },
        { "a letter", STR("a"), 1 },
        { "NUL", STR("\0"), 1 },
        { "DEL", STR("\x7f"), 1 },
        { "a special token is text", STR("<|endoftext|>"), 7 },
        { "another", STR("<|im_start|>"), 6 },
        { "a contraction", STR("don't"), 1 },
        { "in upper case", STR("DON'T"), 2 },
        { "I'm", STR("I'm"), 1 },
        { "I'll", STR("I'll"), 1 },
        { "of mixed case", STR("LET'S"), 2 },
        { "and a word after it", STR("qcy'DDm"), 4 },
        { "and another after it", STR("I'd've"), 2 },
        { "twice", STR("don'T've"), 3 },
        { "after one letter", STR("I'LL"), 3 },
        { "alone", STR("'s"), 1 },
        { "rock'n'roll", STR("rock'n'roll"), 4 },
        { "changes of case", STR("camelCaseHTTPServer"), 4 },
        { "digits by three", STR("1234567890"), 4 },
        { "a number with a point", STR("3.14159"), 4 },
        { "Arabic digits", STR("١٢٣٤"), 4 },
        { "blanks only", STR("   "), 1 },
        { "blanks before a word", STR("  a"), 2 },
        { "blanks at the end", STR("a  "), 2 },
        { "an empty line", STR("a\n\nb"), 3 },
        { "blanks around a line break", STR("a \n b"), 3 },
        { "CR LF", STR("\r\n\r\n"), 1 },
        { "tabs", STR("\t\tx"), 2 },
        { "a tab, then signs", STR("\t\t/a"), 3 },
        { "tabs and a sign", STR("\t\t}"), 3 },
        { "blanks between words", STR("x    y"), 3 },
        { "a mark after spaces", STR("  \u0301USA"), 4 },
        { "a contraction after a mark", STR("\u094f's"), 3 },
        { "a word that ends in a mark", STR(" a\u0300 "), 2 },
        { "marks in a word", STR("re\u0301sume\u0301s"), 4 },
        { "vowel signs in a word", STR("कि"), 1 },
        { "no-break space", STR("a\u00a0b"), 3 },
        { "ideographic space", STR("a\u3000b"), 3 },
        { "signs that end a sentence", STR("C++."), 2 },
        { "and take the line break along", STR("C++.\n"), 3 },
        { "a slash inside", STR("AC/DC"), 2 },
        { "slashes across lines", STR("//\n//"), 1 },
        { "a family", STR("👩‍👩‍👧‍👦"), 11 },
        { "skin", STR("👍🏽"), 3 },
        { "a flag", STR("🇯🇵"), 4 },
        { "a mark after its letter", STR("e\u0301"), 2 },
        { "a mark before a word", STR("\u0301abc"), 2 },
        { "a mark before upper case", STR("\u0301ABC"), 2 },
        { "a mark after a sign", STR("!\u0301x"), 3 },
        { "a mark within upper case", STR("ABC\u0301DEF"), 3 },
        { "title case", STR("\u01c5abc"), 3 },
        { "a modifier letter", STR("\u02b0abc"), 3 },
        { "a ligature", STR("\ufb01ne"), 2 },
        { "Hindi", STR("नमस्ते दुनिया"), 5 },
        { "Hebrew", STR("שלום עולם"), 2 },
        { "Arabic", STR("مرحبا بالعالم"), 4 },
        { "Thai", STR("สวัสดีชาวโลก"), 7 },
        { "Korean", STR("안녕하세요"), 2 },
        { "Japanese", STR("東京事変"), 3 },
        { "Russian", STR("Привет, мир!"), 5 },
        { "Greek", STR("Γειά σου Κόσμε"), 8 },
        { "JSON", STR("{\"a\":[1,2,\"b\"]}"), 10 },
        { "markdown", STR("**bold**"), 3 },
        { "a list", STR("- item\n- item\n"), 6 },
        { "an address", STR("https://example.org/a?b=1&c=2#d"), 15 },
    };
    assert_counts(rows, ROWS(rows));
}

/* gpt-tokenizer counts 4, 4, and 3; these are derived by hand from the pattern and vocabulary. */
static void
three_special_characters_match_tiktoken(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "NEL is white space: one piece, two tabs in one token", STR("\t\t\xc2\x85"), 3 },
        { "a byte order mark is a sign: it takes a blank along", STR("  \ufeffx"), 3 },
        { "long s is an s: of that piece the blank, I and ' are one token", STR(" I'\u017f"), 2 },
    };
    assert_counts(rows, ROWS(rows));
}

static void
long_runs_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        size_t times;
        size_t expected;
    } rows[] = {
        { "-", 64, 1 },    { "=", 200, 3 },    { " ", 300, 3 },
        { "a", 300, 38 },  { "ab", 200, 100 }, { "\n", 300, 20 },
        { "0", 300, 100 }, { "東", 200, 200 }, { "xyz", 300, 300 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        size_t unit = strlen(rows[i].unit);
        char *text = malloc(unit * rows[i].times);
        for (size_t k = 0; k < rows[i].times; k++)
            memcpy(text + k * unit, rows[i].unit, unit);
        assert_row(tokenizer_count((struct str){ text, unit * rows[i].times }) == rows[i].expected,
                   rows[i].unit);
        free(text);
    }
}

/* The pieces of these words depend on what follows them: white space, contractions, letters without
 * case before capitals, signs before a line feed. */
static const char *const words[] = {
    " ",  "  ", "\n", "\n\n", "\t",     "\u00a0", "\u3000", "'", "s",  "re",  "'s",     "'RE",
    "a",  "A",  "é",  "É",    "\u0301", "\u0e01", "東",     "-", "!/", "/\n", "\u017f", "1",
    "12", ",",  ".",  "User", " likes", " and",   "\"",     "_", "ǅ",  "ʰ",   "🎸",      "\xc2\x85"
};

static uint32_t
next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Each text keeps a random part of the one before. */
static void
series_count_like_single_texts(void **state)
{
    (void)state;
    uint32_t random = 2026;
    struct arena *mem = arena_new();
    struct tokenizer_series *series = tokenizer_series_new(mem);
    char text[4096];
    for (size_t round = 0, length = 0; round < 60000; round++) {
        random = random * 1664525 + 1013904223;
        length = (random >> 8) % 4 == 0 ? (random >> 12) % (length + 1) : length;
        for (uint32_t more = (random >> 4) % 6; more > 0 && length < sizeof text - 16; more--) {
            random = random * 1664525 + 1013904223;
            const char *word = words[(random >> 10) % ROWS(words)];
            memcpy(text + length, word, strlen(word));
            length += strlen(word);
        }
        struct str now = { text, length };
        size_t expected = tokenizer_count(now);
        if (tokenizer_series_count(series, now) != expected)
            print_error("after %zu texts: %.*s\n", round, STR_ARG(now));
        assert_int_equal(tokenizer_series_count(series, now), expected);
        length = length > 3000 ? 0 : length;
    }
    arena_free(mem);
}

static size_t
count_of(struct arena *mem, const char *before, struct str text, const char *after)
{
    return tokenizer_count(str_format(mem, "%s%.*s%s", before, STR_ARG(text), after));
}

/* A text that begins and ends with a letter or digit shares no token with what is around it. */
static void
separate_texts_add_up(void **state)
{
    (void)state;
    static const char *const after[] = { "",  ",",   ", and", " and", " 1",
                                         ".", ".\n", "\n",    "; x",  "\",\"" };
    uint32_t random = 7;
    size_t separate = 0;
    for (int round = 0; round < 20000; round++) {
        struct arena *mem = arena_new();
        struct str text = STR("");
        for (uint32_t more = 1 + next_random(&random) % 6; more > 0; more--)
            text =
                str_format(mem, "%.*s%s", STR_ARG(text), words[next_random(&random) % ROWS(words)]);
        if (tokenizer_is_separate(text)) {
            size_t bare,
                spaced = tokenizer_count_spaced(str_format(mem, " %.*s", STR_ARG(text)), &bare);
            separate++;
            for (size_t i = 0; i < ROWS(after); i++) {
                size_t rest = tokenizer_count(str_of(after[i]));
                assert_int_equal(count_of(mem, "likes ", text, after[i]), 1 + spaced + rest);
                assert_int_equal(count_of(mem, "1, ", text, after[i]), 2 + spaced + rest);
                assert_int_equal(count_of(mem, "\",\"", text, after[i]), 1 + bare + rest);
            }
        }
        arena_free(mem);
    }
    assert_true(separate > 1000);
    assert_false(tokenizer_is_separate(STR("")));
    assert_false(tokenizer_is_separate(STR("a!")));
    assert_false(tokenizer_is_separate(STR("(a")));
    assert_false(tokenizer_is_separate(STR("e\u0301")));
    assert_true(tokenizer_is_separate(STR("東")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_match_tiktoken),
        cmocka_unit_test(unusual_texts_match_tiktoken),
        cmocka_unit_test(three_special_characters_match_tiktoken),
        cmocka_unit_test(long_runs_are_counted),
        cmocka_unit_test(series_count_like_single_texts),
        cmocka_unit_test(separate_texts_add_up),
    };
    return cmocka_run_group_tests_name("tokenizer/tokenizer", tests, NULL, NULL);
}
