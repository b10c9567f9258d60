/* settings.c - the table of settings, and the three places that values come from.
 *
 * Everything about a setting is one row: flag, variable, key of the settings file, default, check,
 * and description. Values are stored through the row's offset into struct settings, so the kind of
 * the row must fit the type of the member. Sources are applied in order of precedence: defaults,
 * file, variables, flags; a later one overwrites. Settings that name a file with a secret are read
 * last.
 *
 * Checks of one value return NULL or the problem, worded to follow the name of the setting. */
#include "config/settings.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "text/nearest.h"
#include "config/secret_file.h"
#include "db/db.h"
#include "http/limits.h"
#include "http/listen.h"
#include "http/server.h"
#include "model/host_list.h"
#include "model/redirect_uri.h"
#include "model/user.h"
#include "net/smtp.h"
#include "text/url.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES (64 * 1024)
#define STRINGIFY(number) STRINGIFY_(number)
#define STRINGIFY_(number) #number

enum kind { TEXT, NUMBER, CHOICE };

struct row {
    const char *name;
    enum kind kind;
    const char *fallback; /* NULL: not set */
    size_t offset;        /* into struct settings: a const char *, an int64_t, a bool or an enum */
    int64_t min, max;
    const char *choices[5]; /* the index is the value */
    size_t width;           /* of a choice's member */
    const char *(*problem)(const char *text);
    const char *summary;
    const char *default_text; /* for help, if the default is computed */
    bool secret;              /* not accepted as a flag */
    bool repeats;             /* further values are added after a space */
};

static const char *
url_problem(const char *text)
{
    return url_origin_problem(str_of(text));
}

/* At startup only: the file may still disappear before it is opened, which is then reported
 * there. */
static const char *
file_problem(const char *text)
{
    return access(text, R_OK) == 0 ? NULL : "is not a readable file";
}

/* Each word of the list must be an origin, or "*". */
static const char *
origins_problem(const char *text)
{
    struct str rest = str_of(text), origin;
    const char *problem = NULL;
    while (problem == NULL && str_cut(&rest, ' ', &origin))
        if (!str_eq_c(origin, "*"))
            problem = url_origin_problem(origin);
    return problem;
}

static const char *
hosts_problem(const char *text)
{
    return host_list_problem(str_of(text));
}

static const char *
registration_problem(const char *text)
{
    bool keyword = strcmp(text, "open") == 0 || strcmp(text, "closed") == 0;
    return keyword || hosts_problem(text) == NULL
               ? NULL
               : "must be open, closed, or host names separated by spaces, such as claude.ai "
                 "*.example.com";
}

static const char *
documents_problem(const char *text)
{
    bool keyword = strcmp(text, "on") == 0 || strcmp(text, "off") == 0;
    return keyword || hosts_problem(text) == NULL
               ? NULL
               : "must be on, off, or host names separated by spaces, such as claude.ai "
                 "*.example.com";
}

static const char *
email_problem(const char *text)
{
    return user_email_problem(str_of(text)) == NULL ? NULL : "is not an email address";
}

static const char *
link_problem(const char *text)
{
    bool fine = strncmp(text, "https://", 8) == 0 && text[8] != '\0';
    for (const char *c = text; *c != '\0'; c++)
        fine = fine && *c > ' ' && *c < 0x7f; /* it is copied into pages and security.txt */
    return fine ? NULL : "must be an https URL without spaces";
}

/* RFC 9116 §2.5.3: the contact is a URI. */
static const char *
contact_problem(const char *text)
{
    const char *scheme = "mailto:";
    bool fine = strncmp(text, scheme, strlen(scheme)) == 0
                    ? user_email_problem(str_of(text + strlen(scheme))) == NULL
                    : link_problem(text) == NULL;
    return fine ? NULL : "must be mailto:ADDRESS or an https URL";
}

#define AT(member) .offset = offsetof(struct settings, member)
#define CHOICE_AT(member) AT(member), .kind = CHOICE, .width = sizeof((struct settings){ 0 }.member)

/* For on/off settings the index of the choice is 0 or 1; for log-level it is enum log_level. */
static const struct row rows[] = {
    { "listen", TEXT, "127.0.0.1:8080", AT(listen), .problem = http_listen_problem,
      .summary =
          "Address and port to listen on; :8080 listens on every address, port 0 picks a free "
          "port. A socket passed by systemd takes precedence." },
    { "base-url", TEXT, NULL, AT(base_url), .problem = url_problem,
      .default_text = "http:// (https:// with TLS) and the listen address",
      .summary =
          "Public URL of the service as apps see it, and the issuer of its tokens. No path." },
    { "auth-url", TEXT, NULL, AT(auth_url), .problem = url_problem, .default_text = "the base URL",
      .summary =
          "Public URL of the sign-in and account pages, if it differs from base-url. No path." },
    { "store", TEXT, "sqlite:penchant.db", AT(store), .problem = db_address_problem,
      .repeats = true,
      .summary =
          "Database to use: sqlite:FILE or postgresql://user@host/name. Repeat it for several "
          "PostgreSQL databases that share the users, always in the same order; in the "
          "variable, separate them by spaces." },
    { "store-file", TEXT, NULL, AT(store_file), .default_text = "none",
      .summary = "File that contains the store's address, instead of store; a name without a slash "
                 "is a credential of the systemd unit." },
    { "domains", TEXT, NULL, AT(domains), .default_text = "none",
      .summary =
          "Folder with additional domain definitions, one file NAME.json each. A definition with "
          "the name of a built-in domain replaces it." },
    { "domains-off", TEXT, NULL, AT(domains_off), .default_text = "none",
      .summary = "Built-in domains that this installation does not offer, separated by spaces: "
                 "media_profile lifestyle_profile. What users stored in them is kept." },
    { "threads", NUMBER, "0", AT(threads), .max = 256, .default_text = "one per core",
      .summary = "Threads that handle HTTP connections." },
    { "workers", NUMBER, "64", AT(workers), .min = 1, .max = 1024,
      .summary = "Maximum threads for requests that write or hash a password; started on demand." },
    { "pool", NUMBER, "8", AT(pool), .min = 1, .max = 512,
      .summary = "Connections to PostgreSQL; not used with SQLite." },
    { "store-deadline", NUMBER, "2000", AT(store_deadline), .min = 100, .max = 600000,
      .summary =
          "Milliseconds for PostgreSQL to answer a statement; a request that waits longer is "
          "answered with 503. Not used with SQLite." },
    { "drain-delay", NUMBER, "0", AT(drain_delay), .max = 300,
      .summary = "Seconds between SIGTERM, when /readyz turns 503, and the end of accepting "
                 "connections, so that a load balancer notices first." },
    { "cache", NUMBER, "64", AT(cache), .max = 1048576,
      .summary = "Memory for cached responses, in MiB; 0 turns the cache off." },
    { "connections", NUMBER, STRINGIFY(HTTP_CONNECTIONS_MAX), AT(connections), .min = 1,
      .max = 1000000, .summary = "Maximum open connections; further ones are answered with 503." },
    { "connections-per-address", NUMBER, STRINGIFY(HTTP_CONNECTIONS_PER_ADDRESS_MAX),
      AT(connections_per_address), .min = 1, .max = 1000000,
      .summary = "Maximum open connections per address; trusted proxies are exempt." },
    { "trusted-proxies", TEXT, NULL, AT(trusted_proxies), .problem = http_proxies_problem,
      .default_text = "none",
      .summary = "Addresses and networks trusted to set X-Forwarded-For, separated by commas." },
    { "metrics-listen", TEXT, NULL, AT(metrics_listen), .problem = http_listen_problem,
      .default_text = "none", .summary = "Address and port of a separate listener for /metrics." },
    { "tls-cert", TEXT, NULL, AT(tls_cert), .problem = file_problem, .default_text = "no TLS",
      .summary = "PEM file with the TLS certificate chain." },
    { "tls-key", TEXT, NULL, AT(tls_key), .problem = file_problem, .default_text = "no TLS",
      .summary = "PEM file with the private key of the certificate." },
    { "rate-api", NUMBER, "100", AT(rate_api), .max = 1000000,
      .summary = "Maximum requests per second for one access token; 0 means no limit." },
    { "rate-signin", NUMBER, "10", AT(rate_signin), .max = 1000000,
      .summary =
          "Maximum failed sign-ins per account and per address in 15 minutes; 0 means no limit." },
    { "rate-auth", NUMBER, "30", AT(rate_auth), .max = 1000000,
      .summary = "Maximum failed client authentications per client and per address in one minute; "
                 "0 means no limit." },
    { "rate-signup", NUMBER, "30", AT(rate_signup), .max = 1000000,
      .summary = "Maximum new accounts and apps per address in one hour, and 50 times as many in "
                 "total; 0 means no limit." },
    { "rate-refresh", NUMBER, "20", AT(rate_refresh), .max = 1000000,
      .summary = "Maximum refreshes of one authorization in one minute; 0 means no limit." },
    { "rate-register", NUMBER, "30", AT(rate_register), .max = 1000000,
      .summary = "Maximum clients that register themselves per address in one hour; 0 means no "
                 "limit." },
    { "rate-documents", NUMBER, "10", AT(rate_documents), .max = 1000000,
      .summary = "Maximum client ID metadata documents fetched per address in one minute; 0 means "
                 "no limit." },
    { "rate-mail", NUMBER, "5", AT(rate_mail), .max = 1000000,
      .summary = "Maximum emails that anyone can request per recipient and per address of the "
                 "network in one hour; 0 means no limit." },
    { "smtp-url", TEXT, NULL, AT(smtp_url), .problem = smtp_url_problem, .default_text = "no email",
      .summary = "Mail server: smtps://HOST:PORT, or smtp://HOST:PORT with STARTTLS, which is "
                 "optional only on this machine. file:PATH appends messages to a file instead." },
    { "smtp-from", TEXT, NULL, AT(smtp_from), .problem = email_problem, .default_text = "none",
      .summary = "Sender's address of the email; required with smtp-url." },
    { "smtp-user", TEXT, NULL, AT(smtp_user), .default_text = "no authentication",
      .summary = "Username at the mail server." },
    { "smtp-password", TEXT, NULL, AT(smtp_password), .secret = true, .default_text = "none",
      .summary = "Password at the mail server; only as a variable or in the settings file, since "
                 "other users of the machine can see flags." },
    { "smtp-password-file", TEXT, NULL, AT(smtp_password_file), .default_text = "none",
      .summary = "File that contains the password at the mail server, instead of smtp-password; a "
                 "name without a slash is a credential of the systemd unit." },
    { "smtp-ca", TEXT, NULL, AT(smtp_ca), .problem = file_problem,
      .default_text = "the certificates of the system",
      .summary = "PEM file with the certificates that may sign the mail server's." },
    { "security-contact", TEXT, NULL, AT(security_contact), .problem = contact_problem,
      .default_text = "no security.txt",
      .summary = "Where to report vulnerabilities: mailto:ADDRESS or an https URL, published in "
                 "/.well-known/security.txt." },
    { "privacy-url", TEXT, NULL, AT(privacy_url), .problem = link_problem, .default_text = "none",
      .summary = "https URL of your privacy policy, linked from /privacy." },
    { "source-url", TEXT, NULL, AT(source_url), .problem = link_problem, .default_text = "none",
      .summary = "https URL of the source code, linked from the footer of the pages." },
    { "registration", .fallback = "open", CHOICE_AT(registration_open),
      .choices = { "closed", "open" }, .summary = "Whether new users can sign up." },
    { "mcp", .fallback = "on", CHOICE_AT(mcp), .choices = { "off", "on" },
      .summary = "Whether MCP clients can connect: /mcp, its metadata, and clients without an "
                 "app in the portal." },
    { "mcp-scope", TEXT, "agent_hints preferences:read preferences:write", AT(mcp_scope),
      .summary = "Scopes that an MCP client should request first, separated by spaces." },
    { "mcp-origins", TEXT, NULL, AT(mcp_origins), .problem = origins_problem,
      .default_text = "the base URL, the auth URL, and every loopback origin",
      .summary = "Origins of web pages that may call /mcp, separated by spaces; * allows any." },
    { "client-registration", TEXT, "open", AT(client_registration), .problem = registration_problem,
      .summary = "Whether clients can register themselves at /oauth/register (RFC 7591): open, "
                 "closed, or only those that redirect to these hosts, separated by spaces. "
                 "*.example.com is every host below example.com; localhost is a program on the "
                 "user's device." },
    { "client-documents", TEXT, "on", AT(client_documents), .problem = documents_problem,
      .summary = "Whether a client can use the URL of a client ID metadata document as its "
                 "client_id: on, off, or only documents of these hosts, as above. Turn it off if "
                 "the service cannot reach the internet." },
    { "client-documents-ca", TEXT, NULL, AT(client_documents_ca), .problem = file_problem,
      .default_text = "the certificates of the system",
      .summary = "PEM file with the certificates that may sign those of document hosts." },
    { "client-documents-local", TEXT, NULL, AT(client_documents_local), .problem = hosts_problem,
      .default_text = "none",
      .summary = "Hosts of documents that may have an address on a private network or on this "
                 "machine, separated by spaces. Others are fetched only from public addresses." },
    { "client-documents-timeout", NUMBER, "5", AT(client_documents_timeout), .min = 1, .max = 60,
      .summary = "Seconds in which a host must send a document." },
    { "redirect-schemes", TEXT, "cursor vscode vscode-insiders windsurf zed goose raycast",
      AT(redirect_schemes), .problem = redirect_schemes_problem,
      .summary = "Private-use URI schemes without a dot that clients without an app in the "
                 "portal may redirect to, separated by spaces." },
    { "sandbox", .fallback = "on", CHOICE_AT(sandbox), .choices = { "off", "on" },
      .summary = "Whether the service gives up what it does not need: running programs, opening "
                 "files that no setting names, and system calls of other purposes." },
    { "access-log", .fallback = "on", CHOICE_AT(access_log), .choices = { "off", "on" },
      .summary = "Whether to log each request." },
    { "log-format", .fallback = "text", CHOICE_AT(log_format), .choices = { "text", "json" },
      .summary = "Format of log lines." },
    { "log-level", .fallback = "info", CHOICE_AT(log_level),
      .choices = { "silent", "error", "warn", "info", "debug" },
      .summary = "Minimum level to log." },
};

#define ROWS (sizeof rows / sizeof rows[0])

/* NULL: unknown, or "config", which has no row. */
static const struct row *
find_row(struct str name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (str_eq_c(name, rows[i].name))
            return &rows[i];
    return NULL;
}

bool
setting_exists(struct str name)
{
    return str_eq_c(name, "config") || find_row(name) != NULL;
}

/* NULL: no name is near enough to be a typing error. */
const char *
setting_nearest(struct str name)
{
    const char *nearest = NULL;
    size_t least = NEAREST_MAX;
    for (size_t i = 0; i < ROWS; i++) {
        size_t distance = nearest_distance(name, str_of(rows[i].name));
        if (distance < least && nearest_is_typo(name, str_of(rows[i].name))) {
            nearest = rows[i].name;
            least = distance;
        }
    }
    return nearest;
}

/* ---- one value ---- */

/* "text or json"; "silent, error, warn, info, or debug". Empty for other kinds. */
static struct str
list_choices(struct arena *mem, const struct row *row)
{
    struct buf out = buf_in(mem, 256);
    size_t count = 0;
    while (count < sizeof row->choices / sizeof row->choices[0] && row->choices[count] != NULL)
        count++;
    for (size_t i = 0; i < count; i++)
        buf_add_format(&out, "%s%s",
                       i == 0          ? ""
                       : i + 1 < count ? ", "
                       : count > 2     ? ", or "
                                       : " or ",
                       row->choices[i]);
    return str_copy(mem, buf_str(&out));
}

/* A choice is a bool or an enum, which GCC and Clang store as unsigned. */
static void
put_choice(const struct row *row, size_t index, struct settings *out)
{
    char *member = (char *)out + row->offset;
    if (row->width == sizeof(bool))
        *(bool *)member = index != 0;
    else
        *(unsigned *)(void *)member = (unsigned)index;
}

/* Stores a valid value and returns NULL; otherwise returns the problem as the end of a sentence. */
static const char *
put_value(struct arena *mem, const struct row *row, struct str value, struct settings *out)
{
    char *member = (char *)out + row->offset;
    if (str_index(value, '\0') < value.len)
        return "contains a NUL byte";
    switch (row->kind) {
    case TEXT: {
        const char *text = str_c(mem, value);
        const char *problem = value.len == 0 ? "is empty" : NULL;
        if (problem == NULL && row->problem != NULL)
            problem = row->problem(text);
        if (problem == NULL)
            *(const char **)(void *)member = text;
        return problem;
    }
    case NUMBER:
        if (str_to_int(value, row->min, row->max, (int64_t *)(void *)member))
            return NULL;
        return str_format(mem, "must be a whole number from %lld to %lld", (long long)row->min,
                          (long long)row->max)
            .ptr;
    case CHOICE:
        for (size_t i = 0; i < sizeof row->choices / sizeof row->choices[0]; i++) {
            if (row->choices[i] != NULL && str_eq_c(value, row->choices[i])) {
                put_choice(row, i, out);
                return NULL;
            }
        }
        return str_format(mem, "must be %s", list_choices(mem, row).ptr).ptr;
    }
    return "has an unknown type";
}

/* As put_value(), for a setting that the same source has set before: adds the value after a space.
 * A list of SQLite files would be one file whose name contains a space. */
static const char *
put_more(struct arena *mem, const struct row *row, struct str value, struct settings *out)
{
    const char *before = *(const char **)(void *)((char *)out + row->offset);
    if (strncmp(before, "sqlite:", 7) == 0 || str_starts(value, STR("sqlite:")))
        return "can be repeated for PostgreSQL only";
    return put_value(mem, row, str_format(mem, "%s %.*s", before, STR_ARG(value)), out);
}

/* ---- sources: file, environment, command line ---- */

/* CR LF files are accepted. A value may contain "="; only the first one separates. */
bool
settings_next_line(struct str *rest, struct str *name, struct str *value, size_t *line)
{
    struct str text;
    while (str_cut(rest, '\n', &text)) {
        ++*line;
        if (text.len > 0 && text.ptr[text.len - 1] == '\r')
            text.len--;
        text = str_trim(text);
        if (text.len == 0 || text.ptr[0] == '#')
            continue;
        size_t equals = str_index(text, '=');
        *name = equals < text.len ? str_trim(str_first(text, equals)) : STR_NONE;
        *value = equals < text.len ? str_trim(str_from(text, equals + 1)) : STR_NONE;
        if (name->len == 0)
            *name = STR_NONE;
        return true;
    }
    return false;
}

/* *open_to_all: other users may read the file. Whether that matters depends on what it contains. */
static enum err
read_file(struct arena *mem, const char *path, struct str *out, bool *open_to_all, struct why *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        why_set(why, "config: cannot read %s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return ERR_INVALID;
    }
    char *text = arena_alloc(mem, FILE_MAX_BYTES + 1);
    ssize_t length = read(fd, text, FILE_MAX_BYTES + 1);
    close(fd);
    if (length < 0 || length > FILE_MAX_BYTES) {
        why_set(why, "config: %s is larger than %d bytes, or cannot be read", path, FILE_MAX_BYTES);
        return ERR_INVALID;
    }
    *out = (struct str){ text, (size_t)length };
    *open_to_all = (info.st_mode & S_IRWXO) != 0;
    /* It may contain a password, so other users must not read the file. */
    if ((info.st_mode & S_IRWXO) != 0 &&
        memmem(text, (size_t)length, "postgresql://", 13) != NULL) {
        why_set(why,
                "config: %s contains a PostgreSQL store address and is readable by every user; "
                "run chmod o= on it",
                path);
        return ERR_INVALID;
    }
    return ERR_NONE;
}

/* A setting that appears twice is refused, since one of the two would be ignored without notice. */
static enum err
apply_file(struct arena *mem, const char *path, struct settings *out, struct why *why)
{
    struct str rest, name, value;
    size_t line = 0;
    size_t lines[ROWS] = { 0 }; /* line of each setting; 0: not found yet */
    bool open_to_all = false;
    enum err err = read_file(mem, path, &rest, &open_to_all, why);
    if (err)
        return err;
    while (settings_next_line(&rest, &name, &value, &line)) {
        const struct row *row = find_row(name);
        if (row == NULL) {
            why_set(why,
                    "%s, line %zu: %.*s is not a setting; write `key = value` with a key of "
                    "`penchant help settings`",
                    path, line, str_present(name) ? (int)str_first(name, 64).len : 4,
                    str_present(name) ? name.ptr : "this");
            return ERR_INVALID;
        }
        if (row->secret && open_to_all) {
            why_set(why, "config: %s contains %s and is readable by every user; run chmod o= on it",
                    path, row->name);
            return ERR_INVALID;
        }
        size_t *first = &lines[row - rows];
        if (*first != 0 && !row->repeats) {
            why_set(why, "%s: %s is set twice, on line %zu and on line %zu; remove one of them",
                    path, row->name, *first, line);
            return ERR_INVALID;
        }
        const char *problem =
            *first != 0 ? put_more(mem, row, value, out) : put_value(mem, row, value, out);
        *first = line;
        if (problem != NULL) {
            why_set(why, "%s, line %zu: %s %s", path, line, row->name, problem);
            return ERR_INVALID;
        }
    }
    return ERR_NONE;
}

/* "base-url" is PENCHANT_BASE_URL. */
static const char *
variable_of(struct arena *mem, const char *name)
{
    struct str variable = str_format(mem, "PENCHANT_%s", name);
    char *text = (char *)(uintptr_t)variable.ptr;
    for (size_t i = 0; i < variable.len; i++) {
        if (text[i] == '-')
            text[i] = '_';
        else if (ascii_is_lower(text[i]))
            text[i] = (char)(text[i] - 'a' + 'A');
    }
    return text;
}

/* An empty variable is refused like an empty value: it is probably a mistake in a script. */
static enum err
apply_variables(struct arena *mem, struct settings *out, struct why *why)
{
    for (size_t i = 0; i < ROWS; i++) {
        const char *variable = variable_of(mem, rows[i].name);
        const char *value = getenv(variable);
        if (value == NULL)
            continue;
        const char *problem = put_value(mem, &rows[i], str_of(value), out);
        if (problem != NULL) {
            why_set(why, "%s %s", variable, problem);
            return ERR_INVALID;
        }
    }
    return ERR_NONE;
}

/* Secrets are refused: every user of the machine can list the arguments of a process. */
static enum err
apply_flags(struct arena *mem, const struct setting_flag *flags, size_t count, struct settings *out,
            struct why *why)
{
    bool given[ROWS] = { false };
    for (size_t i = 0; i < count; i++) {
        const struct row *row = find_row(flags[i].name);
        if (row == NULL)
            continue; /* --config */
        bool more = row->repeats && given[row - rows];
        const char *problem =
            row->secret ? "would be visible to other users of this machine; use the variable or "
                          "the settings file"
            : more      ? put_more(mem, row, flags[i].value, out)
                        : put_value(mem, row, flags[i].value, out);
        given[row - rows] = true;
        if (problem != NULL) {
            why_set(why, "--%s %s", row->name, problem);
            return ERR_INVALID;
        }
    }
    return ERR_NONE;
}

/* Reads the settings that are in files of their own. `given`: a value was set as well. */
static enum err
apply_secret_file(struct arena *mem, const char *setting, const char **file, const char **value,
                  bool given, struct why *why)
{
    if (*file == NULL)
        return ERR_NONE;
    if (given) {
        why_set(why, "%s and %s-file are both set; remove one of them", setting, setting);
        return ERR_INVALID;
    }
    *file = secret_file_path(mem, *file);
    return secret_file_read(mem, str_format(mem, "%s-file", setting).ptr, *file, value, why);
}

/* The default of `store` counts as not given: the pointers are compared. */
static enum err
apply_secret_files(struct arena *mem, const char *default_store, struct settings *out,
                   struct why *why)
{
    enum err err = apply_secret_file(mem, "smtp-password", &out->smtp_password_file,
                                     &out->smtp_password, out->smtp_password != NULL, why);
    if (!err)
        err = apply_secret_file(mem, "store", &out->store_file, &out->store,
                                out->store != default_store, why);
    const char *problem = err ? NULL : db_address_problem(out->store);
    if (problem == NULL)
        return err;
    why_set(why, "store-file: the address in %s %s", out->store_file, problem);
    return ERR_INVALID;
}

/* Checks that involve more than one setting. */
static enum err
check_together(const struct settings *settings, struct why *why)
{
    if ((settings->smtp_url == NULL) != (settings->smtp_from == NULL)) {
        why_set(why, "%s is set without %s; email needs both",
                settings->smtp_url != NULL ? "smtp-url" : "smtp-from",
                settings->smtp_url != NULL ? "smtp-from" : "smtp-url");
        return ERR_INVALID;
    }
    if ((settings->tls_cert == NULL) == (settings->tls_key == NULL))
        return ERR_NONE;
    why_set(why, "%s is set without %s; TLS needs both",
            settings->tls_cert != NULL ? "tls-cert" : "tls-key",
            settings->tls_cert != NULL ? "tls-key" : "tls-cert");
    return ERR_INVALID;
}

/* --config is looked for first, because the file it names comes before all flags. */
enum err
settings_load(struct arena *mem, const struct setting_flag *flags, size_t count,
              struct settings *out, struct why *why)
{
    const char *config = getenv("PENCHANT_CONFIG");
    if (config == NULL && access(PENCHANT_CONFIG_FILE, F_OK) == 0)
        config = PENCHANT_CONFIG_FILE;
    *out = (struct settings){ 0 };
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].fallback != NULL)
            put_value(mem, &rows[i], str_of(rows[i].fallback), out);
    for (size_t i = 0; i < count; i++)
        if (str_eq_c(flags[i].name, "config"))
            config = str_c(mem, flags[i].value);
    out->config = config;
    /* Of the defaults, before any source is applied. */
    const char *default_store = out->store;
    enum err err = config == NULL ? ERR_NONE : apply_file(mem, config, out, why);
    if (!err)
        err = apply_variables(mem, out, why);
    if (!err)
        err = apply_flags(mem, flags, count, out, why);
    if (!err)
        err = apply_secret_files(mem, default_store, out, why);
    return err ? err : check_together(out, why);
}

/* localhost, if the service listens on every address. */
const char *
settings_base_url(struct arena *mem, const struct settings *settings, const char *address)
{
    const char *port = strrchr(address, ':');
    if (settings->base_url != NULL)
        return settings->base_url;
    bool any_address = address[0] == ':' || strncmp(address, "[::]", 4) == 0 ||
                       strncmp(address, "0.0.0.0", 7) == 0;
    return str_format(mem, "%s://%s%s", settings->tls_cert != NULL ? "https" : "http",
                      any_address ? "localhost" : address, any_address && port != NULL ? port : "")
        .ptr;
}

/* ---- help ---- */

/* Text and manual page show the default in words if the value alone does not explain it. */
static void
describe_setting(struct buf *out, struct arena *mem, const struct row *row, enum help_format format)
{
    const char *shown = row->default_text != NULL ? row->default_text : row->fallback;
    struct str choices = list_choices(mem, row);
    switch (format) {
    case HELP_MARKDOWN:
        buf_add_format(out, "| `%s` | `%s` | %s | %s%s%s%s |\n", row->name,
                       variable_of(mem, row->name), shown, row->summary,
                       choices.len > 0 ? " (" : "", choices.ptr, choices.len > 0 ? ")" : "");
        return;
    case HELP_MAN:
        buf_add_c(out, ".TP\n.B ");
        help_text_man(out, str_of(row->name));
        buf_add_char(out, '\n');
        help_text_man(out, str_format(mem, "%s %s%sDefault: %s.\n", row->summary, choices.ptr,
                                      choices.len > 0 ? ". " : "", shown));
        return;
    case HELP_FILE:
        buf_add_c(out, "\n");
        help_text_wrap(out, "# ", row->summary);
        buf_add_format(out, "#%s = %s\n", row->name, row->fallback != NULL ? row->fallback : "");
        return;
    case HELP_TEXT:
        buf_add_format(out, "  --%s\n", row->name);
        help_text_wrap(out, "      ", row->summary);
        buf_add_format(out, "      %s%s(default: %s)\n", choices.ptr, choices.len > 0 ? "  " : "",
                       shown);
    }
}

/* One function for all formats, so that help, docs, and manual page cannot differ. */
void
settings_describe(struct buf *out, enum help_format format)
{
    struct arena *mem = arena_new();
    if (format == HELP_MARKDOWN)
        buf_add_c(out, "| Setting | Variable | Default | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < ROWS; i++)
        describe_setting(out, mem, &rows[i], format);
    if (format == HELP_TEXT) {
        buf_add_c(out, "  --config\n");
        help_text_wrap(out, "      ",
                       "File with `key = value` lines; lines that start with # are comments.");
    }
    arena_free(mem);
}
