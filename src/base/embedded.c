#include "base/embedded.h"

#include <string.h>

struct str
embedded_find(const char *name)
{
    for (const struct embedded *file = embedded_files; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0)
            return (struct str){ file->bytes, (size_t)(file->end - file->bytes) };
    return STR_NONE;
}
