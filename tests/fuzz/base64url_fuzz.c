/* Bytes survive encoding and decoding; only the canonical encoding is accepted. */
#include "fuzz.h"

#include "text/base64url.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str in = fuzz_input(mem, data, size);
    struct str text = base64url_encode(mem, in);
    MUST(text.len == (in.len * 4 + 2) / 3);
    struct str back = base64url_decode(mem, text);
    MUST(str_present(back) && str_eq(back, in));
    struct str bytes = base64url_decode(mem, in);
    MUST(!str_present(bytes) || str_eq(base64url_encode(mem, bytes), in));
    bytes = base64_decode(mem, in);
    if (str_present(bytes)) {
        MUST(in.len % 4 == 0 && in.len == (bytes.len + 2) / 3 * 4);
        struct str again = base64url_encode(mem, bytes);
        for (size_t i = 0; i < in.len; i++) {
            char c = in.ptr[i] == '+' ? '-' : in.ptr[i] == '/' ? '_' : in.ptr[i];
            MUST(i < again.len ? again.ptr[i] == c : c == '=');
        }
    }
    arena_free(mem);
    return 0;
}
