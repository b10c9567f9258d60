/* multipart.c - cuts a body at its boundary and reads the heads of the parts.
 *
 * The boundary belongs to the line break before it (RFC 2046 section 5.1.1), so that the bytes of a
 * part end before CR LF. Parts are never copied. Every length has a limit: the boundary, the head
 * of a part, a name, the number of parts. */
#include "text/multipart.h"

#include "base/ascii.h"
#include "text/utf8.h"

#include <string.h>

#define BOUNDARY_MAX 70 /* RFC 2046 §5.1.1 */
#define NAME_BYTES_MAX 200
#define PART_HEAD_MAX 2048

/* ---- the boundary ---- */

/* The characters of RFC 2046 §5.1.1. */
static bool
is_boundary(struct str text)
{
    if (text.len == 0 || text.len > BOUNDARY_MAX || text.ptr[text.len - 1] == ' ')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = ascii_is_alphanumeric(c);
        if (!letter && (c == '\0' || strchr("'()+_,-./:=? ", c) == NULL))
            return false;
    }
    return true;
}

/* Absent: another content type, no boundary, or more than one. */
struct str
multipart_boundary(struct str content_type)
{
    struct str part, boundary = STR_NONE;
    if (!str_cut(&content_type, ';', &part) ||
        !str_eq_nocase(str_trim(part), STR("multipart/form-data")))
        return STR_NONE;
    while (str_cut(&content_type, ';', &part)) {
        part = str_trim(part);
        if (!str_eq_nocase(str_first(part, 9), STR("boundary=")))
            continue;
        if (str_present(boundary))
            return STR_NONE; /* repeated */
        boundary = str_from(part, 9);
        if (boundary.len > 1 && boundary.ptr[0] == '"' && str_ends(boundary, STR("\"")))
            boundary = str_first(str_from(boundary, 1), boundary.len - 2);
    }
    return is_boundary(boundary) ? boundary : STR_NONE;
}

/* ---- the head of a part ---- */

/* name="…" of a Content-Disposition; browsers write a quote as %22 and CR LF as %0D%0A. */
static const char *
read_parameter(struct str *rest, struct str *name, struct str *value)
{
    *rest = str_trim(*rest);
    size_t equals = str_index(*rest, '=');
    *name = str_first(*rest, equals);
    *rest = str_from(*rest, equals + 1);
    if (rest->len == 0 || rest->ptr[0] != '"')
        return "a part's name must be in quotes";
    *rest = str_from(*rest, 1);
    size_t end = str_index(*rest, '"');
    if (end == rest->len)
        return "a part's name has no closing quote";
    *value = str_first(*rest, end);
    *rest = str_trim(str_from(*rest, end + 1));
    if (rest->len > 0 && rest->ptr[0] != ';')
        return "a part's Content-Disposition header is malformed";
    *rest = str_from(*rest, 1);
    return NULL;
}

/* Only `name` and `filename` count (RFC 7578 §4.2); a repeated one is an error, because readers
 * differ in which they use. */
static const char *
read_disposition(struct str text, struct multipart_part *part)
{
    struct str kind, name, value;
    str_cut(&text, ';', &kind);
    if (str_present(part->name))
        return "a part has two Content-Disposition headers";
    if (!str_eq_nocase(str_trim(kind), STR("form-data")))
        return "a part is not form-data";
    while (str_trim(text).len > 0) {
        const char *problem = read_parameter(&text, &name, &value);
        if (problem != NULL)
            return problem;
        if (!utf8_valid(value) || value.len > NAME_BYTES_MAX || str_index(value, '\0') < value.len)
            return "a part's name is too long, or not text";
        struct str *target = str_eq_nocase(name, STR("name"))       ? &part->name
                             : str_eq_nocase(name, STR("filename")) ? &part->file
                                                                    : NULL;
        if (target != NULL && str_present(*target))
            return "a part has two names";
        if (target != NULL)
            *target = value;
    }
    return part->name.len > 0 ? NULL : "a part has no name";
}

/* Reads lines up to the empty one. Other headers, such as Content-Type, are ignored. */
static const char *
read_head(struct str head, struct multipart_part *part)
{
    static const struct str disposition = STR("content-disposition:");
    while (head.len > 0) {
        size_t length = str_find(head, STR("\r\n"));
        struct str line = str_first(head, length);
        head = str_from(head, length + 2);
        if (str_eq_nocase(str_first(line, disposition.len), disposition)) {
            const char *problem = read_disposition(str_from(line, disposition.len), part);
            if (problem != NULL)
                return problem;
        }
    }
    return str_present(part->name) ? NULL : "a part has no Content-Disposition header";
}

/* ---- all parts ---- */

static enum err
refuse(struct why *why, const char *problem)
{
    why_set(why, "%s", problem);
    return ERR_INVALID;
}

/* `body` begins after a boundary line. */
static const char *
take_part(struct str *body, struct str end, struct multipart *out)
{
    size_t length = str_find(*body, STR("\r\n\r\n"));
    if (length == body->len || length > PART_HEAD_MAX)
        return "a part's head has no end";
    if (out->count == MULTIPART_PARTS_MAX)
        return "the form has too many parts";
    struct multipart_part *part = &out->parts[out->count];
    *part = (struct multipart_part){ 0 };
    const char *problem = read_head(str_first(*body, length), part);
    if (problem != NULL)
        return problem;
    *body = str_from(*body, length + 4);
    size_t bytes = str_find(*body, end);
    if (bytes == body->len)
        return "the form ends inside a part";
    part->bytes = str_first(*body, bytes);
    *body = str_from(*body, bytes + end.len);
    out->count++;
    return NULL;
}

/* The body must be exactly parts and boundaries: nothing before the first, nothing after the last.
 * Parts point into the body. */
enum err
multipart_read(struct arena *mem, struct str boundary, struct str body, struct multipart *out,
               struct why *why)
{
    *out = (struct multipart){ 0 };
    if (!is_boundary(boundary))
        return refuse(why, "the Content-Type header has no valid boundary");
    struct str end = str_format(mem, "\r\n--%.*s", STR_ARG(boundary));
    if (!str_starts(body, str_from(end, 2)))
        return refuse(why, "the form does not begin with its boundary");
    body = str_from(body, end.len - 2);
    while (!str_starts(body, STR("--"))) {
        if (!str_starts(body, STR("\r\n")))
            return refuse(why, "a boundary is followed by something else");
        body = str_from(body, 2);
        const char *problem = take_part(&body, end, out);
        if (problem != NULL)
            return refuse(why, problem);
    }
    body = str_from(body, 2);
    return body.len == 0 || str_eq(body, STR("\r\n"))
               ? ERR_NONE
               : refuse(why, "there are bytes after the last boundary");
}

/* A name that occurs twice is ambiguous: another parser might take the other one. */
struct str
multipart_find(const struct multipart *multipart, const char *name)
{
    struct str found = STR_NONE;
    size_t count = 0;
    for (size_t i = 0; i < multipart->count; i++)
        if (str_eq_c(multipart->parts[i].name, name)) {
            found = multipart->parts[i].bytes;
            count++;
        }
    return count == 1 ? found : STR_NONE;
}
