#include "context/context_task.h"

#include <string.h>

#define REMEMBERED 64 /* tasks per thread, 52 KiB; two with the same slot replace each other */
#define SLOT_BITS 6   /* REMEMBERED is 1 << SLOT_BITS */
#define REMEMBERED_BYTES 64  /* longer tasks are not remembered */
#define REMEMBERED_CHOICES 4 /* nor those about more domains */

_Static_assert(REMEMBERED == 1 << SLOT_BITS, "a slot must be an index");

/* A text with its length and zeros after it, so that it is compared and hashed in whole words. */
struct key {
    uint64_t words[REMEMBERED_BYTES / sizeof(uint64_t)];
    uint64_t serial; /* of the index, so that one at the same address is another */
    size_t length;
};

struct remembered {
    struct key key; /* its length is 0: the slot is free */
    bool known, unrelated;
    size_t count;
    struct context_choice list[REMEMBERED_CHOICES];
    struct terms terms;
};

static struct remembered *
slot_of(const struct key *key)
{
    static _Thread_local struct remembered slots[REMEMBERED];
    uint64_t hash = key->length;
    for (size_t i = 0; i < sizeof key->words / sizeof key->words[0]; i++)
        hash = (hash ^ key->words[i]) * 0x9e3779b97f4a7c15;
    return &slots[hash >> (64 - SLOT_BITS)];
}

static void
find(const struct context_index *index, struct str text, struct context_match *match,
     struct terms *terms)
{
    context_find(index, text, match);
    *terms = (struct terms){ .count = 0 };
    if (match->known)
        terms_add(terms, text);
}

/* Copies only the choices that exist. */
static void
recall(const struct remembered *slot, struct context_match *match, struct terms *terms)
{
    match->known = slot->known;
    match->unrelated = slot->unrelated;
    match->count = slot->count;
    for (size_t i = 0; i < slot->count; i++)
        match->list[i] = slot->list[i];
    *terms = slot->terms;
}

static void
remember(const struct context_match *match, const struct terms *terms, const struct key *key,
         struct remembered *slot)
{
    slot->key = *key;
    slot->known = match->known;
    slot->unrelated = match->unrelated;
    slot->count = match->count;
    for (size_t i = 0; i < match->count; i++)
        slot->list[i] = match->list[i];
    slot->terms = *terms;
}

void
context_task_find(const struct context_index *index, struct str text, struct context_match *match,
                  struct terms *terms)
{
    if (text.len == 0 || text.len > REMEMBERED_BYTES) {
        find(index, text, match, terms);
        return;
    }
    struct key key = { .serial = context_index_serial(index), .length = text.len };
    memcpy(key.words, text.ptr, text.len);
    struct remembered *slot = slot_of(&key);
    if (memcmp(&slot->key, &key, sizeof key) == 0) {
        recall(slot, match, terms);
        return;
    }
    find(index, text, match, terms);
    if (match->count <= REMEMBERED_CHOICES)
        remember(match, terms, &key, slot);
}
