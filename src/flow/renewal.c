#include "flow/renewal.h"

#include "base/arena.h"
#include "model/hint.h"
#include "store/atom_store.h"
#include "store/tx.h"

#include <pthread.h>

#define ID_LENGTH 26
#define ROOM 1024     /* people who can wait */
#define PROBES 8      /* places that are looked at before one is left out */
#define STEP_PEOPLE 8 /* their cards are made outside of a transaction, and written in one */

struct renewal {
    struct arena *mem; /* it lies in there itself */
    const struct domains *domains;
    pthread_mutex_t lock;
    char waiting[ROOM][ID_LENGTH]; /* all zero: a free place */
    size_t count;
    size_t next; /* place to look at */
};

struct renewal *
renewal_new(const struct domains *domains)
{
    struct arena *mem = arena_new();
    struct renewal *renewal = ARENA_NEW(mem, struct renewal);
    renewal->mem = mem;
    renewal->domains = domains;
    pthread_mutex_init(&renewal->lock, NULL);
    return renewal;
}

void
renewal_free(struct renewal *renewal)
{
    if (renewal == NULL)
        return;
    pthread_mutex_destroy(&renewal->lock);
    arena_free(renewal->mem);
}

/* ---- who waits ---- */

void
renewal_note(struct renewal *renewal, struct str user_id)
{
    uint32_t bits;
    if (renewal == NULL || user_id.len != ID_LENGTH)
        return;
    memcpy(&bits, user_id.ptr + ID_LENGTH - sizeof bits, sizeof bits); /* ids are random */
    pthread_mutex_lock(&renewal->lock);
    for (size_t i = 0; i < PROBES; i++) {
        char *place = renewal->waiting[(bits * 2654435761U / 65536 + i) % ROOM];
        if (memcmp(place, user_id.ptr, ID_LENGTH) == 0)
            break;
        if (place[0] != '\0')
            continue;
        memcpy(place, user_id.ptr, ID_LENGTH);
        renewal->count++;
        break;
    }
    pthread_mutex_unlock(&renewal->lock);
}

/* Returns how many were taken. */
static size_t
take(struct renewal *renewal, struct arena *mem, struct str *out, bool *more)
{
    size_t taken = 0;
    pthread_mutex_lock(&renewal->lock);
    for (size_t i = 0; i < ROOM && taken < STEP_PEOPLE && renewal->count > 0; i++) {
        char *place = renewal->waiting[renewal->next];
        renewal->next = (renewal->next + 1) % ROOM;
        if (place[0] == '\0')
            continue;
        out[taken++] = str_copy(mem, (struct str){ place, ID_LENGTH });
        memset(place, 0, ID_LENGTH);
        renewal->count--;
    }
    *more = renewal->count > 0;
    pthread_mutex_unlock(&renewal->lock);
    return taken;
}

/* ---- their cards ---- */

struct card {
    struct str user_id;
    struct record before;
    struct str hints;
};

struct round {
    struct arena *mem;
    const struct domains *domains;
    const struct str *people;
    size_t people_count;
    struct card cards[STEP_PEOPLE * DOMAINS_MAX];
    size_t card_count;
};

/* Nothing is added for a card that can be read, or of a domain without a definition. */
static enum err
make_card(struct db_tx *tx, struct round *round, struct str user_id, const struct record *record)
{
    const struct domain *domain = domains_find(round->domains, record->domain);
    struct hint_card card;
    struct atom *atoms = NULL;
    size_t count = 0;
    if (domain == NULL || hint_card_read(round->mem, domain, record->hints, &card))
        return ERR_NONE;
    enum err err = atom_store_list(tx, round->mem, user_id, domain->name, STR_NONE, &atoms, &count);
    if (err)
        return err;
    hint_card_make(round->mem, domain, atoms, count, &card);
    struct str hints = hint_card_write(round->mem, &card);
    if (hints.len > 0 && round->card_count < sizeof round->cards / sizeof *round->cards)
        round->cards[round->card_count++] = (struct card){ user_id, *record, hints };
    return ERR_NONE;
}

static enum err
make_cards(struct db_tx *tx, void *argument)
{
    struct round *round = argument;
    enum err err = ERR_NONE;
    round->card_count = 0;
    for (size_t p = 0; p < round->people_count && !err; p++) {
        struct record *records = NULL;
        size_t count = 0;
        err = record_store_hints(tx, round->mem, round->people[p], &records, &count);
        for (size_t i = 0; i < count && !err; i++)
            err = make_card(tx, round, round->people[p], &records[i]);
    }
    return err;
}

static enum err
keep_cards(struct db_tx *tx, void *argument)
{
    struct round *round = argument;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < round->card_count && !err; i++)
        err = record_store_renew(tx, round->mem, round->cards[i].user_id, &round->cards[i].before,
                                 round->cards[i].hints);
    return err;
}

enum err
renewal_step(struct db *db, struct arena *mem, struct renewal *renewal, bool *more)
{
    struct str people[STEP_PEOPLE];
    size_t count = take(renewal, mem, people, more);
    if (count == 0)
        return ERR_NONE;
    struct round *round = ARENA_NEW(mem, struct round);
    round->mem = mem;
    round->domains = renewal->domains;
    round->people = people;
    round->people_count = count;
    enum err err = tx_read(db, make_cards, round);
    return err || round->card_count == 0 ? err : tx_write(db, keep_cards, round);
}
