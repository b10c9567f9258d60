/* Any bytes as a request to the control socket: rejected with a reason, or parsed. */
#include "command/control.h"
#include "base/arena.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str words[64], input;
    size_t count = 0;
    struct why why = { 0 };
    struct str line = { (const char *)data, size };
    enum err err = control_read_request(mem, line, words, 64, &count, &input, &why);
    if (err && why.text[0] == '\0')
        abort();
    if (!err) {
        struct command_line *parsed = ARENA_NEW(mem, struct command_line);
        err = command_parse(mem, words, count, parsed, &why);
        if (err ? why.text[0] == '\0' : parsed->command == NULL)
            abort();
        if (!err && parsed->call.argument_count > parsed->command->arguments_max)
            abort();
    }
    arena_free(mem);
    return 0;
}
