/* hint_according.h - names the apps that stated a fact: "According to Grocer, the user …".
 *
 * A fact that only apps stated is attributed to them where it could mislead: if it is about safety,
 * excludes choices, is sensitive, or says who the user is (occupations, and members without a
 * vocabulary in a domain that is always relevant: the name, expertise), and if a value is not
 * plainly a name. Tastes, and
 * how to answer in words of the definition, are not: their origin is in the response.
 *
 * The name of an app is text of a stranger. It is written as it is only if it is plainly a name,
 * otherwise in quotation marks. A name that is too long, contains an attack, or claims to be the
 * user or the system is replaced by "an app".
 *
 * Pure, apart from the caller's function; results are allocated from `mem`. Any thread may call
 * them. */
#ifndef HINT_HINT_ACCORDING_H
#define HINT_HINT_ACCORDING_H

#include "hint/hint.h"
#include "hint/hint_rank.h"

#define ACCORDING_NAME_MAX 40   /* characters … */
#define ACCORDING_TOKENS_MAX 12 /* … and tokens of an app's name */

/* Whether facts of the member are attributed, so that those of apps have a hint of their own. */
bool hint_attributes(const struct domain *domain, const struct member *member);

/* The apps that stated these facts: "Grocer", "Grocer and Menus", "Grocer and 2 other apps". */
struct str hint_according(struct arena *mem, const struct app_names *names,
                          const struct ranked *facts, size_t count);

/* A name as it is written; absent: it cannot be used. */
struct str hint_app_name(struct arena *mem, struct str name);

#endif
