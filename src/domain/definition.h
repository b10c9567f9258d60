/* definition.h - a definition's file while it is read: each value knows where it stands.
 *
 * A node is a value of the file together with its place, so that a problem can be told as "file:
 * members[3].hint.text: problem". Of several problems the first is kept. Reading goes on after one,
 * with harmless values in the place of wrong ones; who calls looks at `wrong` once, at the end.
 * A node holds a pointer to the one above it and must not outlive it. */
#ifndef DOMAIN_DEFINITION_H
#define DOMAIN_DEFINITION_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct json_value;

struct definition {
    struct arena *mem;
    struct str file;
    struct why *why;
    bool failed;
};

struct node {
    struct definition *in;
    const struct node *above;       /* NULL: the whole file */
    const struct json_value *value; /* NULL: the file has none */
    struct str key;                 /* absent: an item of an array */
    size_t index;
};

void node_reject(const struct node *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The file's own words in a problem: at most 64 bytes, all of them printable ASCII. */
const char *definition_quote(struct definition *in, struct str text);

/* Whether it is an object that holds these keys and no others; `keys` ends with NULL, and those
 * before an empty text must be there. */
bool node_is_object(const struct node *node, const char *const *keys);

/* Of an object: the member of that name, which may be absent. Of an array or object: the n-th. */
struct node node_member(const struct node *node, const char *key);
struct node node_child(const struct node *node, size_t index);
size_t node_count(const struct node *node); /* 0 if absent */

/* What an absent or wrong value is read as stands in the last argument, or is nothing. */
struct str node_text(const struct node *node, size_t min, size_t max); /* in characters, NFC */
struct str node_name(const struct node *node); /* a letter, then letters, digits and '_' */
bool node_bool(const struct node *node);       /* absent: false */
int node_int(const struct node *node, int min, int max, int fallback);
double node_number(const struct node *node, double fallback);
int32_t node_unit(const struct node *node, int32_t fallback); /* 0 to 1, as 0 to 65536 */
size_t node_choice(const struct node *node, const char *const *choices, size_t fallback);

/* An array of at most `max` texts, each read by `item`. */
struct str *node_texts(const struct node *node, size_t max,
                       struct str (*item)(const struct node *node), size_t *count);

/* Whether it is an array, or an object whose keys are free, with that many children; an absent one
 * is not wrong. */
bool node_is_array(const struct node *node, size_t min, size_t max);
bool node_is_map(const struct node *node, size_t min, size_t max);

bool is_definition_name(struct str text);

#endif
