/* consent_preview.h - shows on the consent page what the app would read if the user agrees.
 *
 * Uses the user's current data and the rules of the API. Values are in the request's arena. Call
 * from the thread that handles the request. */
#ifndef OAUTH_CONSENT_PREVIEW_H
#define OAUTH_CONSENT_PREVIEW_H

#include "base/err.h"
#include "model/scope.h"
#include "model/view.h"
#include "page/facts.h"

struct call;
struct values;

struct consent_preview {
    struct call *call;
    struct facts facts;
    scopes requested;
    struct view view; /* what the app would see */
};

/* `withheld` is the facts that the app does not see. */
enum err consent_preview_load(struct call *call, scopes requested, struct str withheld,
                              struct consent_preview *out);

/* For one scope: a list "reads" of { label, reads }, "more" and the list "rest" if there are more,
 * or "reads_none"; and the list "sensitive_reads" of what the app sees only with its box. */
void consent_preview_put_scope(struct consent_preview *preview, struct values *item, scopes one);

/* Puts the values of hints_panel.h for an app with the selected ones of the requested scopes,
 * within these domains, with the sensitive facts of those, and without the withheld facts. */
enum err consent_preview_put_hints(struct call *call, struct values *values, scopes requested,
                                   scopes selected, scopes domains, scopes sensitive,
                                   struct str withheld);

#endif
