/* hint_value.h - the values of a hint: how its sentence shows them, and which it quotes.
 *
 * Pure; results are allocated from `mem` or point into the atoms. Any thread may call it. */
#ifndef HINT_HINT_VALUE_H
#define HINT_HINT_VALUE_H

#include "hint/hint.h"

struct ranked;

/* Properties of the values that decide the sentence of a hint. */
struct hint_form {
    struct str plain; /* the last value; hint.values may have a sentence for it */
    size_t pairs;     /* properties of an object */
    bool speech;      /* a value is a sentence of the user in the first person */
    bool loose;       /* a value does not have the form that the pattern needs */
    bool described;   /* the last value has the noun of the member, and its own sentence */
    bool manner;      /* the last value says where or how */
    bool several;     /* the last value means several things: "earth tones" */
    bool reads_on;    /* a value of an app could join its neighbors to a sentence */
};

/* The values of `count` facts of one member, in their order. `list`: an opened hint of the member
 * that was made before; values that it shows without quotation marks are taken from it, instead of
 * checked again, which is most of the work. NULL: none. */
struct hint_value *hint_values_make(struct arena *mem, const struct ranked *facts, int count,
                                    const struct hint *list, struct hint_form *form);

/* Whether the value was made from an atom with this JSON. */
bool hint_value_is(const struct hint_value *value, struct str json);

/* Whether the definition has a sentence for this value alone. */
bool hint_value_has_sentence(struct arena *mem, const struct ranked *fact);

#endif
