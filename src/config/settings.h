/* settings.h - the operator's settings.
 *
 * Each setting can be a flag (--listen), an environment variable (PENCHANT_LISTEN), or a line of
 * the file given with --config (listen = …). A flag overrides a variable; a variable overrides the
 * file. An installed program may have a default file (CONFIG_FILE of the Makefile). The table in
 * settings.c has default, bounds, and a description; help and docs are generated from it. Results
 * are allocated from `mem`; any thread may read them, and none changes them. */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include "config/help_text.h"
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
    const char *store_file;  /* its path; NULL: none */
    const char *domains;     /* NULL: only the built-in ones */
    const char *domains_off; /* NULL: all built-in ones */
    int64_t threads;         /* 0: one per core */
    int64_t workers;
    int64_t pool;
    int64_t store_deadline; /* milliseconds */
    int64_t drain_delay;    /* seconds */
    int64_t cache;          /* MiB */
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
    int64_t rate_mail;
    const char *smtp_url; /* NULL: no email */
    const char *smtp_from;
    const char *smtp_user;          /* NULL: no authentication */
    const char *smtp_password;      /* NULL: none */
    const char *smtp_password_file; /* its path; NULL: none */
    const char *smtp_ca;            /* NULL: the certificates of the system */
    int64_t rate_register;
    const char *security_contact; /* NULL: none, as below */
    const char *privacy_url;
    const char *source_url;
    bool registration_open;
    bool mcp;
    const char *mcp_scope;
    const char *mcp_origins;            /* NULL: the default */
    const char *client_registration;    /* "open", "closed", or a list of hosts */
    const char *client_documents;       /* "on", "off", or a list of hosts */
    const char *client_documents_ca;    /* NULL: the certificates of the system */
    const char *client_documents_local; /* NULL: none */
    int64_t client_documents_timeout;   /* seconds */
    int64_t rate_documents;
    const char *redirect_schemes;
    bool sandbox;
    const char *config; /* the settings file that was read; NULL: none */
    bool access_log;
    enum log_format log_format;
    enum log_level log_level;
};

bool setting_exists(struct str name);

/* The setting that a mistyped name probably means, or NULL. */
const char *setting_nearest(struct str name);

/* The configured base URL, or one made from the address that the service listens on. */
const char *settings_base_url(struct arena *mem, const struct settings *settings,
                              const char *address);

void settings_describe(struct buf *out, enum help_format format);

#endif
