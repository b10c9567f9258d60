#include "text/cookie.h"

/* Of two cookies with one name, the second may have been set by another host of the domain. */
struct str
cookie_find(struct str header, struct str name)
{
    struct str found = STR_NONE;
    struct str pair;
    if (name.len == 0)
        return STR_NONE;
    while (str_cut(&header, ';', &pair)) {
        pair = str_trim(pair);
        size_t equals = str_index(pair, '=');
        if (equals == pair.len || !str_eq(str_first(pair, equals), name))
            continue;
        if (str_present(found))
            return STR_NONE;
        found = str_from(pair, equals + 1);
    }
    return found;
}
