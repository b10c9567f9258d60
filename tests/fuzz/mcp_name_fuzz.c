/* Any bytes as an Mcp-Name header: a value without the encoding is returned without blanks around
 * it; an encoded one is valid UTF-8 or refused. */
#include "mcp/envelope.h"
#include "text/utf8.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str header = fuzz_input(mem, data, size), trimmed = str_trim(header);
    struct str value = envelope_header_value(mem, header);
    bool encoded = str_starts(trimmed, STR("=?base64?")) && str_ends(trimmed, STR("?="));
    MUST(encoded || str_eq(value, trimmed));
    if (!str_eq(value, trimmed))
        MUST(!str_present(value) || utf8_valid(value));
    arena_free(mem);
    return 0;
}
