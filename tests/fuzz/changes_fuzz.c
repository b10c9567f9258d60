/* Change rows of other nodes: whatever they say, a row names slots that exist, or everything counts
 * as changed. What postgres_changes_write() writes is read back. */
#include "fuzz.h"

#include "postgres/postgres.h"

#include <string.h>

static struct touched read, written, again;

static bool
contains(const struct touched *touched, uint16_t slot)
{
    for (size_t i = 0; i < touched->count; i++)
        if (touched->slots[i] == slot)
            return true;
    return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    char text[POSTGRES_CHANGES_MAX];
    struct str in = fuzz_input(mem, data, size);
    memset(&read, 0, sizeof read);
    postgres_changes_read(in, 1000, &read);
    for (size_t i = 0; i < read.count; i++)
        MUST(read.slots[i] < VERSION_SLOTS);
    for (size_t i = 0; i < in.len; i++)
        MUST(read.all || strchr("0123456789,< ", in.ptr[i]) != NULL);

    memset(&written, 0, sizeof written);
    memset(&again, 0, sizeof again);
    for (size_t i = 0; i + 1 < size; i += 2)
        touched_add(&written, (size_t)(data[i] << 8 | data[i + 1]) % VERSION_SLOTS);
    postgres_changes_write(&written, text);
    MUST(strlen(text) < sizeof text);
    if (text[0] != '\0')
        postgres_changes_read(str_of(text), 0, &again);
    for (size_t i = 0; i < written.count; i++)
        MUST(again.all || contains(&again, written.slots[i]));
    MUST(again.all || again.count <= written.count);
    arena_free(mem);
    return 0;
}
