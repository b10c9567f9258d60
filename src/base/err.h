/* err.h - the one vocabulary of failure.
 *
 * Every function that can fail for a reason a caller must tell apart returns an enum err. Where a
 * person has to be told more, the caller hands in a struct why, which then holds one line that says
 * what was wrong and what to do. web/reply.c alone turns an err into an HTTP answer, app/ into an
 * exit status. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err {
    ERR_NONE = 0,
    ERR_INVALID,         /* malformed or invalid input */
    ERR_UNAUTHENTICATED, /* nobody we know */
    ERR_FORBIDDEN,       /* somebody, but not allowed */
    ERR_NOT_FOUND,       /* no such thing, or not theirs to see */
    ERR_TAKEN,           /* must be new, and is not */
    ERR_TOO_LARGE,       /* past a ceiling */
    ERR_RATE,            /* too often */
    ERR_UNAVAILABLE,     /* the store is away, full or overloaded; nothing was half done */
    ERR_INTERNAL,        /* a defect of ours */
};

const char *err_name(enum err err);

/* One line for a person. Starts empty; the first reason set is kept, since it is nearest the cause.
 */
struct why {
    char text[400];
};

void why_set(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
