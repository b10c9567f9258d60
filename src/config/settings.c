/* settings.c - the table of settings.
 *
 * Everything about a setting is one row: flag, variable, key of the settings file, default, check,
 * and description. Values are stored through the row's offset into struct settings, so the kind of
 * the row must fit the type of the member.
 *
 * Checks of one value return NULL or the problem, worded to follow the name of the setting. */
#include "config/settings.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "config/setting_row.h"
#include "db/db.h"
#include "http/limits.h"
#include "http/listen.h"
#include "http/server.h"
#include "model/host_list.h"
#include "model/redirect_uri.h"
#include "model/user.h"
#include "net/smtp.h"
#include "text/nearest.h"
#include "text/url.h"

#include <string.h>
#include <unistd.h>

#define STRINGIFY(number) STRINGIFY_(number)
#define STRINGIFY_(number) #number

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

/* Problems are the rest of a sentence that begins with the name of the setting. */
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
#define CHOICE_AT(member) \
    AT(member), .kind = SETTING_CHOICE, .width = sizeof((struct settings){ 0 }.member)

/* For on/off settings the index of the choice is 0 or 1; for log-level it is enum log_level. */
const struct setting_row setting_rows[] = {
    { "listen", SETTING_TEXT, "127.0.0.1:8080", AT(listen), .problem = http_listen_problem,
      .summary =
          "Address and port to listen on; :8080 listens on every address, port 0 picks a free "
          "port. A socket passed by systemd takes precedence." },
    { "base-url", SETTING_TEXT, NULL, AT(base_url), .problem = url_problem,
      .default_text = "http:// (https:// with TLS) and the listen address",
      .summary =
          "Public URL of the service as apps see it, and the issuer of its tokens. No path." },
    { "auth-url", SETTING_TEXT, NULL, AT(auth_url), .problem = url_problem,
      .default_text = "the base URL",
      .summary =
          "Public URL of the sign-in and account pages, if it differs from base-url. No path." },
    { "store", SETTING_TEXT, "sqlite:penchant.db", AT(store), .problem = db_address_problem,
      .repeats = true,
      .summary =
          "Database to use: sqlite:FILE or postgresql://user@host/name. Repeat it for several "
          "PostgreSQL databases that share the users, always in the same order; in the "
          "variable, separate them by spaces." },
    { "store-file", SETTING_TEXT, NULL, AT(store_file), .default_text = "none",
      .summary = "File that contains the store's address, instead of store; a name without a slash "
                 "is a credential of the systemd unit." },
    { "domains", SETTING_TEXT, NULL, AT(domains), .default_text = "none",
      .summary =
          "Folder with additional domain definitions, one file NAME.json each. A definition with "
          "the name of a built-in domain replaces it." },
    { "domains-off", SETTING_TEXT, NULL, AT(domains_off), .default_text = "none",
      .summary = "Built-in domains that this installation does not offer, separated by spaces: "
                 "media_profile lifestyle_profile. Data that users stored in them is kept." },
    { "threads", SETTING_NUMBER, "0", AT(threads), .max = 256, .default_text = "one per core",
      .summary = "Threads that handle HTTP connections." },
    { "workers", SETTING_NUMBER, "64", AT(workers), .min = 1, .max = 1024,
      .summary = "Maximum threads for requests that write or hash a password; started on demand." },
    { "pool", SETTING_NUMBER, "8", AT(pool), .min = 1, .max = 512,
      .summary = "Connections to PostgreSQL; not used with SQLite." },
    { "store-deadline", SETTING_NUMBER, "2000", AT(store_deadline), .min = 100, .max = 600000,
      .summary =
          "Milliseconds for PostgreSQL to answer a statement; a request that waits longer is "
          "answered with 503. Not used with SQLite." },
    { "drain-delay", SETTING_NUMBER, "0", AT(drain_delay), .max = 300,
      .summary = "Seconds to accept connections after SIGTERM, while /readyz returns 503, so that "
                 "a load balancer can stop sending requests." },
    { "cache", SETTING_NUMBER, "64", AT(cache), .max = 1048576,
      .summary = "Memory for cached responses, in MiB; 0 turns the cache off." },
    { "connections", SETTING_NUMBER, STRINGIFY(HTTP_CONNECTIONS_MAX), AT(connections), .min = 1,
      .max = 1000000, .summary = "Maximum open connections; further ones are answered with 503." },
    { "connections-per-address", SETTING_NUMBER, STRINGIFY(HTTP_CONNECTIONS_PER_ADDRESS_MAX),
      AT(connections_per_address), .min = 1, .max = 1000000,
      .summary = "Maximum open connections per address; trusted proxies are exempt." },
    { "trusted-proxies", SETTING_TEXT, NULL, AT(trusted_proxies), .problem = http_proxies_problem,
      .default_text = "none",
      .summary = "Addresses and networks trusted to set X-Forwarded-For, separated by commas." },
    { "metrics-listen", SETTING_TEXT, NULL, AT(metrics_listen), .problem = http_listen_problem,
      .default_text = "none", .summary = "Address and port of a separate listener for /metrics." },
    { "tls-cert", SETTING_TEXT, NULL, AT(tls_cert), .problem = file_problem,
      .default_text = "no TLS", .summary = "PEM file with the TLS certificate chain." },
    { "tls-key", SETTING_TEXT, NULL, AT(tls_key), .problem = file_problem, .default_text = "no TLS",
      .summary = "PEM file with the private key of the certificate." },
    { "rate-api", SETTING_NUMBER, "100", AT(rate_api), .max = 1000000,
      .summary = "Maximum requests per second for one access token; 0 means no limit." },
    { "rate-signin", SETTING_NUMBER, "10", AT(rate_signin), .max = 1000000,
      .summary =
          "Maximum failed sign-ins per account and per address in 15 minutes; 0 means no limit." },
    { "rate-auth", SETTING_NUMBER, "30", AT(rate_auth), .max = 1000000,
      .summary = "Maximum failed client authentications per client and per address in one minute; "
                 "0 means no limit." },
    { "rate-signup", SETTING_NUMBER, "30", AT(rate_signup), .max = 1000000,
      .summary = "Maximum new accounts and apps per address in one hour, and 50 times as many in "
                 "total; 0 means no limit." },
    { "rate-refresh", SETTING_NUMBER, "20", AT(rate_refresh), .max = 1000000,
      .summary = "Maximum refreshes of one authorization in one minute; 0 means no limit." },
    { "rate-register", SETTING_NUMBER, "30", AT(rate_register), .max = 1000000,
      .summary = "Maximum clients that register themselves per address in one hour; 0 means no "
                 "limit." },
    { "rate-documents", SETTING_NUMBER, "10", AT(rate_documents), .max = 1000000,
      .summary = "Maximum client ID metadata documents fetched per address in one minute; 0 means "
                 "no limit." },
    { "rate-mail", SETTING_NUMBER, "5", AT(rate_mail), .max = 1000000,
      .summary = "Maximum emails requested per recipient and per network address in one hour; 0 "
                 "means no limit." },
    { "smtp-url", SETTING_TEXT, NULL, AT(smtp_url), .problem = smtp_url_problem,
      .default_text = "no email",
      .summary = "Mail server: smtps://HOST:PORT, or smtp://HOST:PORT with STARTTLS, which is "
                 "optional only on this machine. file:PATH appends messages to a file instead." },
    { "smtp-from", SETTING_TEXT, NULL, AT(smtp_from), .problem = email_problem,
      .default_text = "none", .summary = "Sender's address of the email; required with smtp-url." },
    { "smtp-user", SETTING_TEXT, NULL, AT(smtp_user), .default_text = "no authentication",
      .summary = "Username at the mail server." },
    { "smtp-password", SETTING_TEXT, NULL, AT(smtp_password), .secret = true,
      .default_text = "none",
      .summary = "Password at the mail server; only as a variable or in the settings file, since "
                 "other users of the machine can see flags." },
    { "smtp-password-file", SETTING_TEXT, NULL, AT(smtp_password_file), .default_text = "none",
      .summary = "File that contains the password at the mail server, instead of smtp-password; a "
                 "name without a slash is a credential of the systemd unit." },
    { "smtp-ca", SETTING_TEXT, NULL, AT(smtp_ca), .problem = file_problem,
      .default_text = "the certificates of the system",
      .summary = "PEM file with the CA certificates to trust for the mail server." },
    { "security-contact", SETTING_TEXT, NULL, AT(security_contact), .problem = contact_problem,
      .default_text = "no security.txt",
      .summary = "Where to report vulnerabilities: mailto:ADDRESS or an https URL, published in "
                 "/.well-known/security.txt." },
    { "privacy-url", SETTING_TEXT, NULL, AT(privacy_url), .problem = link_problem,
      .default_text = "none",
      .summary = "https URL of your privacy policy, linked from /privacy." },
    { "source-url", SETTING_TEXT, NULL, AT(source_url), .problem = link_problem,
      .default_text = "none",
      .summary = "https URL of the source code, linked from the footer of the pages." },
    { "registration", .fallback = "open", CHOICE_AT(registration_open),
      .choices = { "closed", "open" }, .summary = "Whether new users can sign up." },
    { "mcp", .fallback = "on", CHOICE_AT(mcp), .choices = { "off", "on" },
      .summary = "Whether MCP clients can connect: /mcp, its metadata, and clients without an "
                 "app in the portal." },
    { "mcp-scope", SETTING_TEXT, "agent_hints preferences:read preferences:write", AT(mcp_scope),
      .summary = "Scopes that an MCP client should request first, separated by spaces." },
    { "mcp-origins", SETTING_TEXT, NULL, AT(mcp_origins), .problem = origins_problem,
      .default_text = "the base URL, the auth URL, and every loopback origin",
      .summary = "Origins of web pages that may call /mcp, separated by spaces; * allows any." },
    { "client-registration", SETTING_TEXT, "open", AT(client_registration),
      .problem = registration_problem,
      .summary = "Whether clients can register themselves at /oauth/register (RFC 7591): open, "
                 "closed, or only those that redirect to these hosts, separated by spaces. "
                 "*.example.com is every host below example.com; localhost is a program on the "
                 "user's device." },
    { "client-documents", SETTING_TEXT, "on", AT(client_documents), .problem = documents_problem,
      .summary = "Whether a client can use the URL of a client ID metadata document as its "
                 "client_id: on, off, or only documents of these hosts, separated by spaces. Turn "
                 "it off if the service cannot reach the internet." },
    { "client-documents-ca", SETTING_TEXT, NULL, AT(client_documents_ca), .problem = file_problem,
      .default_text = "the certificates of the system",
      .summary = "PEM file with the CA certificates to trust for hosts of documents." },
    { "client-documents-local", SETTING_TEXT, NULL, AT(client_documents_local),
      .problem = hosts_problem, .default_text = "none",
      .summary = "Hosts of documents that may have an address on a private network or on this "
                 "machine, separated by spaces. Others are fetched only from public addresses." },
    { "client-documents-timeout", SETTING_NUMBER, "5", AT(client_documents_timeout), .min = 1,
      .max = 60, .summary = "Seconds in which a host must send a document." },
    { "redirect-schemes", SETTING_TEXT, "cursor vscode vscode-insiders windsurf zed goose raycast",
      AT(redirect_schemes), .problem = redirect_schemes_problem,
      .summary = "Private-use URI schemes without a dot that clients without an app in the "
                 "portal may redirect to, separated by spaces." },
    { "sandbox", .fallback = "on", CHOICE_AT(sandbox), .choices = { "off", "on" },
      .summary = "Whether the service drops permissions that it does not need: to run programs, to "
                 "open files that no setting names, and to use other system calls." },
    { "access-log", .fallback = "on", CHOICE_AT(access_log), .choices = { "off", "on" },
      .summary = "Whether to log each request." },
    { "log-format", .fallback = "text", CHOICE_AT(log_format), .choices = { "text", "json" },
      .summary = "Format of log lines." },
    { "log-level", .fallback = "info", CHOICE_AT(log_level),
      .choices = { "silent", "error", "warn", "info", "debug" },
      .summary = "Minimum level to log." },
};

const size_t setting_row_count = sizeof setting_rows / sizeof setting_rows[0];

/* NULL: there is no such setting. */
const struct setting_row *
setting_row_find(struct str name)
{
    for (size_t i = 0; i < setting_row_count; i++)
        if (str_eq_c(name, setting_rows[i].name))
            return &setting_rows[i];
    return NULL;
}

bool
setting_exists(struct str name)
{
    return str_eq_c(name, "config") || setting_row_find(name) != NULL;
}

/* NULL: no name is near enough to be a typing error. */
const char *
setting_nearest(struct str name)
{
    const char *nearest = NULL;
    size_t least = NEAREST_MAX;
    for (size_t i = 0; i < setting_row_count; i++) {
        size_t distance = nearest_distance(name, str_of(setting_rows[i].name));
        if (distance < least && nearest_is_typo(name, str_of(setting_rows[i].name))) {
            nearest = setting_rows[i].name;
            least = distance;
        }
    }
    return nearest;
}

/* "a or b", "a, b, or c": for messages and help. */
struct str
setting_choices(struct arena *mem, const struct setting_row *row)
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

/* base-url becomes PENCHANT_BASE_URL. */
const char *
setting_variable(struct arena *mem, const char *name)
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
describe_setting(struct buf *out, struct arena *mem, const struct setting_row *row,
                 enum help_format format)
{
    const char *shown = row->default_text != NULL ? row->default_text : row->fallback;
    struct str choices = setting_choices(mem, row);
    switch (format) {
    case HELP_MARKDOWN:
        buf_add_format(out, "| `%s` | `%s` | %s | %s%s%s%s |\n", row->name,
                       setting_variable(mem, row->name), shown, row->summary,
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
    for (size_t i = 0; i < setting_row_count; i++)
        describe_setting(out, mem, &setting_rows[i], format);
    if (format == HELP_TEXT) {
        buf_add_c(out, "  --config\n");
        help_text_wrap(out, "      ",
                       "File with `key = value` lines; lines that start with # are comments.");
    }
    arena_free(mem);
}
