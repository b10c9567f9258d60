/* transfer_internal.h - a parsed import document. Private to transfer_read.c and transfer_import.c.
 * Allocated from the arena of the import, and used by its thread. */
#ifndef TRANSFER_TRANSFER_INTERNAL_H
#define TRANSFER_TRANSFER_INTERNAL_H

#include "base/err.h"
#include "model/atom.h"
#include "store/atom_store.h"

struct arena;

/* One domain, in the document's order. The atoms have no ids and no sequence numbers yet. */
struct document_domain {
    const struct domain *domain;
    struct sourced_atom *atoms;
    size_t count;
};

struct document {
    struct document_domain list[DOMAINS_MAX];
    size_t count;
};

/* ERR_INVALID: `why` says what is wrong and where. */
enum err transfer_read(struct arena *mem, const struct domains *domains, struct str document,
                       struct document *out, struct why *why);

#endif
