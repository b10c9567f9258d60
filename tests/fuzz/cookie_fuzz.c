/* A found cookie occurs in the header exactly once, according to a second implementation. */
#include "fuzz.h"

#include "text/cookie.h"

/* The second implementation: counts parts that, trimmed, start with name=. */
static size_t
count(struct str header, struct str name)
{
    size_t found = 0;
    for (size_t start = 0; start < header.len;) {
        size_t end = start;
        while (end < header.len && header.ptr[end] != ';')
            end++;
        size_t first = start;
        while (first < end && (header.ptr[first] == ' ' || header.ptr[first] == '\t'))
            first++;
        struct str part = { header.ptr + first, end - first };
        found += part.len > name.len && str_starts(part, name) && part.ptr[name.len] == '=';
        start = end + 1;
    }
    return found;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str names[] = { { "sid", 3 }, { "__Host-session", 14 }, { "a", 1 } };
    struct arena *mem = arena_new();
    struct str header = fuzz_input(mem, data, size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct str value = cookie_find(header, names[i]);
        MUST(str_present(value) == (count(header, names[i]) == 1));
        MUST(str_index(value, ';') == value.len);
        MUST(str_eq(value, str_trim(value)) || value.ptr[0] == ' ' || value.ptr[0] == '\t');
    }
    MUST(!str_present(cookie_find(header, STR(""))));
    arena_free(mem);
    return 0;
}
