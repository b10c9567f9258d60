/* template_parse.c - parses pages into flat lists of nodes, at the start of the program.
 *
 * Two machines run in step: this file finds marks, and the HTML scanner reads everything between
 * them, so that each mark is parsed with its context known. Includes are parsed into the list of
 * the page that includes them: the scanner continues, and a section cannot cross a file. Messages
 * are inserted when a page is parsed, once per language; what is left for rendering is copying text
 * and escaping values. */
#include "base/ascii.h"
#include "template/template_internal.h"

#include "base/buf.h"
#include "template/catalog.h"
#include "text/html.h"
#include "template/html_scanner.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX 65536
#define FILES_MAX 256 /* per page, counting each include */
#define INCLUDE_DEPTH_MAX 8
#define SECTION_DEPTH_MAX 16
#define NAME_MAX_BYTES 64
#define TEXT_BYTES_MAX ((size_t)64 * 1024) /* of a message, escaped */

/* A file being parsed. */
struct source {
    const char *name;
    struct str text;
    size_t at;
    size_t value_start;         /* where the current attribute value begins */
    const struct source *outer; /* the file that includes this one */
    size_t depth;
};

/* A section whose end was not read yet, with the state of the scanner at its beginning. */
struct open_section {
    size_t node;
    struct html_scanner scanner;
};

/* State while one page with its included files becomes a list of nodes. */
struct parser {
    struct template_set *set;
    struct arena *scratch; /* of the nodes, while their number is unknown */
    struct node *nodes;
    size_t count;
    size_t capacity;
    size_t files;
    struct html_scanner scanner;
    struct open_section open[SECTION_DEPTH_MAX];
    size_t open_count;
    bool spoken; /* people see or hear the value of the current attribute */
    struct why *why;
};

static enum err parse_file(struct parser *parser, const char *name, const struct source *outer);

/* With the line, counted only now, since mistakes are rare. */
static enum err
refuse(struct parser *parser, const struct source *source, const char *problem)
{
    size_t line = 1;
    for (size_t i = 0; i < source->at && i < source->text.len; i++)
        line += source->text.ptr[i] == '\n';
    why_set(parser->why, "template %s, line %zu: %s", source->name, line, problem);
    return ERR_INVALID;
}

/* In scratch memory, which is freed after the page was copied: old arrays remain allocated when one
 * grows. */
static enum err
add_node(struct parser *parser, const struct source *source, struct node node)
{
    if (parser->count == NODES_MAX)
        return refuse(parser, source, "the page has too many marks");
    if (parser->count == parser->capacity) {
        size_t capacity = parser->capacity == 0 ? 32 : parser->capacity * 2;
        struct node *grown = ARENA_ARRAY(parser->scratch, struct node, capacity);
        if (parser->count > 0)
            memcpy(grown, parser->nodes, parser->count * sizeof *grown);
        parser->nodes = grown;
        parser->capacity = capacity;
    }
    parser->nodes[parser->count++] = node;
    return ERR_NONE;
}

/* ---- marks ---- */

/* Names of values and sections in templates. */
static bool
is_name(struct str name)
{
    if (name.len == 0 || name.len > NAME_MAX_BYTES)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool inner = ascii_is_digit(c) || c == '_' || c == '-';
        if (!ascii_is_lower(c) && !(inner && i > 0))
            return false;
    }
    return true;
}

/* The problem of a mark in the URL of an attribute; NULL: none. */
static const char *
url_problem(const struct parser *parser, const struct source *source, bool is_value)
{
    struct str before = { source->text.ptr + source->value_start,
                          source->at - source->value_start };
    if (!parser->scanner.begun) {
        if (!is_value)
            return "an address may not begin with a section; put the section around the attribute";
        return html_scanner_may_choose_url(&parser->scanner)
                   ? NULL
                   : "a value may not choose what this element loads";
    }
    /* The literal text before the mark decides what kind of address it is. */
    /* A value after "javascript:" would run as a script, however it is encoded. */
    return str_starts(before, STR("{{")) || html_scanner_url_prefix_ok(before)
               ? NULL
               : "an address with a mark must begin with /, ?, #, https:// or http://";
}

/* The escape is chosen here, by the position: at the start of an address the value is checked when
 * it is rendered, later in an address it is percent-encoded. */
static enum err
take_value(struct parser *parser, const struct source *source, struct str name)
{
    const char *problem = NULL;
    enum html_context kind = html_scanner_context(&parser->scanner, &problem);
    if (kind == HTML_CONTEXT_TAG)
        problem = "a value is not allowed between attributes";
    else if (kind == HTML_CONTEXT_URL)
        problem = url_problem(parser, source, true);
    if (problem != NULL)
        return refuse(parser, source, problem);
    enum node_escape escape = kind != HTML_CONTEXT_URL ? ESCAPE_HTML
                              : parser->scanner.begun  ? ESCAPE_URL_PART
                                                       : ESCAPE_URL;
    html_scanner_mark(&parser->scanner);
    return add_node(parser, source, (struct node){ NODE_VALUE, escape, name, 0 });
}

/* A part is HTML that was rendered before, so it is not escaped, and only allowed where elements
 * may begin. */
static enum err
take_part(struct parser *parser, const struct source *source, struct str name)
{
    if (parser->scanner.state != SCANNER_IN_TEXT)
        return refuse(parser, source, "a part is allowed only between elements");
    html_scanner_mark(&parser->scanner);
    return add_node(parser, source, (struct node){ .kind = NODE_PART, .text = name });
}

/* The state of the scanner is kept, because the section may be left out: its end must be in the
 * same state as its beginning. */
static enum err
open_section(struct parser *parser, const struct source *source, enum node_kind node,
             struct str name)
{
    const char *problem = NULL;
    enum html_context kind = html_scanner_context(&parser->scanner, &problem);
    if (kind == HTML_CONTEXT_URL)
        problem = url_problem(parser, source, false);
    if (problem == NULL && parser->open_count == SECTION_DEPTH_MAX)
        problem = "sections are nested too deeply";
    if (problem != NULL)
        return refuse(parser, source, problem);
    html_scanner_mark(&parser->scanner);
    parser->open[parser->open_count++] =
        (struct open_section){ .node = parser->count, .scanner = parser->scanner };
    return add_node(parser, source, (struct node){ .kind = node, .text = name });
}

/* `outer_sections`: those that were open when this file began, which it must not close. */
static enum err
close_section(struct parser *parser, const struct source *source, size_t outer_sections,
              struct str name)
{
    if (parser->open_count == outer_sections)
        return refuse(parser, source, "this section was not opened in this file");
    const struct open_section *open = &parser->open[parser->open_count - 1];
    size_t node = open->node;
    bool needs_space;
    if (!str_eq(parser->nodes[node].text, name))
        return refuse(parser, source, "another section must be closed first");
    if (!html_scanner_close_section(&open->scanner, &parser->scanner, &needs_space))
        return refuse(parser, source, "a section must end in the same context in which it began");
    parser->open_count--;
    enum err err = ERR_NONE;
    if (needs_space) /* separates repeated attributes */
        err = add_node(parser, source, (struct node){ .text = STR(" ") });
    parser->nodes[node].end = parser->count;
    return err;
}

/* Each file must begin and end between elements, so that it can be read on its own. */
static enum err
include(struct parser *parser, const struct source *source, struct str name)
{
    if (parser->scanner.state != SCANNER_IN_TEXT)
        return refuse(parser, source, "a template may be included only between elements");
    if (source->depth == INCLUDE_DEPTH_MAX)
        return refuse(parser, source, "templates are included too deeply");
    for (const struct source *outer = source; outer != NULL; outer = outer->outer)
        if (str_eq_c(name, outer->name))
            return refuse(parser, source, "a template may not include itself");
    const char *c_name = str_c(parser->set->mem, name);
    enum err err = parse_file(parser, c_name, source);
    if (err == ERR_NOT_FOUND) {
        why_set(parser->why, "template %s includes %s, which does not exist", source->name, c_name);
        err = ERR_INVALID;
    }
    return err;
}

/* ---- messages of the catalog ---- */

/* Escapes the text between two values; *words* and `words` become elements. The flags say which
 * element is open and persist across pieces, so *{name}* works. */
static struct str
dress(struct parser *parser, struct str text, bool *strong, bool *code)
{
    struct buf out = buf_in(parser->scratch, TEXT_BYTES_MAX);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '*') {
            buf_add_c(&out, *strong ? "</strong>" : "<strong>");
            *strong = !*strong;
        } else if (text.ptr[i] == '`') {
            buf_add_c(&out, *code ? "</code>" : "<code>");
            *code = !*code;
        } else {
            size_t end = i + 1;
            while (end < text.len && text.ptr[end] != '*' && text.ptr[end] != '`')
                end++;
            html_escape(&out, str_from(str_first(text, end), i));
            i = end - 1;
        }
    }
    return str_eq(buf_str(&out), text) ? text : str_copy(parser->set->mem, buf_str(&out));
}

/* A message becomes literals and values here, once per language, so that rendering looks up
 * nothing. */
static enum err
add_text(struct parser *parser, const struct source *source, struct str text)
{
    struct message_piece piece;
    bool strong = false, code = false;
    while (message_cut(&text, &piece)) {
        struct node node = { NODE_VALUE, ESCAPE_HTML, piece.text, 0 };
        if (!piece.is_value)
            node = (struct node){ .text = dress(parser, piece.text, &strong, &code) };
        enum err err = add_node(parser, source, node);
        if (err)
            return err;
    }
    return strong || code ? refuse(parser, source, "a * or ` of this text is not closed")
                          : ERR_NONE;
}

/* A key that no catalog has is found here, at the start of the service. */
static enum err
take_words(struct parser *parser, const struct source *source, struct str key)
{
    const char *problem = NULL;
    enum html_context kind = html_scanner_context(&parser->scanner, &problem);
    if (kind == HTML_CONTEXT_TAG || kind == HTML_CONTEXT_URL)
        problem = "a message is allowed only between elements and in attributes that are not URLs";
    if (problem == NULL && parser->set->catalog == NULL)
        problem = "there is no message catalog";
    if (problem == NULL && !catalog_use(parser->set->catalog, key))
        problem =
            str_format(parser->set->mem, "the message catalog has no key %.*s", STR_ARG(key)).ptr;
    if (problem != NULL)
        return refuse(parser, source, problem);
    struct str text = catalog_find(parser->set->catalog, key);
    bool dressed = str_index(text, '*') < text.len || str_index(text, '`') < text.len;
    if (dressed && parser->scanner.state != SCANNER_IN_TEXT)
        return refuse(parser, source, "a message with * or ` is allowed only between elements");
    html_scanner_mark(&parser->scanner);
    return add_text(parser, source, text);
}

/* Whether people see or hear the value of this attribute. */
static bool
is_spoken(const char *attribute)
{
    static const char *const spoken[] = { "alt",        "title", "placeholder",
                                          "aria-label", "label", "aria-description" };
    for (size_t i = 0; i < sizeof spoken / sizeof *spoken; i++)
        if (strcmp(attribute, spoken[i]) == 0)
            return true;
    return false;
}

/* A page with a catalog must not contain text itself, because it could not be translated. */
static bool
is_own_text(const struct parser *parser, char c)
{
    enum scanner_state state = parser->scanner.state;
    bool in_value = state == SCANNER_IN_DOUBLE || state == SCANNER_IN_SINGLE;
    if (!in_value && state != SCANNER_IN_TEXT && state != SCANNER_IN_TEXT_ELEMENT)
        return false;
    bool letter = ascii_is_alphanumeric(c) || (unsigned char)c >= 0x80 || c == '&';
    return letter && parser->set->catalog != NULL && parser->scanner.matched == 0 &&
           (!in_value || parser->spoken);
}

/* `at` is before "{{", and on success after "}}". A name cannot contain a brace, so that the first
 * } ends it. */
static enum err
take_mark(struct parser *parser, struct source *source, size_t outer_sections)
{
    struct str rest = str_from(source->text, source->at + 2);
    size_t length = str_index(rest, '}');
    struct str inside = str_first(rest, length);
    if (!str_starts(str_from(rest, length), STR("}}")))
        return refuse(parser, source, "{{ is not followed by a name and }}");
    char sort = inside.len > 0 && strchr("#^/>:=", inside.ptr[0]) != NULL ? inside.ptr[0] : '\0';
    struct str name = sort == '\0' ? inside : str_from(inside, 1);
    if (sort != ':' && !is_name(name))
        return refuse(parser, source,
                      "a name is a letter a-z, then a-z, 0-9, _ and -, without spaces around it");
    enum err err = ERR_NONE;
    switch (sort) {
    case '#':
        err = open_section(parser, source, NODE_SECTION, name);
        break;
    case '^':
        err = open_section(parser, source, NODE_INVERTED, name);
        break;
    case '/':
        err = close_section(parser, source, outer_sections, name);
        break;
    case '>':
        err = include(parser, source, name);
        break;
    case '=':
        err = take_part(parser, source, name);
        break;
    case ':':
        err = take_words(parser, source, name);
        break;
    default:
        err = take_value(parser, source, name);
        break;
    }
    source->at += 2 + length + 2;
    return err;
}

/* ---- files ---- */

/* Parses up to the next mark or the end. */
static enum err
take_literal(struct parser *parser, struct source *source)
{
    size_t start = source->at;
    const char *text_end = source->text.ptr + source->text.len;
    for (; source->at < source->text.len; source->at++) {
        const char *here = source->text.ptr + source->at;
        if (*here == '{' && here + 1 < text_end && here[1] == '{')
            break;
        if (is_own_text(parser, *here))
            return refuse(parser, source,
                          "this text belongs in the message catalog; write {{:key}}");
        const char *problem = html_scanner_step(&parser->scanner, *here);
        if (problem != NULL)
            return refuse(parser, source, problem);
        if (!parser->scanner.begun)
            source->value_start = source->at + 1;
        if (!parser->scanner.begun && (*here == '"' || *here == '\''))
            parser->spoken = is_spoken(parser->scanner.attribute);
    }
    if (source->at == start)
        return ERR_NONE;
    struct str text = { source->text.ptr + start, source->at - start };
    return add_node(parser, source, (struct node){ .text = text });
}

/* Sections and tags must begin and end in the same file, so that each file can be understood
 * alone. */
static enum err
parse_source(struct parser *parser, struct source *source)
{
    size_t outer_sections = parser->open_count;
    if (!utf8_valid(source->text) || str_index(source->text, '\0') < source->text.len)
        return refuse(parser, source, "the file contains NUL or is not valid UTF-8");
    for (;;) {
        enum err err = take_literal(parser, source);
        if (err)
            return err;
        if (source->at == source->text.len)
            break;
        err = take_mark(parser, source, outer_sections);
        if (err)
            return err;
    }
    if (parser->open_count > outer_sections)
        return refuse(parser, source, "a section is not closed");
    if (parser->scanner.state != SCANNER_IN_TEXT)
        return refuse(parser, source, "the file ends inside a tag, a comment or an element");
    return ERR_NONE;
}

/* ERR_NOT_FOUND: there is no file of this name. */
static enum err
parse_file(struct parser *parser, const char *name, const struct source *outer)
{
    struct str text = parser->set->find(name);
    if (!str_present(text))
        return ERR_NOT_FOUND;
    struct source source = {
        .name = name, .text = text, .outer = outer, .depth = outer == NULL ? 0 : outer->depth + 1
    };
    if (parser->files++ == FILES_MAX)
        return refuse(parser, &source, "the page includes too many files");
    return parse_source(parser, &source);
}

/* ---- the set ---- */

/* The catalog belongs to the caller and must exist as long as the set. */
struct template_set *
template_set_new(struct str (*find)(const char *name), struct catalog *catalog)
{
    struct template_set *set = memory_alloc(1, sizeof *set);
    set->find = find;
    set->catalog = catalog;
    set->mem = arena_new();
    return set;
}

void
template_set_free(struct template_set *set)
{
    if (set == NULL)
        return;
    arena_free(set->mem);
    free(set);
}

const struct template *
template_find(const struct template_set *set, const char *name)
{
    for (const struct template *template = set->first; template != NULL; template = template->next)
        if (strcmp(template->name, name) == 0)
            return template;
    return NULL;
}

/* A page is parsed once and kept. Includes are copied into it, so rendering opens no other page. */
enum err
template_load(struct template_set *set, const char *name, struct why *why)
{
    if (template_find(set, name) != NULL)
        return ERR_NONE;
    struct parser parser = { .set = set, .scratch = arena_new(), .why = why };
    struct template *template = ARENA_NEW(set->mem, struct template);
    template->name = str_c(set->mem, str_of(name));
    enum err err = parse_file(&parser, template->name, NULL);
    if (err == ERR_NOT_FOUND)
        why_set(why, "there is no template named %s", name);
    if (err == ERR_NONE) {
        template->nodes = ARENA_ARRAY(set->mem, struct node, parser.count + 1);
        template->count = parser.count;
        if (parser.count > 0)
            memcpy(template->nodes, parser.nodes, parser.count * sizeof *parser.nodes);
        template->next = set->first;
        set->first = template;
    }
    arena_free(parser.scratch);
    return err;
}
