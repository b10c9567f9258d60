/* A traceparent is ignored, or continued by one that is valid and has the same trace id. */
#include "fuzz.h"

#include "base/trace.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str parent = fuzz_input(mem, data, size);
    struct str id = trace_id(parent);
    if (str_present(id)) {
        char out[TRACEPARENT_LENGTH + 1];
        trace_continue(parent, "0123456789abcdef", out);
        MUST(strlen(out) == TRACEPARENT_LENGTH && str_eq(trace_id(str_of(out)), id));
    }
    arena_free(mem);
    return 0;
}
