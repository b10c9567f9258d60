/* attempts.h - limits attempts over all nodes that share a store. Safe from any thread; each
 * function waits for the store. */
#ifndef DISPATCH_ATTEMPTS_H
#define DISPATCH_ATTEMPTS_H

#include "base/err.h"
#include "base/str.h"

struct db;

struct attempt {
    const char *kind;  /* what is limited */
    struct str caller; /* stored as a digest, with the kind */
    int64_t limit;     /* attempts */
    int64_t window;    /* seconds, from the first attempt on */
    int64_t now;
};

/* *wait is 0, or the seconds until the caller, who is at the limit, may try again. attempts_take()
 * counts an attempt if it may be made. */
enum err attempts_wait(struct db *db, const struct attempt *attempt, int64_t *wait);
enum err attempts_take(struct db *db, const struct attempt *attempt, int64_t *wait);
enum err attempts_return(struct db *db, const struct attempt *attempt); /* takes one back */

#endif
