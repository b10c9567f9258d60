/* row_key.h - numbers that rows are found by. A tree over numbers is flat: in one that is sorted by
 * texts SQLite keeps whole rows in its upper floors, eight of them for a million people.
 *
 * A number is made of the first characters of an id or a hash, so two may share it: whoever looks
 * for a row compares the text, too. Step 9 of the schema counts the same way. */
#ifndef STORE_ROW_KEY_H
#define STORE_ROW_KEY_H

#include "base/str.h"

/* A person's rows lie side by side, in a table of records and one of atoms: 54 bits of the id, and
 * behind them so many places, the first of them for the head (see user_store.h). Should two people
 * ever share the bits, they share the places, and each finds its own by the id. */
#define ROW_KEYS_PER_USER 256

int64_t row_key_of_user(struct str user_id);
int64_t row_key_of_hash(struct str hash); /* 60 bits */

/* The parameters $1, $2 and $3 of a statement about a person's rows, and how it begins to choose.
 */
#define db_user(user_id)                                \
    db_text(user_id), db_int(row_key_of_user(user_id)), \
        db_int(row_key_of_user(user_id) + ROW_KEYS_PER_USER - 1)
#define OF_USER " WHERE row_key BETWEEN $2 AND $3 AND user_id = $1"
#define USER_HEADER OF_USER " AND domain = ''"

/* Behind a look for one row: SQLite would go on to the end of the person's places, and often into
 * another page. */
#define NO_OTHER " LIMIT 1"

#endif
