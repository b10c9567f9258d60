/* template_internal.h - a parsed template. Private to template_parse.c and template_render.c.
 *
 * A page is a flat list of nodes with its includes expanded. The content of a section follows its
 * node; `end` is where the content ends. Templates are in the arena of their set. They are parsed
 * at startup by one thread; afterwards they are read-only, and any thread may use them. */
#ifndef TEMPLATE_TEMPLATE_INTERNAL_H
#define TEMPLATE_TEMPLATE_INTERNAL_H

#include "base/arena.h"
#include "template/template.h"

enum node_kind { NODE_LITERAL, NODE_VALUE, NODE_PART, NODE_SECTION, NODE_INVERTED };

enum node_escape {
    ESCAPE_HTML,
    ESCAPE_URL,      /* the value is the start of a URL */
    ESCAPE_URL_PART, /* the value is a component of a URL */
};

struct node {
    enum node_kind kind;
    enum node_escape escape; /* NODE_VALUE */
    struct str text;         /* NODE_LITERAL: the output; else the name */
    size_t end;              /* NODE_SECTION, NODE_INVERTED: the index after the content */
};

struct template
{
    const char *name;
    struct node *nodes;
    size_t count;
    struct template *next;
};

struct template_set {
    struct str (*find)(const char *name);
    struct catalog *catalog; /* NULL: templates contain their own text */
    struct arena *mem;
    struct template *first;
};

const struct template *template_find(const struct template_set *set, const char *name);

#endif
