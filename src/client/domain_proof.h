/* domain_proof.h - verifies that an app belongs to the host of its homepage.
 *
 * The host proves it with a text file at DOMAIN_PROOF_PATH that has the app's client ID on a line
 * of its own. The file is fetched when the app's developer asks for it, by the rules of
 * documents.h. A person who can publish that file controls the host; the client ID is not secret.
 *
 * Safe from any thread. */
#ifndef CLIENT_DOMAIN_PROOF_H
#define CLIENT_DOMAIN_PROOF_H

#include "base/str.h"

struct arena;
struct documents;
struct domain_proof;

#define DOMAIN_PROOF_PATH "/.well-known/penchant-domain"

/* The URL of the file for a homepage; absent, with *problem as a sentence, if its host cannot be
 * verified. */
struct str domain_proof_url(const struct documents *documents, struct arena *mem,
                            struct str homepage, const char **problem);

/* The context of domain_proof_wait(), in `mem`, which nothing else may use until resume() is
 * called. `url` is of domain_proof_url() for the homepage, which is kept without a copy. */
struct domain_proof *domain_proof_new(struct documents *documents, struct arena *mem,
                                      struct str url, struct str homepage);

/* An http_exchange.wait function. */
void domain_proof_wait(void *context, void (*resume)(void *argument), void *argument);

enum domain_result {
    DOMAIN_VERIFIED,
    DOMAIN_REFUSED,     /* the host has no such file, or it does not list the app */
    DOMAIN_UNREACHABLE, /* nothing is known */
    DOMAIN_BUSY,        /* too many transfers */
};

/* *problem is a sentence for the developer, unless the domain is verified. `homepage` is that of
 * the app now: if it was changed during the fetch, nothing is known about its host. */
enum domain_result domain_proof_finish(const struct domain_proof *proof, struct str client_id,
                                       struct str homepage, const char **problem);

#endif
