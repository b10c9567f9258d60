/* domain_internal.h - how a definition becomes a struct domain; between the files that do it.
 *
 * domain.c loads a set; domain_read.c and member_read.c turn JSON into structs; domain_check.c
 * looks at what no single value can tell; vocabulary.c finds spellings; domain_schema.c writes the
 * schema. */
#ifndef DOMAIN_DOMAIN_INTERNAL_H
#define DOMAIN_DOMAIN_INTERNAL_H

#include "domain/definition.h"
#include "domain/domain.h"

#define VALUE_LENGTH_DEFAULT 80

void domain_read(const struct node *root, struct domain *out);

/* Vocabularies and contexts of the domain are there already. */
void member_read(const struct node *node, const struct domain *domain, struct member *out);

void domain_check(const struct node *root, const struct domain *domain);

/* A sentence of a definition: one, with a full stop at its end and nowhere else. */
void domain_check_sentence(const struct node *node, struct str text);

/* A part of one: without a stop, and with {value} exactly once or not at all. */
void domain_check_phrase(const struct node *node, struct str text, bool with_value);

struct vocabulary *vocabularies_read(const struct node *node, size_t *count);
const struct vocabulary *vocabulary_named(const struct domain *domain, struct str name);

struct str domain_schema(struct arena *mem, const struct domain *domain);

#endif
