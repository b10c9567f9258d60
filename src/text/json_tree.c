/* json_tree.c - writes a parsed document again: compact, or broken into lines for people. */
#include "text/json_tree.h"

#include "base/buf.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/utf8.h"

#define STEP 2 /* spaces per level */

/* Recursion is as deep as the document, which json_read() has limited. */
void
json_tree_write(struct json *out, const struct json_value *value)
{
    switch (value->type) {
    case JSON_NULL:
        json_null(out);
        break;
    case JSON_BOOL:
        json_bool(out, value->integer != 0);
        break;
    case JSON_INT:
        json_int(out, value->integer);
        break;
    case JSON_REAL:
        json_number(out, value->real);
        break;
    case JSON_STR:
        json_str(out, value->text);
        break;
    case JSON_ARRAY:
        json_open_array(out);
        for (size_t i = 0; i < value->count; i++)
            json_tree_write(out, &value->children[i]);
        json_close_array(out);
        break;
    case JSON_OBJECT:
        json_open_object(out);
        for (size_t i = 0; i < value->count; i++) {
            json_key_str(out, value->children[i].key);
            json_tree_write(out, &value->children[i]);
        }
        json_close_object(out);
        break;
    }
}

static void
put_key(struct buf *out, const struct json_value *value)
{
    if (!str_present(value->key))
        return;
    struct json json = json_into(out);
    json_str(&json, value->key);
    buf_add_c(out, ": ");
}

/* With a space after each comma and colon. */
static void
put_line(struct buf *out, const struct json_value *value)
{
    bool object = value->type == JSON_OBJECT;
    if (!object && value->type != JSON_ARRAY) {
        struct json json = json_into(out);
        json_tree_write(&json, value);
        return;
    }
    buf_add_c(out, !object ? "[" : (value->count > 0 ? "{ " : "{"));
    for (size_t i = 0; i < value->count; i++) {
        buf_add_c(out, i == 0 ? "" : ", ");
        put_key(out, &value->children[i]);
        put_line(out, &value->children[i]);
    }
    buf_add_c(out, !object ? "]" : (value->count > 0 ? " }" : "}"));
}

/* Whether the value fits into the line, with a comma after it. */
static bool
fits(struct buf *out, const struct json_value *value, size_t width, size_t used)
{
    struct buf line = buf_in(out->mem, out->max);
    put_line(&line, value);
    return used + utf8_length(buf_str(&line)) + 1 <= width;
}

static void
new_line(struct buf *out, size_t indent)
{
    buf_add_format(out, "\n%*s", (int)indent, "");
}

/* Tries each value on one line first. A nested value is tried again at each level. */
static void
write_indented(struct buf *out, const struct json_value *value, size_t width, size_t indent,
               size_t used)
{
    bool object = value->type == JSON_OBJECT;
    bool splits = (object || value->type == JSON_ARRAY) && value->count > 0;
    if (!splits || fits(out, value, width, used)) {
        put_line(out, value);
        return;
    }
    buf_add_c(out, object ? "{" : "[");
    for (size_t i = 0; i < value->count; i++) {
        const struct json_value *child = &value->children[i];
        buf_add_c(out, i == 0 ? "" : ",");
        new_line(out, indent + STEP);
        put_key(out, child);
        size_t key = str_present(child->key) ? utf8_length(child->key) + 4 : 0;
        write_indented(out, child, width, indent + STEP, indent + STEP + key);
    }
    new_line(out, indent);
    buf_add_c(out, object ? "}" : "]");
}

void
json_tree_format(struct buf *out, const struct json_value *value, size_t width, size_t indent)
{
    write_indented(out, value, width, indent, indent);
}
