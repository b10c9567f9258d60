/* json_tree.h - writes a parsed JSON tree, compact or formatted for reading. Output goes to the
 * caller's writer or buffer. Any thread may call these functions. */
#ifndef TEXT_JSON_TREE_H
#define TEXT_JSON_TREE_H

#include "base/str.h"

struct buf;
struct json;
struct json_value;

void json_tree_write(struct json *out, const struct json_value *value);

/* Breaks lines where a value does not fit into `width` columns. Every line but the first is
 * indented by `indent` spaces. */
void json_tree_format(struct buf *out, const struct json_value *value, size_t width, size_t indent);

#endif
