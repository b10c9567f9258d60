/* hints_panel.h - the sentences an agent would be told, for a page. */
#ifndef PAGE_HINTS_PANEL_H
#define PAGE_HINTS_PANEL_H

#include "base/err.h"
#include "base/str.h"
#include "model/scope.h"

struct call;
struct values;

struct hints_panel_params {
    scopes scopes; /* what the app that asks may do */
    scopes asked;  /* what it asked for: decides its reach, as for a token */
    struct str context;
    int max_tokens;
};

/* A list "hints" of { sentence }, "tokens" and "omitted" if some are. */
enum err hints_panel_put(struct call *call, struct values *values,
                         const struct hints_panel_params *question);

#endif
