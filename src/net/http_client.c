/* http_client.c - a libcurl handle that is used for all requests of one check, so that cookies
 * stay.
 *
 * Bytes beyond the limits of head and body are dropped without an error: the checks need only a
 * part. */
#include "net/http_client.h"

#include "base/arena.h"
#include "base/buf.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define CONNECT_SECONDS 5L
#define SECONDS_MAX 15L
#define HEAD_MAX (64 * 1024)
#define BODY_MAX (1024 * 1024)

struct http_client {
    CURL *curl;
    char error[CURL_ERROR_SIZE];
};

/* Without libcurl, every request fails with an error. Environment variables have no effect: the
 * same command gives the same result. */
struct http_client *
http_client_new(const char *ca_file)
{
    struct http_client *client = memory_alloc(1, sizeof *client);
    CURL *curl = client->curl = curl_easy_init();
    if (curl == NULL)
        return client;
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*"); /* ignore the environment */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, SECONDS_MAX);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_CERTINFO, 1L);
    curl_easy_setopt(curl, CURLOPT_COOKIEFILE, ""); /* keep cookies in memory */
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "penchant-doctor/" PENCHANT_VERSION);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->error);
    if (ca_file != NULL)
        curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file);
    return client;
}

void
http_client_free(struct http_client *client)
{
    if (client == NULL)
        return;
    curl_easy_cleanup(client->curl);
    free(client);
}

/* Must return the whole size, or libcurl aborts the transfer. */
static size_t
take(char *bytes, size_t size, size_t count, void *argument)
{
    buf_add(argument, (struct str){ bytes, size * count }); /* past the limit: left out */
    return size * count;
}

/* When the server's own certificate, the first of the chain, expires. */
static int64_t
expiry(CURL *curl)
{
    static const char label[] = "Expire date:";
    struct curl_certinfo *chain = NULL;
    if (curl_easy_getinfo(curl, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL ||
        chain->num_of_certs == 0)
        return 0;
    for (const struct curl_slist *line = chain->certinfo[0]; line != NULL; line = line->next)
        if (strncasecmp(line->data, label, sizeof label - 1) == 0) {
            struct tm parts = { 0 };
            const char *end = strptime(line->data + sizeof label - 1, "%Y-%m-%d %H:%M:%S", &parts);
            return end == NULL ? 0 : (int64_t)timegm(&parts);
        }
    return 0;
}

/* Reuses the connection of the last request if it can. Redirects are not followed, because the
 * checks examine them. */
enum err
http_client_send(struct http_client *client, struct arena *mem, const struct http_call *call,
                 struct http_reply *reply, struct why *why)
{
    CURL *curl = client->curl;
    /* Without "Expect: 100-continue", which libcurl adds to larger bodies. */
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    struct buf head = buf_in(mem, HEAD_MAX), body = buf_in(mem, BODY_MAX);
    long status = 0;
    bool has_body = str_present(call->body);
    *reply = (struct http_reply){ 0 };
    if (curl == NULL) {
        why_set(why, "libcurl cannot be used");
        return ERR_UNAVAILABLE;
    }
    for (size_t i = 0; i < sizeof call->headers / sizeof *call->headers; i++)
        if (call->headers[i] != NULL)
            headers = curl_slist_append(headers, call->headers[i]);
    curl_easy_setopt(curl, CURLOPT_URL, call->url);
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    if (has_body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)call->body.len);
        curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, call->body.ptr);
    }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &head);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
    client->error[0] = '\0';
    CURLcode code = curl_easy_perform(curl);
    curl_slist_free_all(headers);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, NULL);
    if (code != CURLE_OK) {
        why_set(why, "%s", client->error[0] != '\0' ? client->error : curl_easy_strerror(code));
        return ERR_UNAVAILABLE;
    }
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    *reply = (struct http_reply){ .status = (int)status,
                                  .head = str_copy(mem, buf_str(&head)),
                                  .body = str_copy(mem, buf_str(&body)),
                                  .certificate_expires_at = expiry(curl) };
    return ERR_NONE;
}

/* The first of several; names are case-insensitive. */
struct str
http_reply_header(const struct http_reply *reply, const char *name)
{
    struct str rest = reply->head, line;
    size_t length = strlen(name);
    while (str_cut(&rest, '\n', &line)) {
        line = str_first(line, str_index(line, '\r'));
        if (line.len > length && line.ptr[length] == ':' &&
            strncasecmp(line.ptr, name, length) == 0)
            return str_trim(str_from(line, length + 1));
    }
    return STR_NONE;
}
