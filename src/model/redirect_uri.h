/* redirect_uri.h - rules for the redirect URIs of apps. Pure; results are allocated from `mem`. Any
 * thread may call them.
 *
 * An app may register https with a host, http on a loopback host, or a private-use scheme with a
 * dot in it (com.example.app:/done). No fragment, no user info, no wildcard, nothing a browser
 * would rewrite. */
#ifndef MODEL_REDIRECT_URI_H
#define MODEL_REDIRECT_URI_H

#include "base/str.h"

struct arena;

#define REDIRECT_URI_MAX 512

/* NULL if it may be registered, else a sentence with the problem and its solution. `schemes` are
 * private-use schemes without a dot that are allowed too, separated by spaces; absent: none. */
const char *redirect_uri_problem(struct str uri, struct str schemes);

/* Why a list of schemes cannot be allowed: the end of a sentence. NULL: it can. */
const char *redirect_schemes_problem(const char *schemes);

/* Exact match; only the port of a loopback URI may differ (RFC 8252 §7.3), and its path may be
 * empty instead of a slash. `registered` has passed
 * redirect_uri_problem(); `asked` is untrusted. */
bool redirect_uri_matches(struct str registered, struct str asked);

/* Without the port, which redirect_uri_matches() ignores, if the host is loopback. */
struct str redirect_uri_without_port(struct arena *mem, struct str uri);

/* How the requested URI differs from a registered one that it does not match: a whole sentence for
 * the developer. A smaller *distance means more similar. */
const char *redirect_uri_difference(struct str registered, struct str asked, int *distance);

/* The host of an https URI, without its port; "localhost" for every other, which leads to a program
 * on the user's device. */
struct str redirect_uri_host(struct str uri);

/* The destination as shown to users: "c.example", "an app on this device", or the app's scheme. */
struct str redirect_uri_display(struct arena *mem, struct str uri);

/* For a Content-Security-Policy's form-action: "https://c.example:8443", or only the scheme if
 * a policy cannot name the host: "com.example.app:", and "http:" for [::1]. */
struct str redirect_uri_origin(struct arena *mem, struct str uri);

/* Appends name=value to the query, with the value percent-encoded. */
struct str redirect_uri_add(struct arena *mem, struct str uri, const char *name, struct str value);

#endif
