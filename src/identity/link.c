/* link.c - links of emails and operators carry a secret; the store has only its hash, so reading
 * the database does not give a link. */
#include "identity/link.h"

#include "base/shard.h"
#include "crypt/secret.h"
#include "store/tx.h"
#include "store/user_store.h"

struct link_creation {
    struct arena *mem;
    struct one_time_link link;
};

/* Under the lock of the user, so that changes of the user and new links are in an order. */
static enum err
add_link(struct db_tx *tx, void *argument)
{
    struct link_creation *adding = argument;
    enum err err = user_store_lock(tx, adding->mem, adding->link.user_id);
    return err ? err : recovery_store_add_link(tx, adding->mem, &adding->link);
}

/* The secret begins with the user's shard, so that the link's row is in the user's database. */
enum err
link_make(struct db *db, struct arena *mem, struct one_time_link link, const struct secret **out)
{
    *out = secret_make(mem, SECRET_LINK, shard_of(link.user_id));
    link.hash = secret_hash(mem, *out);
    return tx_write(db, add_link, &(struct link_creation){ mem, link });
}

/* The checksum of a secret rejects most wrong texts, so they cost no read. */
struct str
link_hash(struct arena *mem, struct str text)
{
    const struct secret *secret = secret_read(mem, text, SECRET_LINK);
    return secret == NULL ? STR_NONE : secret_hash(mem, secret);
}
