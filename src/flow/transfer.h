/* transfer.h - a person's account as one document: out, and in again.
 *
 * The person's own export has every atom with its sources, times and status; an app's has the
 * active ones. An import is all or nothing: what exists wins, tombstones win, the rest comes in as
 * it was. Export, import into an empty account, export: the same but for ids, time and account. */
#ifndef FLOW_TRANSFER_H
#define FLOW_TRANSFER_H

#include "base/err.h"
#include "domain/domain.h"

struct arena;
struct buf;
struct db;

/* An app's export, and what a page takes. */
#define TRANSFER_MAX ((size_t)8 * 1024 * 1024)

/* What a person or an operator takes along, and what a command brings back: an app that floods an
 * account must not keep its owner from leaving with it. */
#define TRANSFER_OWN_MAX ((size_t)64 * 1024 * 1024)

/* What a person's export has not: facts of domains that nobody here has defined. */
struct left_out {
    int64_t facts;
    struct str domains; /* "reading (3), tea (1)"; absent: none */
};

struct export_params {
    struct str user_id;
    const struct domains *domains;
    struct str app_id;   /* who asks; absent: the person, or an operator */
    struct str username; /* told beside the id; absent: not */
    int64_t now;
    struct left_out *left_out; /* NULL: nobody wants to know */
};

/* ERR_TOO_LARGE past what `out` may hold. */
enum err transfer_export(struct db *db, struct arena *mem, const struct export_params *params,
                         struct buf *out);

struct import_counts {
    int64_t added;
    int64_t kept; /* facts of the document that were there already, or are suppressed here */
    struct import_domain {
        const struct domain *domain;
        int64_t added, kept;
    } domains[DOMAINS_MAX]; /* that the document speaks of */
    size_t domain_count;
};

/* Whose document it says it is; both absent if it does not. ERR_INVALID: it is none. */
enum err transfer_owner(struct arena *mem, struct str document, struct str *sub,
                        struct str *username, struct why *why);

/* ERR_INVALID: why says what is wrong and where. */
enum err transfer_import(struct db *db, struct arena *mem, struct str user_id,
                         const struct domains *domains, struct str document, int64_t now,
                         struct import_counts *out, struct why *why);

/* What an import would do now, and nothing of it is done. */
enum err transfer_preview(struct db *db, struct arena *mem, struct str user_id,
                          const struct domains *domains, struct str document, int64_t now,
                          struct import_counts *out, struct why *why);

#endif
