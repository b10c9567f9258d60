/* template_render.c - fills in the values of a page. No errors are possible here: a name without a
 * value is empty.
 *
 * Every value is escaped by the rule that the parser chose for its position. Only a part is copied
 * as it is, and only part_render() can make one, from a template. */
#include "template/template_internal.h"

#include "text/html.h"
#include "text/url.h"

/* ---- values ---- */

#define PART_MAX ((size_t)1024 * 1024)

enum entry_kind { ENTRY_TEXT, ENTRY_FLAG, ENTRY_LIST, ENTRY_PART };

/* Only part_render() makes one, so its HTML is already escaped. */
struct part {
    struct str html;
};

/* One value of a page: a text, a flag, a part, or a list of items. */
struct entry {
    enum entry_kind kind;
    const char *name;
    struct str text;
    bool on;
    const struct part *part;
    struct values *first_item;
    struct values *last_item;
    struct entry *next;
};

struct values {
    struct arena *mem;
    struct entry *entries;
    struct values *next; /* the next item of a list */
};

struct values *
values_new(struct arena *mem)
{
    struct values *values = ARENA_NEW(mem, struct values);
    values->mem = mem;
    return values;
}

/* A list: pages have few values, and each is looked up a few times. */
static struct entry *
entry_find(const struct values *values, struct str name)
{
    for (struct entry *entry = values->entries; entry != NULL; entry = entry->next)
        if (str_eq_c(name, entry->name))
            return entry;
    return NULL;
}

/* Finds or adds the entry of this name, and clears its old value. */
static struct entry *
entry_of(struct values *values, const char *name, enum entry_kind kind)
{
    struct entry *entry = entry_find(values, str_of(name));
    if (entry == NULL) {
        entry = ARENA_NEW(values->mem, struct entry);
        entry->next = values->entries;
        values->entries = entry;
    } else if (entry->kind != kind) {
        *entry = (struct entry){ .next = entry->next };
    }
    entry->kind = kind;
    /* Not copied: it must exist as long as the values do. */
    entry->name = name;
    return entry;
}

void
values_text(struct values *values, const char *name, struct str text)
{
    entry_of(values, name, ENTRY_TEXT)->text = text;
}

void
values_flag(struct values *values, const char *name, bool on)
{
    entry_of(values, name, ENTRY_FLAG)->on = on;
}

void
values_part(struct values *values, const char *name, const struct part *part)
{
    entry_of(values, name, ENTRY_PART)->part = part;
}

/* The item is empty; the caller adds its values. */
struct values *
values_item(struct values *values, const char *name)
{
    struct entry *list = entry_of(values, name, ENTRY_LIST);
    struct values *item = values_new(values->mem);
    if (list->last_item == NULL)
        list->first_item = item;
    else
        list->last_item->next = item;
    list->last_item = item;
    return item;
}

/* ---- rendering ---- */

/* Values in scope; those of an item hide the outer ones. */
struct scope {
    const struct values *values;
    const struct scope *outer;
};

/* From the innermost item outwards. */
static const struct entry *
look_up(const struct scope *scope, struct str name)
{
    for (; scope != NULL; scope = scope->outer) {
        const struct entry *entry = entry_find(scope->values, name);
        if (entry != NULL)
            return entry;
    }
    return NULL;
}

/* Whether a browser reads the URL only as a local path or an http(s) page. Browsers drop tabs and
 * line breaks and read backslashes as slashes. */
static bool
is_safe_address(struct str address)
{
    for (size_t i = 0; i < address.len; i++) {
        unsigned char c = (unsigned char)address.ptr[i];
        if (c < 0x20 || c == 0x7f || c == '\\')
            return false;
    }
    if (str_starts(address, STR("https://")) || str_starts(address, STR("http://")))
        return true;
    return str_starts(address, STR("/")) && !str_starts(address, STR("//"));
}

/* A flag, list, or part under the name of a value shows nothing. */
static void
render_value(const struct node *node, const struct scope *scope, struct buf *out)
{
    const struct entry *entry = look_up(scope, node->text);
    struct str text = entry != NULL && entry->kind == ENTRY_TEXT ? entry->text : STR_NONE;
    switch (node->escape) {
    case ESCAPE_HTML:
        html_escape(out, text);
        break;
    case ESCAPE_URL:
        html_escape(out, is_safe_address(text) ? text : STR("#"));
        break;
    case ESCAPE_URL_PART:
        url_encode(out, text);
        break;
    }
}

static void
render_part(const struct node *node, const struct scope *scope, struct buf *out)
{
    const struct entry *entry = look_up(scope, node->text);
    if (entry != NULL && entry->kind == ENTRY_PART)
        buf_add(out, entry->part->html);
}

/* A section is shown for a text that is not empty, a true flag, or a list with items. */
static bool
is_shown(const struct entry *entry)
{
    if (entry == NULL)
        return false;
    switch (entry->kind) {
    case ENTRY_TEXT:
        return entry->text.len > 0;
    case ENTRY_FLAG:
        return entry->on;
    case ENTRY_LIST:
        return entry->first_item != NULL;
    case ENTRY_PART:
        return true;
    }
    return false;
}

static void render_nodes(const struct template *template, size_t from, size_t end,
                         const struct scope *scope, struct buf *out);

/* The node at `at` is a section. The parser limits the depth of the recursion. */
static void
render_section(const struct template *template, size_t at, const struct scope *scope,
               struct buf *out)
{
    const struct node *node = &template->nodes[at];
    const struct entry *entry = look_up(scope, node->text);
    if (is_shown(entry) == (node->kind == NODE_INVERTED))
        return;
    if (node->kind == NODE_INVERTED || entry->kind != ENTRY_LIST) {
        render_nodes(template, at + 1, node->end, scope, out);
        return;
    }
    for (const struct values *item = entry->first_item; item != NULL; item = item->next) {
        struct scope inner = { item, scope };
        render_nodes(template, at + 1, node->end, &inner, out);
    }
}

/* A section is one node with the number of the node after its end, so that a hidden one is skipped
 * at once. */
static void
render_nodes(const struct template *template, size_t from, size_t end, const struct scope *scope,
             struct buf *out)
{
    for (size_t at = from; at < end;) {
        const struct node *node = &template->nodes[at];
        size_t next = at + 1;
        switch (node->kind) {
        case NODE_LITERAL:
            buf_add(out, node->text);
            break;
        case NODE_VALUE:
            render_value(node, scope, out);
            break;
        case NODE_PART:
            render_part(node, scope, out);
            break;
        case NODE_SECTION:
        case NODE_INVERTED:
            render_section(template, at, scope, out);
            next = node->end;
            break;
        }
        at = next;
    }
}

/* ERR_NOT_FOUND: the page was not loaded. A page that does not fit sets out->overflow. */
enum err
template_render(const struct template_set *set, const char *name, const struct values *values,
                struct buf *out)
{
    const struct template *template = template_find(set, name);
    if (template == NULL)
        return ERR_NOT_FOUND;
    struct scope scope = { values, NULL };
    render_nodes(template, 0, template->count, &scope, out);
    return ERR_NONE;
}

/* The result can be put into several pages; it belongs to `mem`. */
enum err
part_render(const struct template_set *set, const char *name, const struct values *values,
            struct arena *mem, const struct part **out)
{
    struct arena *scratch = arena_new(); /* old copies remain allocated when the buffer grows */
    struct buf html = buf_in(scratch, PART_MAX);
    enum err err = template_render(set, name, values, &html);
    if (err == ERR_NONE && html.overflow)
        err = ERR_INTERNAL;
    if (err == ERR_NONE) {
        struct part *part = ARENA_NEW(mem, struct part);
        part->html = str_copy(mem, buf_str(&html));
        *out = part;
    }
    arena_free(scratch);
    return err;
}
