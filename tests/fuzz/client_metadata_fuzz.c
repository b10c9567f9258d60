/* Any metadata that a client sends or publishes. Rejected metadata has a reason; accepted metadata
 * has a name that can be shown and redirect URIs that match themselves, and its id depends neither
 * on the order of the URIs nor on the ports of loopback hosts. */
#include "fuzz.h"

#include "client/client_metadata.h"
#include "model/app.h"
#include "model/redirect_uri.h"

static const struct str schemes = { "cursor vscode", 13 };

static void
check(struct arena *mem, const struct client_metadata *metadata)
{
    struct app app = { .redirect_uris = client_metadata_join_uris(mem, metadata) };
    struct client_metadata other = *metadata;
    MUST(app_claimed_name_problem(metadata->name) == NULL);
    MUST(str_index(metadata->name, '\n') == metadata->name.len);
    MUST(app_purpose_problem(metadata->purpose) == NULL);
    MUST(str_present(metadata->purpose) == (metadata->purpose.len > 0));
    MUST(metadata->uri_count >= 1 && metadata->uri_count <= CLIENT_URIS_MAX);
    for (size_t i = 0; i < metadata->uri_count; i++) {
        struct str uri = metadata->uris[i], portless = redirect_uri_without_port(mem, uri);
        MUST(redirect_uri_problem(uri, schemes) == NULL);
        MUST(!str_starts(uri, STR("javascript:")) && !str_starts(uri, STR("data:")));
        MUST(str_present(app_find_uri(&app, uri)));
        MUST(redirect_uri_matches(uri, portless) && redirect_uri_matches(portless, uri));
        other.uris[metadata->uri_count - 1 - i] = portless;
    }
    struct str id = client_metadata_id(mem, metadata);
    MUST(app_id_well_formed(id) && str_eq(id, client_metadata_id(mem, &other)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct client_metadata metadata;
    struct client_problem problem = { 0 };
    if (client_metadata_read(mem, fuzz_input(mem, data, size), schemes, &metadata, &problem))
        check(mem, &metadata);
    else
        MUST(problem.error != NULL && problem.sentence.len > 0);
    arena_free(mem);
    return 0;
}
