/* definition.h - reads the JSON of a definition file and reports problems with their path.
 *
 * A node is a value of the file together with its path, so that a problem can be reported as "file:
 * members[3].hint.text: problem". Only the first problem is recorded. Reading continues after it
 * with harmless defaults; the caller checks `failed` once, at the end. A node points to its parent
 * and must not outlive it. What the functions return is in `mem` or in the text of the file, which
 * must outlive it; the values and keys of nodes are gone after loading. One definition, one
 * thread. */
#ifndef DOMAIN_DEFINITION_H
#define DOMAIN_DEFINITION_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct json_value;

struct definition {
    struct arena *mem;
    struct arena *scratch; /* for the JSON, and what only a message needs */
    struct str file, text; /* its path, and what is in it */
    struct why *why;
    bool failed;
};

struct node {
    struct definition *in;
    const struct node *above;       /* parent; NULL: this is the root */
    const struct json_value *value; /* NULL: not in the file */
    struct str key;                 /* absent: an item of an array */
    size_t index;
};

void node_reject(const struct node *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Text of the file for use in a problem: about 64 bytes, with ? for what cannot be shown. */
const char *definition_quote(struct definition *in, struct str text);

/* Whether it is an object with these keys and no others. `keys` ends with NULL; keys before an
 * empty string are required. */
bool node_is_object(const struct node *node, const char *const *keys);

/* The member of an object, which may be absent; the n-th child of an array or object. */
struct node node_member(const struct node *node, const char *key);
struct node node_child(const struct node *node, size_t index);
size_t node_count(const struct node *node); /* 0 if absent */

/* An absent or invalid value is read as `fallback`, or as empty, 0, false, or absent. */
struct str node_text(const struct node *node, size_t min, size_t max); /* in characters, NFC */
struct str node_name(const struct node *node); /* a letter, then letters, digits and '_' */
struct str node_word(const struct node *node); /* letters a to z and digits */
struct str node_key(const struct node *node);  /* its key, to be kept */
bool node_bool(const struct node *node);       /* absent: false */
int node_int(const struct node *node, int min, int max, int fallback);
double node_number(const struct node *node);
int32_t node_unit(const struct node *node, int32_t fallback); /* 0 to 1, as 0 to 65536 */
size_t node_choice(const struct node *node, const char *const *choices, size_t fallback);

/* An array of at most `max` strings, each read by `item`. */
struct str *node_texts(const struct node *node, size_t max,
                       struct str (*item)(const struct node *node), size_t *count);

/* Whether it is an array, or an object with arbitrary keys, of `min` to `max` children. An absent
 * one is false without a problem. */
bool node_is_array(const struct node *node, size_t min, size_t max);
bool node_is_map(const struct node *node, size_t min, size_t max);

bool is_definition_name(struct str text);

#endif
