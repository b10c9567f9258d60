/* consent_preview.h - what an app would read right now, if the person said yes.
 *
 * Made by the same rules as the app's answers will be, from what is stored at this moment. */
#ifndef OAUTH_CONSENT_PREVIEW_H
#define OAUTH_CONSENT_PREVIEW_H

#include "base/err.h"
#include "model/scope.h"
#include "page/facts.h"

struct call;
struct values;

struct consent_preview {
    struct call *call;
    struct facts facts;
    scopes asked;
};

enum err consent_preview_load(struct call *call, scopes asked, struct consent_preview *out);

/* For one scope: a list "reads" of { label, reads }, "more" for what is left out, or "reads_none".
 */
void consent_preview_put_scope(struct consent_preview *preview, struct values *item, scopes one);

/* "hints" and what else hints_panel.h puts: what an agent would be told right now, with these of
 * the asked scopes ticked. */
enum err consent_preview_put_hints(struct call *call, struct values *values, scopes asked,
                                   scopes ticked);

#endif
