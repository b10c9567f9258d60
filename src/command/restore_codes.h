/* restore_codes.h - which recovery codes of a backup stay valid after a restore: those that the
 * replaced store has as well. A code that was used or replaced after the backup is not among them.
 * Without a sound replaced store, it is not known which codes were used, and none stays valid. One
 * thread. Frees what it allocates. */
#ifndef COMMAND_RESTORE_CODES_H
#define COMMAND_RESTORE_CODES_H

#include "base/err.h"

#include <stdbool.h>

struct db;

/* Whether the store at this address is readable and undamaged; false if it is not SQLite. Reads
 * all of it; call before the restore locks it. */
bool restore_codes_known(const char *address);

/* Deletes the codes of `copy` that the store at this address does not have; all if the address is
 * NULL, or if the store cannot be read. *all is set in these two cases, and if `copy` had codes and
 * all were deleted, because the store is empty or unrelated, for example. */
enum err restore_codes(struct db *copy, const char *address, bool *all);

#endif
