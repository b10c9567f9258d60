/* Selecting hints: order, growth, and cost. */
#include "unit/hint/hint_kit.h"

#include "base/buf.h"
#include "context/context_task.h"
#include "selection/hint_selection.h"

struct question {
    const char *fare, *tunes; /* facts */
    const char *context;
    bool named, sensitive;
    enum hint_format format;
    int max_tokens;
};

static void
select_hints(struct arena *mem, const struct question *asked, struct selection *out)
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
    if (asked->context != NULL) {
        struct terms *task = ARENA_NEW(mem, struct terms);
        context_task_find(domains->contexts, str_of(asked->context), match, task);
        query.task = task;
    }
    hint_select(mem, &query, out);
}

/* "allergies1 likes2!": hints in their order with the number of values; "!" is with emphasis, "="
 * with a key, "~" a sentence of a summary. */
static struct str
picked(struct arena *mem, const struct selection *selection, bool only_order)
{
    struct buf out = buf_in(mem, 10000);
    for (size_t i = 0; i < selection->count; i++) {
        const struct pick *pick = &selection->picks[i];
        buf_add_format(&out, "%s%.*s", i > 0 ? " " : "",
                       STR_ARG(pick->candidate->hint->member->name));
        if (!only_order)
            buf_add_format(&out, "%d%s%s%s", pick->items, pick->strong ? "!" : "",
                           pick->said ? "~" : "", pick->keyed ? "=" : "");
    }
    return buf_str(&out);
}

#define ALL_FARE                                                                          \
    "table me 0 {`set_for`:2} | spice me 0 mild | says me 0 No bus. | dislikes me 0 x | " \
    "likes me 0 a | diet me 0 vegan | allergies me 0 nuts"
#define ALL_TUNES "loud me 0 true | years me 0 1 | artists me 0 A"
#define MANY_SAYINGS                                                                             \
    "says me 0 no a1 | says me 0 no b2 | says me 0 no c3 | says me 0 no d4 | says me 0 no e5 | " \
    "says me 0 no f6 | says me 0 no g7 | says me 0 no h8 | says me 0 no i9 | says me 0 no j1 | " \
    "says me 0 no k2"
#define LONG_WORDS "q1 w2 e3 r4 t5 y6 u7 i8 o9 p0 a1 s2 d3 f4 g5 h6 j7 k8" /* 36 tokens */

struct row {
    const char *why;
    struct question asked;
    const char *expected;
};

static void
check_rows(const struct row *rows, size_t count, bool only_order)
{
    struct arena *mem = arena_new();
    for (size_t i = 0; i < count; i++) {
        struct selection selection;
        select_hints(mem, &rows[i].asked, &selection);
        assert_str(picked(mem, &selection, only_order), str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

static void
hints_are_ordered_by_importance(void **state)
{
    (void)state;
    static const struct row rows[] = {
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
          "allergies diet says likes dislikes spice" },
        { "but for what keeps safe",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "party" },
          "allergies artists years loud" },
        { "and what hardly matters there",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "picnic" },
          "allergies diet says dislikes spice" },
        { "a context that is not known excludes nothing",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "weather" },
          "allergies artists diet years likes loud dislikes says spice" },
        { "with domains named it only ranks",
          { .fare = ALL_FARE, .tunes = ALL_TUNES, .context = "picnic", .named = true },
          "allergies diet artists says years dislikes loud spice likes" },
        { "statements before tastes, but not however many there are",
          { .fare = "likes me 0 a | " MANY_SAYINGS, .context = "dinner" },
          "says says says says says says likes says says says says says" },
        { "what is only about the user after tastes",
          { .fare = "says me 0 Hello. | spice me 0 mild" },
          "spice says" },
        { "a long one waits for shorter ones",
          { .fare = "dislikes me 0 x | likes me 0 " LONG_WORDS, .tunes = ALL_TUNES },
          "artists dislikes years loud likes" },
        { "a long critical one first all the same",
          { .fare = "likes me 0 a | allergies me 0 " LONG_WORDS },
          "allergies likes" },
    };
    check_rows(rows, ROWS(rows), true);
}

#define THREE_NUTS "allergies me 0 a | allergies me 0 b | allergies me 0 c"
#define FIVE_LIKES "likes me 0 a | likes me 0 b | likes me 0 c | likes me 0 d | likes me 0 e"
#define SEVEN_ARTISTS                                                                       \
    "artists me 0 A | artists me 0 B | artists me 0 C | artists me 0 D | artists me 0 E | " \
    "artists me 0 F | artists me 0 G"

#define NUTS_AND_DIET THREE_NUTS " | diet me 0 vegan"

static void
the_budget_ends_the_selection(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "nothing fits", { .fare = FIVE_LIKES, .max_tokens = 4 }, "" },
        { "from the base on", { .fare = FIVE_LIKES, .max_tokens = 8 }, "likes1" },
        { "to the usual", { .fare = FIVE_LIKES, .max_tokens = 11 }, "likes2" },
        { "everything", { .fare = FIVE_LIKES, .max_tokens = 30 }, "likes5" },
        { "beyond what is usual at most", { .tunes = SEVEN_ARTISTS }, "artists7" },
        { "what is critical before anything else",
          { .fare = NUTS_AND_DIET, .max_tokens = 11 },
          "allergies3" },
        { "with its emphasis", { .fare = NUTS_AND_DIET, .max_tokens = 15 }, "allergies3!" },
        { "then the next", { .fare = NUTS_AND_DIET, .max_tokens = 22 }, "allergies3! diet1" },
        { "in JSON a sentence, then the keys of others",
          { .fare = NUTS_AND_DIET, .format = HINT_JSON, .max_tokens = 26 },
          "allergies3~ diet1=" },
        { "summaries grow last",
          { .fare = NUTS_AND_DIET " | likes me 0 z", .format = HINT_JSON },
          "allergies3~= diet1~= likes1=" },
    };
    check_rows(rows, ROWS(rows), false);
}

#define SAYINGS "says me 0 Soup at a picnic | likes me 0 figs"

/* Words of the task, of the context's names, and of the values. */
static void
the_task_decides_the_order(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a statement before a taste", { .fare = SAYINGS, .context = "dinner" }, "says likes" },
        { "a member that hardly matters is left out",
          { .fare = SAYINGS, .context = "picnic" },
          "says" },
        { "what excludes leads",
          { .fare = "diet me 0 raw | spice me 0 mild | says me 0 a b", .context = "dinner" },
          "diet says spice" },
    };
    check_rows(rows, ROWS(rows), true);
}

/* Text: lines with line feeds except the last. Bullets: headings if there are several domains. */
static void
costs_equal_the_tokens_of_the_output(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct question asked;
        int expected;
    } rows[] = {
        { "User hears C++.", { .tunes = "artists me 0 C++" }, 4 },
        { "its end costs one more with a line after it",
          { .tunes = "artists me 0 C++ | loud me 0 true" },
          12 },
        { "- Artists: A", { .tunes = "artists me 0 A", .format = HINT_BULLETS }, 4 },
        { "**Tunes** and **Fare** above two bullets",
          { .fare = "likes me 0 a", .tunes = "artists me 0 A", .format = HINT_BULLETS },
          13 },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct selection selection;
        select_hints(mem, &rows[i].asked, &selection);
        if (selection.tokens != rows[i].expected)
            print_error("%d tokens\n", selection.tokens);
        assert_row(selection.tokens == rows[i].expected, rows[i].why);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_are_ordered_by_importance),
        cmocka_unit_test(the_budget_ends_the_selection),
        cmocka_unit_test(the_task_decides_the_order),
        cmocka_unit_test(costs_equal_the_tokens_of_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
