/* json_read.c - two passes: the first checks limits and counts children (json_structure.c), the
 * second builds the tree.
 *
 * Because the number of children is known, each array and object is allocated once with its exact
 * size. The second pass is a recursive descent parser; the first has limited its depth. An
 * allocation never depends on a number in the document. */
#include "text/json_read.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "text/json_structure.h"
#include "text/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FEW_MEMBERS 16 /* up to here comparing all keys is faster than sorting them */

/* `at` is the next byte to read. After a problem it stays at the offending byte. */
struct reader {
    struct arena *mem;
    const char *at, *end;
    const uint32_t *commas; /* of the next array or object: how many it contains */
    const char *problem;
};

/* At the end of the document the problem is always that something is missing. */
static bool
fail(struct reader *reader, const char *at, const char *problem)
{
    reader->at = at;
    reader->problem = at < reader->end ? problem : "unexpected end of the document";
    return false;
}

/* The next character that is not a blank; 0 at the end. */
static char
peek(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n' ||
                                        *reader->at == '\r' || *reader->at == '\t'))
        reader->at++;
    return reader->at < reader->end ? *reader->at : '\0';
}

/* Four hexadecimal digits. */
static bool
read_hex(struct reader *reader, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < 4; i++, reader->at++) {
        char c = reader->at < reader->end ? *reader->at : '\0';
        uint32_t digit = ascii_is_digit(c)      ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return fail(reader, reader->at, "a Unicode escape needs four hexadecimal digits");
        *out = *out << 4 | digit;
    }
    return true;
}

/* \uXXXX, or two of them for a character beyond U+FFFF. `at` is after the "u". */
static bool
read_unicode(struct reader *reader, char **out)
{
    const char *start = reader->at - 2;
    uint32_t c, low = 0;
    if (!read_hex(reader, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00 && reader->end - reader->at >= 2 && reader->at[0] == '\\' &&
        reader->at[1] == 'u') {
        reader->at += 2;
        if (!read_hex(reader, &low))
            return false;
        if (low >= 0xdc00 && low < 0xe000)
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c >= 0xd800 && c < 0xe000)
        return fail(reader, start, "unpaired surrogate in a Unicode escape");
    *out = utf8_put(*out, c);
    return true;
}

/* A string with escapes, which is never longer than its source. */
static bool
unescape(struct reader *reader, const char *end, struct str *out)
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char *text = arena_alloc(reader->mem, (size_t)(end - reader->at)), *to = text;
    while (reader->at < end) {
        if (*reader->at != '\\') {
            *to++ = *reader->at++;
            continue;
        }
        char c = reader->at[1];
        reader->at += 2;
        const char *known = strchr(escapes, c);
        if (c == 'u') {
            if (!read_unicode(reader, &to))
                return false;
        } else if (known != NULL && c != '\0') {
            *to++ = meant[known - escapes];
        } else {
            return fail(reader, reader->at - 1, "invalid escape sequence");
        }
    }
    *out = (struct str){ text, (size_t)(to - text) };
    return true;
}

/* `at` is the opening quote. */
static bool
read_string(struct reader *reader, struct str *out)
{
    bool escapes;
    const char *end = json_string_end(reader->at, reader->end, &escapes);
    if (end >= reader->end)
        return fail(reader, reader->end, NULL);
    reader->at++;
    *out = (struct str){ reader->at, (size_t)(end - reader->at) };
    if (escapes && !unescape(reader, end, out))
        return false;
    reader->at = end + 1;
    return true;
}

/* `at` is after the number. The digits are copied, because no NUL follows them. A number too small
 * for a double becomes 0. */
static bool
convert_number(struct reader *reader, const char *start, bool whole, struct json_value *out)
{
    struct str digits = { start, (size_t)(reader->at - start) };
    char small[64] = "";
    const char *text = small;
    if (digits.len < sizeof small)
        memcpy(small, digits.ptr, digits.len);
    else
        text = str_copy(reader->mem, digits).ptr;
    errno = 0;
    out->type = whole ? JSON_INT : JSON_REAL;
    if (whole)
        out->integer = strtoll(text, NULL, 10);
    else
        out->real = strtod(text, NULL);
    if (errno == ERANGE && (whole || out->real > 1 || out->real < -1))
        return fail(reader, start, "number out of range: whole numbers must fit into 64 bits");
    return true;
}

/* RFC 8259 §6. */
static bool
read_number(struct reader *reader, struct json_value *out)
{
    const char *start = reader->at, *at = start, *end = reader->end;
    at += *at == '-';
    const char *digits = at;
    while (at < end && ascii_is_digit(*at))
        at++;
    bool fine = at > digits && (*digits != '0' || at == digits + 1), whole = true;
    if (fine && at < end && *at == '.') {
        whole = false;
        fine = ++at < end && ascii_is_digit(*at);
        while (at < end && ascii_is_digit(*at))
            at++;
    }
    if (fine && at < end && (*at == 'e' || *at == 'E')) {
        whole = false;
        at++;
        at += at < end && (*at == '+' || *at == '-');
        fine = at < end && ascii_is_digit(*at);
        while (at < end && ascii_is_digit(*at))
            at++;
    }
    reader->at = at;
    return fine ? convert_number(reader, start, whole, out)
                : fail(reader, start, "invalid JSON value");
}

/* The last error names what was expected if the document has a separator here, as in "[1,]". */
static bool
read_word(struct reader *reader, struct json_value *out)
{
    static const struct {
        struct str word;
        enum json_type type;
        int64_t integer;
    } words[] = { { STR("null"), JSON_NULL, 0 },
                  { STR("true"), JSON_BOOL, 1 },
                  { STR("false"), JSON_BOOL, 0 } };
    struct str rest = { reader->at, (size_t)(reader->end - reader->at) };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!str_starts(rest, words[i].word))
            continue;
        out->type = words[i].type;
        out->integer = words[i].integer;
        reader->at += words[i].word.len;
        return true;
    }
    return fail(reader, reader->at,
                rest.len > 0 && strchr(",:]}", *rest.ptr) != NULL ? "expected a value"
                                                                  : "invalid JSON value");
}

static int
compare_keys(const void *a, const void *b)
{
    const struct json_value *const *one = a, *const *two = b;
    int order = str_order((*one)->key, (*two)->key);
    return order != 0 ? order : (*one > *two) - (*one < *two);
}

/* The second of two members with the same key, or NULL. */
static const struct json_value *
find_duplicate(struct arena *mem, const struct json_value *object)
{
    const struct json_value *members = object->children, *found = NULL;
    if (object->count <= FEW_MEMBERS) {
        for (size_t i = 1; i < object->count; i++)
            for (size_t j = 0; j < i; j++)
                if (str_eq(members[i].key, members[j].key))
                    return &members[i];
        return NULL;
    }
    const struct json_value **sorted = ARENA_ARRAY(mem, const struct json_value *, object->count);
    for (size_t i = 0; i < object->count; i++)
        sorted[i] = &members[i];
    qsort(sorted, object->count, sizeof *sorted, compare_keys);
    for (size_t i = 1; i < object->count; i++)
        if (str_eq(sorted[i]->key, sorted[i - 1]->key) && (found == NULL || sorted[i] < found))
            found = sorted[i];
    return found;
}

static bool read_value(struct reader *reader, struct json_value *out);

/* "key": value */
static bool
read_member(struct reader *reader, struct json_value *out)
{
    if (peek(reader) != '"')
        return fail(reader, reader->at, "expected a key in double quotes or a closing }");
    const char *start = reader->at;
    if (!read_string(reader, &out->key))
        return false;
    bool escaped = out->key.ptr != start + 1; /* only then can it contain one */
    if (escaped && str_index(out->key, '\0') < out->key.len)
        return fail(reader, start, "a key must not contain a NUL character");
    if (peek(reader) != ':')
        return fail(reader, reader->at, "expected a colon after the key");
    reader->at++;
    return read_value(reader, out);
}

/* Recurses no deeper than JSON_DEPTH_MAX: see json_structure_check(). */
static bool
read_children(struct reader *reader, struct json_value *out)
{
    bool object = *reader->at == '{';
    char close = object ? '}' : ']';
    size_t most = (size_t)*reader->commas++ + 1;
    const char *start = reader->at++;
    out->type = object ? JSON_OBJECT : JSON_ARRAY;
    if (peek(reader) == close) {
        reader->at++;
        return true;
    }
    if (arena_excess(reader->mem))
        return fail(reader, start, "the document needs too much memory");
    out->children = ARENA_ARRAY(reader->mem, struct json_value, most);
    for (char next = ','; next == ','; reader->at++) {
        struct json_value *child = &out->children[out->count++];
        if (!(object ? read_member(reader, child) : read_value(reader, child)))
            return false;
        next = peek(reader);
        if (next != ',' && next != close)
            return fail(reader, reader->at,
                        object ? "expected a comma or a closing }"
                               : "expected a comma or a closing ]");
    }
    const struct json_value *twice = object ? find_duplicate(reader->mem, out) : NULL;
    if (twice == NULL)
        return true;
    /* A key with escapes is a copy, whose place in the document is not known. */
    bool in_place = twice->key.ptr > start && twice->key.ptr < reader->at;
    return fail(reader, in_place ? twice->key.ptr - 1 : start, "duplicate key in an object");
}

/* Recursion is limited by json_structure_check(), which has counted the depth. */
static bool
read_value(struct reader *reader, struct json_value *out)
{
    char c = peek(reader);
    if (c == '[' || c == '{')
        return read_children(reader, out);
    out->type = JSON_STR;
    if (c == '"')
        return read_string(reader, &out->text);
    return c == '-' || ascii_is_digit(c) ? read_number(reader, out) : read_word(reader, out);
}

/* Two passes: the first checks structure, depth, and UTF-8 without memory, and counts containers;
 * the second builds the tree in arrays of the right size. So a hostile document costs no more
 * memory than its values. */
enum err
json_read(struct arena *mem, struct str document, size_t depth_max, const struct json_value **out,
          struct why *why)
{
    struct json_containers containers;
    containers.count = 0;
    if (!str_present(document))
        document = STR("");
    enum err err = json_structure_check(document, depth_max, &containers, why);
    if (err)
        return err;
    uint32_t *commas = containers.commas;
    if (containers.count > JSON_FEW_CONTAINERS) {
        commas = ARENA_ARRAY(mem, uint32_t, containers.count);
        json_structure_count_commas(document, commas);
    }
    struct reader reader = { mem, document.ptr, document.ptr + document.len, commas, NULL };
    struct json_value *root = ARENA_NEW(mem, struct json_value);
    if (read_value(&reader, root) && peek(&reader) != '\0')
        fail(&reader, reader.at, "unexpected text after the end of the document");
    if (reader.problem != NULL)
        return json_structure_refuse(document, (size_t)(reader.at - document.ptr), reader.problem,
                                     why);
    *out = root;
    return ERR_NONE;
}

/* Linear, because objects are small. Keys are unique (find_duplicate()). */
const struct json_value *
json_member(const struct json_value *object, const char *key)
{
    if (object->type != JSON_OBJECT)
        return NULL;
    struct str wanted = str_of(key);
    for (size_t i = 0; i < object->count; i++)
        if (str_eq(object->children[i].key, wanted))
            return &object->children[i];
    return NULL;
}

struct str
json_text(const struct json_value *object, const char *key)
{
    const struct json_value *member = json_member(object, key);
    return member != NULL ? member->text : STR_NONE;
}
