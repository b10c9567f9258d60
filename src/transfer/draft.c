/* draft.c - the flow of an import's draft: kept with the preview, read with the confirmation,
 * deleted after the import. */
#include "transfer/draft.h"

#include "crypt/random.h"
#include "store/draft_store.h"
#include "store/tx.h"

struct draft_access {
    struct arena *mem;
    struct str user_id;
    struct str id;
    struct str document;
    int64_t now;
};

static enum err
keep(struct db_tx *tx, void *argument)
{
    struct draft_access *work = argument;
    return draft_store_put(tx, work->mem, work->user_id, work->id, work->document,
                           work->now + DRAFT_SECONDS);
}

/* A new id each time: the form of an earlier preview does not confirm this document. */
enum err
draft_keep(struct db *db, struct arena *mem, struct str user_id, struct str document, int64_t now,
           struct str *id)
{
    struct draft_access work = { mem, user_id, random_id(mem, "imp_"), document, now };
    *id = work.id;
    return tx_write(db, keep, &work);
}

/* ERR_NOT_FOUND also for an expired draft, and for one that a later preview has replaced. */
enum err
draft_find(struct db *db, struct arena *mem, struct str user_id, struct str id, int64_t now,
           struct str *document)
{
    struct db_tx *tx = tx_begin_read(db);
    *document = STR_NONE;
    return tx_end_read(tx, draft_store_find(tx, mem, user_id, id, now, document));
}

static enum err
forget(struct db_tx *tx, void *argument)
{
    struct draft_access *work = argument;
    return draft_store_end(tx, work->mem, work->user_id);
}

enum err
draft_forget(struct db *db, struct arena *mem, struct str user_id)
{
    struct draft_access work = { .mem = mem, .user_id = user_id };
    return tx_write(db, forget, &work);
}
