/* usage.h - how an app is used, and why it was refused: what is counted, in words and numbers.
 *
 * Days are counted since 1970 in UTC. Pure. */
#ifndef MODEL_USAGE_H
#define MODEL_USAGE_H

#include "base/str.h"

struct arena;

#define USAGE_ID_LENGTH 26           /* bytes of a user id or an app id */
#define USAGE_DAYS 30                /* that are shown */
#define USAGE_KEPT_DAYS 90           /* … and kept */
#define USAGE_END_KNOWN_SECONDS 3600 /* how long the store knows that somebody left something */
#define REFUSALS_PER_APP_MAX 50
#define REFUSAL_KEPT_SECONDS ((int64_t)USAGE_DAYS * 24 * 3600)

/* How a request of an app ended. */
enum usage_outcome {
    USAGE_CALL,    /* it got what it asked for */
    USAGE_TOKENS,  /* it got tokens */
    USAGE_REFUSED, /* it was told no */
    USAGE_FAILED,  /* it was our fault */
    USAGE_OUTCOMES,
};

struct usage_day {
    int64_t day;
    int64_t counts[USAGE_OUTCOMES];
};

/* What an app did in the last days: the newest day last, none left out. */
struct app_usage {
    struct usage_day days[USAGE_DAYS];
    int64_t people;    /* for whom it called within these days */
    int64_t connected; /* who allow it something now */
};

/* The same in short, for a list of apps. */
struct usage_sum {
    struct str app_id;
    int64_t calls; /* and tokens */
    int64_t refused;
};

/* What an app did for one person. */
struct grant_usage {
    int64_t last_use; /* 0: never, or too long ago to be known */
    int64_t days[USAGE_DAYS];
};

/* One kind of refusal of one app. */
struct refusal {
    struct str app_id;
    struct str endpoint; /* "POST /oauth/token" */
    struct str error;    /* "invalid_grant" */
    struct str reason;   /* a sentence a developer can act on */
    struct str detail;   /* the newest example of what was sent; may be empty */
    int64_t times;
    int64_t first_at;
    int64_t last_at;
};

#define REFUSAL_ENDPOINT_MAX 48
#define REFUSAL_ERROR_MAX 40
#define REFUSAL_REASON_MAX 200
#define REFUSAL_DETAIL_MAX 240

int64_t usage_day_of(int64_t now);

/* Text of strangers as it may be kept and shown: one line, valid, at most so many bytes, and
 * without anything that looks like a token, a code or a secret of ours. Never absent. */
struct str refusal_clean(struct arena *mem, struct str text, size_t max);

#endif
