/* json_items.c - iterates over the items of a JSON array or object without building a tree, so a
 * file of any size needs little memory. Items are parsed by the caller, one at a time. */
#include "transfer/json_items.h"

#include <string.h>

static void
skip_space(struct str *rest)
{
    while (rest->len > 0 && strchr(" \t\r\n", rest->ptr[0]) != NULL && rest->ptr[0] != '\0')
        *rest = str_from(*rest, 1);
}

/* The length of the string that the text starts with, both quotes included; 0: it does not end. */
static size_t
string_length(struct str text)
{
    for (size_t i = 1; i < text.len; i++) {
        if (text.ptr[i] == '\\')
            i++;
        else if (text.ptr[i] == '"')
            return i + 1;
    }
    return 0;
}

/* The length of a value: up to the comma or bracket that ends it. 0: it does not end. */
static size_t
value_length(struct str text)
{
    size_t depth = 0, i = 0;
    while (i < text.len) {
        char c = text.ptr[i];
        size_t length = 1;
        if (c == '"')
            length = string_length(str_from(text, i));
        else if (c == '{' || c == '[')
            depth++;
        else if ((c == ',' || c == '}' || c == ']') && depth == 0)
            return i;
        else if (c == '}' || c == ']')
            depth--;
        if (length == 0)
            return 0;
        i += length;
    }
    return 0;
}

/* False: neither an array nor an object. Nothing is allocated, so documents of any size can be read
 * item by item. */
bool
json_items_open(struct json_items *items, struct str text)
{
    *items = (struct json_items){ .rest = text };
    skip_space(&items->rest);
    if (items->rest.len == 0 || (items->rest.ptr[0] != '[' && items->rest.ptr[0] != '{'))
        return false;
    items->is_object = items->rest.ptr[0] == '{';
    items->rest = str_from(items->rest, 1);
    return true;
}

/* The key as it is written, with its escapes. */
static bool
take_key(struct json_items *items, struct str *key)
{
    size_t length =
        items->rest.len > 0 && items->rest.ptr[0] == '"' ? string_length(items->rest) : 0;
    if (length == 0)
        return false;
    *key = (struct str){ items->rest.ptr + 1, length - 2 };
    items->rest = str_from(items->rest, length);
    skip_space(&items->rest);
    if (items->rest.len == 0 || items->rest.ptr[0] != ':')
        return false;
    items->rest = str_from(items->rest, 1);
    skip_space(&items->rest);
    return true;
}

/* Two items without a comma between them are one value, which json_read() rejects. */
bool
json_items_next(struct json_items *items, struct str *key, struct str *value)
{
    *key = *value = STR_NONE;
    skip_space(&items->rest);
    if (items->broken ||
        (items->rest.len > 0 && items->rest.ptr[0] == (items->is_object ? '}' : ']')))
        return false;
    if (items->is_object && !take_key(items, key)) {
        items->broken = true;
        return false;
    }
    size_t length = value_length(items->rest);
    *value = str_first(items->rest, length);
    items->rest = str_from(items->rest, length);
    items->broken = length == 0;
    if (items->rest.len > 0 && items->rest.ptr[0] == ',')
        items->rest = str_from(items->rest, 1);
    return !items->broken;
}
