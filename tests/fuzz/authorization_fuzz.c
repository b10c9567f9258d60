/* Any bytes as an Authorization header: Basic gives two texts without NUL bytes or fails; Bearer
 * gives a token of the allowed characters or fails. */
#include "base/arena.h"
#include "dispatch/authorization_header.h"
#include "text/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str header = { (const char *)data, size }, id = STR_NONE, secret = STR_NONE;
    if (authorization_header_basic(mem, header, &id, &secret)) {
        if (!str_present(id) || !str_present(secret) || !utf8_valid(id) || !utf8_valid(secret))
            abort();
        if (str_index(id, '\0') < id.len || str_index(secret, '\0') < secret.len)
            abort();
    }
    struct str token = authorization_header_bearer(header);
    for (size_t i = 0; i < token.len; i++)
        if (token.ptr[i] <= ' ' || token.ptr[i] == ',' || token.ptr[i] == '=')
            abort();
    arena_free(mem);
    return 0;
}
