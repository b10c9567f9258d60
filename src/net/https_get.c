/* https_get.c - the options and callbacks of libcurl that keep a request to its host and its
 * limits. An attacker may have chosen the URL, the addresses of its name, and the response. */
#include "net/https_get.h"

#include "net/public_address.h"

#include <sys/socket.h>

/* Opens the socket for an address of the host, so that exactly the address that was checked is
 * used. */
static curl_socket_t
open_socket(void *argument, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct https_get *get = argument;
    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKET_BAD;
    if (!get->local && !public_address(&address->addr)) {
        get->forbidden = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Returning an error ends the transfer. */
static size_t
add_body(char *data, size_t size, size_t count, void *argument)
{
    struct https_get *get = argument;
    size_t bytes = size * count;
    if (bytes > HTTPS_GET_BODY_MAX - get->body_size) {
        get->too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    memcpy(get->body + get->body_size, data, bytes);
    get->body_size += bytes;
    return bytes;
}

/* Keeps the value if the line is this header. A repeated header is kept joined by a comma, which
 * makes a repeated Content-Type invalid (RFC 9110 §5.3). */
static void
keep_header(struct str line, struct str name, char out[HTTPS_GET_HEADER_MAX])
{
    size_t colon = str_index(line, ':');
    if (!str_eq_nocase(str_first(line, colon), name))
        return;
    struct str value = str_trim(str_from(line, colon + 1));
    size_t at = strlen(out);
    if (at > 0 && at + 2 < HTTPS_GET_HEADER_MAX)
        out[at++] = ',';
    size_t length =
        value.len < HTTPS_GET_HEADER_MAX - 1 - at ? value.len : HTTPS_GET_HEADER_MAX - 1 - at;
    if (length > 0)
        memcpy(out + at, value.ptr, length);
    out[at + length] = '\0';
}

/* The limit holds for all headers together. Only two of them are kept. */
static size_t
add_header(char *data, size_t size, size_t count, void *argument)
{
    struct https_get *get = argument;
    struct str line = { data, size * count };
    get->head_size += line.len;
    if (get->head_size > HTTPS_GET_HEAD_MAX) {
        get->too_large = true;
        return 0;
    }
    while (line.len > 0 && (data[line.len - 1] == '\n' || data[line.len - 1] == '\r'))
        line.len--;
    if (str_starts(line, STR("HTTP/"))) /* a final response after an interim one (1xx) */
        get->type[0] = get->cache_control[0] = '\0';
    keep_header(line, STR("content-type"), get->type);
    keep_header(line, STR("cache-control"), get->cache_control);
    return size * count;
}

/* Each option closes a way to make the service connect to another host or reveal something: other
 * protocols, redirects, proxies and passwords of the environment, and reused connections, whose
 * address would not be checked again. */
bool
https_get_begin(struct https_get *get, const char *url, const struct https_get_options *options,
                CURLM *multi)
{
    CURL *curl = get->curl = curl_easy_init();
    if (curl == NULL)
        return false;
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* ignore the environment */
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, options->headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, options->user_agent);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(options->time_ms * 3 / 5));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)options->time_ms);
    curl_easy_setopt(curl, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* do not wait for a slow name server */
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    if (options->ca_file != NULL) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, options->ca_file);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    }
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, get);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, add_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, get);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, add_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, get);
    return curl_multi_add_handle(multi, curl) == CURLM_OK;
}

/* A handle must be removed from the multi handle before it is cleaned up. */
void
https_get_end(struct https_get *get, CURLM *multi)
{
    if (get->curl == NULL)
        return;
    curl_multi_remove_handle(multi, get->curl);
    curl_easy_cleanup(get->curl);
    get->curl = NULL;
}
