/* document.c - checks status, type, and content of a client ID metadata document. */
#include "client/document.h"

/* A malformed max-age counts as none. The limits keep a host from being asked at every
 * authorization, and a wrong document from staying for long. */
int64_t
document_fresh_seconds(struct str cache_control)
{
    /* RFC 9111 §5.2.2. */
    static const struct str name = STR("max-age=");
    struct str part;
    int64_t seconds = 0;
    while (str_cut(&cache_control, ',', &part)) {
        part = str_trim(part);
        if (str_eq_nocase(part, STR("no-store")) || str_eq_nocase(part, STR("no-cache")))
            return DOCUMENT_FRESH_MIN;
        if (!str_eq_nocase(str_first(part, name.len), name))
            continue;
        struct str number = str_from(part, name.len);
        for (size_t i = 0; i < number.len; i++) {
            if (number.ptr[i] < '0' || number.ptr[i] > '9')
                return DOCUMENT_FRESH_MIN;
            if (seconds < DOCUMENT_FRESH_MAX)
                seconds = seconds * 10 + (number.ptr[i] - '0');
        }
        break;
    }
    return seconds < DOCUMENT_FRESH_MIN   ? DOCUMENT_FRESH_MIN
           : seconds > DOCUMENT_FRESH_MAX ? DOCUMENT_FRESH_MAX
                                          : seconds;
}

bool
document_status_is_temporary(int status)
{
    return status == 408 || status == 429 || status >= 500;
}

/* application/json, or any type that ends in +json. */
static bool
is_json(struct str type)
{
    struct str name = str_trim(str_first(type, str_index(type, ';')));
    if (str_index(type, ',') < type.len) /* sent twice */
        return false;
    struct str end = str_from(name, name.len < 5 ? 0 : name.len - 5);
    return str_eq_nocase(name, STR("application/json")) ||
           (str_index(name, '/') < name.len && str_eq_nocase(end, STR("+json")));
}

/* Anything but a direct 200 with JSON is refused: the URL must be the document. */
static const char *
response_problem(struct arena *mem, const struct document_response *response)
{
    if (response->status >= 300 && response->status < 400)
        return "It redirects, which is not followed.";
    if (response->status != 200)
        return str_format(mem, "Its host answered with status %d instead of 200.", response->status)
            .ptr;
    if (!is_json(response->type))
        return "Its Content-Type must be application/json.";
    return NULL;
}

/* A document is public, so it cannot contain a secret, nor can its client have one. Keys are not
 * used: a client that could sign with private_key_jwt is treated as a public one. */
static const char *
metadata_problem(struct str url, const struct client_metadata *metadata)
{
    struct str method = metadata->auth_method;
    if (!str_eq(metadata->client_id, url))
        return "Its client_id must be its own URL, character by character.";
    if (!metadata->has_name)
        return "It has no client_name.";
    if (metadata->has_secret)
        return "It contains a client_secret, which everyone can read.";
    bool with_keys = str_eq_c(method, "private_key_jwt") && str_present(metadata->keys);
    if (str_present(method) && !str_eq_c(method, "none") && !with_keys)
        return "Its token_endpoint_auth_method must be none, or private_key_jwt with a jwks_uri.";
    return NULL;
}

/* False: *problem is a sentence for the page and the log. */
bool
document_read(struct arena *mem, struct str url, const struct document_response *response,
              struct str schemes, struct client_metadata *out, struct str *problem)
{
    struct client_problem wrong = { 0 };
    const char *sentence = response_problem(mem, response);
    if (sentence == NULL && !client_metadata_read(mem, response->body, schemes, out, &wrong)) {
        *problem = wrong.sentence;
        return false;
    }
    if (sentence == NULL)
        sentence = metadata_problem(url, out);
    *problem = str_of(sentence);
    return sentence == NULL;
}
