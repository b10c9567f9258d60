/* housekeeping.h - a thread that removes what is over, in small steps that nobody notices, that
 * writes what was counted (flow/usage.h) every ten seconds, and makes old hints anew
 * (flow/renewal.h).
 *
 * Nothing depends on the removing: what is over does not work, whether its row is still there or
 * not. */
#ifndef APP_HOUSEKEEPING_H
#define APP_HOUSEKEEPING_H

struct db;
struct housekeeping;
struct renewal;
struct tally;

struct housekeeping *housekeeping_start(struct db *db, struct tally *tally,
                                        struct renewal *renewal);

/* Writes what was counted to the last. NULL is fine. */
void housekeeping_stop(struct housekeeping *housekeeping);

#endif
