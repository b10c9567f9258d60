/* domain_view.h - renders a domain's page: the user's facts for each member of the definition, and
 * the input of one member.
 *
 * The page has a size limit. It shows as many facts of each member as fit, and links to a page of
 * that member with all its facts. Call from the thread that handles the request. */
#ifndef FACT_DOMAIN_VIEW_H
#define FACT_DOMAIN_VIEW_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct domain;
struct member;

struct domain_view {
    const struct domain *domain;
    const struct member *only; /* NULL: all members */
    int64_t page;              /* of the facts of `only`, from 1 */
    const struct member *open; /* its input is shown; NULL: none */
};

/* The error to show at a member after a rejected form. */
struct domain_form_error {
    struct str member; /* absent: no error */
    struct str problem;
    struct str typed;
};

enum err account_domain_show(struct call *call, int status, const struct domain_view *view,
                             const struct domain_form_error *error);

#endif
