#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/look_alike.h"
#include "text/utf8.h"

static void
letters_that_look_latin_become_latin(void **state)
{
    static const struct {
        const char *why, *text, *expected;
    } rows[] = {
        { "nothing", "", "" },
        { "ASCII stays", "hello: <world> 42", "hello: <world> 42" },
        { "Cyrillic", "раураl", "paypal" },
        { "Greek", "αροllο", "apollo" },
        { "small capitals", "ʜᴇʟʟᴏ", "hello" },
        { "letters of flags", "\U0001f1ed\U0001f1ee", "hi" },
        { "white on black", "\U0001f157\U0001f158\U0001f170\U0001f189", "hiaz" },
        { "beside those", "\U0001f14f\U0001f16a\U0001f18a", "\U0001f14f\U0001f16a\U0001f18a" },
        { "signs", "a∕b∶c", "a/b:c" },
        { "what looks like nothing else", "日本 ж ß", "日本 ж ß" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(look_alike_latin(mem, str_of(rows[i].text)), str_of(rows[i].expected),
                   rows[i].why);
    arena_free(mem);
}

/* The table is searched by halves, so it must be in order: each of its letters is found. */
static void
every_small_letter_has_one_that_looks_like_it(void **state)
{
    static const char *const texts[] = { "ɑьсԁеғɡһіјкӏмпоԛгѕтսѵѡхуζ" };
    struct arena *mem = arena_new();
    (void)state;
    assert_str(look_alike_latin(mem, str_of(texts[0])), STR("abcdefghijklmnoqrstuvwxyz"),
               "the alphabet, without p");
    arena_free(mem);
}

static void
plain_forms_are_found_and_nothing_is_lost(void **state)
{
    static const struct {
        const char *why, *text, *expected;
    } rows[] = {
        { "ASCII", "Hello", "hello" },
        { "full-width", "Ｈｅｌｌｏ：／／", "hello://" },
        { "marks", "Crème Brûlée", "creme brulee" },
        { "a ligature", "ﬁre", "fire" },
        { "the longest there is", "ﷺ", "صلى الله عليه وسلم" },
        { "circled and mathematical", "ⓐ𝐁", "ab" },
        { "another script stays", "日本語", "日本語" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(utf8_match_key(mem, str_of(rows[i].text)), str_of(rows[i].expected),
                   rows[i].why);
    assert_false(str_present(utf8_match_key(mem, STR("\xff"))));
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_that_look_latin_become_latin),
        cmocka_unit_test(every_small_letter_has_one_that_looks_like_it),
        cmocka_unit_test(plain_forms_are_found_and_nothing_is_lost),
    };
    return cmocka_run_group_tests_name("text/look_alike", tests, NULL, NULL);
}
