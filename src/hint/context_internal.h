/* context_internal.h - how a label becomes words and the definitions an index; between the files
 * that do it.
 *
 * context_label.c takes a label apart; context_index.c holds every word and every name of the
 * definitions; context.c compares. */
#ifndef HINT_CONTEXT_INTERNAL_H
#define HINT_CONTEXT_INTERNAL_H

#include "hint/context.h"

/* ---- labels ---- */

#define LABEL_ROOM (4 * CONTEXT_MAX) /* '&' becomes "and" with a blank */
#define LABEL_WORDS CONTEXT_MAX

struct term;

struct label_word {
    struct str text;
    struct str base; /* of the known word that this is a form of; the text if there is none */
    const struct term *term; /* of the base; NULL: no definition has this word */
    bool generic;            /* says nothing about the subject */
    bool starts_part;        /* an enumeration goes on here */
    bool again;              /* stood in the label before */
};

/* The words of a label. Texts of neighbors, and their bases, lie side by side in memory, so that
 * words written together and apart can be compared. Points into itself: do not copy. */
struct label {
    struct str name; /* normalized: "bookFlight" is "book_flight" */
    size_t count;
    struct label_word words[LABEL_WORDS];
    char name_bytes[LABEL_ROOM], text_bytes[LABEL_ROOM], base_bytes[LABEL_ROOM];
};

/* Texts only; bases come from the index. False if there is no word in it, or it is too long. */
bool label_split(struct str text, struct label *out);

/* `count` words from `first` on, written together. */
struct str label_texts(const struct label *label, size_t first, size_t count);
struct str label_bases(const struct label *label, size_t first, size_t count);

/* Generic words say nothing about the subject, by themselves and in their other forms. Those for
 * what an agent does may be missing where a name has them: "restaurant in Rome" is a restaurant
 * search, and "dinner" not yet a dinner idea. Each list ends with NULL. */
extern const char *const label_little_words[];
extern const char *const label_action_words[];

/* ---- forms of words ---- */

/* Inflections may be told from each other by nobody; other endings change what a word means, and
 * only tell which context of a domain is meant: a "meal planner" is about "meal planning". */
enum { FORM_ITSELF = 0, FORM_INFLECTIONS = 6, FORM_ALL = 16 };

/* The word without the n-th ending, written into `room`; absent if it does not end so. 0 is the
 * word itself. */
struct str label_form(struct str word, size_t n, char room[LABEL_ROOM]);

/* Whether there may be such a form: most words have none, and room for it is not made in vain. Not
 * for 0. */
bool label_ends_so(struct str word, size_t n);

/* ---- the index ---- */

enum use_kind {
    USE_NAME,   /* a name or alias of a context, as it is normalized */
    USE_NOT,    /* a keyword that takes words away from the domain */
    USE_STRONG, /* a keyword */
    USE_WEAK,
    USE_DOMAIN, /* the domain's own name, written together */
    USE_PHRASE, /* a name or alias of a context, written together */
    USE_ANCHOR, /* the first word with a meaning in a name or alias */
};

/* What a text means in one domain. */
struct use {
    enum use_kind kind;
    size_t domain; /* its place in the set */
    const struct context *context;
    size_t word_count;               /* of the name; of an anchor: of those with a meaning */
    const struct term *const *words; /* of an anchor, those with a meaning first */
    size_t count;                    /* of all of them */
    const struct use *next;
};

struct term {
    struct str text;
    const struct term *base;
    bool generic;
    bool action;
    const struct use *uses; /* keywords before names */
    struct use *last_use;
    struct term *next, *next_made;
    uint32_t hash;
};

struct context_index {
    const struct domains *domains;
    struct term **buckets;
    size_t mask;
    struct term *made; /* all, while it is made */
};

const struct term *context_index_find(const struct context_index *index, struct str text);

/* The n-th form of a word. */
const struct term *context_index_find_form(const struct context_index *index, struct str word,
                                           size_t n);

/* Gives the words of a label their bases. */
void context_index_resolve(const struct context_index *index, struct label *label);

#endif
