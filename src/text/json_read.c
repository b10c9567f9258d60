/* jansson names its types as we name ours; in this file theirs have longer names. */
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_ARRAY JANSSON_ARRAY
#define JSON_REAL JANSSON_REAL
#define JSON_NULL JANSSON_NULL
#include <jansson.h>
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_REAL
#undef JSON_NULL

#include "text/json_read.h"

#include "base/arena.h"
#include "text/utf8.h"

#include <pthread.h>
#include <string.h>

/* A value takes some 150 bytes here, and two in a document that is made to hurt. */
#define VALUES_MAX 500000
#define VALUE_BYTES 16 /* that a value has on the average, where there are more of them */

/* ---- jansson's memory ---- */

/* Documents may carry passwords, so what jansson lets go is overwritten. It frees without telling
 * the size, which is therefore kept in front of each piece. */
struct piece {
    size_t size;
    max_align_t bytes[];
};

static void *
piece_alloc(size_t size)
{
    struct piece *piece = memory_alloc(1, sizeof *piece + size);
    piece->size = size;
    return piece->bytes;
}

static void
piece_free(void *bytes)
{
    if (bytes == NULL)
        return;
    struct piece *piece = (struct piece *)((char *)bytes - offsetof(struct piece, bytes));
    explicit_bzero(piece->bytes, piece->size);
    free(piece);
}

static void
set_alloc_functions(void)
{
    json_set_alloc_funcs(piece_alloc, piece_free);
}

/* ---- what is wrong, for a person ---- */

/* The sentences reach error_description, where quotation marks and backslashes may not stand. */
static const char *
sentence_for(const json_error_t *error)
{
    static const struct {
        const char *theirs;
        const char *ours;
    } sentences[] = {
        { "string or '}' expected", "a key in double quotes or a closing } was expected" },
        { "':' expected", "a colon was expected after the key" },
        { "'}' expected", "a comma or a closing } was expected" },
        { "']' expected", "a comma or a closing ] was expected" },
        { "unexpected token", "a value was expected" },
        { "invalid token", "this is not a JSON value" },
        { "invalid escape", "this is not an escape that JSON knows" },
        { "invalid Unicode", "this escape is half of a surrogate pair" },
        { "maximum parsing depth", "the document is nested too deeply" },
    };
    switch ((int)json_error_code(error)) {
    case json_error_premature_end_of_input:
        return "the document ends too early";
    case json_error_end_of_input_expected:
        return "something follows the end of the document";
    case json_error_null_byte_in_key:
        return "a key must not hold a NUL character";
    case json_error_duplicate_key:
        return "a key occurs twice in one object";
    case json_error_numeric_overflow:
        return "a number is too large; whole numbers must fit into 64 bits";
    default:
        break;
    }
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strncmp(error->text, sentences[i].theirs, strlen(sentences[i].theirs)) == 0)
            return sentences[i].ours;
    return "this is not well-formed JSON";
}

static enum err
refuse_at(struct str document, size_t offset, const char *sentence, struct why *why)
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

/* jansson says how many bytes it had taken, the last of which it did not like. */
static size_t
offset_of(const json_error_t *error, struct str document)
{
    size_t taken = error->position > 0 ? (size_t)error->position : 0;
    if (json_error_code(error) == json_error_premature_end_of_input || taken > document.len)
        return document.len;
    size_t offset = taken > 0 ? taken - 1 : 0;
    while (offset > 0 && (document.ptr[offset] & 0xc0) == 0x80)
        offset--; /* to the first byte of the character */
    return offset;
}

/* ---- before jansson sees it ---- */

/* Walks over strings and brackets. NULL, or what is wrong at *offset. jansson recurses and must not
 * meet a document that is too deep; and it does not tell where in a string a control character is.
 */
static const char *
structure_problem(struct str document, size_t depth_max, size_t *offset)
{
    size_t depth = 0, values = 1, by_size = document.len / VALUE_BYTES;
    size_t values_max = by_size > VALUES_MAX ? by_size : VALUES_MAX;
    bool in_string = false;
    for (size_t i = 0; i < document.len; i++) {
        char c = document.ptr[i];
        *offset = i;
        if (in_string) {
            if ((unsigned char)c < ' ')
                return "a string must not hold a control character or line break, but its escape";
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == ',' && ++values > values_max) {
            return "the document has too many values";
        } else if (c == '[' || c == '{') {
            if (depth == depth_max)
                return "the document is nested too deeply";
            depth++;
            values++;
        } else if ((c == ']' || c == '}') && depth > 0) {
            depth--;
        }
    }
    return NULL;
}

static enum err
check_text(struct str document, size_t depth_max, struct why *why)
{
    struct str rest = document;
    if (!utf8_valid(document)) {
        while (utf8_next(&rest) >= 0) {
        }
        return refuse_at(document, document.len - rest.len, "these bytes are not UTF-8", why);
    }
    if (str_starts(document, STR("\xef\xbb\xbf")))
        return refuse_at(document, 0, "a JSON document must not start with a byte order mark", why);
    if (str_index(document, '\0') < document.len)
        return refuse_at(document, str_index(document, '\0'), "a NUL character stands here", why);
    size_t offset = 0;
    const char *problem = structure_problem(document, depth_max, &offset);
    if (problem != NULL)
        return refuse_at(document, offset, problem, why);
    return ERR_NONE;
}

/* ---- into our tree ---- */

static void convert(struct arena *mem, json_t *from, struct json_value *to);

static void
convert_array(struct arena *mem, json_t *from, struct json_value *to)
{
    to->count = json_array_size(from);
    to->children = ARENA_ARRAY(mem, struct json_value, to->count);
    for (size_t i = 0; i < to->count; i++)
        convert(mem, json_array_get(from, i), &to->children[i]);
}

static void
convert_object(struct arena *mem, json_t *from, struct json_value *to)
{
    const char *key;
    json_t *member;
    to->children = ARENA_ARRAY(mem, struct json_value, json_object_size(from));
    json_object_foreach(from, key, member)
    {
        struct json_value *child = &to->children[to->count++];
        child->key = str_copy(mem, str_of(key));
        convert(mem, member, child);
    }
}

/* Recurses no deeper than depth_max, which check_text() has held the document to. */
static void
convert(struct arena *mem, json_t *from, struct json_value *to)
{
    switch (json_typeof(from)) {
    case JANSSON_OBJECT:
        to->type = JSON_OBJECT;
        convert_object(mem, from, to);
        break;
    case JANSSON_ARRAY:
        to->type = JSON_ARRAY;
        convert_array(mem, from, to);
        break;
    case JSON_STRING:
        to->type = JSON_STR;
        to->text = str_copy(mem, (struct str){ json_string_value(from), json_string_length(from) });
        break;
    case JSON_INTEGER:
        to->type = JSON_INT;
        to->integer = json_integer_value(from);
        break;
    case JANSSON_REAL:
        to->type = JSON_REAL;
        to->real = json_real_value(from);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        to->type = JSON_BOOL;
        to->integer = json_typeof(from) == JSON_TRUE;
        break;
    case JANSSON_NULL:
        to->type = JSON_NULL;
        break;
    }
}

enum err
json_read(struct arena *mem, struct str document, size_t depth_max, const struct json_value **out,
          struct why *why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_alloc_functions);

    enum err err = check_text(document, depth_max, why);
    if (err)
        return err;
    json_error_t error;
    json_t *tree = json_loadb(str_present(document) ? document.ptr : "", document.len,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (tree == NULL)
        return refuse_at(document, offset_of(&error, document), sentence_for(&error), why);
    struct json_value *root = ARENA_NEW(mem, struct json_value);
    convert(mem, tree, root);
    json_decref(tree);
    *out = root;
    return ERR_NONE;
}

const struct json_value *
json_member(const struct json_value *object, const char *key)
{
    if (object->type != JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (str_eq_c(object->children[i].key, key))
            return &object->children[i];
    return NULL;
}
