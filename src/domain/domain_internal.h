/* domain_internal.h - the steps that turn a definition file into a struct domain. Private to the
 * files that implement them.
 *
 * domain.c loads a set of definitions; domain_read.c and member_read.c turn JSON into structs;
 * domain_check.c checks rules that involve several values; vocabulary.c reads vocabularies and
 * looks up their values; domain_schema.c writes the JSON Schema.
 *
 * Everything is allocated from the definition's arena. Problems are reported with node_reject().
 * One thread reads one definition. */
#ifndef DOMAIN_DOMAIN_INTERNAL_H
#define DOMAIN_DOMAIN_INTERNAL_H

#include "domain/definition.h"

struct domain;
struct member;
struct vocabulary;

#define VALUE_LENGTH_DEFAULT 80

void domain_read(const struct node *root, struct domain *out);

/* Call it after the vocabularies and contexts of the domain have been read. */
void member_read(const struct node *node, const struct domain *domain, struct member *out);

void domain_check(const struct node *root, const struct domain *domain);

/* Requires exactly one sentence that ends with a period. */
void domain_check_sentence(const struct node *node, struct str text);

/* Requires part of a sentence: no period, and {value} exactly once or not at all. */
void domain_check_phrase(const struct node *node, struct str text, bool with_value);

/* A text of at most VALUE_LENGTH_DEFAULT characters with single spaces. */
struct str vocabulary_text(const struct node *node);

struct vocabulary *vocabularies_read(const struct node *node, size_t *count);
const struct vocabulary *vocabulary_named(const struct domain *domain, struct str name);

struct str domain_schema(struct arena *mem, const struct domain *domain);

#endif
