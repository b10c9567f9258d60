/* confirm.h - asks the user through the client to confirm a change that waits.
 *
 * Only a client of the modern era that can open a URL is asked to. It repeats the call with the
 * state of the first response. The client's answer proves nothing: only the page on which the user
 * is signed in confirms a change, so a repeated call reports what the user has decided by then.
 * Results are in the request's arena. Call from the thread that handles the request. */
#ifndef MCP_CONFIRM_H
#define MCP_CONFIRM_H

#include "mcp/rpc.h"

enum confirm_step {
    CONFIRM_FIRST,    /* the first call */
    CONFIRM_ASKED,    /* repeated: the client has shown the URL, or could not */
    CONFIRM_DECLINED, /* repeated: the user told the client not to make the change */
};

/* ERR_INVALID: the state is not ours for this call, or is older than 10 minutes. */
enum err confirm_read(const struct mcp_call *mcp, enum confirm_step *out);

/* Whether the client can open a URL for the user. */
bool confirm_possible(const struct mcp_call *mcp);

/* Sends the response that asks the client to open `url`. */
enum err confirm_ask(const struct mcp_call *mcp, struct str url, struct str sentence);

/* The page on which the user confirms; with an atom's id, the place of that atom. */
struct str confirm_url(const struct mcp_call *mcp, struct str atom_id);

#endif
