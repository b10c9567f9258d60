/* Any bytes as a settings file: every line is returned once, trimmed, as a part of the file. */
#include "config/settings_load.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = { (const char *)data, size }, name, value;
    size_t line = 0, before = 0;
    while (settings_next_line(&rest, &name, &value, &line)) {
        if (line <= before || line > size + 1)
            abort();
        before = line;
        if (str_present(name) && (name.len == 0 || name.ptr < (const char *)data ||
                                  value.ptr + value.len > (const char *)data + size))
            abort();
        if (!str_eq(name, str_trim(name)) || !str_eq(value, str_trim(value)))
            abort();
        setting_exists(name);
    }
    return 0;
}
