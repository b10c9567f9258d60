/* Any text for a developer's page: refusal_clean() returns one short line of valid UTF-8 without
 * anything that looks like a secret of this service. */
#include "fuzz.h"

#include "base/arena.h"
#include "model/usage.h"
#include "text/utf8.h"

static bool
is_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str prefixes[] = { STR("pn_at_"), STR("pn_rt_"), STR("pn_ac_"),
                                           STR("pn_cs_") };
    if (size < 1)
        return 0;
    size_t max = 12 + data[0];
    struct arena *mem = arena_new();
    struct str clean = refusal_clean(mem, (struct str){ (const char *)data + 1, size - 1 }, max);
    MUST(str_present(clean) && clean.len <= max && utf8_valid(clean));
    for (size_t i = 0; i < clean.len; i++) {
        struct str rest = str_from(clean, i);
        MUST((unsigned char)clean.ptr[i] >= 0x20 && clean.ptr[i] != 0x7f);
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
            if (str_starts(rest, prefixes[p]))
                MUST(rest.len > 6 && !is_part(rest.ptr[6]));
    }
    struct str again = refusal_clean(mem, clean, max);
    MUST(again.len <= max);
    arena_free(mem);
    return 0;
}
