/* smtp.c - sends one message per connection with libcurl.
 *
 * The result decides what the outbox does: only a permanent refusal (550 to 559) ends the attempts.
 * If the outcome is unknown, the message is sent again later, so that a user may get it twice. */
#include "net/smtp.h"

#include "base/arena.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_SECONDS 15L
#define SECONDS_MAX 60L
#define FILE_SCHEME "file:"

/* A password in a URL would be shown by programs that print settings. */
const char *
smtp_url_problem(const char *url)
{
    bool smtp = strncmp(url, "smtp://", 7) == 0 || strncmp(url, "smtps://", 8) == 0;
    if (smtp && strchr(url, '@') != NULL)
        return "contains credentials; use smtp-user and smtp-password";
    if (smtp && strstr(url, "://")[3] != '\0')
        return NULL;
    return strncmp(url, FILE_SCHEME, strlen(FILE_SCHEME)) == 0 && url[strlen(FILE_SCHEME)] != '\0'
               ? NULL
               : "must be smtps://HOST, smtp://HOST, or file:PATH";
}

/* One write(), so that messages of several processes do not mix. */
static enum smtp_result
append_to_file(const char *path, struct str message, struct why *why)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    ssize_t written = fd < 0 ? -1 : write(fd, message.ptr, message.len);
    if (written != (ssize_t)message.len)
        why_set(why, "cannot write to %s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return written == (ssize_t)message.len ? SMTP_SENT : SMTP_RETRY;
}

/* ---- SMTP ---- */

/* One email while libcurl sends it. */
struct sending {
    struct str rest; /* of the message */
    int fd;          /* of the connection; -1: none yet */
    bool (*stop)(void *context);
    void *context;
};

/* libcurl calls this until it returns 0. */
static size_t
read_message(char *out, size_t size, size_t count, void *argument)
{
    struct sending *sending = argument;
    struct str piece = str_first(sending->rest, size * count);
    if (piece.len > 0)
        memcpy(out, piece.ptr, piece.len);
    sending->rest = str_from(sending->rest, piece.len);
    return piece.len;
}

/* libcurl calls this often during a transfer. Not 0 ends it: the service stops. */
static int
report_progress(void *argument, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)a, (void)b, (void)c, (void)d;
    const struct sending *sending = argument;
    if (sending->stop == NULL || !sending->stop(sending->context))
        return 0;
    if (sending->fd >= 0) /* libcurl would send QUIT, and wait for the response */
        shutdown(sending->fd, SHUT_RDWR);
    return 1;
}

/* Remembers the descriptor for report_progress(). */
static int
keep_socket(void *argument, curl_socket_t fd, curlsocktype purpose)
{
    (void)purpose;
    struct sending *sending = argument;
    sending->fd = fd;
    return CURL_SOCKOPT_OK;
}

/* A relay on this machine may offer no TLS: nobody can listen in between. */
static bool
is_local(const char *url)
{
    static const char *const hosts[] = { "127.0.0.1", "localhost", "[::1]" };
    const char *host = strstr(url, "://") + 3;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        size_t length = strlen(hosts[i]);
        if (strncasecmp(host, hosts[i], length) == 0 &&
            (host[length] == '\0' || host[length] == ':' || host[length] == '/'))
            return true;
    }
    return false;
}

/* TLS is required except for a server on this machine. Certificates are always verified. */
static void
set_options(CURL *curl, const struct smtp_settings *settings, struct sending *sending)
{
    curl_easy_setopt(curl, CURLOPT_URL, settings->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*"); /* ignore the environment */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, SECONDS_MAX);
    curl_easy_setopt(curl, CURLOPT_SERVER_RESPONSE_TIMEOUT, SECONDS_MAX);
    curl_easy_setopt(curl, CURLOPT_SOCKOPTFUNCTION, keep_socket);
    curl_easy_setopt(curl, CURLOPT_SOCKOPTDATA, sending);
    curl_easy_setopt(curl, CURLOPT_USE_SSL,
                     (long)(is_local(settings->url) ? CURLUSESSL_TRY : CURLUSESSL_ALL));
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    if (settings->ca_file != NULL)
        curl_easy_setopt(curl, CURLOPT_CAINFO, settings->ca_file);
    if (settings->user != NULL) {
        curl_easy_setopt(curl, CURLOPT_USERNAME, settings->user);
        curl_easy_setopt(curl, CURLOPT_PASSWORD,
                         settings->password == NULL ? "" : settings->password);
    }
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_message);
    curl_easy_setopt(curl, CURLOPT_READDATA, sending);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, report_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, sending);
}

/* 5xx is permanent if it is about this recipient or message, not about our credentials. */
static enum smtp_result
classify_result(CURL *curl, CURLcode code, struct why *why)
{
    long response = 0;
    if (code == CURLE_OK)
        return SMTP_SENT;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response);
    why_set(why, "%s (response %ld)", curl_easy_strerror(code), response);
    bool refused = (code == CURLE_SEND_ERROR || code == CURLE_WEIRD_SERVER_REPLY) &&
                   response >= 550 && response < 560;
    return refused ? SMTP_REFUSED : SMTP_RETRY;
}

/* For file:, the email is appended to a file, which is for demos and tests. */
enum smtp_result
smtp_send(const struct smtp_settings *settings, struct str to, struct str message,
          bool (*stop)(void *context), void *context, struct why *why)
{
    if (strncmp(settings->url, FILE_SCHEME, strlen(FILE_SCHEME)) == 0)
        return append_to_file(settings->url + strlen(FILE_SCHEME), message, why);
    struct sending sending = { message, -1, stop, context };
    struct arena *mem = arena_new();
    CURL *curl = curl_easy_init();
    struct curl_slist *recipients = curl_slist_append(NULL, str_c(mem, to));
    enum smtp_result result = SMTP_RETRY;
    if (curl != NULL && recipients != NULL) {
        set_options(curl, settings, &sending);
        curl_easy_setopt(curl, CURLOPT_MAIL_FROM, settings->from);
        curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients);
        result = classify_result(curl, curl_easy_perform(curl), why);
    }
    curl_slist_free_all(recipients);
    curl_easy_cleanup(curl);
    arena_free(mem);
    return result;
}

/* Connects and authenticates without a message. */
enum err
smtp_check(const struct smtp_settings *settings, struct why *why)
{
    if (strncmp(settings->url, FILE_SCHEME, strlen(FILE_SCHEME)) == 0)
        return append_to_file(settings->url + strlen(FILE_SCHEME), STR(""), why) == SMTP_SENT
                   ? ERR_NONE
                   : ERR_UNAVAILABLE;
    struct sending sending = { STR(""), -1, NULL, NULL };
    CURL *curl = curl_easy_init();
    enum smtp_result result = SMTP_RETRY;
    if (curl != NULL) {
        set_options(curl, settings, &sending);
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 0L);
        curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
        result = classify_result(curl, curl_easy_perform(curl), why);
    }
    curl_easy_cleanup(curl);
    return result == SMTP_SENT ? ERR_NONE : ERR_UNAVAILABLE;
}
