/* atom.h - one fact about a person, who said so, and what may be done with it. Pure. */
#ifndef MODEL_ATOM_H
#define MODEL_ATOM_H

#include "base/str.h"
#include "domain/domain.h"

struct arena;
struct json;

#define ATOMS_PER_DOMAIN_MAX 2000
#define ITEMS_PER_WRITE_MAX 100

/* The source of what a person says, beside which apps are named by their ids. */
#define SOURCE_USER STR("user")

enum atom_status { ATOM_ACTIVE, ATOM_SUPPRESSED, ATOM_HELD };

struct atom {
    struct str id; /* atm_… */
    struct str domain;
    struct str member;
    struct str key;
    struct str value; /* JSON */
    enum atom_status status;
    struct str reason;        /* of a suppressed one */
    struct str suppressed_by; /* a source */
    int64_t suppressed_at;
    bool by_user; /* the person stated or accepted it */
    int64_t source_count;
    int64_t sequence;
    int64_t created_at;
    int64_t updated_at;
    bool by_asker; /* the asking app is one of its sources */
};

/* One who said so: the person or an app. */
struct atom_source {
    struct str atom_id;
    struct str source;
    int64_t created_at;
    int64_t updated_at;
    struct str app_name; /* as found; absent: the person, or an app that is not known here */
};

/* An atom with all who said so, in the order in which they did. */
struct sourced_atom {
    struct atom atom;
    struct atom_source *sources;
    size_t source_count; /* the same number as the atom's own */
};

/* The order of sources: those of the same second are in the order of their names. */
bool atom_source_before(const struct atom_source *a, const struct atom_source *b);

/* Whoever says it again has said it later. True: it is a source that was none before. */
bool atom_add_source(struct arena *mem, struct sourced_atom *atom, struct atom_source source);

void atom_drop_source(struct sourced_atom *atom, struct str source);

const char *atom_status_name(enum atom_status status);
bool atom_status_read(struct str text, enum atom_status *out);

/* not_accurate, outdated, not_mine, too_personal, other. */
bool atom_reason_fine(struct str reason);

/* In hundredths: 100 for what the person said; 80 for one app, more for each that agrees, at most
 * 99. */
int atom_confidence(const struct atom *atom);

/* Active ones are everybody's who may read the domain; others only those who wrote them. */
bool atom_visible(const struct atom *atom);

/* As the API shows it; and one behind the other, inside an array. */
void atom_write(struct json *out, const struct atom *atom);
void atom_write_list(struct json *out, const struct atom *atoms, size_t count);

/* The record of a domain from its atoms, which are in the order of their sequence; members in the
 * order of the definition. */
struct str atom_record(struct arena *mem, const struct domain *domain, const struct atom *atoms,
                       size_t count, int64_t *active);

#endif
