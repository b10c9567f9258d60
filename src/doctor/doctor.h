/* doctor.h - checks an installation from the outside, like a client, and its files and disk, and
 * reports each check as OK, WARN, or FAIL with what to do. For `penchant doctor`. One thread; all
 * memory comes from the report's arena. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct http_client;
struct settings;

enum doctor_result { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };

struct doctor_line {
    const char *check;
    enum doctor_result result;
    struct str text;   /* what was found */
    struct str action; /* what to do; absent for DOCTOR_OK */
};

struct doctor_report {
    struct arena *mem;
    void (*show)(const struct doctor_line *line, void *context); /* called for each line at once */
    void *context;
    size_t warnings, failures;
};

void doctor_ok(struct doctor_report *report, const char *check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* `action` is a sentence. */
void doctor_problem(struct doctor_report *report, enum doctor_result result, const char *check,
                    const char *action, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The installation that is checked. */
struct doctor_target {
    const struct settings *settings;
    struct str base_url;
    struct str auth_url;
    struct http_client *client;
    /* A temporary account and its app, with the scopes DOCTOR_SCOPES; absent: not made. */
    struct str username, password, client_id, client_secret;
};

#define DOCTOR_REDIRECT_URI "http://127.0.0.1/penchant-doctor"
#define DOCTOR_SCOPES "profile:read agent_hints"

/* Files, permissions, disk, and mail server. */
void doctor_check_machine(struct doctor_report *report, const struct doctor_target *target);

/* The base URL from the outside: TLS, clock, metadata, CORS, proxy. False: it cannot be reached, or
 * another service answers. */
bool doctor_check_address(struct doctor_report *report, const struct doctor_target *target);

/* Signs in, connects the app, and uses and revokes its tokens. */
void doctor_check_app(struct doctor_report *report, const struct doctor_target *target);

#endif
