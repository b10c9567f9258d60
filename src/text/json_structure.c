/* json_structure.c - limits of a JSON document, and how many children its arrays and objects have.
 */
#include "text/json_structure.h"

#include "text/utf8.h"

#define VALUES_MAX 500000
#define VALUE_BYTES 16 /* average size of a value in a document that has more */

/* The problem sentences are sent in error_description, which must not contain quotation marks and
 * backslashes. */
enum err
json_structure_refuse(struct str document, size_t offset, const char *sentence, struct why *why)
{
    size_t line = 1;
    size_t column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (document.ptr[i] == '\n') {
            line++;
            column = 1;
        } else if ((document.ptr[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    why_set(why, "line %zu, column %zu: %s", line, column, sentence);
    return ERR_INVALID;
}

/* Checks depth and number of values, and counts arrays and objects. NULL, or the problem at *at. */
static const char *
structure_problem(struct str document, size_t depth_max, const char **at,
                  struct json_containers *containers)
{
    uint32_t outside = 0, *open[JSON_FEW_CONTAINERS + 1];
    size_t depth = 0, values = 1, by_size = document.len / VALUE_BYTES;
    size_t values_max = by_size > VALUES_MAX ? by_size : VALUES_MAX;
    const char *end = document.ptr + document.len;
    bool escapes;
    open[0] = &outside;
    for (*at = document.ptr; *at < end; ++*at) {
        char c = **at;
        if (c == '"') {
            *at = json_string_end(*at, end, &escapes);
            if (*at < end && **at != '"')
                return "control characters and line breaks in a string must be escaped";
        } else if (c == ',') {
            if (++values > values_max)
                return "the document has too many values";
            if (containers->count <= JSON_FEW_CONTAINERS)
                ++*open[depth];
        } else if (c == '[' || c == '{') {
            if (depth == depth_max)
                return "the document is nested too deeply";
            depth++;
            values++;
            if (containers->count < JSON_FEW_CONTAINERS) {
                open[depth] = &containers->commas[containers->count];
                *open[depth] = 0;
            }
            containers->count++;
        } else if ((c == ']' || c == '}') && depth > 0) {
            depth--;
        }
    }
    return NULL;
}

/* The counts are in the order in which containers open, but an inner one ends before the outer: so
 * each open bracket remembers its own cell. The document has passed json_structure_check(), so
 * brackets are balanced and the depth is within JSON_DEPTH_MAX. */
void
json_structure_count_commas(struct str document, uint32_t *commas)
{
    uint32_t *open[JSON_DEPTH_MAX];
    size_t depth = 0;
    const char *end = document.ptr + document.len;
    bool escapes;
    for (const char *at = document.ptr; at < end; at++) {
        if (*at == '"')
            at = json_string_end(at, end, &escapes);
        else if (*at == ',' && depth > 0)
            ++*open[depth - 1];
        else if (*at == '[' || *at == '{')
            open[depth++] = commas++;
        else if ((*at == ']' || *at == '}') && depth > 0)
            depth--;
    }
}

/* Stricter than RFC 8259 where parsers differ: no byte order mark, no NUL, valid UTF-8 only. */
enum err
json_structure_check(struct str document, size_t depth_max, struct json_containers *containers,
                     struct why *why)
{
    struct str rest = document;
    if (!utf8_valid(document)) {
        while (utf8_next(&rest) >= 0) {
        }
        return json_structure_refuse(document, document.len - rest.len, "invalid UTF-8", why);
    }
    if (str_starts(document, STR("\xef\xbb\xbf")))
        return json_structure_refuse(document, 0,
                                     "a JSON document must not start with a byte order mark", why);
    if (str_index(document, '\0') < document.len)
        return json_structure_refuse(document, str_index(document, '\0'),
                                     "a NUL character is not allowed", why);
    const char *at;
    const char *problem = structure_problem(
        document, depth_max < JSON_DEPTH_MAX ? depth_max : JSON_DEPTH_MAX, &at, containers);
    if (problem != NULL)
        return json_structure_refuse(document, (size_t)(at - document.ptr), problem, why);
    return ERR_NONE;
}
