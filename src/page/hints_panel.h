/* hints_panel.h - template values for the hints an agent would get. Results are in the request's
 * arena. Call from the thread that handles the request. */
#ifndef PAGE_HINTS_PANEL_H
#define PAGE_HINTS_PANEL_H

#include "base/err.h"
#include "base/str.h"
#include "model/scope.h"

struct call;
struct values;

struct hints_panel_params {
    scopes scopes;       /* scopes of the app */
    scopes requested;    /* requested scopes: decide the allowed domains, as for a token */
    scopes within;       /* domains that the user chose; 0: no limit */
    scopes sensitive;    /* domains whose sensitive facts are included */
    struct str withheld; /* facts that the app does not see: see model/view.h */
    struct str context;
    int max_tokens;
};

/* Puts a list "hints" of { sentence }, "tokens", and "omitted" if some did not fit. */
enum err hints_panel_put(struct call *call, struct values *values,
                         const struct hints_panel_params *panel);

#endif
