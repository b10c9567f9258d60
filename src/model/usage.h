/* usage.h - usage statistics of apps and the reasons of their failed requests.
 *
 * A day is the number of days since 1970-01-01 UTC. Pure; results are allocated from `mem`. Any
 * thread may call them. */
#ifndef MODEL_USAGE_H
#define MODEL_USAGE_H

#include "base/str.h"

struct arena;

#define USAGE_ID_LENGTH 26 /* bytes of a user id or an app id */
#define USAGE_DAYS 30      /* shown on pages */
#define USAGE_KEPT_DAYS 90 /* stored */
#define USAGE_END_KNOWN_SECONDS \
    3600 /* how long the store remembers that a user disconnected an app */
#define REFUSALS_PER_APP_MAX 50
#define REFUSAL_KEPT_SECONDS ((int64_t)USAGE_DAYS * 24 * 3600)

/* The outcome of an app's request. */
enum usage_outcome {
    USAGE_CALL,    /* successful API call */
    USAGE_TOKENS,  /* tokens issued */
    USAGE_REFUSED, /* rejected: the client's error */
    USAGE_FAILED,  /* failed: the server's error */
    USAGE_OUTCOMES,
};

/* The tools of the MCP endpoint. */
enum usage_tool {
    TOOL_GET_HINTS,
    TOOL_GET_PREFERENCES,
    TOOL_REMEMBER,
    TOOL_FORGET,
    USAGE_TOOLS,
};

struct usage_day {
    int64_t day;
    int64_t counts[USAGE_OUTCOMES];
};

/* Usage of an app in the last USAGE_DAYS days, oldest first, without gaps. */
struct app_usage {
    struct usage_day days[USAGE_DAYS];
    int64_t users;     /* users with a call within these days */
    int64_t connected; /* users with a grant now */
};

/* Totals for a list of apps. */
struct usage_sum {
    struct str app_id;
    int64_t calls; /* successful API calls */
    int64_t refused;
};

/* Usage of an app for one user. */
struct grant_usage {
    int64_t last_use; /* 0: never, or no longer recorded */
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

/* Makes untrusted text safe to store and show: one line of valid UTF-8, at most `max` bytes,
 * without anything that looks like one of our tokens, codes or secrets. Never absent. */
struct str refusal_clean(struct arena *mem, struct str text, size_t max);

#endif
