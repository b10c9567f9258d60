/* context_weigh.c - what the classifier says about the domains that keywords propose: see
 * context_internal.h. */
#include "context/context.h"

#include "context/context_internal.h"

#include <stddef.h>
#include <string.h>

#define PART_WORDS 64 /* of a long text, which the classifier reads in parts */

/* Measured with tests/eval: the least score of a domain that keywords propose, that of one that
 * they do not, that of one beside it and how much lower it may be, the least score of an unrelated
 * task, by how much a context must lead the others of its domain, and by how much it leads a second
 * one that is kept. */
#define SCORE_KEPT (LINEAR_SCORE_SCALE / 4)
#define SCORE_ENOUGH LINEAR_SCORE_SCALE
#define SCORE_BESIDE (LINEAR_SCORE_SCALE * 5 / 4)
#define SCORE_BEHIND (LINEAR_SCORE_SCALE * 3 / 4)
#define SCORE_UNRELATED (LINEAR_SCORE_SCALE / 2)
#define SCORE_LEAD (LINEAR_SCORE_SCALE / 2)
#define SCORE_SECOND (LINEAR_SCORE_SCALE * 2)

/* The class of a domain; CLASS_NONE if the classifier does not know it. */
static size_t
class_of(const struct context_index *index, const struct domain *domain)
{
    for (size_t k = CLASS_FIRST_DOMAIN; k < CLASSES_MAX; k++)
        if (index->classes[k] == domain)
            return k;
    return CLASS_NONE;
}

static size_t
best_class(const struct class_scores *scores)
{
    size_t best = CLASS_NONE;
    for (size_t k = CLASS_FIRST_DOMAIN; k < CLASSES_MAX && context_class_name(k).len > 0; k++)
        if (best == CLASS_NONE || scores->of[k] > scores->of[best])
            best = k;
    return best;
}

/* NULL: the domain has no context of this name; "other" is none. */
static const struct context *
context_named(const struct domain *domain, struct str name)
{
    for (size_t i = 0; i < domain->context_count; i++)
        if (str_eq(domain->contexts[i].name, name))
            return &domain->contexts[i];
    return NULL;
}

/* A context that the classifier does not choose clearly is the one whose name the task has. The
 * second one is the next that is likely, or the one that was not chosen. */
static void
set_context(const struct context_index *index, const struct features *features,
            struct context_choice *choice)
{
    size_t class = class_of(index, choice->domain);
    if (class == CLASS_NONE)
        return;
    struct likely_contexts likely = context_classify_within(features, class);
    const struct context *first = context_named(choice->domain, likely.first);
    const struct context *second = context_named(choice->domain, likely.second);
    const struct context *by_name = choice->context;
    if (likely.lead >= SCORE_LEAD && first != NULL)
        choice->context = first;
    if (likely.lead < SCORE_SECOND)
        choice->second = choice->context == first ? second : first;
    else if (by_name != choice->context)
        choice->second = by_name;
}

static int8_t
to_score(int32_t learned)
{
    int32_t score = learned / (LINEAR_SCORE_SCALE / CONTEXT_SCORE_ONE);
    return (int8_t)(score > INT8_MAX ? INT8_MAX : score < -INT8_MAX ? -INT8_MAX : score);
}

static void
set_scores(const struct context_index *index, const struct features *features,
           struct context_choice *choice)
{
    int32_t learned[CLASS_MEMBERS_MAX] UNINITIALIZED;
    size_t class = class_of(index, choice->domain), count = context_class_members(class);
    if (class == CLASS_NONE || count == 0)
        return;
    context_classify_members(features, class, learned);
    for (size_t i = 0; i < CONTEXT_SCORED; i++)
        choice->scores[i] = CONTEXT_NO_SCORE;
    for (size_t k = 0; k < count; k++)
        if (index->members[class][k] < CONTEXT_SCORED) {
            choice->scores[index->members[class][k]] = to_score(learned[k]);
            choice->scored = true;
        }
}

/* Cuts the next PART_WORDS words off the name of a label. */
static struct str
cut_part(struct str *rest)
{
    struct str part = *rest;
    size_t end = 0;
    for (size_t words = 0; words < PART_WORDS && end < part.len; words++)
        end += str_index(str_from(part, end), '_') + 1;
    *rest = end < part.len ? str_from(part, end) : STR_NONE;
    return str_first(part, end);
}

/* A long text is about what one of its parts is about, and unrelated only if all of them are: sets
 * the best score of each domain, and the features of the part that has the best of all. */
static void
classify(const struct label *label, struct class_scores *scores, struct features *features)
{
    struct features part UNINITIALIZED;
    struct class_scores of_part;
    struct str rest = label->name;
    int32_t best = INT32_MIN;
    for (bool first = true; str_present(rest); first = false) {
        features_read(cut_part(&rest), '_', &part);
        context_classify(&part, &of_part);
        for (size_t k = 0; k < CLASSES_MAX; k++)
            if (first || (of_part.of[k] > scores->of[k]) != (k == CLASS_UNRELATED))
                scores->of[k] = of_part.of[k];
        int32_t score = of_part.of[best_class(&of_part)];
        if (score > best)
            memcpy(features, &part,
                   offsetof(struct features, list) + part.count * sizeof part.list[0]);
        best = score > best ? score : best;
    }
}

/* The least score of a domain: `least`, or more if the task is rather an unrelated one. */
static int32_t
least_of(const struct class_scores *scores, int32_t least)
{
    int32_t unrelated = scores->of[CLASS_UNRELATED];
    return unrelated > least ? unrelated : least;
}

/* Adds the domain that the task is surely about, and others that are about as likely. */
static void
add_surest(const struct context_index *index, const struct label *label,
           const struct class_scores *scores, struct context_match *out)
{
    size_t best = best_class(scores);
    int32_t beside = scores->of[best] - SCORE_BEHIND;
    beside = least_of(scores, beside > SCORE_BESIDE ? beside : SCORE_BESIDE);
    int32_t enough = least_of(scores, SCORE_ENOUGH);
    for (size_t k = CLASS_FIRST_DOMAIN; k < CLASSES_MAX; k++)
        if (index->classes[k] != NULL && scores->of[k] >= (k == best ? enough : beside)) {
            size_t domain = (size_t)(index->classes[k] - index->domains->list);
            context_choose(index, out, domain, context_best(index, label, domain));
        }
}

/* A domain that the classifier does not know is left to its keywords. */
static bool
is_kept(const struct class_scores *scores, size_t class)
{
    return class == CLASS_NONE || scores->of[class] >= least_of(scores, SCORE_KEPT);
}

/* A task that is rather about a domain is not, even if this installation lacks the domain:
 * allergies may matter to it. */
static bool
is_unrelated(const struct class_scores *scores)
{
    int32_t score = scores->of[CLASS_UNRELATED];
    return score >= SCORE_UNRELATED && score >= scores->of[best_class(scores)];
}

/* Keywords propose domains. The classifier, which knows the whole task, leaves out those it is
 * hardly about, and adds those that it is surely about. */
void
context_weigh(const struct context_index *index, const struct label *label,
              struct context_match *out)
{
    struct features features UNINITIALIZED;
    struct class_scores scores = { 0 };
    size_t left = 0;
    classify(label, &scores, &features);
    for (size_t i = 0; i < out->count; i++)
        if (is_kept(&scores, class_of(index, out->list[i].domain)))
            out->list[left++] = out->list[i];
    out->count = left;
    out->known = left > 0;
    add_surest(index, label, &scores, out);
    out->unrelated = !out->known && (out->unrelated || is_unrelated(&scores));
    for (size_t i = 0; i < out->count; i++) {
        set_context(index, &features, &out->list[i]);
        set_scores(index, &features, &out->list[i]);
    }
}

void
context_score_members(const struct context_index *index, const struct label *label,
                      struct context_match *out)
{
    struct features features UNINITIALIZED;
    features_read(label->name, '_', &features);
    for (size_t i = 0; i < out->count; i++)
        if (out->list[i].context != NULL) {
            out->list[i].by_name = true;
            set_scores(index, &features, &out->list[i]);
        }
}
