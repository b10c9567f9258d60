/* domain_view.h - a domain's page: a control for each of its members that is made from the
 * definition, with what is known.
 *
 * However much that is, the page stays light: of each member it shows as many facts as there is
 * room for, and leads to a page of that member alone, where all of them are, page by page. */
#ifndef ACCOUNT_DOMAIN_VIEW_H
#define ACCOUNT_DOMAIN_VIEW_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct domain;
struct member;

struct domain_view {
    const struct domain *domain;
    const struct member *only; /* NULL: all of them */
    int64_t page;              /* of that one's facts, from 1 */
};

/* What is wrong with what was sent, for the member it was meant for. */
struct domain_form_error {
    struct str member; /* absent: nothing */
    struct str problem;
    struct str typed;
};

enum err account_domain_show(struct call *call, int status, const struct domain_view *view,
                             const struct domain_form_error *trouble);

#endif
