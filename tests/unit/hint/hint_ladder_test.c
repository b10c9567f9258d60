/* The steps of a ladder: selection, order, growth, and cost. */
#include "unit/hint/hint_kit.h"

#include "base/buf.h"
#include "hint/hint_ladder.h"

struct question {
    const char *fare, *tunes; /* facts */
    const char *context;
    bool named, sensitive;
    enum hint_format format;
    int max_tokens;
};

static void
climb(struct arena *mem, const struct question *asked, struct ladder *out)
{
    const struct domains *domains = hint_kit_domains(mem);
    struct hint_set *hint_sets = ARENA_ARRAY(mem, struct hint_set, 2);
    struct context_match *match = ARENA_NEW(mem, struct context_match);
    struct hint_query query = {
        .hint_sets = hint_sets,
        .set_count = 2,
        .sensitive = asked->sensitive ? 3 : 0,
        .context = match,
        .domains_named = asked->named,
        .format = asked->format,
        .max_tokens = asked->max_tokens > 0 ? asked->max_tokens : 4000,
    };
    hint_sets[0] = hint_kit_set(mem, &domains->list[0], asked->fare == NULL ? "" : asked->fare);
    hint_sets[1] = hint_kit_set(mem, &domains->list[1], asked->tunes == NULL ? "" : asked->tunes);
    if (asked->context != NULL)
        context_find(domains->contexts, str_of(asked->context), match);
    hint_ladder_make(mem, ARENA_NEW(mem, struct hint_query), out); /* no hint sets: no steps */
    assert_int_equal(out->step_count, 0);
    hint_ladder_make(mem, &query, out);
}

/* "allergies diet likes" */
static struct str
order(struct arena *mem, const struct ladder *ladder)
{
    struct buf out = buf_in(mem, 10000);
    for (size_t i = 0; i < ladder->rung_count; i++)
        buf_add_format(&out, "%s%.*s", i > 0 ? " " : "",
                       STR_ARG(ladder->rungs[i].hint->member->name));
    return buf_str(&out);
}

/* "allergies1 allergies2 allergies2! likes1": "!" is with emphasis, "=" with its own key. */
static struct str
steps(struct arena *mem, const struct ladder *ladder)
{
    struct buf out = buf_in(mem, 10000);
    for (size_t i = 0; i < ladder->step_count; i++) {
        const struct step *step = &ladder->steps[i], *before = i > 0 ? step - 1 : NULL;
        const struct hint *hint = ladder->rungs[step->rung].hint;
        bool key = before != NULL && before->rung == step->rung && before->level == step->level &&
                   before->strong == step->strong;
        buf_add_format(&out, "%s%.*s%d%s%s", i > 0 ? " " : "", STR_ARG(hint->member->name),
                       hint->levels[step->level].items, step->strong ? "!" : "", key ? "=" : "");
    }
    return buf_str(&out);
}

#define ALL_FARE                                                                         \
    "table me 0 {`set_for`:2} | spice me 0 mild | says me 0 Hello. | dislikes me 0 x | " \
    "likes me 0 a | diet me 0 vegan | allergies me 0 nuts"
#define ALL_TUNES "loud me 0 true | years me 0 1 | artists me 0 A"
#define LONG_WORDS "q1 w2 e3 r4 t5 y6 u7 i8 o9 p0 a1 s2 d3 f4 g5 h6 j7 k8" /* 36 tokens */

static void
hints_are_ordered_by_importance(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct question asked;
        const char *expected;
    } rows[] = {
        { "nothing", { 0 }, "" },
        { "what is critical, what excludes, then by weight",
          { .fare = ALL_FARE },
          "allergies diet likes dislikes says spice" },
        { "what is sensitive only where it may be",
          { .fare = ALL_FARE, .sensitive = true },
          "allergies diet likes dislikes says spice table" },
        { "domains take turns, the one with the best first",
          { .fare = ALL_FARE, .tunes = ALL_TUNES },
          "allergies artists diet years likes loud dislikes says spice" },
        { "a less founded one later",
          { .fare = "likes 1 0 a | dislikes me 0 x" },
          "dislikes likes" },
        { "a context excludes other domains",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "dinner" },
          "allergies diet likes dislikes says spice" },
        { "but for what keeps safe",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "party" },
          "allergies artists years loud" },
        { "and what hardly matters there",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "picnic" },
          "allergies diet dislikes says spice" },
        { "a context that is not known excludes nothing",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "weather" },
          "allergies artists diet years likes loud dislikes says spice" },
        { "with domains named it only ranks",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "picnic", .named = true },
          "allergies artists diet years dislikes loud says spice likes" },
        { "a long one last in its domain",
          { .fare = "dislikes me 0 x | likes me 0 " LONG_WORDS, .tunes = ALL_TUNES },
          "artists dislikes years likes loud" },
        { "a long critical one first all the same",
          { .fare = "likes me 0 a | allergies me 0 " LONG_WORDS },
          "allergies likes" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct ladder ladder;
        climb(mem, &rows[i].asked, &ladder);
        assert_str(order(mem, &ladder), str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

#define THREE_NUTS "allergies me 0 a | allergies me 0 b | allergies me 0 c"
#define FIVE_LIKES "likes me 0 a | likes me 0 b | likes me 0 c | likes me 0 d | likes me 0 e"
#define SEVEN_ARTISTS                                                                       \
    "artists me 0 A | artists me 0 B | artists me 0 C | artists me 0 D | artists me 0 E | " \
    "artists me 0 F | artists me 0 G"

static void
hints_grow_step_by_step(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct question asked;
        const char *expected;
    } rows[] = {
        { "from the base to the usual, then to the most",
          { .fare = FIVE_LIKES },
          "likes1 likes2 likes3 likes5" },
        { "what is critical at once, before anything else",
          { .fare = THREE_NUTS " | diet me 0 vegan" },
          "allergies1 allergies3 allergies3! diet1" },
        { "at twenty tokens a hint they grow before the next one comes",
          { .fare = "diet me 0 vegan | likes me 0 a | likes me 0 b | likes me 0 c | likes me 0 d" },
          "diet1 likes1 likes2 likes4" },
        { "two lists",
          { .fare = FIVE_LIKES, .tunes = SEVEN_ARTISTS },
          "artists1 artists2 artists3 likes1 likes2 artists4 artists5 artists7 likes3 likes5" },
        { "in JSON a key of its own is a step",
          { .fare = THREE_NUTS " | diet me 0 vegan", .format = HINT_JSON },
          "allergies1 allergies3 allergies3= allergies3! diet1 diet1=" },
        { "no higher than the budget allows",
          { .fare = ALL_FARE, .max_tokens = 40 },
          "allergies1 allergies1! diet1" },
        { "what is critical as high as it goes",
          { .fare = "allergies me 0 a | likes me 0 a | dislikes me 0 b", .max_tokens = 19 },
          "allergies1 allergies1!" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct ladder ladder;
        climb(mem, &rows[i].asked, &ladder);
        assert_str(steps(mem, &ladder), str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

/* Text: lines with line feeds except the last. Bullets: headings if there are several domains. */
static void
step_costs_equal_the_tokens_of_the_output(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct question asked;
        int expected[4];
    } rows[] = {
        { "User hears C++.", { .tunes = "artists me 0 C++" }, { 4 } },
        { "its end costs one more with a line after it",
          { .tunes = "artists me 0 C++ | loud me 0 true" },
          { 4, 12 } },
        { "- Artists: A", { .tunes = "artists me 0 A", .format = HINT_BULLETS }, { 4 } },
        { "**Tunes** and **Fare** above two bullets",
          { .fare = "likes me 0 a", .tunes = "artists me 0 A", .format = HINT_BULLETS },
          { 4, 13 } },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct ladder ladder;
        climb(mem, &rows[i].asked, &ladder);
        for (size_t s = 0; s < ladder.step_count; s++) {
            if (ladder.steps[s].cost != rows[i].expected[s])
                print_error("step %zu costs %d\n", s, ladder.steps[s].cost);
            assert_row(ladder.steps[s].cost == rows[i].expected[s], rows[i].why);
        }
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_are_ordered_by_importance),
        cmocka_unit_test(hints_grow_step_by_step),
        cmocka_unit_test(step_costs_equal_the_tokens_of_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
