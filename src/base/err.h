/* err.h - error codes and error messages.
 *
 * A function that can fail returns an enum err when callers must distinguish the reasons. If the
 * caller passes a struct why, the function also stores one line there: what failed and what to do.
 * web/ maps an err to an HTTP response, app/ to an exit status. The caller owns the struct why. Any
 * thread may call these functions. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err {
    ERR_NONE = 0,
    ERR_INVALID,         /* malformed or invalid input */
    ERR_UNAUTHENTICATED, /* no valid credentials */
    ERR_FORBIDDEN,       /* valid credentials without the required permission */
    ERR_NOT_FOUND,       /* does not exist, or is not visible to the caller */
    ERR_TAKEN,           /* must be unique and already exists */
    ERR_TOO_LARGE,       /* exceeds a limit */
    ERR_RATE,            /* rate limited */
    ERR_UNAVAILABLE,     /* database unreachable, full, or overloaded; nothing was changed */
    ERR_UNCONFIRMED, /* the database did not confirm a commit: it was made wholly or not at all */
    ERR_INTERNAL,    /* a bug in this program */
};

const char *err_name(enum err err);

/* One line for a human reader. Must start empty. The first message set is kept, because it is
 * closest to the cause. */
struct why {
    char text[400];
};

void why_set(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
