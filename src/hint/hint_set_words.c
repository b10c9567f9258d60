/* hint_set_words.c - words of a hint's values, with which the words of a task are compared. Only
 * their hashes are stored. */
#include "hint/hint_set_words.h"

#include "base/arena.h"
#include "value/statement.h"
#include "domain/terms.h"
#include "domain/value_text.h"

#include <string.h>

#define TERM_VALUES 32 /* words of further values are not compared with a context */

static void
add_terms(struct terms *all, struct str text, size_t value, struct term *out)
{
    size_t before = all->count;
    terms_add(all, text);
    for (size_t i = before; i < all->count; i++)
        out[i] = (struct term){ all->list[i], (uint8_t)value };
}

/* Other spellings of a value: "plant-based" for "vegan". */
static void
add_spellings(struct arena *mem, const struct member *member, struct str shown, size_t value,
              struct terms *all, struct term *out)
{
    const struct vocabulary_value *entry =
        member->vocabulary == NULL ? NULL
                                   : vocabulary_find(member->vocabulary, value_fold(mem, shown));
    for (size_t i = 0; entry != NULL && i < vocabulary_spelling_count(member->vocabulary); i++) {
        struct str spelling = vocabulary_spelling(member->vocabulary, i, entry);
        if (str_present(spelling))
            add_terms(all, spelling, value, out);
    }
}

/* Words of the first TERM_VALUES values as they are shown, then other spellings of them from the
 * vocabulary. */
void
hint_set_words(struct arena *mem, struct hint *hint)
{
    struct terms all = { .count = 0 };
    struct term terms[TERMS_MAX] = { { 0 } };
    size_t count = (size_t)hint->total < TERM_VALUES ? (size_t)hint->total : TERM_VALUES;
    for (size_t i = 0; i < count; i++)
        add_terms(&all, hint->values[i].shown, i, terms);
    for (size_t i = 0; i < count; i++)
        add_spellings(mem, hint->member, hint->values[i].shown, i, &all, terms);
    hint->terms = ARENA_ARRAY(mem, struct term, all.count + 1);
    hint->term_count = all.count;
    memcpy(hint->terms, terms, all.count * sizeof *terms);
}

/* Other values than statements often contain words of a context without being about it: "business
 * trips" for a flight. */
static void
forget_term(struct hint *hint, size_t index)
{
    struct term *terms = hint->terms;
    for (size_t i = index + 1; i < hint->term_count; i++)
        terms[i - 1] = terms[i];
    hint->term_count--;
}

/* Words of a context match every task of that context: in a statement, they count as one match with
 * the context instead; in other facts, they are forgotten. */
static void
compare_terms(struct hint *hint, const struct terms *words, size_t context)
{
    for (size_t i = hint->term_count; i > 0; i--) {
        if (!terms_has(words, hint->terms[i - 1].hash))
            continue;
        if (!statement_holds(hint->member))
            forget_term(hint, i - 1);
        else if (context < HINT_CONTEXTS_MAX)
            hint->contexts |= (uint64_t)1 << context;
    }
}

void
hint_set_contexts(const struct domain *domain, struct hint *hints, size_t count)
{
    for (size_t c = 0; c < domain->context_count; c++)
        for (size_t i = 0; i < count; i++)
            compare_terms(&hints[i], domain->contexts[c].terms, c);
}
