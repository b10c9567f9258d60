/* Answers in three formats: what fits into the budget, and the counts of what does not. */
#include "unit/hint/hint_kit.h"

#include "base/buf.h"
#include "selection/hint_answer.h"

#define FARE                                                                               \
    "allergies me 0 nuts | allergies me 0 fish | allergies me 0 milk | diet me 0 vegan | " \
    "likes me 0 figs | likes me 0 dates | likes me 0 plums | likes me 0 limes"
#define TUNES "artists me 0 Bj\u00F6rk | loud me 0 false"

struct row {
    const char *why;
    enum hint_format format;
    int max_tokens;
    const char *expected;
    int omitted;
    bool safety_complete;
};

static void
ask(struct arena *mem, const char *fare_facts, const char *tunes_facts, const struct row *row,
    struct hint_answer *out)
{
    const struct domains *domains = hint_kit_domains(mem);
    struct context_match none = { 0 };
    struct hint_set *hint_sets = ARENA_ARRAY(mem, struct hint_set, 2);
    hint_sets[0] = hint_kit_set(mem, &domains->list[0], fare_facts);
    hint_sets[1] = hint_kit_set(mem, &domains->list[1], tunes_facts);
    struct hint_query query = { .hint_sets = hint_sets,
                                .set_count = 2,
                                .context = &none,
                                .format = row->format,
                                .max_tokens = row->max_tokens };
    hint_answer(mem, &query, out);
    assert_row(out->tokens <= row->max_tokens, row->why);
}

static void
check(const char *fare_facts, const char *tunes_facts, const struct row *rows, size_t count)
{
    struct arena *mem = arena_new();
    for (size_t i = 0; i < count; i++) {
        struct hint_answer answer;
        ask(mem, fare_facts, tunes_facts, &rows[i], &answer);
        assert_str(answer.hints, tea_quotes(mem, rows[i].expected), rows[i].why);
        assert_row(answer.omitted == rows[i].omitted, rows[i].why);
        assert_row(answer.safety_complete == rows[i].safety_complete, rows[i].why);
    }
    arena_free(mem);
}

#define NUTS "User is allergic to nuts, fish, and milk"

static void
text_is_an_array_of_sentences(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "nothing fits", HINT_TEXT, 9, "[]", 10, false },
        { "one of three", HINT_TEXT, 10, "[`User is allergic to nuts and 2 more.`]", 9, false },
        { "all three", HINT_TEXT, 11, "[`" NUTS ".`]", 7, true },
        { "with its emphasis", HINT_TEXT, 15, "[`" NUTS "; never serve them.`]", 7, true },
        { "each domain once before any is heard twice", HINT_TEXT, 21,
          "[`" NUTS "; never serve them.`,`User hears Bj\u00F6rk.`]", 6, true },
        { "everything", HINT_TEXT, 4000,
          "[`" NUTS "; never serve them.`,`User hears Bj\u00F6rk.`,`User follows a vegan diet.`,"
          "`User likes it loud: no.`,`User likes figs, dates, plums, and limes.`]",
          0, true },
    };
    check(FARE, TUNES, rows, ROWS(rows));
}

static void
bullets_are_one_string(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "nothing fits", HINT_BULLETS, 3, "``", 10, false },
        { "one domain has no heading", HINT_BULLETS, 20, "`- Allergies: nuts, fish, and milk`", 7,
          true },
        { "several have", HINT_BULLETS, 26,
          "`**Fare**\\n- Allergies: nuts, fish, and milk\\n**Tunes**\\n- Artists: Bj\u00F6rk`", 6,
          true },
        { "everything", HINT_BULLETS, 4000,
          "`**Fare**\\n- Allergies: nuts, fish, and milk\\n- User follows a vegan diet.\\n"
          "- figs, dates, plums, and limes\\n**Tunes**\\n- Artists: Bj\u00F6rk\\n"
          "- User likes it loud: no.`",
          0, true },
    };
    check(FARE, TUNES, rows, ROWS(rows));
}

static void
json_is_an_object_by_domain(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "nothing fits", HINT_JSON, 15, "{}", 10, false },
        { "a critical array is whole or absent", HINT_JSON, 26, "{`fare`:{`summary`:`" NUTS ".`}}",
          7, true },
        { "each domain has a sentence, further facts only a key", HINT_JSON, 56,
          "{`fare`:{`summary`:`" NUTS ".`,`diet`:`vegan`,"
          "`likes`:[`figs`,`dates`,`plums`,`limes`]},"
          "`tunes`:{`summary`:`User hears Bj\u00F6rk.`,`loud`:false}}",
          0, true },
        { "when all facts are included, each gets its key", HINT_JSON, 70,
          "{`fare`:{`summary`:`" NUTS ".`,`allergies`:[`nuts`,`fish`,`milk`],`diet`:`vegan`,"
          "`likes`:[`figs`,`dates`,`plums`,`limes`]},"
          "`tunes`:{`summary`:`User hears Bj\u00F6rk.`,`loud`:false}}",
          0, true },
        { "everything", HINT_JSON, 4000,
          "{`fare`:{`summary`:`" NUTS ". User follows a vegan diet.`,"
          "`allergies`:[`nuts`,`fish`,`milk`],`diet`:`vegan`,"
          "`likes`:[`figs`,`dates`,`plums`,`limes`]},"
          "`tunes`:{`summary`:`User hears Bj\u00F6rk.`,`artists`:[`Bj\u00F6rk`],`loud`:false}}",
          0, true },
    };
    check(FARE, TUNES, rows, ROWS(rows));
}

static void
absent_facts_give_no_hints(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "text", HINT_TEXT, 100, "[]", 0, true },
        { "bullets", HINT_BULLETS, 100, "``", 0, true },
        { "json", HINT_JSON, 100, "{}", 0, true },
    };
    check("", "", rows, ROWS(rows));
    check("likes -me 0 a | allergies ?1 0 b", "years me 0 5", rows, ROWS(rows));
}

/* Only the best 200 statements have a hint; the others are omitted at any budget. */
static void
further_statements_count_as_omitted(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int omitted;
        bool safety_complete;
    } rows[] = { { "Saying", 5, true }, { "Allergic to moss of kind", 5, false } };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct arena *mem = arena_new();
        struct buf facts = buf_in(mem, 100000);
        for (int n = 0; n < 205; n++)
            buf_add_format(&facts, "%ssays me 0 %s %d", n == 0 ? "" : " | ", rows[i].words, n);
        struct hint_answer answer;
        struct row row = { rows[i].words, HINT_TEXT, 4000, NULL, 0, false };
        ask(mem, str_c(mem, buf_str(&facts)), "", &row, &answer);
        assert_int_equal(answer.available, 200);
        assert_int_equal(answer.omitted, rows[i].omitted);
        assert_int_equal(answer.safety_complete, rows[i].safety_complete);
        arena_free(mem);
    }
}

/* In every format, for every budget: a larger budget never omits more. */
static void
more_budget_never_omits_more(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    for (int format = HINT_TEXT; format <= HINT_BULLETS; format++) {
        int omitted = 100;
        for (int budget = 1; budget < 200; budget++) {
            struct row row = { "in between", (enum hint_format)format, budget, NULL, 0, false };
            struct hint_answer answer;
            ask(mem, FARE, TUNES, &row, &answer);
            assert_true(answer.omitted <= omitted);
            omitted = answer.omitted;
        }
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_an_array_of_sentences),
        cmocka_unit_test(bullets_are_one_string),
        cmocka_unit_test(json_is_an_object_by_domain),
        cmocka_unit_test(absent_facts_give_no_hints),
        cmocka_unit_test(further_statements_count_as_omitted),
        cmocka_unit_test(more_budget_never_omits_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
