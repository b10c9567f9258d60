/* transfer.h - exports a user's preferences as one document, and imports such a document.
 *
 * A user's own export contains every atom with its sources, times, and status; an app's export
 * contains the active atoms. The own export also names the user's passkeys and contains the user's
 * activity, which an import ignores. An import is all or nothing: existing and suppressed atoms
 * win, the others are added unchanged. Exporting, importing into an empty account, and exporting
 * again gives the same document except for ids, export time, and account. Results are allocated
 * from `mem`. Any thread may call these functions. */
#ifndef TRANSFER_TRANSFER_H
#define TRANSFER_TRANSFER_H

#include "base/err.h"
#include "domain/domain.h"
#include "model/view.h"

struct arena;
struct buf;
struct db;

/* Most bytes of an app's export and of an upload on a page. */
#define TRANSFER_MAX ((size_t)8 * 1024 * 1024)

/* Most bytes of an export by the user or an operator and of an import by command. Larger, so that
 * an app that floods an account cannot prevent its export. */
#define TRANSFER_OWN_MAX ((size_t)64 * 1024 * 1024)

/* Atoms that an export omits because their domain has no definition. */
struct left_out {
    int64_t facts;
    struct str domains; /* "reading (3), tea (1)"; absent: none */
};

struct export_params {
    struct view view; /* of the calling app, or of the user for the user and operators */
    const struct domains *domains;
    struct str username; /* added next to the id; absent: omitted */
    int64_t now;
    struct left_out *left_out; /* may be NULL */
    int64_t *facts;            /* set to the facts of each domain; may be NULL */
};

/* ERR_TOO_LARGE: the document exceeds the limit of `out`. */
enum err transfer_export(struct db *db, struct arena *mem, const struct export_params *params,
                         struct buf *out);

struct sourced_atom;

struct import_counts {
    int64_t added;
    int64_t kept; /* atoms of the document that exist already or are suppressed */
    struct import_domain {
        const struct domain *domain;
        int64_t added, kept;
        const struct sourced_atom *atoms; /* those added */
        const size_t *positions;          /* of each of them among the document's of this domain */
    } domains[DOMAINS_MAX];               /* that the document contains */
    size_t domain_count;
};

/* Reads the owner from the document; both absent if it names none. ERR_INVALID: not an export. */
enum err transfer_owner(struct arena *mem, struct str document, struct str *sub,
                        struct str *username, struct why *why);

/* ERR_INVALID: `why` says what is wrong and where. */
enum err transfer_import(struct db *db, struct arena *mem, struct str user_id,
                         const struct domains *domains, struct str document, int64_t now,
                         struct import_counts *out, struct why *why);

/* Facts of a document by name and position: "food_profile.0" is the first of food_profile. */
struct import_choice {
    const struct str *names;
    size_t count;
};

/* The same for the chosen facts only. */
enum err transfer_import_chosen(struct db *db, struct arena *mem, struct str user_id,
                                const struct domains *domains, struct str document,
                                const struct import_choice *choice, int64_t now,
                                struct import_counts *out, struct why *why);

/* Counts what transfer_import() would do, and changes nothing. */
enum err transfer_preview(struct db *db, struct arena *mem, struct str user_id,
                          const struct domains *domains, struct str document, int64_t now,
                          struct import_counts *out, struct why *why);

#endif
