/* definition.c - typed access to the JSON of a definition, with the path of each value for
 * messages.
 *
 * An operator writes these files, so that a mistake must be found with file, position, and reason.
 * After the first problem nothing more is recorded; the readers continue with safe defaults, so
 * that no check is needed after each call. Texts are quoted in messages with invisible characters
 * replaced, because they go to a terminal or a log. */
#include "domain/definition.h"

#include "base/arena.h"
#include "base/buf.h"
#include "text/json_read.h"
#include "text/utf8.h"

#include <math.h>
#include <stdarg.h>

#define PATH_LENGTH_MAX 256
#define QUOTE_MAX 64
#define FILE_SHOWN_MAX 160
#define NAME_MAX_LENGTH 64

/* ---- reporting problems ---- */

/* The next character; a question mark if it is invalid or invisible. */
static struct str
next_readable(struct str *rest)
{
    struct str text = *rest;
    if (utf8_next(rest) < 0) {
        *rest = str_from(text, 1);
        return STR("?");
    }
    struct str one = str_first(text, text.len - rest->len);
    return utf8_forbidden(one) < 0 ? one : STR("?");
}

/* Cut at a character, never inside one. */
const char *
definition_quote(struct definition *in, struct str text)
{
    struct buf out = buf_in(in->scratch, QUOTE_MAX + 8);
    while (text.len > 0 && out.len < QUOTE_MAX)
        buf_add(&out, next_readable(&text));
    if (text.len > 0)
        buf_add_c(&out, "...");
    return str_c(in->scratch, buf_str(&out));
}

/* The file's path; only its end if it is so long that the problem would not fit. */
static const char *
quote_file(struct definition *in)
{
    struct buf out = buf_in(in->mem, FILE_SHOWN_MAX + 8);
    struct str rest = in->file;
    while (rest.len > FILE_SHOWN_MAX)
        next_readable(&rest);
    if (rest.len < in->file.len)
        buf_add_c(&out, "...");
    while (rest.len > 0)
        buf_add(&out, next_readable(&rest));
    return str_c(in->mem, buf_str(&out));
}

/* From the root downwards; the depth is limited by DEPTH_MAX of domain.c. */
static void
add_path(struct buf *out, const struct node *node)
{
    if (node->above == NULL)
        return;
    add_path(out, node->above);
    if (!str_present(node->key))
        buf_add_format(out, "[%zu]", node->index);
    else
        buf_add_format(out, "%s%s", out->len == 0 ? "" : ".",
                       definition_quote(node->in, node->key));
}

/* The first problem wins: later ones are often its consequences. */
void
node_reject(const struct node *node, const char *format, ...)
{
    struct definition *in = node->in;
    struct buf path = buf_in(in->mem, PATH_LENGTH_MAX);
    char problem[256];
    if (in->failed)
        return;
    in->failed = true;
    va_list args;
    va_start(args, format);
    vsnprintf(problem, sizeof problem, format, args);
    va_end(args);
    add_path(&path, node);
    why_set(in->why, "%s: %.*s%s%s", quote_file(in), STR_ARG(buf_str(&path)),
            path.len == 0 ? "" : ": ", problem);
}

/* ---- objects and arrays ---- */

/* An empty string separates required keys from optional ones and is no key. */
static bool
is_known(struct str key, const char *const *keys)
{
    for (; *keys != NULL; keys++)
        if (**keys != '\0' && str_eq_c(key, *keys))
            return true;
    return false;
}

/* `keys` lists the required names first, then "", then the optional ones. */
static bool
has_required(const struct node *node, const char *const *keys)
{
    for (; *keys != NULL && **keys != '\0'; keys++) {
        if (json_member(node->value, *keys) != NULL)
            continue;
        node_reject(node, "%s is missing", *keys);
        return false;
    }
    return true;
}

/* Unknown keys are errors: a misspelled key would otherwise be ignored. */
bool
node_is_object(const struct node *node, const char *const *keys)
{
    if (node->value == NULL)
        return false;
    if (node->value->type != JSON_OBJECT) {
        node_reject(node, "must be an object");
        return false;
    }
    for (size_t i = 0; i < node->value->count; i++) {
        struct node child = node_child(node, i);
        if (is_known(child.key, keys))
            continue;
        node_reject(&child, "unknown key");
        return false;
    }
    return has_required(node, keys);
}

/* False without an error if the node is absent: optional members are checked by the same
 * function. */
static bool
has_children(const struct node *node, enum json_type type, const char *what, size_t min, size_t max)
{
    if (node->value == NULL)
        return false;
    if (node->value->type != type) {
        node_reject(node, "must be an %s", what);
        return false;
    }
    if (node->value->count >= min && node->value->count <= max)
        return true;
    node_reject(node, "must have %zu to %zu entries, not %u", min, max, node->value->count);
    return false;
}

bool
node_is_array(const struct node *node, size_t min, size_t max)
{
    return has_children(node, JSON_ARRAY, "array", min, max);
}

bool
node_is_map(const struct node *node, size_t min, size_t max)
{
    return has_children(node, JSON_OBJECT, "object", min, max);
}

/* The result refers to `node`, which must stay in place. */
struct node
node_member(const struct node *node, const char *key)
{
    const struct json_value *value = node->value == NULL ? NULL : json_member(node->value, key);
    return (struct node){ .in = node->in, .above = node, .value = value, .key = str_of(key) };
}

/* The child keeps a pointer to its parent, from which a problem writes its position. */
struct node
node_child(const struct node *node, size_t index)
{
    const struct json_value *value = &node->value->children[index];
    return (struct node){
        .in = node->in, .above = node, .value = value, .key = value->key, .index = index
    };
}

size_t
node_count(const struct node *node)
{
    return node->value == NULL ? 0 : node->value->count;
}

/* ---- single values ---- */

/* A string without escapes is a part of the file; others are copies that are gone after loading. */
static struct str
keep(const struct definition *in, struct str text)
{
    bool is_part = text.ptr >= in->text.ptr && text.ptr < in->text.ptr + in->text.len;
    return is_part ? text : str_copy(in->mem, text);
}

struct str
node_key(const struct node *node)
{
    return keep(node->in, node->key);
}

/* An absent value is absent, and one that is no string is empty. */
struct str
node_text(const struct node *node, size_t min, size_t max)
{
    if (node->value == NULL)
        return STR_NONE;
    if (node->value->type != JSON_STR) {
        node_reject(node, "must be a string");
        return STR("");
    }
    struct str text = utf8_nfc(node->in->mem, keep(node->in, node->value->text));
    if (!str_present(text)) {
        node_reject(node, "has too many combining marks on one letter");
        return STR("");
    }
    size_t length = utf8_length(text);
    int32_t forbidden = utf8_forbidden(text);
    if (length < min || length > max)
        node_reject(node, "must have %zu to %zu characters, not %zu", min, max, length);
    else if (forbidden >= 0)
        node_reject(node, "contains U+%04X, an invisible character; remove it",
                    (unsigned)forbidden);
    return text;
}

/* Names become scopes, URL paths, and column values, so they need no escaping anywhere. */
bool
is_definition_name(struct str text)
{
    if (text.len == 0 || text.len > NAME_MAX_LENGTH || text.ptr[0] < 'a' || text.ptr[0] > 'z')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_')
            return false;
    }
    return true;
}

/* An absent node gives an absent name, and an invalid one an empty one, so that the caller can go
 * on: only the first problem is reported. */
struct str
node_name(const struct node *node)
{
    if (node->value == NULL)
        return STR_NONE;
    if (node->value->type == JSON_STR && is_definition_name(node->value->text))
        return str_copy(node->in->mem, node->value->text); /* scopes need the NUL */
    node_reject(
        node, "must be a name: a lowercase letter, then at most %d lowercase letters, digits, or _",
        NAME_MAX_LENGTH - 1);
    return STR("");
}

/* ASCII only: it is compared with folded words of a task, byte by byte. */
struct str
node_word(const struct node *node)
{
    struct str text = node_text(node, 2, 32);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
            node_reject(node, "must be a word of lowercase letters a to z and digits");
            break;
        }
    }
    return text;
}

/* Absent means false. */
bool
node_bool(const struct node *node)
{
    if (node->value == NULL)
        return false;
    if (node->value->type != JSON_BOOL)
        node_reject(node, "must be true or false");
    return node->value->type == JSON_BOOL && node->value->integer != 0;
}

/* With min = max the number is a constant, such as the format. */
int
node_int(const struct node *node, int min, int max, int fallback)
{
    const struct json_value *value = node->value;
    if (value == NULL)
        return fallback;
    if (value->type == JSON_INT && value->integer >= min && value->integer <= max)
        return (int)value->integer;
    if (min == max)
        node_reject(node, "must be %d", min);
    else
        node_reject(node, "must be a whole number from %d to %d", min, max);
    return fallback;
}

double
node_number(const struct node *node)
{
    const struct json_value *value = node->value;
    if (value == NULL)
        return 0;
    if (value->type == JSON_INT)
        return (double)value->integer;
    if (value->type == JSON_REAL)
        return value->real;
    node_reject(node, "must be a number");
    return 0;
}

/* As a fixed-point number, so that scores are computed with integers. */
int32_t
node_unit(const struct node *node, int32_t fallback)
{
    if (node->value == NULL)
        return fallback;
    double number = node_number(node);
    if (number >= 0 && number <= 1)
        /* 16 fractional bits: 1.0 is 65,536. */
        return (int32_t)lround(number * 65536);
    node_reject(node, "must be a number from 0 to 1");
    return fallback;
}

/* The index of the choice. The error lists all choices. */
size_t
node_choice(const struct node *node, const char *const *choices, size_t fallback)
{
    struct buf list = buf_in(node->in->scratch, PATH_LENGTH_MAX);
    if (node->value == NULL)
        return fallback;
    for (size_t i = 0; choices[i] != NULL; i++) {
        if (node->value->type == JSON_STR && str_eq_c(node->value->text, choices[i]))
            return i;
        buf_add_format(&list, "%s%s", i == 0 ? "" : ", ", choices[i]);
    }
    node_reject(node, "must be one of: %.*s", STR_ARG(buf_str(&list)));
    return fallback;
}

/* Every item is read, also after a problem, since the first one is kept. */
struct str *
node_texts(const struct node *node, size_t max, struct str (*item)(const struct node *node),
           size_t *count)
{
    *count = 0;
    if (!node_is_array(node, 0, max))
        return NULL;
    struct str *texts = ARENA_ARRAY(node->in->mem, struct str, node_count(node));
    for (; *count < node_count(node); ++*count) {
        struct node child = node_child(node, *count);
        texts[*count] = item(&child);
    }
    return texts;
}
