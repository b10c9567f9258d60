/* atom.h - atoms: single facts about a user, with their sources and status.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef MODEL_ATOM_H
#define MODEL_ATOM_H

#include "base/str.h"
#include "domain/domain.h"

struct arena;
struct json;

#define ATOMS_PER_DOMAIN_MAX 2000
#define SOURCES_PER_ATOM_MAX 50
#define SOURCES_PER_DOMAIN_MAX 10000
#define ATOMS_BYTES_MAX ((size_t)6 * 1024 * 1024) /* atom lists of one user, in all */

/* The source of statements by the user; an app as a source is its id. */
#define SOURCE_USER STR("user")

enum atom_status { ATOM_ACTIVE, ATOM_SUPPRESSED, ATOM_HELD };

struct atom {
    struct str id; /* atm_… */
    struct str domain;
    struct str member;
    struct str key;
    struct str value;   /* JSON */
    struct str wording; /* what was written, if the value was found in a longer text; JSON */
    enum atom_status status;
    struct str reason;        /* of a suppressed one, or of a proposed removal (atom_review()) */
    struct str suppressed_by; /* a source */
    int64_t suppressed_at;
    bool by_user; /* the user stated or accepted it */
    int64_t source_count;
    int64_t sequence;
    int64_t created_at;
    int64_t updated_at;
    bool by_caller; /* the app that makes the request is a source */
    struct str app; /* the oldest source that is an app; absent: none */
};

/* One source of an atom: the user or an app. */
struct atom_source {
    struct str source;
    int64_t created_at;
    int64_t updated_at;
};

/* An atom with all its sources, oldest first. */
struct sourced_atom {
    struct atom atom;
    struct atom_source *sources;
    size_t source_count; /* equals atom.source_count */
};

/* Sort order of sources: by time, then by name. */
bool atom_source_before(const struct atom_source *a, const struct atom_source *b);

/* Adds a source, or updates the time of an existing one. If the atom has SOURCES_PER_ATOM_MAX
 * sources, the oldest app is dropped. True: the source is new. */
bool atom_add_source(struct arena *mem, struct sourced_atom *atom, struct atom_source source);

void atom_drop_source(struct sourced_atom *atom, struct str source);

/* The oldest source that is an app; absent: none. */
struct str atom_first_app(const struct sourced_atom *atom);

void atoms_sort_by_sequence(struct atom *atoms, size_t count); /* fast if nearly sorted */

const char *atom_status_name(enum atom_status status);
bool atom_status_read(struct str text, enum atom_status *out);

/* not_accurate, outdated, not_mine, too_personal, other. */
bool atom_reason_valid(struct str reason);

/* In percent: 100 for the user; 80 for one app, more for each app that agrees, at most 99. */
int atom_confidence(const struct atom *atom);

/* Active atoms are visible to every app that may read the domain, others only to their sources. */
bool atom_visible(const struct atom *atom);

/* The decision that an atom needs from the user. */
enum atom_review {
    REVIEW_NONE,
    REVIEW_FACT,    /* held: an app's statement waits for confirmation */
    REVIEW_REMOVAL, /* active: an app's request to suppress it waits for confirmation */
    REVIEW_REMOVED, /* suppressed by an app although the user stated it; the user can undo it */
};
enum atom_review atom_review(const struct atom *atom);

/* At most this many changes of one app wait: held facts and proposed removals. */
#define WAITING_PER_APP_MAX 100

/* At most this many critical facts of one app in a domain are active without the user's
 * confirmation; further ones are held. */
#define CRITICAL_PER_APP_MAX 10

/* Writes one atom as the API shows it, or several inside an open array. */
void atom_write(struct json *out, const struct atom *atom);
void atom_write_list(struct json *out, const struct atom *atoms, size_t count);

/* Builds the record of a domain as JSON. `atoms` are sorted by sequence; members are in the order
 * of the definition. *active is the number of active atoms. */
struct str atom_record(struct arena *mem, const struct domain *domain, const struct atom *atoms,
                       size_t count, int64_t *active);

#endif
