/* Any bytes as a password, with its own start among the user's words: never accepted if it is too
 * short, too long, or not plain text. */
#include "base/arena.h"
#include "crypt/password.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *mem;
    if (mem == NULL)
        mem = arena_new();
    struct str input = { size ? (const char *)data : "", size };
    const struct str words[] = { str_first(input, 7), STR("ada@example.org") };
    const char *problem = password_problem(mem, input, words, 2);
    if (problem != NULL) {
        assert(problem[strlen(problem) - 1] == '.');
    } else {
        assert(input.len >= 10 && input.len <= PASSWORD_BYTES_MAX);
        for (size_t i = 0; i < input.len; i++)
            assert((unsigned char)input.ptr[i] >= ' ' && input.ptr[i] != 0x7f);
    }
    arena_reset(mem);
    return 0;
}
