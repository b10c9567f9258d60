/* hint.h - hints and hint sets: sentences about a user, prepared for agents.
 *
 * A hint is one member of a domain in one sentence. A hint set holds all hints of one user in one
 * domain with everything that does not depend on the request: contradictions are resolved, values
 * are ranked, and the tokens of every length of a hint are counted. It is built when preferences
 * are written and stored as text with the record, so that a request counts no tokens.
 *
 * Pure functions; results are allocated from `mem`. Any thread may call them. */
#ifndef HINT_HINT_H
#define HINT_HINT_H

#include "base/str.h"
#include "domain/domain.h"

struct app_names;
struct arena;
struct atom;
struct buf;

#define HINT_ONE 65536       /* 1.0 as a weight or score */
#define HINT_CONTEXTS_MAX 36 /* contexts of a domain beyond these share no words with hints */

/* Values of hint.sentence that are not an index: the sentence is made from the pattern, from the
 * pattern for an object with a single property, from the loose pattern, or from that of statements.
 */
#define HINT_FROM_PATTERN (-1)
#define HINT_OF_ONE (-2)
#define HINT_LOOSE (-3)
#define HINT_SPEECH (-4)    /* the only value is a sentence in the first person */
#define HINT_OF_MANY (-5)   /* the only value means several things: "earth tones" */
#define HINT_DESCRIBED (-6) /* the only value has the noun of the member: "scary films" */
#define HINT_MANNER (-7)    /* the only value says where or how: "in the army" */

struct hint_value {
    struct str shown; /* as written in a sentence, without quotes */
    struct str json;  /* as stored; absent: `shown` in quotation marks, which needs no escapes */
    bool quote;       /* always quoted, because it could be read as more than a name */
    bool by_app;      /* the user did not state or accept it */
};

/* The token counts of one length of a hint. The *_LAST counts are without the line feed, which can
 * share a token with the text before it ("C++.\n"). The counts for JSON are upper bounds, because
 * punctuation after a value can share a token with it; see hint_units.h. */
enum hint_count {
    COUNT_TEXT,
    COUNT_TEXT_LAST,
    COUNT_BULLET,
    COUNT_BULLET_LAST,
    COUNT_SAID,  /* as a sentence of a summary */
    COUNT_KEYED, /* as values below a key */
    COUNT_STRONG,
    COUNT_STRONG_LAST, /* with the member's emphasis */
    COUNTS,
};

/* One length of a hint: how many values it names, and its tokens. */
struct hint_level {
    int items;
    int tokens[COUNTS];
};

struct hint {
    const struct member *member;
    int sentence;              /* of member->hint.values, or HINT_FROM_PATTERN … */
    int32_t score;             /* of its best value: confidence times recency */
    int total;                 /* number of values, named or not */
    bool is_long;              /* long even with its fewest values, and not critical */
    enum member_safety safety; /* the member's, or higher for a statement about safety */
    bool sensitive;            /* the member is, or the statement */
    bool open;                 /* critical, and may concern other domains (hint_elsewhere.h) */
    bool carried;              /* included in the domain's safety contexts, though not critical */
    bool by_app;               /* no value was stated or accepted by the user */
    struct str origin;         /* who stated its values, see HINT_ORIGINS_MAX */
    struct str according;      /* the apps to attribute it to (hint_according.h); absent: none */
    uint64_t contexts;         /* bit n: a statement with a word of the n-th context */
    bool exact;                /* its counts for JSON are exact, as for nearly all hints */
    bool plain;                /* as a sentence and as a bullet, it needs no escapes in JSON */
    int key_tokens;            /* in JSON: of the key and the punctuation around the values */
    struct term *terms;        /* words of its values, for hint_match() */
    size_t term_count;
    const struct hint_value *values; /* best first */
    const struct hint_level *levels; /* at least one; each names more values than the one before */
    size_t level_count;
    struct str encoded; /* terms, levels, and values as stored; absent: the members above are set */
    uint8_t digits;     /* of each count in `encoded` */
    uint32_t counts_end; /* the offset in `encoded` after the counts: that of the terms */
};

struct hint_set {
    const struct domain *domain;
    int heading;        /* tokens of the domain's heading above bullets */
    int name;           /* tokens of the domain's name and an empty summary in JSON */
    struct hint *hints; /* in the order of the definition's members */
    size_t count;
    int unlisted;          /* statements without a hint, because there are too many */
    int unlisted_critical; /* those about safety, not counted in `unlisted` */
};

/* Builds the hint set from all atoms of the domain, in any order. NULL as `names`: apps have no
 * name. */
void hint_set_make(struct arena *mem, const struct domain *domain, const struct atom *atoms,
                   size_t count, const struct app_names *names, struct hint_set *out);

/* The same after a change: hints of members whose atoms are the same are taken from `before`, which
 * was made from the atoms before the change, without counting their tokens again. changed[i]: the
 * atoms of the i-th member of the definition may differ. The set then points into the text that
 * `before` was read from. */
void hint_set_update(struct arena *mem, const struct hint_set *before, const bool *changed,
                     const struct atom *atoms, size_t count, const struct app_names *names,
                     struct hint_set *out);

/* Converts a hint set to text and back. hint_set_read() returns false if the text was made from
 * another definition or by another version, or is damaged. The set points into the text. A request
 * uses few of its hints, so terms, levels, and values stay encoded: use the functions below. */
struct str hint_set_write(struct arena *mem, const struct hint_set *set);
struct str hint_set_rewrite(struct arena *mem, const struct domain *domain, struct str before,
                            const bool *changed, const struct atom *atoms, size_t count,
                            const struct app_names *names); /* see hint_set_update() */
bool hint_set_read(struct arena *mem, const struct domain *domain, struct str text,
                   struct hint_set *out);

/* Two token counts of a length: `which` must be even, and `level` below level_count. */
struct hint_pair {
    int first, second;
};
struct hint_pair hint_tokens(const struct hint *hint, size_t level, enum hint_count which);

/* An origin is "user", and the ids of apps that stated values, the first of each value, at most
 * HINT_ORIGINS_MAX; separated by spaces. */
#define HINT_ORIGINS_MAX 8

/* Whether the hint is attributed to apps. */
bool hint_is_attributed(const struct hint *hint);

/* Whether its counts for JSON are exact, also before hint_open(). */
bool hint_is_exact(const struct hint *hint);

/* Makes at least the first `items` values available in hint->values, and sets `origin`,
 * `according`, `exact`, and `plain`. */
void hint_open(struct arena *mem, struct hint *hint, int items);

/* How many words of the hint are in `terms`, at most 3; one more if it is a statement with a word
 * of the domain's context of this index. *wanted is the number of values that must be named to
 * include the words. */
struct terms;
int hint_match(const struct hint *hint, const struct terms *terms, size_t context, int *wanted);

/* Whether the hint can have an emphasis. After what the user wrote in own words, as in a loose
 * sentence, it could say something else. */
static inline bool
hint_has_emphasis(const struct hint *hint)
{
    return hint->sentence < 0 && hint->sentence != HINT_LOOSE && hint->sentence > HINT_DESCRIBED &&
           str_present(hint->member->hint.emphasis);
}

/* The lengths of a hint: how many values each names. They follow from the definition and the number
 * of values, so the stored text does not contain them. hint_fewest_items() is the shortest length;
 * hint_more_items() is the length after the one with `items`, or 0. */
int hint_fewest_items(const struct member *member, int total);
int hint_more_items(const struct member *member, int total, int items);

#define HINT_LENGTHS_MAX 128
size_t hint_length_count(const struct member *member, int total); /* 1 to HINT_LENGTHS_MAX */

/* Makes a hint of a list without some of its values; at least one is left. */
void hint_shorten(struct arena *mem, const struct domain *domain, struct hint *hint,
                  const bool *left_out);

/* The index of the sentence for a single value, or HINT_FROM_PATTERN. */
int hint_sentence_of(const struct member *member, struct str value);

#endif
