/* scope.h - OAuth scopes: sets of them, their names, and their texts on the consent page.
 *
 * A set is a bit mask. On the wire and in the database it is the names separated by single spaces,
 * in the order of the table: four fixed scopes, then one for each domain. The bit of a domain may
 * differ between runs, so never store the mask. Any thread may call this after scopes_setup(). */
#ifndef MODEL_SCOPE_H
#define MODEL_SCOPE_H

#include "base/str.h"

struct arena;
struct domains;

typedef uint64_t scopes;

enum {
    SCOPE_PREFERENCES_READ = 1 << 0,
    SCOPE_PREFERENCES_WRITE = 1 << 1,
    SCOPE_AGENT_HINTS = 1 << 2,
    SCOPE_PROFILE_READ = 1 << 3,
    SCOPE_FIRST_DOMAIN = 1 << 4, /* this bit and all above it belong to domains */
};

struct scope_row {
    const char *name;
    const char *title;    /* "Music" */
    const char *sentence; /* on the consent page: "See the music you like: …" */
};

/* Adds a row for each domain, sorted by name. Call it while no other thread runs; `domains` must
 * stay valid. A second call replaces the rows of the first. */
void scopes_setup(const struct domains *domains);

scopes scope_named(struct str name); /* 0: unknown name */

size_t scope_count(void);
const struct scope_row *scope_row(size_t index); /* bit 1 << index */

/* The index of the n-th scope on a page: all preferences, the domains, then the others. */
size_t scope_on_page(size_t n);

/* Names separated by single spaces, in any order, none twice. False for anything unknown or badly
 * formed; *unknown, if not NULL, is then the offending word. Absent or empty: the empty set. */
bool scopes_read(struct str text, scopes *out, struct str *unknown);

/* The scopes that a client requests. offline_access means nothing here and is ignored: a refresh
 * token is issued anyway. `lenient` also ignores unknown and repeated names, but sets *unknown to
 * one that is not known. */
bool scopes_read_request(struct str text, bool lenient, scopes *out, struct str *unknown);

/* For stored scopes: ignores scopes of domains that no longer exist. */
void scopes_read_known(struct str text, scopes *out);

struct str scopes_write(struct arena *mem, scopes set);

/* Every domain, also one that is added later. */
#define DOMAINS_ALL (~(scopes)(SCOPE_FIRST_DOMAIN - 1))

scopes scopes_domains(scopes set); /* only the domain scopes */

/* The domains of the set, as bits by their index in the list that scopes_setup() received. */
uint64_t scopes_domain_indexes(scopes set);

/* Sets of domains in the database: "*" is DOMAINS_ALL. */
struct str scopes_write_domains(struct arena *mem, scopes domains);
scopes scopes_read_domains(struct str text);

/* Whether an authorization with these scopes is limited to the domains it names: it requested at
 * least one domain, and not preferences:read. */
bool scopes_limit_domains(scopes asked);

#endif
