#include "context/context.h"

#include "context/context_internal.h"

#define PROSE_WORDS                                                              \
    32 /* longer labels are task text: parts of its sentences are no enumeration \
        */

_Static_assert(LABEL_MAX == CONTEXT_MAX, "a label must hold the longest context");

/* ---- the whole label ---- */

void
context_choose(const struct context_index *index, struct context_match *out, size_t domain,
               const struct context *context)
{
    const struct domain *chosen = &index->domains->list[domain];
    size_t at = 0;
    while (at < out->count && out->list[at].domain < chosen)
        at++;
    if (at < out->count && out->list[at].domain == chosen)
        return;
    for (size_t i = out->count; i > at; i--)
        out->list[i] = out->list[i - 1];
    out->list[at] = (struct context_choice){ .domain = chosen, .context = context };
    out->count++;
    out->known = true;
}

/* Whether the term is one of the domain's excluding keywords. */
static bool
is_denied(const struct term *term, size_t domain)
{
    for (const struct use *use = term == NULL ? NULL : term->uses; use != NULL; use = use->next)
        if (use->kind == USE_NOT && use->domain == domain)
            return true;
    return false;
}

/* The words as a phrase, in their base forms. */
static const struct term *
find_bases(const struct context_index *index, const struct label *label, size_t first, size_t count)
{
    const struct label_word *word = &label->words[first];
    return count <= word->plain && count <= word->longest
               ? word->phrases[count - 1]
               : context_index_find(index, label_bases(label, first, count));
}

/* Chooses every domain where the term is of this kind, unless the whole label is one of its
 * excluding keywords. If the term names two contexts of one domain, the first in the definition is
 * chosen. */
static void
choose_uses(const struct context_index *index, const struct term *term, const struct term *whole,
            enum use_kind kind, struct context_match *out)
{
    for (const struct use *use = term == NULL ? NULL : term->uses; use != NULL; use = use->next)
        if (use->kind == kind && !is_denied(whole, use->domain))
            context_choose(index, out, use->domain, use->context);
}

static void
find_whole(const struct context_index *index, const struct label *label, struct context_match *out)
{
    choose_uses(index, context_index_find(index, label->name), NULL, USE_NAME, out);
    if (out->known)
        return;
    const struct term *texts = context_index_find(index, label_texts(label, 0, label->count)),
                      *bases = find_bases(index, label, 0, label->count);
    choose_uses(index, texts, texts, USE_PHRASE, out);
    if (!out->known)
        choose_uses(index, bases, texts, USE_PHRASE, out);
    if (!out->known)
        choose_uses(index, texts, texts, USE_DOMAIN, out);
    if (!out->known)
        choose_uses(index, bases, texts, USE_DOMAIN, out);
}

/* ---- keywords ---- */

struct keyword_counts {
    unsigned strong;  /* in the current part of the label */
    unsigned weak;    /* in the whole label */
    unsigned all;     /* strong keywords in the whole label */
    unsigned covered; /* words in its keywords that are neither generic nor repeated */
    size_t until;     /* the words before this index belong to a counted keyword */
    bool named;       /* one of the names is counted */
    bool has_other;   /* a keyword of several words contains a noun of another task */
    bool chosen;
};

/* A name of one word is a keyword only if the definition lists it as one. A name of generic words
 * only, such as "where_to_go", counts as two weak keywords (count_use()) because it fits several
 * domains. */
static bool
is_keyword(const struct use *use)
{
    return use->kind == USE_NOT || use->kind == USE_STRONG || use->kind == USE_WEAK ||
           use->kind == USE_ONCE || use->kind == USE_DOMAIN ||
           (use->kind == USE_PHRASE && use->word_count > 1);
}

static bool
has_keyword(const struct term *term)
{
    for (const struct use *use = term->uses; use != NULL; use = use->next)
        if (is_keyword(use))
            return true;
    return false;
}

/* Returns `found`, the term of the text, if it is a keyword of any domain, or else the first
 * inflection that is. */
static const struct term *
find_keyword(const struct context_index *index, struct str text, const struct term *found)
{
    if (found != NULL && has_keyword(found))
        return found;
    size_t last = label_last_form(text, FORM_INFLECTIONS);
    for (size_t n = 1; n <= last; n++) {
        const struct term *term = context_index_find_form(index, text, n);
        if (term != NULL && has_keyword(term))
            return term;
    }
    return NULL;
}

static bool
is_little(const struct label_word *word)
{
    return word->generic && !word->term->action;
}

/* Several words of a label form a keyword written as one ("hip hop" is "hiphop") only if neither
 * end is a little word: "take out a loan" is not about takeout, and "B&B" is not a band. A name of
 * as many words is the same phrase. */
static bool
forms_one_word(const struct label *label, const struct use *use, size_t first, size_t count)
{
    return count == 1 || use->kind == USE_NOT || use->word_count == count ||
           (!is_little(&label->words[first]) && !is_little(&label->words[first + count - 1]));
}

/* Whether a keyword of several words decides what a noun of it means: "transfer" is about money,
 * "airport transfer" is not. */
static bool
explains_noun(const struct label *label, size_t first, size_t count)
{
    for (size_t i = first; count > 1 && i < first + count; i++)
        if (context_is_other_noun(&label->words[i]))
            return true;
    return false;
}

static void
count_use(const struct label *label, const struct use *use, size_t first, size_t count,
          struct keyword_counts *counts)
{
    if (!is_keyword(use) || counts->until > first || !forms_one_word(label, use, first, count))
        return;
    counts->until = first + count;
    if (use->kind == USE_NOT || (count == 1 && label->words[first].again))
        return;
    unsigned covered = 0;
    for (size_t i = first; i < first + count; i++)
        covered += !label->words[i].generic && !label->words[i].again;
    counts->covered += covered;
    counts->has_other = counts->has_other || explains_noun(label, first, count);
    if (use->kind == USE_ONCE) {
        counts->weak += counts->named ? 0 : 1;
        counts->named = true;
    } else if (use->kind == USE_WEAK)
        counts->weak++;
    else if (use->kind == USE_PHRASE && covered == 0)
        counts->weak += 2;
    else {
        counts->strong++;
        counts->all++;
    }
}

static void
count_term(const struct label *label, const struct term *term, size_t first, size_t count,
           struct keyword_counts *counts)
{
    for (const struct use *use = term == NULL ? NULL : term->uses; use != NULL; use = use->next)
        count_use(label, use, first, count, &counts[use->domain]);
}

/* Of several keywords that begin at this word, the longest counts. */
static void
count_keywords_at(const struct context_index *index, const struct label *label, size_t first,
                  struct keyword_counts *counts)
{
    const struct label_word *word = &label->words[first];
    for (size_t count = word->longest; count > 1; count--) {
        const struct term *texts = word->phrases[count - 1];
        count_term(label, find_keyword(index, label_texts(label, first, count), texts), first,
                   count, counts);
        if (count > word->plain)
            count_term(label,
                       find_keyword(index, label_bases(label, first, count),
                                    find_bases(index, label, first, count)),
                       first, count, counts);
    }
    count_term(label, find_keyword(index, word->text, word->phrases[0]), first, 1, counts);
}

static bool
is_prose(const struct label *label)
{
    return label->count > PROSE_WORDS;
}

/* Chooses the domains with the most strong keywords in the part; in prose, which mentions much in
 * passing, also those with several and at least half as many. */
static void
end_part(const struct label *label, struct keyword_counts *counts, size_t count)
{
    unsigned most = 1;
    for (size_t i = 0; i < count; i++)
        most = counts[i].strong > most ? counts[i].strong : most;
    for (size_t i = 0; i < count; i++) {
        counts[i].chosen =
            counts[i].chosen || counts[i].strong == most ||
            (is_prose(label) && counts[i].strong > 1 && 2 * counts[i].strong >= most);
        counts[i].strong = 0;
    }
}

/* "and" separates parts, unless it is inside a counted keyword. */
static bool
is_between_parts(const struct label *label, size_t at, const struct keyword_counts *counts,
                 size_t count)
{
    if (label->words[at].starts_part)
        return true;
    if (!str_eq_c(label->words[at].text, "and"))
        return false;
    for (size_t i = 0; i < count; i++)
        if (counts[i].until > at)
            return false;
    return true;
}

/* A character of a script without spaces is not a whole word. */
static bool
is_ideograph(struct str text)
{
    return text.len == 3 && (unsigned char)text.ptr[0] >= 0xE3 &&
           (unsigned char)text.ptr[0] <= 0xE9;
}

/* Without strong keywords, a domain needs two weak ones, or one that covers all meaningful words.
 */
static void
choose_weak(struct keyword_counts *counts, size_t count, unsigned words)
{
    unsigned most = 1;
    for (size_t i = 0; i < count; i++) {
        if (counts[i].weak == 1 && counts[i].covered < words)
            counts[i].weak = 0;
        most = counts[i].weak > most ? counts[i].weak : most;
    }
    for (size_t i = 0; i < count; i++)
        counts[i].chosen = counts[i].weak == most;
}

static void
find_keywords(const struct context_index *index, const struct label *label,
              struct keyword_counts *counts)
{
    size_t domains = index->domains->count;
    unsigned words = 0;
    bool chosen = false;
    for (size_t i = 0; i < label->count; i++) {
        if (!is_prose(label) && is_between_parts(label, i, counts, domains))
            end_part(label, counts, domains);
        count_keywords_at(index, label, i, counts);
        words += !label->words[i].generic && !label->words[i].again &&
                 !is_ideograph(label->words[i].text);
    }
    end_part(label, counts, domains);
    for (size_t i = 0; i < domains; i++)
        chosen = chosen || counts[i].chosen;
    if (!chosen)
        choose_weak(counts, domains, words);
}

/* ---- the context within a domain ---- */

struct best {
    size_t domain;
    const struct context *context;
    size_t score;
};

/* Of two equal scores, the first context in the definition wins. */
static void
consider(struct best *best, const struct context *context, size_t score)
{
    if (score > best->score || (score == best->score && context < best->context)) {
        best->context = context;
        best->score = score;
    }
}

static bool
has_word(const struct label *label, const struct term *term)
{
    for (size_t i = 0; i < label->count; i++)
        if (label->words[i].term == term)
            return true;
    return false;
}

#define MEANING_SCORE (4 * LABEL_WORDS) /* more than generic words can add */

/* A name matches if the label has all its words, in any order; only action words may be missing.
 * Each meaningful word adds to the score; generic words, present or missing, break ties. */
static void
consider_anchor(const struct label *label, const struct use *use, struct best *best)
{
    size_t score = MEANING_SCORE * use->word_count;
    for (size_t i = 0; i < use->count; i++) {
        bool present = has_word(label, use->words[i]);
        if (!present && !use->words[i]->action)
            return;
        if (i >= use->word_count)
            score = present ? score + 1 : score - 1;
    }
    consider(best, use->context, score);
}

static void
consider_term(const struct label *label, const struct term *term, struct best *best)
{
    for (const struct use *use = term == NULL ? NULL : term->uses; use != NULL; use = use->next) {
        if (use->domain != best->domain)
            continue;
        if (use->kind == USE_ANCHOR)
            consider_anchor(label, use, best);
        if (use->kind == USE_PHRASE && use->word_count > 1)
            consider(best, use->context, MEANING_SCORE * use->word_count);
    }
}

const struct context *
context_best(const struct context_index *index, const struct label *label, size_t domain)
{
    struct best best = { .domain = domain };
    for (size_t i = 0; i < label->count; i++) {
        const struct label_word *word = &label->words[i];
        for (size_t count = word->longest; count > 0; count--)
            consider_term(label, find_bases(index, label, i, count), &best);
        consider_term(label, find_keyword(index, word->text, word->phrases[0]), &best);
    }
    return best.context;
}

/* ---- public functions ---- */

/* A strong keyword counts twice. */
static bool
has_evidence(const struct keyword_counts *counts, size_t count, unsigned least)
{
    for (size_t i = 0; i < count; i++)
        if (counts[i].has_other || 2 * counts[i].all + counts[i].weak >= least)
            return true;
    return false;
}

/* Chooses the domains that the keywords name, unless other words say that the task is about
 * something else: "remind me to book a restaurant". */
static void
find_by_keywords(const struct context_index *index, const struct label *label,
                 struct context_match *out)
{
    struct keyword_counts counts[DOMAINS_MAX] UNINITIALIZED;
    size_t count = index->domains->count;
    unsigned nouns = 0;
    out->unrelated = context_has_other_task(index, label, &nouns);
    if (out->unrelated)
        return;
    for (size_t i = 0; i < count; i++)
        counts[i] = (struct keyword_counts){ 0 };
    find_keywords(index, label, counts);
    out->unrelated = nouns > 0 && !has_evidence(counts, count, 2 + 2 * nouns);
    for (size_t i = 0; i < count && !out->unrelated; i++)
        if (counts[i].chosen)
            context_choose(index, out, i, context_best(index, label, i));
}

/* Sets *label unless the text has no words. Returns whether the classifier may be asked. */
static bool
find_by_words(const struct context_index *index, struct str text, struct label *label,
              struct context_match *out)
{
    out->known = out->unrelated = false;
    out->count = 0;
    if (!label_split(text, label))
        return false;
    context_index_resolve(index, label);
    find_whole(index, label, out);
    if (out->known)
        return false;
    find_by_keywords(index, label, out);
    return true;
}

void
context_find_task(const struct context_index *index, struct str text, struct context_match *out)
{
    struct label label UNINITIALIZED;
    if (find_by_words(index, text, &label, out))
        context_weigh(index, &label, out);
    else
        context_score_members(index, &label, out);
}

void
context_find_by_words(const struct context_index *index, struct str text, struct context_match *out)
{
    struct label label UNINITIALIZED;
    find_by_words(index, text, &label, out);
}

const struct context_choice *
context_chosen(const struct context_match *match, const struct domain *domain)
{
    for (size_t i = 0; i < match->count; i++)
        if (match->list[i].domain == domain)
            return &match->list[i];
    return NULL;
}
