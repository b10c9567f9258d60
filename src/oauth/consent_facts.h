/* consent_facts.h - the part of the consent page on which the user withholds single facts.
 *
 * The form field `withhold` is the id of such a fact and can be repeated. Facts that were withheld
 * before stay withheld; the user can share them again on the page of the connected app. Call from
 * the thread that handles the request. */
#ifndef OAUTH_CONSENT_FACTS_H
#define OAUTH_CONSENT_FACTS_H

#include "base/str.h"
#include "model/scope.h"

struct call;
struct facts;
struct form;
struct values;

/* Puts a list "withhold" of domains, each with its facts that the requested scopes would show. */
void consent_facts_put(struct call *call, struct values *values, const struct facts *facts,
                       scopes requested, struct str withheld);

/* The ids in the form. */
struct str *consent_facts_ids(struct call *call, const struct form *form, size_t *count);

/* `withheld` with the facts of the form, as far as they fit. */
struct str consent_facts_withheld(struct call *call, const struct facts *facts,
                                  const struct form *form, struct str withheld);

#endif
