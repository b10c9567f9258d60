/* activity.h - what apps did with a user's data, and what happened to the account, by day.
 *
 * A record counts everything of one day that has the same app, action, outcome, and subject. A day
 * is closed after its end: its hash covers its records and the hash of the day before, so that a
 * record that is later removed, changed, or moved is noticed. docs/ACTIVITY.md specifies the text
 * that is hashed.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef MODEL_ACTIVITY_H
#define MODEL_ACTIVITY_H

#include "base/str.h"

struct arena;
struct buf;
struct json;

#define ACTIVITY_KEPT_DAYS 90
#define ACTIVITY_CLOSE_SECONDS 3600 /* from the end of a day until it is closed */

enum activity_action {
    ACTIVITY_NONE,
    ACTIVITY_READ,
    ACTIVITY_HINTS,
    ACTIVITY_EXPORT,
    ACTIVITY_PROFILE,
    ACTIVITY_WRITE,
    ACTIVITY_SUPPRESS,
    ACTIVITY_CONNECT,
    ACTIVITY_CHANGE, /* the user changed what the app may do */
    ACTIVITY_DISCONNECT,
    ACTIVITY_EXPIRE,     /* the time for which the user allowed the app has passed */
    ACTIVITY_REUSE,      /* a code or refresh token was used twice */
    ACTIVITY_SIGN_IN,    /* from a new device */
    ACTIVITY_BY_HANDLER, /* a route: as its handler sets it; nothing if it sets none */
};

/* "read", "sign_in"; and the action of a name, ACTIVITY_NONE if there is none. */
struct str activity_name(enum activity_action action);
enum activity_action activity_named(struct str name);

/* Whether the action sends facts of a domain to an app. */
bool activity_reads(enum activity_action action);

struct activity {
    int64_t day;       /* since 1970-01-01 UTC */
    struct str app_id; /* empty: none */
    struct str app_name;
    struct str action;
    bool refused;
    struct str subject; /* a domain, or a device; may be empty */
    int64_t times;
    int64_t facts;
    int64_t first_at;
    int64_t last_at;
    bool is_first; /* the app read the domain for the first time */
};

struct activity_day {
    int64_t day;
    bool closed;
    struct str previous, hash; /* of a closed day */
};

/* The ends of a user's chain. */
struct activity_chain {
    struct str hash; /* of the newest closed day; empty: none */
    int64_t deleted_day;
    struct str deleted_hash; /* of the newest deleted day; empty: none */
};

/* Everything about one user. */
struct activity_log {
    struct str user_id;
    struct activity_chain chain;
    struct activity_day *days; /* in their order */
    size_t day_count;
    struct activity *records;
    size_t record_count;
};

/* Sorts records by day, and those of a day in the order in which they are hashed. */
void activity_sort(struct arena *mem, struct activity *records, size_t count);

/* The hash of a day; `records` are those of the day, sorted. */
struct str activity_hash(struct arena *mem, struct str user_id, int64_t day, struct str previous,
                         const struct activity *records, size_t count);

/* NULL: the chain is intact. Otherwise the end of a sentence about *day. Sorts the records. */
const char *activity_problem(struct arena *mem, struct activity_log *log, int64_t *day);

/* "2026-11-16". */
struct str activity_date(struct arena *mem, int64_t day);

/* Writes the log as JSON; the records must be sorted. */
void activity_write_log(struct json *out, struct arena *mem, const struct activity_log *log);

/* The same as a table (RFC 4180), without the hashes, for spreadsheets. */
void activity_write_table(struct buf *out, struct arena *mem, const struct activity_log *log);

/* Makes text fit for a record: without control characters, which separate fields. */
struct str activity_clean(struct arena *mem, struct str text);

#endif
