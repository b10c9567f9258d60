/* clock_store.h - stores the state of timekeeper.h. */
#ifndef STORE_CLOCK_STORE_H
#define STORE_CLOCK_STORE_H

#include "base/err.h"
#include "base/timekeeper.h"

struct arena;
struct db_tx;

enum err clock_store_put(struct db_tx *tx, struct arena *mem, struct timekeeper_state state);
enum err clock_store_find(struct db_tx *tx, struct arena *mem, struct timekeeper_state *out);

#endif
