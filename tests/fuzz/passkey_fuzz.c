/* Client data and authenticator data: whatever is read points into the input, within the limits,
 * and no malformed input becomes a passkey. */
#include "fuzz.h"

#include "passkey/auth_data.h"
#include "passkey/client_data.h"
#include "passkey/credential.h"

static bool
inside(struct str part, struct str whole)
{
    return part.len == 0 || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct credential_site site = { { "localhost", 9 },
                                                 { "http://localhost:8080", 21 } };
    struct arena *mem = arena_new();
    struct str input = fuzz_input(mem, data, size);
    struct client_data client;
    struct auth_data auth;
    if (client_data_read(mem, input, &client) == ERR_NONE)
        MUST(input.len <= CLIENT_DATA_MAX && str_present(client.type) &&
             str_present(client.challenge) && str_present(client.origin));
    if (auth_data_read(input, &auth) == ERR_NONE) {
        MUST(auth.rp_id_hash.len == 32 && inside(auth.rp_id_hash, input));
        MUST(inside(auth.credential_id, input) && inside(auth.key, input));
        MUST(auth.credential_id.len <= CREDENTIAL_ID_MAX);
        MUST(str_present(auth.credential_id) == (auth.key.len > 0));
    }
    /* The first line is client data, the rest authenticator data. */
    struct str rest = input, line = STR_NONE;
    str_cut(&rest, '\n', &line);
    struct credential_response response = { .client_data = line,
                                            .auth_data = rest,
                                            .signature = rest };
    struct credential credential;
    if (credential_read(mem, &site, &response, &credential) == ERR_NONE) {
        uint32_t counter;
        bool copied;
        MUST(credential.id.len > 0 && credential.key.len > 0);
        MUST(credential_verify(mem, &site, &credential, &response, &counter, &copied) ==
             ERR_INVALID);
    }
    arena_free(mem);
    return 0;
}
