/* context_internal.h - labels split into words, and the index of the definitions. Private to the
 * files that implement context.h.
 *
 * context_label.c splits a label, with context_letters.c for other scripts; context_index.c indexes
 * every word and name of the definitions; context.c compares the two; context_weigh.c asks the
 * classifier; context_list.c cuts lists of names. The caller owns a label, and one thread uses it.
 * The index is made at startup in the arena of the definitions; then it is read-only, and any
 * thread may use it. */
#ifndef CONTEXT_CONTEXT_INTERNAL_H
#define CONTEXT_CONTEXT_INTERNAL_H

#include "context/context_classifier.h"
#include "domain/domain.h"

/* ---- labels ---- */

#define LABEL_MAX 2048               /* bytes of a label; the same as CONTEXT_MAX */
#define LABEL_BUFFER (4 * LABEL_MAX) /* normalizing replaces '&' with "_and_" */
#define LABEL_WORDS 384              /* words of a label; further ones are ignored */
#define PHRASE_WORDS 4               /* words of the longest keyword or name that is looked up */

struct term;

struct label_word {
    struct str text;
    struct str base;         /* the indexed word of which this is a form, else the text itself */
    const struct term *term; /* of the base; NULL: not in the index */
    bool generic;            /* carries no meaning of its own: "find", "best" */
    bool starts_part;        /* first word after a comma or semicolon */
    bool again;              /* repeats an earlier word of the label */
    size_t plain;            /* the number of words from here on that are bases themselves */

    /* The terms whose text is that of the next 1 to `longest` words, which may form a keyword. */
    const struct term *phrases[PHRASE_WORDS];
    size_t longest;
};

/* The words of a label. The texts of adjacent words are contiguous in memory, and so are their
 * bases: "trip hop" and "triphop" then compare equal. Points into itself: do not copy. */
struct label {
    struct str name; /* normalized: "bookFlight" is "book_flight" */
    size_t count;
    struct label_word words[LABEL_WORDS];
    char name_bytes[LABEL_BUFFER], text_bytes[LABEL_BUFFER], base_bytes[LABEL_BUFFER];
};

/* How a character beyond ASCII is written into a label. */
enum letter_kind {
    LETTER,
    LETTER_WORD,     /* a word of its own */
    LETTER_HIRAGANA, /* Japanese has no spaces: a word ends where the script changes */
    LETTER_KATAKANA,
    LETTER_NONE, /* left out */
    LETTER_SEPARATES,
    LETTER_SEPARATES_PARTS, /* a comma or semicolon */
};

/* Sets the text, in small letters, without diacritics and with one spelling where several are
 * usual; empty if it is not a letter. */
#define LETTER_BYTES 4
enum letter_kind label_letter(int32_t point, char text[LETTER_BYTES]);

/* Without the Arabic article, and the prepositions that are written as part of it. */
struct str label_without_article(struct str word);

/* Sets the texts; context_index_resolve() sets the rest. False: no words, or too long. */
bool label_split(struct str text, struct label *out);

/* `count` words from `first` on, concatenated. */
struct str label_texts(const struct label *label, size_t first, size_t count);
struct str label_bases(const struct label *label, size_t first, size_t count);

/* Generic words, which carry no meaning of their own in any form. A label may omit the action words
 * of a name: "restaurant in Rome" matches restaurant_search. It may not omit the others: "dinner"
 * does not match dinner_ideas. Each list ends with NULL. */
extern const char *const label_little_words[];
extern const char *const label_action_words[];

/* Words of tasks about money, calendars, reminders, leave, and settings. Of a task with one of
 * them, the classifier must be certain; if it matches no domain, it does not even reveal allergies.
 * The nouns count only beside few keywords. Words of a phrase are separated by '_'. Each list ends
 * with NULL. */
extern const char *const label_other_tasks[];
extern const char *const label_other_nouns[];

/* ---- forms of words ---- */

/* Inflections keep the meaning of a word. Other endings change it, so they only help to choose the
 * context within a domain: "meal planner" matches meal_planning. */
enum { FORM_ITSELF = 0, FORM_PLURALS = 3, FORM_INFLECTIONS = 6, FORM_ALL = 16 };

/* Endings of words in other scripts follow those: all of them are inflections. */
enum { FORM_SCRIPTS = FORM_ALL + 49 };

/* The word without the n-th ending, which may point into `buffer`; absent if the word does not have
 * that ending. 0 is the word itself. */
struct str label_form(struct str word, size_t n, char buffer[LABEL_BUFFER]);

/* Whether the word has the n-th ending, n > 0. */
bool label_has_ending(struct str word, size_t n);

/* The last of the first `most` endings that the word may have. 0: none, as for most words. */
size_t label_last_form(struct str word, size_t most);

/* ---- a task ---- */

/* Sets *out. A text that is a list of names is one task here. */
struct context_match;
void context_find_task(const struct context_index *index, struct str text,
                       struct context_match *out);

/* ---- the index ---- */

enum use_kind {
    USE_NAME,   /* a context's name or alias, normalized */
    USE_NOT,    /* an excluding keyword: its words do not count for the domain */
    USE_STRONG, /* a keyword */
    USE_WEAK,
    USE_ONCE,       /* a weak keyword of which a label counts only one */
    USE_DOMAIN,     /* the domain's own name, its words concatenated */
    USE_PHRASE,     /* a context's name or alias, its words concatenated */
    USE_ANCHOR,     /* the first word of a context's name or alias that is not generic */
    USE_OTHER_TASK, /* a task or noun that no domain helps with; `domain` is not set */
    USE_OTHER_NOUN,
};

/* One meaning of a term in one domain. */
struct use {
    enum use_kind kind : 8;
    uint8_t domain;      /* index in the set */
    uint16_t word_count; /* of the name; of an anchor: without generic words */
    uint16_t count;      /* of `words` */
    const struct context *context;
    const struct term *const *words; /* of an anchor: all words, generic ones last */
    struct use *next;
};

struct term {
    struct str text;
    const struct term *base;
    struct use *uses; /* keywords before names */
    struct term *next;
    uint32_t hash;
    bool generic;
    bool action;
};

struct context_index {
    const struct domains *domains;
    struct term **buckets;
    size_t mask;
    uint64_t serial;
    const struct domain *classes[CLASSES_MAX]; /* NULL: not in this set */

    /* Which member of the domain a member of the class is; from CONTEXT_SCORED on: none. */
    uint8_t members[CLASSES_MAX][CLASS_MEMBERS_MAX];
};

const struct term *context_index_find(const struct context_index *index, struct str text);

/* The n-th form of a word. */
const struct term *context_index_find_form(const struct context_index *index, struct str word,
                                           size_t n);

/* Sets what the index knows about the label's words, and about phrases of them. */
void context_index_resolve(const struct context_index *index, struct label *label);

/* ---- choosing ---- */

/* For large structs that are set before they are read: zeroing 20 KiB would cost more than a
 * match. */
#define UNINITIALIZED __attribute__((uninitialized))

struct context_match;

/* Adds a domain of the set to the match, unless it is there. */
void context_choose(const struct context_index *index, struct context_match *out, size_t domain,
                    const struct context *context);

/* The context of the domain whose name the label has; NULL: none. */
const struct context *context_best(const struct context_index *index, const struct label *label,
                                   size_t domain);

/* Leaves out domains that keywords proposed, adds one, and sets contexts. */
void context_weigh(const struct context_index *index, const struct label *label,
                   struct context_match *out);

/* Sets how much members matter to a label that is a context's name. To the name of a domain, all
 * do. */
void context_score_members(const struct context_index *index, const struct label *label,
                           struct context_match *out);

/* ---- other tasks ---- */

/* Whether the label has words of another task. Adds the number of such nouns to *nouns. */
bool context_has_other_task(const struct context_index *index, const struct label *label,
                            unsigned *nouns);

bool context_is_other_noun(const struct label_word *word);

#endif
