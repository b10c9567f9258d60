/* json_items.h - walks the items of a large JSON array or object without a tree of all of it.
 *
 * Only brackets and strings are followed: pass each value to json_read(), which validates it.
 * Items point into the document. Allocates nothing; safe from any thread. */
#ifndef TRANSFER_JSON_ITEMS_H
#define TRANSFER_JSON_ITEMS_H

#include "base/str.h"

struct json_items {
    struct str rest;
    bool is_object;
    bool broken; /* it ended before its closing bracket, or something else was expected */
};

/* False: the text does not start with '[' or '{', after white space. */
bool json_items_open(struct json_items *items, struct str text);

/* False at the end. In an object, *key is the name as written, without quotes and with escapes;
 * in an array it is absent. */
bool json_items_next(struct json_items *items, struct str *key, struct str *value);

#endif
