/* Token counts of parts of a JSON object: never lower than what they add to an object. */
#include "unit/hint/hint_kit.h"

#include "base/buf.h"
#include "hint/hint_units.h"
#include "text/json_write.h"
#include "tokenizer/tokenizer.h"

static void
the_constants_are_those_of_the_tokenizer(void **state)
{
    (void)state;
    assert_int_equal(tokenizer_count(STR("{\"")), HINT_OBJECT_TOKENS);
    assert_int_equal(tokenizer_count(STR("\",\"")), HINT_MERGE_TOKENS);
    static const struct {
        enum hint_part part;
        const char *open, *close;
    } parts[] = {
        { PART_SENTENCE, "\":\"", ".\"" },
        { PART_ARRAY, "\":[\"", "\"]" },
        { PART_STRING, "\":\"", "\"" },
        { PART_RAW, "\":", "" },
    };
    static const char *const endings[] = { ",\"", "},\"", "}}" };
    struct arena *mem = arena_new();
    assert_int_equal(tokenizer_count(STR("\":{\"")), 1);
    for (size_t i = 0; i < ROWS(parts); i++) {
        assert_int_equal(tokenizer_count(str_of(parts[i].open)), 1);
        for (size_t e = 0; e < ROWS(endings); e++)
            assert_int_equal(tokenizer_count(str_format(mem, "%s%s", parts[i].close, endings[e])),
                             hint_units_close(parts[i].part, (enum hint_ending)e));
    }
    arena_free(mem);
}

/* Which hints have exact counts: those whose ends share no token with the punctuation. */
static void
plain_ends_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *facts;
        bool exact;
    } rows[] = { { "likes me 0 nuts", true },
                 { "likes me 0 nuts | likes me 0 tea with milk", true },
                 { "likes me 0 C++", false },
                 { "likes me 0 .NET", false },
                 { "likes me 0 nuts | likes me 0 Wham!", false },
                 { "likes me 0 \u6771\u4EAC", false } };
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct hint_set set = hint_kit_set(mem, domain, rows[i].facts);
        if (set.hints[0].exact != rows[i].exact)
            fail_msg("%s", rows[i].facts);
    }
    arena_free(mem);
}

/* The whole object costs at most the sum of its parts. */
static void
the_sum_of_parts_is_enough(void **state)
{
    (void)state;
    static const char *const values[] = { "nuts",  "C++", ".NET",
                                          "Wham!", "!!!", "\"e\"",
                                          "\\",    "a/b", "\u6771\u4EAC\u3002",
                                          "x'",    "10 %" };
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    for (size_t i = 0; i < ROWS(values); i++)
        for (size_t j = 0; j < ROWS(values); j++) {
            const char *facts =
                str_c(mem, str_format(mem, "likes me 0 %s%s%s", values[i],
                                      i == j ? "" : " | likes me 0 ", i == j ? "" : values[j]));
            struct hint_set set = hint_kit_set(mem, domain, facts);
            const struct hint *hint = &set.hints[0];
            const struct hint_level *level = &hint->levels[hint->level_count - 1];
            struct buf object = buf_in(mem, 10000);
            struct json json = json_into(&object);
            json_open_object(&json);
            json_key(&json, "fare");
            json_open_object(&json);
            json_put_str(&json, "summary", STR(""));
            json_key(&json, "likes");
            json_open_array(&json);
            for (int v = 0; v < hint->total; v++)
                hint_units_value(&json, &hint->values[v]);
            json_close_array(&json);
            json_close_object(&json);
            json_close_object(&json);
            int sum = HINT_OBJECT_TOKENS + set.name + hint->key_tokens + level->tokens[COUNT_KEYED];
            if ((int)tokenizer_count(buf_str(&object)) > sum)
                fail_msg("%s: %zu tokens instead of at most %d", facts,
                         tokenizer_count(buf_str(&object)), sum);
        }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_constants_are_those_of_the_tokenizer),
        cmocka_unit_test(plain_ends_are_exact),
        cmocka_unit_test(the_sum_of_parts_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
