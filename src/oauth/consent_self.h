/* consent_self.h - the consent page for an app that registered itself: its unverified name, and the
 * user's choices besides the scopes.
 *
 * Anyone can register any name, so the page quotes it, says whether it is verified, and offers to
 * deny first if the code is sent to a program on this device. Call from the thread that handles the
 * request. */
#ifndef OAUTH_CONSENT_SELF_H
#define OAUTH_CONSENT_SELF_H

#include "base/str.h"
#include "model/scope.h"

struct app;
struct call;
struct form;
struct values;

/* Nothing for an app of the portal. */
void consent_self_put(struct call *call, struct values *values, const struct app *app,
                      struct str redirect_uri, scopes requested);

/* Whether the user chooses domains: the app registered itself and is not limited to some. */
bool consent_self_chooses_domains(const struct app *app, scopes requested);

/* The domains that the user chose, DOMAINS_ALL by default; 0: the user chose single domains, but
 * none of them. */
scopes consent_self_domains(const struct form *form);

/* Whether what the app writes waits: unless the user chose otherwise. */
bool consent_self_writes_wait(const struct form *form);

#endif
