/* sensitive.h - the boxes with which users share sensitive facts with an app, on the consent page
 * and on the app's page.
 *
 * A box belongs to the row of a scope: preferences:read, or if the app does not have it, each area.
 * Its value is "sensitive:" and the scope. Values are in the request's arena. Call from the thread
 * that handles the request. */
#ifndef PAGE_SENSITIVE_H
#define PAGE_SENSITIVE_H

#include "model/scope.h"

struct call;
struct form;
struct values;

/* The domains for which the row of scope `one` has a box, if the rows are those of `all`. */
scopes sensitive_of_row(const struct call *call, scopes one, scopes all);

/* Puts "sensitive_names", the members that the box of these domains covers, and "sensitive_value";
 * nothing if there is no domain. */
void sensitive_put(struct call *call, struct values *item, scopes one, scopes domains);

/* The domains of the boxes that were checked. Only those that exist now: what a grant shares does
 * not grow with a domain that is added later. */
scopes sensitive_selected(const struct call *call, const struct form *form);

#endif
