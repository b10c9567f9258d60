/* Decoded text has no NUL bytes, encoding is reversible, and origins are consistent. */
#include "fuzz.h"

#include "text/url.h"
#include "text/utf8.h"

#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str in = fuzz_input(mem, data, size);
    struct str out, again;
    for (int plus = 0; plus < 2; plus++) {
        if (url_decode(mem, in, plus == 1, &out)) {
            MUST(out.len <= in.len && utf8_valid(out));
            MUST(str_index(out, '\0') == out.len);
            MUST(out.ptr[out.len] == '\0');
            struct buf encoded = buf_in(mem, (size_t)1 << 24);
            url_encode(&encoded, out);
            MUST(url_decode(mem, buf_str(&encoded), plus == 1, &again) && str_eq(out, again));
        }
    }
    struct buf encoded = buf_in(mem, (size_t)1 << 24);
    url_encode(&encoded, in);
    struct str text = buf_str(&encoded);
    for (size_t i = 0; i < text.len; i++)
        MUST(text.ptr[i] > ' ' && strchr("\"'<>&?#/:\\+", text.ptr[i]) == NULL);
    bool sound = utf8_valid(in) && str_index(in, '\0') == in.len;
    MUST(url_decode(mem, text, false, &out) == sound);
    MUST(!sound || str_eq(out, in));

    if (url_origin_problem(in) == NULL) {
        size_t scheme = url_is_https(in) ? 8 : 7;
        for (size_t i = 0; i < in.len; i++) {
            MUST(in.ptr[i] > ' ' && in.ptr[i] < 0x7f && strchr("@?#\\%", in.ptr[i]) == NULL);
            MUST(i < scheme || in.ptr[i] != '/');
            MUST(in.ptr[i] < 'A' || in.ptr[i] > 'Z');
        }
        MUST(in.len > scheme);
    }
    arena_free(mem);
    return 0;
}
