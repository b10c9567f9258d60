/* atom_store.h - atoms, their sources, and the prepared record of each domain, as rows. */
#ifndef STORE_ATOM_STORE_H
#define STORE_ATOM_STORE_H

#include "base/err.h"
#include "model/atom.h"
#include "model/atom_page.h"

struct arena;
struct db_tx;

/* The first statement of every change to a person's atoms: locks the person's row, and gives the
 * last sequence number used. ERR_NOT_FOUND: there is no such person. */
enum err atom_store_hold(struct db_tx *tx, struct arena *mem, struct str user_id,
                         int64_t *sequence);

/* The last: the new sequence number, and a generation more. */
enum err atom_store_release(struct db_tx *tx, struct arena *mem, struct str user_id,
                            int64_t sequence);

/* Oldest first. `asker` is the app that asks (absent: none), for by_asker; domain absent: all. */
enum err atom_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                         struct str asker, struct atom **out, size_t *count);

/* One page of them; domain absent: of all. */
enum err atom_store_page(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                         const struct atom_query *question, struct atom_page *out);

enum err atom_store_find(struct db_tx *tx, struct arena *mem, struct str user_id,
                         struct str atom_id, struct str asker, struct atom *out);

/* A domain's atoms, to be changed in memory and saved as a whole. Oldest first; domain absent: all.
 */
enum err atom_store_read(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                         struct str asker, struct sourced_atom **out, size_t *count);
/* In any order. ERR_INVALID: more than a store has room for. */
enum err atom_store_save(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                         const struct sourced_atom *atoms, size_t count);

/* The names of the domains in which something is known. */
enum err atom_store_domains(struct db_tx *tx, struct arena *mem, struct str user_id,
                            struct str **out, size_t *count);

/* Oldest first, with the names of apps; domain absent: all. */
enum err atom_store_list_sourced(struct db_tx *tx, struct arena *mem, struct str user_id,
                                 struct str domain, struct sourced_atom **out, size_t *count);

enum err source_store_count(struct db_tx *tx, struct arena *mem, struct str user_id,
                            struct str domain, int64_t *out); /* different ones, of active atoms */

struct record {
    struct str domain;
    struct str json;
    int64_t atom_count;
    int64_t updated_at;
    struct str hints; /* as hint_set_write() made it; not read with the others */
};

/* In the order of the domains' names is the login's business. Domain absent: all. */
enum err record_store_list(struct db_tx *tx, struct arena *mem, struct str user_id,
                           struct str domain, struct record **out, size_t *count);

/* Only `domain` and `hints`, of every domain that has a record. */
enum err record_store_hints(struct db_tx *tx, struct arena *mem, struct str user_id,
                            struct record **out, size_t *count);

/* The same from the cards of the person's head. */
void record_store_split(struct arena *mem, struct str hint_sets, struct record **out,
                        size_t *count);

/* Without atoms it tells nothing, and is not listed. The person is held. */
enum err record_store_put(struct db_tx *tx, struct arena *mem, struct str user_id,
                          const struct record *record);

/* Other hints of the same facts, if nobody has written since `before` was read. */
enum err record_store_put_hints(struct db_tx *tx, struct arena *mem, struct str user_id,
                                const struct record *before, struct str hints);

/* Everything of this kind that there is about a person. */
enum err atom_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

#endif
