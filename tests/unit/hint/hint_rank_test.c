/* Selection and order of facts. */
#include "unit/hint/hint_kit.h"

#include "base/buf.h"
#include "hint/hint_rank.h"

/* "likes: a, b; dislikes: c" */
static struct str
ranking(struct arena *mem, const struct atom *atoms, size_t count)
{
    struct ranked *facts = NULL;
    struct buf out = buf_in(mem, 10000);
    size_t kept = hint_rank(mem, hint_kit_fare(mem), atoms, count, &facts);
    for (size_t i = 0; i < kept; i++) {
        bool same = i > 0 && facts[i].member == facts[i - 1].member;
        buf_add_c(&out, same ? ", " : i > 0 ? "; " : "");
        if (!same)
            buf_add_format(&out, "%.*s: ", STR_ARG(facts[i].member->name));
        buf_add(&out, (struct str){ facts[i].atom->value.ptr + 1, facts[i].atom->value.len - 2 });
    }
    return buf_str(&out);
}

struct row {
    const char *why, *facts, *expected;
};

/* Forward and reversed: the order of the input does not matter. */
static void
check(const struct row *rows, size_t count)
{
    struct arena *mem = arena_new();
    for (size_t i = 0; i < count; i++) {
        struct atom *atoms = NULL;
        size_t found = hint_kit_atoms(mem, hint_kit_fare(mem), rows[i].facts, &atoms);
        assert_str(ranking(mem, atoms, found), str_of(rows[i].expected), rows[i].why);
        for (size_t a = 0; a < found / 2; a++) {
            struct atom other = atoms[a];
            atoms[a] = atoms[found - 1 - a];
            atoms[found - 1 - a] = other;
        }
        assert_str(ranking(mem, atoms, found), str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

static void
the_best_fact_comes_first(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "nothing", "", "" },
        { "members in the definition's order", "dislikes me 0 a | likes me 0 b",
          "likes: b; dislikes: a" },
        { "the person's own in the person's order", "likes me 9 c | likes me 0 a | likes me 5 b",
          "likes: c, a, b" },
        { "before any app's", "likes 3 9 a | likes me 0 b", "likes: b, a" },
        { "what more apps say", "likes 1 0 a | likes 3 0 c | likes 2 0 b", "likes: c, b, a" },
        { "a third app and a ninth are one", "likes 3 0 b | likes 9 0 a", "likes: a, b" },
        { "what is newer", "likes 1 0 a | likes 1 40 c | likes 1 20 b", "likes: c, b, a" },
        { "two apps and a month against one today", "likes 1 30 a | likes 2 5 b", "likes: b, a" },
        { "two apps and two months against one today", "likes 1 70 a | likes 2 10 b",
          "likes: a, b" },
        { "of a single value the person's", "diet 3 90 raw | diet me 0 vegan", "diet: vegan, raw" },
        { "then the latest", "diet me 0 raw | diet me 3 vegan", "diet: vegan, raw" },
    };
    check(rows, ROWS(rows));
}

static void
faded_facts_are_left_out(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "0.8 of 0.438 is kept", "likes 1 0 a | says me 234 now", "likes: a; says: now" },
        { "0.8 of 0.437 is not", "likes 1 0 a | says me 250 now", "says: now" },
        { "two apps are kept longer", "likes 2 0 a | says me 250 now", "likes: a; says: now" },
        { "one who agrees with the floor is not", "likes 1 0 a | says me 9999 now", "says: now" },
        { "the person's own always", "likes me 0 a | says me 9999 now", "likes: a; says: now" },
        { "what is critical does not fade", "allergies 1 0 a | says me 9999 now",
          "allergies: a; says: now" },
        { "what has no half-life neither", "diet 1 0 raw | says me 9999 now",
          "diet: raw; says: now" },
        { "what was suppressed is not the newest", "likes 1 0 a | says -me 9999 now", "likes: a" },
        { "what is held neither", "likes 1 0 a | says ?me 9999 now", "likes: a" },
    };
    check(rows, ROWS(rows));
}

static void
contradictions_are_resolved(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "the one who avoids", "likes me 0 a | dislikes me 0 a", "dislikes: a" },
        { "another spelling is the same", "likes me 0 Blue Cheese | dislikes me 0 blue_cheese",
          "dislikes: blue_cheese" },
        { "what the person said", "likes me 0 a | dislikes 3 9 a", "likes: a" },
        { "… on either side", "likes 3 9 a | dislikes me 0 a", "dislikes: a" },
        { "what is newer", "likes me 1 a | dislikes me 0 a", "likes: a" },
        { "… of apps", "likes 1 0 a | dislikes 1 1 a", "dislikes: a" },
        { "critical facts win, whatever their source", "likes me 9 a | allergies 1 0 a",
          "allergies: a" },
        { "suppressed ones contradict nothing", "likes me 0 a | dislikes -me 0 a", "likes: a" },
        { "each pair by itself", "likes me 9 a | dislikes 1 0 a | allergies 1 0 a",
          "allergies: a" },
        { "only the same value", "likes me 0 a, b | dislikes me 0 a", "likes: a, b; dislikes: a" },
        { "not in members that say nothing of each other", "says me 0 a | dislikes me 0 a",
          "dislikes: a; says: a" },
    };
    check(rows, ROWS(rows));
}

static void
scores_are_integers(void **state)
{
    (void)state;
    static const struct {
        const char *why, *facts;
        int32_t expected;
    } rows[] = {
        { "the person's, today", "likes me 0 a", 65536 },
        { "one app's", "likes 1 0 a", 52428 },
        { "two apps'", "likes 2 0 a", 62914 },
        { "three apps'", "likes 3 0 a", 64880 },
        { "half of 0.7 and 0.3 after a half-life", "likes me 0 a | likes me 100 b", 42598 },
        { "a quarter after two", "likes me 0 a | likes me 200 b", 31129 },
        { "never below 0.3", "likes me 0 a | likes me 90000 b", 19661 },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct ranked *facts = NULL;
        struct atom *atoms = NULL;
        size_t count = hint_kit_atoms(mem, hint_kit_fare(mem), rows[i].facts, &atoms);
        assert_row(hint_rank(mem, hint_kit_fare(mem), atoms, count, &facts) == count, rows[i].why);
        assert_row(facts[0].score == rows[i].expected, rows[i].why);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_fact_comes_first),
        cmocka_unit_test(faded_facts_are_left_out),
        cmocka_unit_test(contradictions_are_resolved),
        cmocka_unit_test(scores_are_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
