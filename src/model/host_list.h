/* host_list.h - the hosts that an operator allows: names separated by spaces, such as "claude.ai
 * *.example.com localhost". "*.example.com" is every host below example.com. Pure; any thread may
 * call them. */
#ifndef MODEL_HOST_LIST_H
#define MODEL_HOST_LIST_H

#include "base/str.h"

/* Whether it is a host name in lower case and not an IP address in any spelling. */
bool host_name_valid(struct str host);

/* NULL if the list is valid, else the problem, as the end of a sentence. A name needs a dot, except
 * localhost, so that a mistyped keyword is not taken for one. */
const char *host_list_problem(struct str list);

/* An absent list contains every host. */
bool host_list_contains(struct str list, struct str host);

#endif
