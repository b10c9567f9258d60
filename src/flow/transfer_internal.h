/* transfer_internal.h - a document on its way in. Private to transfer_read.c and transfer_land.c.
 */
#ifndef FLOW_TRANSFER_INTERNAL_H
#define FLOW_TRANSFER_INTERNAL_H

#include "base/err.h"
#include "model/atom.h"
#include "store/atom_store.h"

struct arena;

/* One domain of the document, in its order. The atoms have no ids and no place yet. */
struct arrival {
    const struct domain *domain;
    struct sourced_atom *atoms;
    size_t count;
};

struct arrivals {
    struct arrival list[DOMAINS_MAX];
    size_t count;
};

/* ERR_INVALID: why says what is wrong and where. */
enum err transfer_read(struct arena *mem, const struct domains *domains, struct str document,
                       struct arrivals *out, struct why *why);

#endif
