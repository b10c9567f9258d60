/* embedded.c - files that the build has put into the program (tools/embed). Their names are paths
 * in the project, such as "pages/style.css". */
#include "base/embedded.h"

#include <string.h>

/* Linear: pages and catalogs are read once at the start. Absent: there is no such file. */
struct str
embedded_find(const char *name)
{
    for (const struct embedded *file = embedded_files; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0)
            return (struct str){ file->bytes, (size_t)(file->end - file->bytes) };
    return STR_NONE;
}
