/* Matches labels that agents may send to the built-in definitions. The first lines of
 * context_labels*.tsv describe their columns. Every miss is printed. */
#include "unit/assert_str.h"

#include "context/context.h"
#include "unit/context_kit.h"

#define LINE_MAX 512

struct score {
    unsigned labels, hits;
    unsigned contexts, context_hits;
    unsigned negatives, false_routes; /* labels without a domain, and those that got one */
};

/* "food" for "food_profile", to keep the lists readable. */
static struct str
short_name(const struct domain *domain)
{
    return str_first(domain->name, str_index(domain->name, '_'));
}

static bool
is_in(struct str names, struct str name)
{
    struct str part;
    while (str_cut(&names, '+', &part))
        if (str_eq(part, name))
            return true;
    return false;
}

static size_t
count_of(struct str names)
{
    struct str part;
    size_t count = 0;
    while (str_cut(&names, '+', &part))
        count++;
    return count;
}

static bool
is_answer(const struct context_match *match, struct str expected)
{
    if (str_eq_c(expected, "-"))
        return !match->known;
    if (str_eq_c(expected, "!"))
        return match->unrelated;
    if (match->count != count_of(expected))
        return false;
    for (size_t i = 0; i < match->count; i++)
        if (!is_in(expected, short_name(match->list[i].domain)))
            return false;
    return true;
}

static bool
is_listed(struct str answers, struct str name)
{
    struct str answer;
    while (str_cut(&answers, '/', &answer))
        if (str_eq(answer, name))
            return true;
    return false;
}

/* Several domains are right, too, if each of them alone would be. */
static bool
is_one_of(const struct context_match *match, struct str answers)
{
    struct str rest = answers, answer;
    while (str_cut(&rest, '/', &answer))
        if (is_answer(match, answer))
            return true;
    for (size_t i = 0; i < match->count; i++)
        if (!is_listed(answers, short_name(match->list[i].domain)))
            return false;
    return match->count > 1;
}

static void
print_miss(struct str label, struct str expected, const struct context_match *match)
{
    print_message("  %.*s: %.*s expected, found", STR_ARG(label), STR_ARG(expected));
    for (size_t i = 0; i < match->count; i++) {
        const struct context *context = match->list[i].context;
        struct str name = context == NULL ? STR("*") : context->name;
        print_message(" %.*s:%.*s", STR_ARG(short_name(match->list[i].domain)), STR_ARG(name));
    }
    print_message("%s\n", match->known ? "" : match->unrelated ? " !" : " -");
}

static void
try_line(const struct context_index *index, struct str line, struct score *score)
{
    struct str label, expected, context = STR_NONE;
    struct context_match match;
    assert_true(str_cut(&line, '\t', &label) && str_cut(&line, '\t', &expected));
    str_cut(&line, '\t', &context);
    context_find(index, label, &match);
    bool hit = is_one_of(&match, expected);
    bool context_hit = hit && str_present(context) && match.list[0].context != NULL &&
                       str_eq(match.list[0].context->name, context);
    bool negative = str_starts(expected, STR("-")) || str_starts(expected, STR("!"));
    score->labels++;
    score->hits += hit;
    score->negatives += negative;
    score->false_routes += negative && !hit && match.known;
    score->contexts += str_present(context);
    score->context_hits += context_hit;
    if (!hit || (str_present(context) && !context_hit))
        print_miss(label, hit ? context : expected, &match);
}

/* Minimum shares, in thousandths. */
static struct score
try_list(const char *path, unsigned least, unsigned least_contexts)
{
    struct arena *mem = arena_new();
    const struct context_index *index = kit_context_index();
    struct score score = { 0 };
    char line[LINE_MAX];
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    print_message("%s\n", path);
    while (fgets(line, sizeof line, file) != NULL) {
        struct str text = str_of(line);
        text.len -= str_ends(text, STR("\n"));
        if (line[0] != '#')
            try_line(index, text, &score);
    }
    fclose(file);
    arena_free(mem);
    print_message("  %u of %u labels, %u of %u contexts, %u of %u false routes\n", score.hits,
                  score.labels, score.context_hits, score.contexts, score.false_routes,
                  score.negatives);
    assert_true(score.labels > 300);
    assert_true(score.hits * 1000 >= score.labels * least);
    assert_true(score.context_hits * 1000 >= score.contexts * least_contexts);
    return score;
}

static void
known_labels_match_their_domains(void **state)
{
    (void)state;
    try_list("tests/unit/context/context_labels.tsv", 980, 960);
}

static void
held_out_labels_match_their_domains(void **state)
{
    (void)state;
    try_list("tests/unit/context/context_labels_held_out.tsv", 970, 920);
}

/* Most of them are negative: a match with the wrong domain is worse than none. */
static void
utterances_match_their_domains_in_eleven_languages(void **state)
{
    (void)state;
    struct score score = try_list("tests/unit/context/context_utterances.tsv", 970, 0);
    assert_true(score.negatives >= 300);
    assert_true(score.labels - score.negatives >= 300);
    assert_true(score.false_routes * 100 < score.negatives);
}

/* Half of the unrelated tasks mention a restaurant, a trip, or a song. */
static void
tasks_near_money_and_calendars_match_or_do_not(void **state)
{
    (void)state;
    struct score score = try_list("tests/unit/context/context_unrelated.tsv", 880, 0);
    assert_true(score.negatives >= 150);
    assert_true(score.labels - score.negatives >= 150);
    assert_true(score.false_routes * 20 < score.negatives);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_labels_match_their_domains),
        cmocka_unit_test(held_out_labels_match_their_domains),
        cmocka_unit_test(utterances_match_their_domains_in_eleven_languages),
        cmocka_unit_test(tasks_near_money_and_calendars_match_or_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
