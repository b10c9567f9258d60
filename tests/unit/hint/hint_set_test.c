/* Hint sets: token counts and the stored form. */
#include "unit/hint/hint_kit.h"

#include "base/buf.h"
#include "hint/hint_set_text.h"
#include "domain/terms.h"
#include "hint/hint_words.h"
#include "tokenizer/tokenizer.h"

#define EVERYTHING                                                                           \
    "allergies me 0 nuts | allergies 1 3 shellfish | allergies 2 5 C++ | diet me 0 vegan | " \
    "likes me 0 a | likes me 0 Wham! | likes 1 9 c, d | likes 1 9 \"e\" | likes 1 9 \\ | "   \
    "dislikes me 0 x | says me 0 I \"eat\". | says 1 9 So do I. | spice me 0 mild | "        \
    "table me 0 {`by`:`Ada`,`set_for`:2}"

/* ---- lengths ---- */

static void
lists_have_the_expected_lengths(void **state)
{
    (void)state;
    static const struct {
        const char *why, *facts, *expected;
    } rows[] = {
        { "one value", "likes me 0 a", "1" },
        { "never \"and 1 more\"", "likes me 0 a | likes me 0 b", "2" },
        { "from the base on", "likes me 0 a | likes me 0 b | likes me 0 c", "1 3" },
        { "to all, faster after the most",
          "likes me 0 a | likes me 0 b | likes me 0 c | likes me 0 d | likes me 0 e | likes me 0 f",
          "1 2 3 4 6" },
        { "all rather than \"and 1 more\"",
          "likes me 0 a | likes me 0 b | likes me 0 c | likes me 0 d | likes me 0 e", "1 2 3 5" },
        { "what is critical from one to all", "allergies me 0 a | allergies me 0 b", "2" },
        { "… whatever the definition says",
          "allergies me 0 a | allergies me 0 b | allergies me 0 c | allergies me 0 d", "1 2 4" },
        { "a single value has one", "diet me 0 vegan | diet 1 0 raw", "1" },
        { "a sentence each has one", "says me 0 a | says me 0 b", "1" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct hint_set set = hint_kit_set(mem, hint_kit_fare(mem), rows[i].facts);
        struct buf out = buf_in(mem, 1000);
        for (size_t l = 0; l < set.hints[0].level_count; l++)
            buf_add_format(&out, "%s%d", l > 0 ? " " : "", set.hints[0].levels[l].items);
        assert_str(buf_str(&out), str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

static struct str
many(struct arena *mem, const char *member, int count)
{
    struct buf out = buf_in(mem, 1000000);
    for (int i = 0; i < count; i++)
        buf_add_format(&out, "%s%s me 0 value %d", i > 0 ? " | " : "", member, i);
    return str_of(str_c(mem, buf_str(&out)));
}

static void
long_critical_lists_double(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    struct hint_set set = hint_kit_set(mem, domain, many(mem, "allergies", 300).ptr);
    const struct hint *hint = &set.hints[0];
    assert_int_equal(hint->total, 300);
    assert_int_equal(hint->levels[63].items, 64);
    assert_int_equal(hint->levels[64].items, 128);
    assert_int_equal(hint->levels[hint->level_count - 1].items, 300);
    arena_free(mem);
}

static void
the_best_200_statements_have_a_hint_each(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    assert_int_equal(hint_kit_set(mem, domain, many(mem, "says", 150).ptr).count, 150);
    assert_int_equal(hint_kit_set(mem, domain, many(mem, "says", 300).ptr).count, 200);
    arena_free(mem);
}

static void
a_number_without_a_sentence_has_no_hint(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = domains_find(hint_kit_domains(mem), STR("tunes"));
    assert_int_equal(hint_kit_set(mem, domain, "years me 0 1").count, 1);
    assert_int_equal(hint_kit_set(mem, domain, "years me 0 2").count, 0);
    arena_free(mem);
}

/* ---- counts ---- */

static void
assert_counted(struct buf *line, int last, int with_end)
{
    assert_int_equal(tokenizer_count(buf_str(line)), last);
    buf_add_char(line, '\n');
    assert_int_equal(tokenizer_count(buf_str(line)), with_end);
    line->len = 0;
}

static void
token_counts_equal_the_written_lengths(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct hint_set set = hint_kit_set(mem, hint_kit_fare(mem), EVERYTHING);
    struct buf line = buf_in(mem, 10000);
    for (size_t i = 0; i < set.count; i++) {
        const struct hint *hint = &set.hints[i];
        for (size_t l = 0; l < hint->level_count; l++) {
            const struct hint_level *level = &hint->levels[l];
            const int *tokens = level->tokens;
            hint_sentence(&line, hint, level->items, false);
            assert_counted(&line, tokens[COUNT_TEXT_LAST], tokens[COUNT_TEXT]);
            hint_sentence(&line, hint, level->items, true);
            assert_counted(&line, tokens[COUNT_STRONG_LAST], tokens[COUNT_STRONG]);
            hint_bullet(&line, hint, level->items);
            assert_counted(&line, tokens[COUNT_BULLET_LAST], tokens[COUNT_BULLET]);
        }
    }
    arena_free(mem);
}

/* ---- stored form ---- */

static void
stored_hint_sets_are_read_back_unchanged(void **state)
{
    (void)state;
    static const char *const people[] = { EVERYTHING, "", "likes me 0 a", "allergies 1 0 nuts" };
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    for (size_t i = 0; i < ROWS(people); i++) {
        struct hint_set set = hint_kit_set(mem, domain, people[i]), read;
        struct str text = hint_set_write(mem, &set);
        assert_true(hint_set_read(mem, domain, text, &read));
        assert_int_equal(read.count, set.count);
        assert_str(hint_set_write(mem, &read), text, people[i]);
        for (size_t h = 0; h < set.count; h++) {
            struct buf a = buf_in(mem, 10000), b = buf_in(mem, 10000);
            int items = set.hints[h].levels[0].items;
            hint_open(mem, &read.hints[h], items);
            hint_bullet(&a, &set.hints[h], items);
            hint_bullet(&b, &read.hints[h], items);
            assert_str(buf_str(&b), buf_str(&a), people[i]);
        }
    }
    arena_free(mem);
}

static void
a_hint_set_of_another_definition_is_rejected(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    struct hint_set set = hint_kit_set(mem, domain, EVERYTHING), read;
    struct domain changed = *domain;
    changed.digest = STR("0123");
    assert_false(hint_set_read(mem, &changed, hint_set_write(mem, &set), &read));
    assert_false(hint_set_read(mem, domain, STR_NONE, &read));
    assert_false(hint_set_read(mem, domain, STR(""), &read));
    arena_free(mem);
}

static void
a_truncated_hint_set_is_rejected(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    struct hint_set set = hint_kit_set(mem, domain, EVERYTHING), read;
    struct str text = hint_set_write(mem, &set);
    for (size_t length = 0; length < text.len; length++) {
        struct str cut = str_copy(
            mem,
            str_first(text, length)); /* an exact copy, so that reading past its end is detected */
        assert_false(hint_set_read(mem, domain, cut, &read));
    }
    arena_free(mem);
}

static void
tell_all(struct arena *mem, struct hint_set *set)
{
    struct buf line = buf_in(mem, 100000);
    for (size_t h = 0; h < set->count; h++) {
        struct terms terms = { .count = 1 };
        int wanted;
        hint_open(mem, &set->hints[h], set->hints[h].total);
        hint_match(&set->hints[h], &terms, 0, &wanted);
        for (size_t l = 0; l < set->hints[h].level_count; l++)
            hint_tokens(&set->hints[h], l, COUNT_STRONG);
        hint_sentence(&line, &set->hints[h], set->hints[h].total, true);
    }
}

static const char changes[] = { '\n', ' ', '-', '9', '0', 'x', '\t', '"', '\0', '?', '@', '~' };

/* Rejected, or read as a hint set that can be used. */
static void
a_damaged_hint_set_is_read_safely(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    struct hint_set set = hint_kit_set(mem, domain, EVERYTHING), read;
    struct str text = hint_set_write(mem, &set);
    struct str empty = hint_set_prefix(mem, domain, STR(""));
    struct str contents = str_from(text, empty.len);
    size_t read_count = 0;
    assert_str(hint_set_prefix(mem, domain, contents), text, "the prefix comes first");
    for (size_t i = 0; i < contents.len * ROWS(changes); i++) {
        struct arena *once = arena_new();
        struct str changed = str_copy(once, contents);
        ((char *)changed.ptr)[i / ROWS(changes)] = changes[i % ROWS(changes)];
        if (hint_set_read(once, domain, hint_set_prefix(once, domain, changed), &read)) {
            tell_all(once, &read);
            read_count++;
        }
        arena_free(once);
    }
    assert_true(read_count > 0);
    for (size_t length = 0; length < contents.len; length++) {
        struct str cut = hint_set_prefix(mem, domain, str_first(contents, length));
        assert_false(hint_set_read(mem, domain, str_copy(mem, cut), &read));
    }
    arena_free(mem);
}

/* Counts are stored with as many digits as the largest needs. */
static void
large_numbers_and_long_texts_are_read_back_unchanged(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    struct buf summary = buf_in(mem, 10000);
    for (int i = 0; i < 28; i++)
        buf_add_c(&summary, i == 0 ? "says me 0 \u6771\u4EAC" : ", \u6771\u4EAC\u4E8B");
    const char *people[] = { many(mem, "allergies", 1500).ptr, str_c(mem, buf_str(&summary)) };
    for (size_t i = 0; i < ROWS(people); i++) {
        struct hint_set set = hint_kit_set(mem, domain, people[i]), read;
        assert_true(hint_set_read(mem, domain, hint_set_write(mem, &set), &read));
        const struct hint *made = &set.hints[0], *hint = &read.hints[0];
        hint_open(mem, &read.hints[0], made->total);
        assert_int_equal(hint->level_count, made->level_count);
        assert_int_equal(hint->is_long, made->is_long);
        assert_int_equal(made->is_long, i == 1);
        for (size_t l = 0; l < hint->level_count; l++)
            for (int c = 0; c < COUNTS; c += 2) {
                struct hint_pair pair = hint_tokens(hint, l, (enum hint_count)c);
                assert_int_equal(pair.first, made->levels[l].tokens[c]);
                assert_int_equal(pair.second, made->levels[l].tokens[c + 1]);
            }
        for (int v = 0; v < hint->total; v++)
            assert_str(hint->values[v].shown, made->values[v].shown, people[i]);
    }
    arena_free(mem);
}

/* ---- updates ---- */

static struct str
renamed(void *source, struct arena *mem, struct str app_id)
{
    (void)source;
    return str_format(mem, "New %.*s", STR_ARG(app_id));
}

/* An update gives the same text as making the set again, whichever members changed. */
static void
an_update_equals_a_new_hint_set(void **state)
{
    (void)state;
    static const struct {
        const char *why, *before, *after, *changed;
        bool rename;
    } rows[] = {
        { "nothing changed", EVERYTHING, EVERYTHING, "", false },
        { "a value more", EVERYTHING, EVERYTHING " | likes me 40 jam", "likes", false },
        { "older facts lose", "diet 1 0 raw | likes 1 0 a", "diet 1 0 raw | likes 1 90 a", "likes",
          false },
        { "another value of one", "diet me 0 raw | likes me 0 a", "diet me 0 vegan | likes me 0 a",
          "diet", false },
        { "a fact that another member contradicts",
          "likes me 0 nuts | likes me 0 jam | diet me 0 x",
          "likes me 0 nuts | likes me 0 jam | diet me 0 x | allergies me 0 nuts", "allergies",
          false },
        { "… and no longer", "likes me 0 nuts | likes me 0 jam | allergies me 0 nuts",
          "likes me 0 nuts | likes me 0 jam", "allergies", false },
        { "a statement more", "says me 0 a | says me 1 b | diet me 0 x",
          "says me 0 a | says me 1 b | diet me 0 x | says me 2 c", "says", false },
        { "confirmed by the user", "says 1@app_a 0 eat this | diet me 0 x",
          "says me 0 eat this | diet me 0 x", "says", false },
        { "another app", "likes 1@app_a 0 a | diet 1@app_a 0 x",
          "likes 1@app_b 0 a | diet 1@app_a 0 x", "", false },
        { "an app with another name",
          "allergies 1@app_a 0 nuts | says 1@app_a 0 I eat. | likes me 0 a",
          "allergies 1@app_a 0 nuts | says 1@app_a 0 I eat. | likes me 0 a", "", true },
        { "a value that needs quotation marks", "likes me 0 a | likes me 0 b",
          "likes me 0 a | likes me 0 b | likes me 1 <system> x", "likes", false },
        { "it stays", "likes me 0 a | likes me 0 b | likes me 1 <system> x",
          "likes me 0 a | likes me 0 b | likes me 1 <system> x | likes me 2 c", "likes", false },
        { "items of an app that read on", "likes 1@app_a 0 a | likes 1@app_a 0 b",
          "likes 1@app_a 0 a | likes 1@app_a 0 b | likes 1@app_a 0 and ignore", "likes", false },
        { "… and no longer", "likes 1@app_a 0 a | likes 1@app_a 0 b | likes 1@app_a 0 and ignore",
          "likes 1@app_a 0 a | likes 1@app_a 0 b", "likes", false },
        { "the user's words, then an app's", "likes me 0 send it now | likes me 0 b",
          "likes 1@app_a 0 send it now | likes me 0 b", "likes", false },
        { "everything deleted", EVERYTHING, "", "", false },
        { "the first facts", "", EVERYTHING, "", false },
    };
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct app_names names = { rows[i].rename ? renamed : hint_kit_name, NULL };
        struct hint_set made = hint_kit_set(mem, domain, rows[i].before), before, again, updated;
        assert_true(hint_set_read(mem, domain, hint_set_write(mem, &made), &before));
        bool *changed = ARENA_ARRAY(mem, bool, domain->member_count);
        const struct member *member = domain_member(domain, str_of(rows[i].changed));
        if (member != NULL)
            changed[member - domain->members] = true;
        struct atom *atoms = NULL;
        size_t count = hint_kit_atoms(mem, domain, rows[i].after, &atoms);
        hint_set_make(mem, domain, atoms, count, &names, &again);
        hint_set_update(mem, &before, changed, atoms, count, &names, &updated);
        assert_str(hint_set_write(mem, &updated), hint_set_write(mem, &again), rows[i].why);
    }
    arena_free(mem);
}

/* Hints that stay the same are not made again. */
static void
an_update_keeps_hints_of_other_members(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    struct app_names names = { hint_kit_name, NULL };
    struct hint_set made = hint_kit_set(mem, domain, EVERYTHING), before, updated;
    struct str text = hint_set_write(mem, &made);
    assert_true(hint_set_read(mem, domain, text, &before));
    bool *changed = ARENA_ARRAY(mem, bool, domain->member_count);
    const struct member *likes = domain_member(domain, STR("likes"));
    changed[likes - domain->members] = true;
    struct atom *atoms = NULL;
    size_t count = hint_kit_atoms(mem, domain, EVERYTHING, &atoms);
    hint_set_update(mem, &before, changed, atoms, count, &names, &updated);
    for (size_t i = 0; i < updated.count; i++)
        assert_int_equal(str_present(updated.hints[i].encoded), updated.hints[i].member != likes);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_the_expected_lengths),
        cmocka_unit_test(long_critical_lists_double),
        cmocka_unit_test(the_best_200_statements_have_a_hint_each),
        cmocka_unit_test(a_number_without_a_sentence_has_no_hint),
        cmocka_unit_test(token_counts_equal_the_written_lengths),
        cmocka_unit_test(stored_hint_sets_are_read_back_unchanged),
        cmocka_unit_test(a_hint_set_of_another_definition_is_rejected),
        cmocka_unit_test(a_truncated_hint_set_is_rejected),
        cmocka_unit_test(a_damaged_hint_set_is_read_safely),
        cmocka_unit_test(large_numbers_and_long_texts_are_read_back_unchanged),
        cmocka_unit_test(an_update_equals_a_new_hint_set),
        cmocka_unit_test(an_update_keeps_hints_of_other_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
