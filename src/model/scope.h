/* scope.h - what can be allowed: sets of scopes, and what each means to a person.
 *
 * A set is a word of bits; on the wire and in the store it is its names, separated by single
 * spaces, in the order of the table: four of the service's own, then one for each domain, which are
 * there after scopes_setup(). Which bit is a domain's may differ from one start to the next. Safe
 * from any thread, once set up. */
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
    SCOPE_FIRST_DOMAIN = 1 << 4, /* and every bit above it is a domain's */
};

struct scope_row {
    const char *name;
    const char *title;    /* "Music" */
    const char *sentence; /* on the consent page: "See the music you like: …" */
};

/* The domains' rows, in the order of their names. Once, before the first thread; the set must live
 * on. A second call replaces what the first one said. */
void scopes_setup(const struct domains *domains);

scopes scope_named(struct str name); /* the set of that one; 0: there is none */

size_t scope_count(void);
const struct scope_row *scope_row(size_t index); /* bit 1 << index */

/* Names separated by single spaces, in any order, none twice. False for anything unknown or badly
 * formed; *unknown, if not NULL, is then the offending word. Absent or empty: the empty set. */
bool scopes_read(struct str text, scopes *out, struct str *unknown);

/* From the store: a scope whose domain was removed since is left out. */
void scopes_read_known(struct str text, scopes *out);

struct str scopes_write(struct arena *mem, scopes set);

scopes scopes_domains(scopes set); /* the domains among them */

/* Whether an authorization that asked for these reaches only the domains it names (contract: when
 * it asked for at least one domain and not for preferences:read). */
bool scopes_limit_domains(scopes asked);

#endif
