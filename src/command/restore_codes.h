/* restore_codes.h - which recovery codes of a backup stay valid after a restore: those that the
 * replaced store has as well. A code that was used or replaced after the backup is not among them.
 * Without a sound replaced store, it is not known which codes were used, and none stays valid. One
 * thread; nothing that a call returns has to be freed. */
#ifndef COMMAND_RESTORE_CODES_H
#define COMMAND_RESTORE_CODES_H

#include "base/err.h"

#include <stdbool.h>

struct db;

/* Whether the store at this address can say which codes were used: it is SQLite, exists, and has no
 * damage. Reads all of it; call before the restore locks it. */
bool restore_codes_known(const char *address);

/* Deletes the codes of `copy` that the store at this address does not have; all if the address is
 * NULL, or if the store cannot be read, which sets *all. */
enum err restore_codes(struct db *copy, const char *address, bool *all);

#endif
