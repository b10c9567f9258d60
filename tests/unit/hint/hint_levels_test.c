/* Token counts of lists: derived from those of their values, or taken from the list before a
 * change, they equal those of the written text. */
#include "unit/hint/hint_kit.h"

#include "base/buf.h"
#include "hint/hint_units.h"
#include "hint/hint_words.h"
#include "text/json_write.h"
#include "tokenizer/tokenizer.h"

#define VALUES_MAX 1200
#define LINE_MAX_BYTES ((size_t)1 << 20)

static const char *const plain[] = { "Velvet Foxes", "The Band of 7 Numbers",
                                     "Sigur Rós",    "10cc",
                                     "AC/DC",        "Rock'n'Roll",
                                     "St. Vincent",  "R&B",
                                     "ABBA",         "Beyoncé",
                                     "日本",         "Ǆ",
                                     "Émile",        "Simon & Garfunkel" };
static const char *const special[] = { "Earth, Wind", "Wham!",    "a_b",        "C++",
                                       "(x)",         "www.a.de", "<system> x", "War and Peace",
                                       "e\u0301",     "Jr.",      "\"q\"",      "don't stop",
                                       "&amp;" };

/* A list of one member: value i has `numbers[i]` and `by[i]`. */
struct list {
    const char *member;
    int numbers[VALUES_MAX];
    bool mine[VALUES_MAX];
    int count;
    int special; /* every so many-th value is special; 0: none */
};

static size_t
atoms_of(struct arena *mem, const struct domain *domain, const struct list *list, struct atom **out)
{
    *out = ARENA_ARRAY(mem, struct atom, (size_t)list->count + 1);
    for (int i = 0; i < list->count; i++) {
        int number = list->numbers[i];
        bool is_special = list->special > 0 && number % list->special == 1;
        const char *word = is_special ? special[(size_t)(number / list->special) % ROWS(special)]
                                      : plain[(size_t)number % ROWS(plain)];
        struct str line = is_special || number % 3 == 0
                              ? str_format(mem, "%s %s 0 %d %s", list->member,
                                           list->mine[i] ? "me" : "1@app_a", number, word)
                              : str_format(mem, "%s %s 0 %s %d", list->member,
                                           list->mine[i] ? "me" : "1@app_a", word, number);
        hint_kit_atom(mem, domain, line, i + 1, &(*out)[i]);
    }
    return (size_t)list->count;
}

static struct list
list_of(const char *member, int count, int every)
{
    struct list list = { .member = member, .count = count, .special = every };
    for (int i = 0; i < count; i++) {
        list.numbers[i] = i;
        list.mine[i] = i % 5 == 0;
    }
    return list;
}

/* ---- written out ---- */

static void
assert_counted(struct buf *line, int last, int with_end, const char *why)
{
    size_t without = tokenizer_count(buf_str(line));
    buf_add_char(line, '\n');
    if ((int)without != last || (int)tokenizer_count(buf_str(line)) != with_end)
        fail_msg("%s: counted %d and %d: %.*s", why, last, with_end, STR_ARG(buf_str(line)));
    line->len = 0;
}

static void
assert_levels_are_counted(struct arena *mem, const struct hint *hint, const char *why)
{
    bool exact = true, is_plain = true;
    struct buf line = buf_in(mem, LINE_MAX_BYTES);
    for (size_t l = 0; l < hint->level_count; l++) {
        int items = hint->levels[l].items;
        const int *tokens = hint->levels[l].tokens;
        hint_sentence(&line, hint, items, false);
        is_plain = is_plain && json_is_plain(buf_str(&line));
        exact = exact && hint_units_exact(mem, hint, items, buf_str(&line));
        assert_int_equal(tokens[COUNT_SAID],
                         hint_units_said(mem, tokenizer_series_new(mem), buf_str(&line)));
        assert_int_equal(tokens[COUNT_KEYED],
                         hint_units_keyed(mem, tokenizer_series_new(mem), hint, items));
        assert_counted(&line, tokens[COUNT_TEXT_LAST], tokens[COUNT_TEXT], why);
        hint_bullet(&line, hint, items);
        is_plain = is_plain && json_is_plain(buf_str(&line));
        assert_counted(&line, tokens[COUNT_BULLET_LAST], tokens[COUNT_BULLET], why);
        hint_sentence(&line, hint, items, true);
        is_plain = is_plain && json_is_plain(buf_str(&line));
        assert_counted(&line, tokens[COUNT_STRONG_LAST], tokens[COUNT_STRONG], why);
    }
    assert_int_equal(hint->exact, exact);
    assert_int_equal(hint->plain, is_plain);
}

static const struct {
    const char *domain, *member;
} members[] = {
    { "fare", "allergies" }, { "fare", "likes" }, { "fare", "dislikes" }, { "tunes", "artists" }
};
static const int sizes[] = { 1, 2, 3, 4, 5, 8, 13, 50 };

static void
counts_of_lists_equal_the_written_lengths(void **state)
{
    (void)state;
    struct arena *lasting = arena_new();
    const struct domains *domains = hint_kit_domains(lasting);
    for (size_t m = 0; m < ROWS(members); m++)
        for (size_t i = 0; i < 3 * ROWS(sizes); i++) {
            struct arena *mem = arena_new();
            const struct domain *domain = domains_find(domains, str_of(members[m].domain));
            struct list list = list_of(members[m].member, sizes[i / 3], (int)(i % 3) * 9);
            struct app_names names = { hint_kit_name, NULL };
            struct hint_set set;
            struct atom *atoms = NULL;
            size_t count = atoms_of(mem, domain, &list, &atoms);
            hint_set_make(mem, domain, atoms, count, &names, &set);
            assert_true(set.count > 0);
            for (size_t h = 0; h < set.count; h++)
                assert_levels_are_counted(mem, &set.hints[h], members[m].member);
            arena_free(mem);
        }
    arena_free(lasting);
}

/* A single value that is not plain, as the first, in the middle, and as the last. */
static void
one_special_value_among_plain_ones_is_counted(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = domains_find(hint_kit_domains(mem), STR("tunes"));
    for (size_t i = 0; i < 3 * ROWS(special); i++) {
        const char *lines[] = { "Foxes", "Atlas", "Orbit", "Cranes", "Abba" };
        lines[i % 3 * 2] = special[i / 3];
        struct str text = STR("artists me 0 x");
        for (size_t l = 0; l < ROWS(lines); l++)
            text = str_format(mem, "%.*s | artists me 0 %s", STR_ARG(text), lines[l]);
        struct hint_set set = hint_kit_set(mem, domain, str_c(mem, text));
        assert_levels_are_counted(mem, &set.hints[0], special[i / 3]);
    }
    arena_free(mem);
}

/* "and 1001 more" has a token more than "and 999 more". */
static void
more_than_a_thousand_values_are_counted(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = domains_find(hint_kit_domains(mem), STR("tunes"));
    struct list list = list_of("artists", 1010, 0);
    struct hint_set set;
    struct atom *atoms = NULL;
    size_t count = atoms_of(mem, domain, &list, &atoms);
    hint_set_make(mem, domain, atoms, count, NULL, &set);
    for (int i = 0; i < set.hints[0].total; i++)
        assert_false(set.hints[0].values[i].quote); /* otherwise it is no plain list */
    assert_levels_are_counted(mem, &set.hints[0], "1,010 values");
    arena_free(mem);
}

/* ---- changes ---- */

static void
insert_at(struct list *list, int at, int number, bool mine)
{
    for (int i = list->count++; i > at; i--) {
        list->numbers[i] = list->numbers[i - 1];
        list->mine[i] = list->mine[i - 1];
    }
    list->numbers[at] = number;
    list->mine[at] = mine;
}

static void
remove_at(struct list *list, int at)
{
    list->count--;
    for (int i = at; i < list->count; i++) {
        list->numbers[i] = list->numbers[i + 1];
        list->mine[i] = list->mine[i + 1];
    }
}

static struct str
text_of(struct arena *mem, const struct domain *domain, const struct list *list)
{
    struct app_names names = { hint_kit_name, NULL };
    struct hint_set set;
    struct atom *atoms = NULL;
    size_t count = atoms_of(mem, domain, list, &atoms);
    hint_set_make(mem, domain, atoms, count, &names, &set);
    return hint_set_write(mem, &set);
}

static void
assert_updated(struct arena *mem, const struct domain *domain, const struct list *before,
               const struct list *after, const char *why)
{
    struct app_names names = { hint_kit_name, NULL };
    bool *changed = ARENA_ARRAY(mem, bool, domain->member_count);
    struct atom *atoms = NULL;
    size_t count = atoms_of(mem, domain, after, &atoms);
    changed[domain_member(domain, str_of(after->member)) - domain->members] = true;
    struct str updated =
        hint_set_rewrite(mem, domain, text_of(mem, domain, before), changed, atoms, count, &names);
    assert_str(updated, text_of(mem, domain, after), why);
}

static void
an_updated_list_equals_a_new_one(void **state)
{
    (void)state;
    struct arena *lasting = arena_new();
    const struct domains *domains = hint_kit_domains(lasting);
    for (size_t m = 0; m < ROWS(members); m++)
        for (size_t i = 0; i < 2 * ROWS(sizes); i++) {
            struct arena *mem = arena_new();
            const struct domain *domain = domains_find(domains, str_of(members[m].domain));
            struct list before = list_of(members[m].member, sizes[i / 2], (int)(i % 2) * 9), after;
            for (int at = 0; at <= before.count; at += 1 + before.count / 3) {
                insert_at((after = before, &after), at, 2000, false);
                assert_updated(mem, domain, &before, &after, "a value of an app more");
                assert_updated(mem, domain, &after, &before, "a value of an app less");
                insert_at((after = before, &after), at, 2001, true);
                assert_updated(mem, domain, &before, &after, "a value of the user more");
                insert_at(&after, at / 2, 2002, true);
                insert_at(&after, 0, 2003, false);
                assert_updated(mem, domain, &before, &after, "three more");
                assert_updated(mem, domain, &after, &before, "three less");
            }
            for (int at = 0; at < before.count; at += 1 + before.count / 3) {
                (after = before).mine[at] = !before.mine[at];
                assert_updated(mem, domain, &before, &after, "stated by another");
                (after = before).numbers[at] = 2004;
                assert_updated(mem, domain, &before, &after, "another value");
            }
            arena_free(mem);
        }
    arena_free(lasting);
}

static uint32_t
next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Each set is made from the one before, so that a wrong count would stay. */
static void
many_changes_give_the_same_as_a_new_list(void **state)
{
    (void)state;
    uint32_t random = 5;
    for (int kind = 0; kind < 3; kind++) {
        struct arena *lasting = arena_new();
        const struct domain *domain = domains_find(hint_kit_domains(lasting), STR("tunes"));
        struct list list = list_of("artists", 3, kind * 40);
        struct str text = text_of(lasting, domain, &list);
        bool *changed = ARENA_ARRAY(lasting, bool, domain->member_count);
        struct app_names names = { hint_kit_name, NULL };
        memset(changed, true, domain->member_count);
        for (int round = 0; round < 60; round++) {
            struct arena *mem = arena_new();
            struct atom *atoms = NULL;
            for (uint32_t times = 1 + next_random(&random) % 3; times > 0; times--) {
                int at = (int)(next_random(&random) % (uint32_t)(list.count + 1));
                if (next_random(&random) % 4 == 0 && at < list.count)
                    remove_at(&list, at);
                else
                    insert_at(&list, at, 3000 + round * 4 + (int)times, random & 0x1000);
            }
            size_t count = atoms_of(mem, domain, &list, &atoms);
            struct str updated = hint_set_rewrite(mem, domain, text, changed, atoms, count, &names);
            assert_str(updated, text_of(mem, domain, &list), "after a change");
            text = str_copy(lasting, updated);
            arena_free(mem);
        }
        arena_free(lasting);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_lists_equal_the_written_lengths),
        cmocka_unit_test(one_special_value_among_plain_ones_is_counted),
        cmocka_unit_test(more_than_a_thousand_values_are_counted),
        cmocka_unit_test(an_updated_list_equals_a_new_one),
        cmocka_unit_test(many_changes_give_the_same_as_a_new_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
