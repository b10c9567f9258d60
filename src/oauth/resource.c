#include "oauth/resource.h"

#include "text/form.h"

static bool
is_ours(struct str resource, struct str base_url)
{
    struct str rest = str_from(resource, base_url.len);
    return str_starts(resource, base_url) && (rest.len == 0 || rest.ptr[0] == '/') &&
           str_index(rest, '#') == rest.len;
}

struct str
resource_unsupported(const struct form *form, struct str base_url)
{
    for (size_t i = 0; i < form->count; i++) {
        struct str value = form->fields[i].value;
        if (str_eq_c(form->fields[i].name, "resource") && value.len > 0 &&
            !is_ours(value, base_url))
            return value;
    }
    return STR_NONE;
}
