/* Accepted texts are written back unchanged; written times are read back unchanged. */
#include "fuzz.h"

#include "text/time_text.h"

#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str text = fuzz_input(mem, data, size);
    int64_t seconds;
    if (time_read(text, &seconds))
        MUST(str_eq(time_write(mem, seconds), text));
    if (size >= sizeof seconds) {
        memcpy(&seconds, data, sizeof seconds);
        for (int i = 0; i < 2;
             i++, seconds %= 500000000000) { /* then near the range that can be written */
            struct str written = time_write(mem, seconds);
            int64_t back;
            MUST(str_present(written) == (seconds >= -62167219200 && seconds <= 253402300799));
            if (str_present(written))
                MUST(time_read(written, &back) && back == seconds);
        }
    }
    arena_free(mem);
    return 0;
}
