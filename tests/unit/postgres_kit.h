/* postgres_kit.h - opens the store of a test of src/postgres. Include it once per test binary. */
#ifndef UNIT_POSTGRES_KIT_H
#define UNIT_POSTGRES_KIT_H

#include "unit/store_kit.h"

#define OPEN_DEADLINE_MS 60000 /* of a busy machine */

/* The database of PENCHANT_TEST_POSTGRES. Close it with db_close(). */
static struct db *
open_postgres(size_t connections, int64_t deadline_ms)
{
    struct why why = { 0 };
    struct db *db = NULL;
    struct db_settings settings = { .address = getenv("PENCHANT_TEST_POSTGRES"),
                                    .connections = connections,
                                    .deadline_ms = deadline_ms,
                                    .prepare_lazily = true };
    if (db_open(&settings, &db, &why))
        fail_msg("%s", why.text);
    return db;
}

#endif
