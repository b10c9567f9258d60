/* request_usage.h - what a request counts as: whose it was, how it ended, and why it was refused.
 *
 * dispatch.c notes every request once, when it is over. Whoever refuses one and knows more than the
 * answer says (which app it was that nobody proved to be, what exactly differed) says so here; the
 * words are for the app's developer, who reads them on the portal. Never a secret: what looks like
 * one is cut out on the way (model/usage.h). */
#ifndef DISPATCH_REQUEST_USAGE_H
#define DISPATCH_REQUEST_USAGE_H

#include "base/str.h"

struct call;

/* The app exists. `reason` is one of a few fixed sentences, so that the same mistake is one line;
 * what varies stands in `detail`, which may be absent. An absent reason: what the answer says. */
void request_usage_refused(struct call *call, struct str app_id, struct str reason,
                           struct str detail);

/* The same by a claimed client_id: looked up first, since anybody can claim anything. */
void request_usage_refused_claim(struct call *call, struct str client_id);

/* A request whose body has the wrong type or an encoding was refused before anybody read it: finds
 * out whose it was, from the token, the header or what can be made of the body. */
void request_usage_refused_unread(struct call *call);

/* Counts the request, once, when all is over. */
void request_usage_count(const struct call *call);

#endif
