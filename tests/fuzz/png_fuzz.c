/* A cleaned image is accepted again and stays the same, and never grows. */
#include "fuzz.h"

#include "text/png.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str in = fuzz_input(mem, data, size);
    struct str out, again;
    const char *problem = png_clean(mem, in, &out);
    MUST((problem == NULL) == str_present(out));
    if (problem == NULL) {
        MUST(out.len <= in.len && out.len <= PNG_BYTES_MAX);
        MUST(png_clean(mem, out, &again) == NULL && str_eq(out, again));
    }
    arena_free(mem);
    return 0;
}
