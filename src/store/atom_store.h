/* atom_store.h - reads and writes atoms and their sources. record_store.h has what is made from
 * them.
 *
 * Stored texts carry a checksum (db/row_sum.h): reading a damaged one is ERR_UNAVAILABLE. Results
 * are allocated from `mem`. Call from the thread that runs the transaction. */
#ifndef STORE_ATOM_STORE_H
#define STORE_ATOM_STORE_H

#include "base/err.h"
#include "model/atom.h"
#include "model/atom_page.h"

struct arena;
struct db_tx;

/* Announces that a domain's atoms are read: see db_prefetch_values(). */
void atom_store_prefetch(struct db_tx *tx, struct arena *mem, struct str user_id,
                         struct str domain);

/* Oldest first; all domains if `domain` is absent. `caller` is the requesting app (may be absent);
 * it sets by_caller. */
enum err atom_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                         struct str caller, struct atom **out, size_t *count);

/* One page of atoms; of all domains if `domain` is absent. */
enum err atom_store_page(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                         const struct atom_query *question, struct atom_page *out);

enum err atom_store_find(struct db_tx *tx, struct arena *mem, struct str user_id,
                         struct str atom_id, struct str caller, struct atom *out);

/* A domain's atoms, to be changed in memory and saved as a whole. Oldest first; all domains if
 * `domain` is absent. */
enum err atom_store_read(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                         struct str caller, struct sourced_atom **out, size_t *count);
/* The same for one domain, also with the key of the row that atom_store_save() replaces; 0: none.
 */
enum err atom_store_read_row(struct db_tx *tx, struct arena *mem, struct str user_id,
                             struct str domain, struct str caller, struct sourced_atom **out,
                             size_t *count, int64_t *row_key);
/* Whether a domain may have these atoms, to be called before saving more than were read.
 * ERR_INVALID: more than SOURCES_PER_DOMAIN_MAX sources, or more than ATOMS_BYTES_MAX in all. */
enum err atom_store_check_room(struct db_tx *tx, struct arena *mem, struct str user_id,
                               struct str domain, const struct sourced_atom *atoms, size_t count);
/* Atoms may be in any order. `row_key` is from atom_store_read_row() in the same transaction, or 0.
 * ERR_INVALID if the atom list is too long. */
enum err atom_store_save(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                         const struct sourced_atom *atoms, size_t count, int64_t row_key);

/* How many changes of the app wait for the user's decision, in all domains. */
enum err atom_store_count_waiting(struct db_tx *tx, struct arena *mem, struct str user_id,
                                  struct str app_id, size_t *out);

/* The names of the domains that have atoms. */
enum err atom_store_domains(struct db_tx *tx, struct arena *mem, struct str user_id,
                            struct str **out, size_t *count);

/* Distinct sources of the active atoms that the view shows. */
enum err source_store_count(struct db_tx *tx, struct arena *mem, const struct view *view,
                            struct str domain, int64_t *out);

/* Deletes all atoms of the user. */
enum err atom_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

#endif
