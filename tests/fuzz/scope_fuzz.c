/* A text is a set of scopes if and only if each word is a known name and none repeats; a set has
 * one written form, which is read back. */
#include "fuzz.h"

#include "../unit/domains_kit.h"
#include "model/scope.h"

/* Second implementation: compares every word with all names and all earlier words. */
static bool
ought_to_read(struct str text, scopes *out)
{
    *out = 0;
    for (size_t start = 0; text.len > 0 && start <= text.len;) {
        size_t end = start;
        while (end < text.len && text.ptr[end] != ' ')
            end++;
        struct str word = { text.ptr + start, end - start };
        scopes one = 0;
        for (size_t i = 0; i < scope_count(); i++)
            if (str_eq_c(word, scope_row(i)->name))
                one = (scopes)1 << i;
        if (one == 0 || (*out & one) != 0)
            return false;
        *out += one;
        start = end + 1;
    }
    return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    kit_domains();
    struct str in = fuzz_input(mem, data, size), unknown = STR_NONE;
    scopes set, expected, known, again;
    bool fine = scopes_read(in, &set, &unknown);
    MUST(fine == ought_to_read(in, &expected));
    scopes_read_known(in, &known);
    MUST(known < (scopes)1 << scope_count());
    if (fine) {
        MUST(set == expected && known == set && !str_present(unknown));
        struct str text = scopes_write(mem, set);
        MUST(text.len == in.len); /* the same words in any order */
        MUST(scopes_read(text, &again, NULL) && again == set);
        MUST(str_eq(scopes_write(mem, again), text));
    } else {
        MUST(str_present(unknown) && unknown.len <= in.len);
        MUST(str_index(unknown, ' ') == unknown.len);
    }
    struct str kept = scopes_write(mem, known);
    MUST(scopes_read(kept, &again, NULL) && again == known);
    MUST((scopes_domains(known) & ~known) == 0);
    MUST(!scopes_limit_domains(known) || scopes_domains(known) != 0);
    arena_free(mem);
    return 0;
}
