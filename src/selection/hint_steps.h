/* hint_steps.h - the steps of which a selection of hints consists.
 *
 * A step adds a hint, or lengthens one. It changes the selection if the result fits into the
 * budget; otherwise the selector is done. hint_selection.c decides which step is next.
 *
 * The struct selector belongs to one hint_select() and its thread. Nothing is allocated. */
#ifndef SELECTION_HINT_STEPS_H
#define SELECTION_HINT_STEPS_H

#include "selection/hint_order.h"

/* A selected hint. */
struct pick {
    const struct candidate *candidate;
    int items; /* values named */
    int cost;  /* tokens, in JSON without its key */
    int bare;  /* the same without the line feed; in JSON only of its values */
    int key;   /* tokens of its key */
    uint16_t level;
    bool strong; /* with its emphasis */
    bool said;   /* in JSON: a sentence of the summary */
    bool keyed;  /* in JSON: values below a key */
};

struct selection {
    struct hint_order order;
    struct pick *picks; /* in the order of selection */
    size_t count;
    int tokens;       /* of the selection; for JSON an upper bound */
    uint64_t domains; /* bit n: a hint of set n is selected */
};

/* Whether the set has other hints of the same member: statements, values with a sentence of their
 * own, and the facts of apps apart from the user's. */
bool hint_step_shares(const struct candidate *candidate);

#define HINT_WINDOW 16 /* the next hints among which a shorter one is searched */

struct selector {
    struct selection *selection;
    enum hint_format format;
    int max_tokens;
    bool takes_turns; /* every domain has a hint before any has two */
    bool done;        /* a step did not fit */
    int lines;        /* tokens of all lines with their line feeds, or of the object */
    int headings;
    uint64_t exact;           /* in JSON: domains whose hints all have exact counts */
    uint64_t led;             /* domains with a hint that is not critical */
    const int *mark;          /* the next one; 0: there are no more */
    size_t last;              /* the pick of the last line */
    size_t grown, grown_more; /* the first picks that cannot grow any more */
    struct candidate const *next[HINT_WINDOW]; /* the next hints in their order */
    size_t waiting;
};

static inline uint64_t
hint_domain_bit(const struct candidate *candidate)
{
    return (uint64_t)1 << candidate->set_index;
}

/* Sets the pick with which a hint would be added, and returns the tokens that it would add. */
int hint_step_try(const struct selector *selector, const struct candidate *candidate,
                  struct pick *out);

/* Adds a critical hint with all its values, any other with base_items. */
void hint_step_add(struct selector *selector, const struct pick *pick);

/* How many values a hint should name. */
enum target { TO_BASE, TO_USUAL, TO_MOST, TO_ALL };

/* Adds values, or the emphasis, to the first hint that can grow by at most `gap` tokens. False:
 * none can. The first *start picks cannot grow any more. */
bool hint_step_grow(struct selector *selector, enum target target, size_t *start, int gap);

/* Whether a pick could grow if the gap was larger. */
bool hint_step_can_grow(const struct selector *selector, const struct pick *pick,
                        enum target target);

/* Adds the emphasis of the pick with this index, if that adds at most `gap` tokens. False: it has
 * none, or adds more. */
bool hint_step_strengthen(struct selector *selector, size_t index, int gap);

/* In JSON: adds the key of a selected hint, or its sentence. */
void hint_step_tell_also(struct selector *selector, size_t index, bool keyed);

/* "none" has a sentence; below a key it would look like a value. */
bool hint_is_none(const struct hint *hint);

#endif
