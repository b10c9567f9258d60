/* json_tree.h - a document that was read, written again: for programs, or laid out for people. */
#ifndef TEXT_JSON_TREE_H
#define TEXT_JSON_TREE_H

#include "base/str.h"

struct buf;
struct json;
struct json_value;

void json_tree_write(struct json *out, const struct json_value *value);

/* Over several lines where it does not fit into one of `width` columns, each behind `indent`
 * blanks but the first. */
void json_tree_format(struct buf *out, const struct json_value *value, size_t width, size_t indent);

#endif
