/* pkce.h - PKCE (RFC 7636) with S256 only. Pure; `mem` is scratch memory. Any thread may call
 * them. */
#ifndef MODEL_PKCE_H
#define MODEL_PKCE_H

#include "base/str.h"

struct arena;

bool pkce_challenge_valid(struct str challenge); /* 43 base64url characters; not the hash of "" */
bool pkce_verifier_valid(struct str verifier);   /* 43 to 128 unreserved characters */
bool pkce_proves(struct arena *mem, struct str verifier, struct str challenge);

#endif
