/* Any response of a host to the request for a client ID metadata document: lines with the URL, the
 * status, Content-Type, and Cache-Control, then the body. A URL that is accepted has a host that is
 * a name; a document that is accepted has the URL as its client_id, a name, and no secret. */
#include "fuzz.h"

#include "client/document.h"
#include "client/document_url.h"
#include "model/app.h"
#include "model/host_list.h"
#include "model/redirect_uri.h"

static const struct str schemes = { "cursor vscode", 13 };

static void
check_url(struct arena *mem, struct str url)
{
    const char *problem = document_url_problem(url);
    if (problem != NULL) {
        MUST(problem[0] != '\0');
        return;
    }
    struct str host = document_url_host(url);
    MUST(host_name_valid(host) && host_list_contains(host, host));
    MUST(str_starts(url, STR("https://")) && url.len <= DOCUMENT_URL_MAX);
    for (size_t i = 0; i < url.len; i++)
        MUST(url.ptr[i] > 0x20 && url.ptr[i] < 0x7f && url.ptr[i] != '\\');
    MUST(str_index(url, '?') == url.len && str_index(url, '#') == url.len);
    MUST(app_id_well_formed(app_id_of_client(mem, url)));
}

static void
check_document(struct arena *mem, struct str url, const struct client_metadata *metadata)
{
    MUST(str_eq(metadata->client_id, url) && metadata->has_name && !metadata->has_secret);
    MUST(app_claimed_name_problem(metadata->name) == NULL);
    MUST(app_purpose_problem(metadata->purpose) == NULL);
    MUST(metadata->uri_count >= 1 && metadata->uri_count <= CLIENT_URIS_MAX);
    for (size_t i = 0; i < metadata->uri_count; i++) {
        MUST(redirect_uri_problem(metadata->uris[i], schemes) == NULL);
        MUST(redirect_uri_host(metadata->uris[i]).len > 0);
    }
    struct str mark = client_metadata_mark(mem, metadata);
    MUST(str_index(mark, '\n') == mark.len && mark.len > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str rest = fuzz_input(mem, data, size), url = STR(""), status = STR("");
    struct document_response response = { 0 };
    struct client_metadata metadata;
    struct str problem = STR_NONE;
    int64_t number = 200;
    str_cut(&rest, '\n', &url);
    str_cut(&rest, '\n', &status);
    str_cut(&rest, '\n', &response.type);
    str_cut(&rest, '\n', &response.cache_control);
    str_to_int(status, 0, 999, &number);
    response.status = (int)number;
    response.body = str_present(rest) ? rest : STR("");
    check_url(mem, url);
    int64_t fresh = document_fresh_seconds(response.cache_control);
    MUST(fresh >= DOCUMENT_FRESH_MIN && fresh <= DOCUMENT_FRESH_MAX);
    if (document_read(mem, url, &response, schemes, &metadata, &problem)) {
        MUST(response.status == 200);
        check_document(mem, url, &metadata);
    } else
        MUST(problem.len > 0);
    arena_free(mem);
    return 0;
}
