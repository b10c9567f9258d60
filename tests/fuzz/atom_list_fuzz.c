/* Any text as an atom list: rejected, or sorted atoms that survive writing and reading. */
#include "fuzz.h"

#include "model/atom_list.h"

static bool
same(const struct sourced_atom *a, const struct sourced_atom *b)
{
    return str_eq(a->atom.id, b->atom.id) && str_eq(a->atom.value, b->atom.value) &&
           a->atom.status == b->atom.status && a->atom.sequence == b->atom.sequence &&
           a->atom.created_at == b->atom.created_at && a->atom.updated_at == b->atom.updated_at &&
           a->atom.suppressed_at == b->atom.suppressed_at && a->source_count == b->source_count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct sourced_atom *atoms = NULL, *again = NULL;
    size_t count = 0, found = 0;
    struct str input = fuzz_input(mem, data, size);
    if (atom_list_read(mem, STR("music"), input, STR("user"), &atoms, &count)) {
        struct str written = atom_list_write(mem, atoms, count);
        MUST(str_present(written));
        MUST(atom_list_read(mem, STR("music"), written, STR("user"), &again, &found));
        MUST(found == count);
        for (size_t i = 0; i < count; i++) {
            MUST(same(&atoms[i], &again[i]));
            MUST(i == 0 || atoms[i - 1].atom.sequence <= atoms[i].atom.sequence);
        }
        MUST(str_eq(atom_list_write(mem, again, found), written));
    }
    arena_free(mem);
    return 0;
}
