/* settings.h - the operator's settings: one table, and how values are read.
 *
 * Each setting can be a flag (--listen), an environment variable (PENCHANT_LISTEN), or a line of
 * the file given with --config (listen = …). A flag overrides a variable; a variable overrides the
 * file. The table in settings.c has default, bounds, and a description; help and docs are generated
 * from it. */
#ifndef APP_SETTINGS_H
#define APP_SETTINGS_H

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"

struct arena;
struct buf;

struct settings {
    const char *listen;
    const char *metrics_listen; /* NULL: none */
    const char *base_url;       /* NULL: made from the listen address */
    const char *auth_url;       /* NULL: the base URL */
    const char *store;
    const char *domains; /* NULL: only the built-in ones */
    int64_t threads;     /* 0: one per core */
    int64_t workers;
    int64_t pool;
    int64_t cache; /* MiB */
    int64_t connections;
    int64_t connections_per_address;
    const char *trusted_proxies; /* NULL: none */
    const char *tls_cert;        /* NULL: no TLS */
    const char *tls_key;
    int64_t rate_api;
    int64_t rate_signin;
    int64_t rate_auth;
    int64_t rate_signup;
    int64_t rate_refresh;
    bool registration_open;
    bool access_log;
    enum log_format log_format;
    enum log_level log_level;
};

/* A setting from the command line. If a name is given twice, the last one is used. */
struct setting_flag {
    struct str name;
    struct str value;
};

bool setting_exists(struct str name);

/* Reads file and variables, then the flags, and checks all of it. On failure `why` is one line that
 * names the setting and where it came from. Strings are allocated in the arena. */
enum err settings_load(struct arena *mem, const struct setting_flag *flags, size_t count,
                       struct settings *out, struct why *why);

/* One entry of a settings file: `key = value`, with blank lines and # comments skipped. Returns
 * false at the end. A line that is neither has an absent name. */
bool settings_next_line(struct str *rest, struct str *name, struct str *value, size_t *line);

void settings_describe(struct buf *out, bool markdown);

#endif
