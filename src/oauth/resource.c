/* resource.c - the parameter `resource` (RFC 8707) names the part of this service that a token is
 * for: the API or the MCP endpoint. */
#include "oauth/resource.h"

#include "text/form.h"
#include "text/json_write.h"

/* In this order for resource_write(): the whole service first, because it includes the others. */
static const struct {
    const char *path;
    audience part;
    bool below; /* also every path below it */
} parts[] = {
    { "", AUDIENCE_SERVICE, false }, { "/", AUDIENCE_SERVICE, false },
    { "/mcp", AUDIENCE_MCP, false }, { "/mcp/", AUDIENCE_MCP, false },
    { "/v1", AUDIENCE_API, true },
};

#define PARTS (sizeof parts / sizeof *parts)

/* 0: not a part of this service. Scheme and host are compared without case (RFC 3986 §6.2.2.1). */
static audience
part_of(struct str resource, struct str base_url)
{
    struct str path = str_from(resource, base_url.len);
    if (!str_eq_nocase(str_first(resource, base_url.len), base_url) ||
        str_index(path, '#') < path.len)
        return 0;
    for (size_t i = 0; i < PARTS; i++) {
        struct str known = str_of(parts[i].path), rest = str_from(path, known.len);
        bool below = parts[i].below && rest.len > 0 && rest.ptr[0] == '/';
        if (str_starts(path, known) && (rest.len == 0 || below))
            return parts[i].part;
    }
    return 0;
}

/* RFC 8707 allows several `resource` parameters. An unknown one is an error (invalid_target),
 * because ignoring it would issue a token that is valid elsewhere than the client expects. Without
 * one, *out is 0, and the caller decides. */
bool
resource_read(const struct form *form, struct str base_url, audience *out)
{
    *out = 0;
    for (size_t i = 0; i < form->count; i++) {
        struct str value = form->fields[i].value;
        if (!str_eq_c(form->fields[i].name, "resource") || value.len == 0)
            continue;
        audience part = part_of(value, base_url);
        if (part == 0)
            return false;
        *out |= part;
    }
    return true;
}

/* The fewest URLs that cover the audience. */
void
resource_write(struct json *out, struct arena *mem, struct str base_url, audience of)
{
    json_open_array(out);
    for (size_t i = 0; i < PARTS && of != 0; i++) {
        if ((of & parts[i].part) != parts[i].part)
            continue;
        json_str(out, str_format(mem, "%.*s%s", STR_ARG(base_url), parts[i].path));
        of &= ~parts[i].part;
    }
    json_close_array(out);
}
