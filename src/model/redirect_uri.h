/* redirect_uri.h - where an app may have people sent back to. Pure.
 *
 * Registered: https with a host, http on a loopback host, or an app's own scheme with a dot in it
 * (com.example.app:/done). No fragment, no user info, no wildcard, nothing a browser would rewrite.
 */
#ifndef MODEL_REDIRECT_URI_H
#define MODEL_REDIRECT_URI_H

#include "base/str.h"

struct arena;

#define REDIRECT_URI_MAX 512

/* NULL if it may be registered, else a sentence that says what is wrong and what would be right. */
const char *redirect_uri_problem(struct str uri);

/* The same string; only the port of a loopback URI may differ (RFC 8252 §7.3). `registered` has
 * passed redirect_uri_problem(), `asked` comes from anywhere. */
bool redirect_uri_matches(struct str registered, struct str asked);

/* How the asked one differs from a registered one that it does not match: a whole sentence for the
 * app's developer. The smaller *distance, the nearer they are. */
const char *redirect_uri_difference(struct str registered, struct str asked, int *distance);

/* What a person is told: "c.example", "an app on this device", or the app's own scheme. */
struct str redirect_uri_display(struct arena *mem, struct str uri);

/* For a Content-Security-Policy's form-action: "https://c.example:8443", or only the scheme where
 * there is no host that a policy can name: "com.example.app:", and "http:" for [::1]. */
struct str redirect_uri_origin(struct arena *mem, struct str uri);

/* The URI with one more name=value in its query, the value encoded. */
struct str redirect_uri_add(struct arena *mem, struct str uri, const char *name, struct str value);

#endif
