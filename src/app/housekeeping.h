/* housekeeping.h - a thread that removes what is over, in small steps that nobody notices.
 *
 * Nothing depends on it: what is over does not work, whether its row is still there or not. */
#ifndef APP_HOUSEKEEPING_H
#define APP_HOUSEKEEPING_H

struct db;
struct housekeeping;

struct housekeeping *housekeeping_start(struct db *db);
void housekeeping_stop(struct housekeeping *housekeeping); /* NULL is fine */

#endif
