/* context_kit.h - the index of contexts over the built-in definitions. */
#ifndef UNIT_CONTEXT_KIT_H
#define UNIT_CONTEXT_KIT_H

#include "context/context.h"
#include "domains_kit.h"

/* Made at the first call; it lives as long as the process. Not for threads. */
static inline const struct context_index *
kit_context_index(void)
{
    static struct arena *mem;
    static const struct context_index *index;
    if (mem == NULL) {
        mem = arena_new();
        index = context_index_make(mem, kit_domains());
    }
    return index;
}

#endif
