/* html_scanner.c - a subset of the HTML tokenizer, one state per situation in which a mark can
 * appear.
 *
 * Escaping is right only if the context of a mark is known for certain. Where browsers guess or
 * repair, this refuses the template: a mistake is found when the program starts, not as a hole in a
 * page. Each step function gets one character and changes the state; a character that ends
 * something is passed on to the function of the next state. */
#include "template/html_scanner.h"

#include "base/ascii.h"

#include <string.h>

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool
is_name_character(char c)
{
    return ascii_is_alphanumeric(c) || c == '-' || c == '_' || c == ':' || c == '.';
}

static bool
is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* False if the name is too long. Names are stored in lowercase. */
static bool
add_to_name(char name[SCANNER_NAME_MAX + 1], char c)
{
    size_t length = strlen(name);
    if (length == SCANNER_NAME_MAX)
        return false;
    name[length] = ascii_to_lower(c);
    name[length + 1] = '\0';
    return true;
}

/* ---- tags ---- */

/* Elements in which a browser reads no tags. In the first list character references count; in the
 * second nothing does, so that no escape is safe there. */
static enum scanner_state
state_inside(const char *tag)
{
    static const char *const text_elements[] = { "title", "textarea", NULL };
    static const char *const raw_elements[] = { "script",  "style",    "xmp",      "iframe",
                                                "noembed", "noframes", "noscript", NULL };
    if (is_one_of(tag, text_elements))
        return SCANNER_IN_TEXT_ELEMENT;
    return is_one_of(tag, raw_elements) ? SCANNER_IN_RAW_ELEMENT : SCANNER_IN_TEXT;
}

/* http-equiv can refresh to an address or change the policy of the page. */
static const char *
end_tag(struct html_scanner *scanner)
{
    if (scanner->marked && scanner->has_equiv)
        return "a tag with http-equiv must not contain a mark";
    if (strcmp(scanner->tag, "plaintext") == 0)
        return "<plaintext> cannot be closed";
    scanner->state = scanner->closing ? SCANNER_IN_TEXT : state_inside(scanner->tag);
    scanner->matched = 0;
    return NULL;
}

static void
begin_tag(struct html_scanner *scanner)
{
    scanner->tags++;
    scanner->closing = scanner->marked = scanner->has_equiv = false;
    scanner->tag[0] = '\0';
}

/* "</", "<!", or the name of a tag; anything else is a mistake in the template. */
static const char *
after_less(struct html_scanner *scanner, char c)
{
    if (c == '/' && !scanner->closing) {
        scanner->closing = true;
        return NULL;
    }
    if (c == '!' && !scanner->closing) {
        scanner->state = SCANNER_AFTER_BANG;
        return NULL;
    }
    if (!ascii_is_letter(c))
        return "a tag's name must follow <; the character itself is written &lt;";
    scanner->state = SCANNER_IN_TAG_NAME;
    add_to_name(scanner->tag, c);
    return NULL;
}

/* After a tag name, an attribute, or white space between them. */
static const char *
in_tag(struct html_scanner *scanner, char c)
{
    if (c == '>')
        return end_tag(scanner);
    if (is_space(c)) {
        scanner->state = SCANNER_BETWEEN;
        return NULL;
    }
    if (c == '/' && !scanner->closing) {
        scanner->state = SCANNER_AFTER_SLASH;
        return NULL;
    }
    if (scanner->state != SCANNER_BETWEEN)
        return "white space, / or > must follow here";
    if (!is_name_character(c))
        return "this character is not allowed in an attribute name";
    if (scanner->closing)
        return "an end tag has no attributes";
    scanner->state = SCANNER_IN_NAME;
    scanner->attributes++;
    scanner->attribute[0] = '\0';
    add_to_name(scanner->attribute, c);
    return NULL;
}

/* The character after the name is handled as one within the tag. */
static const char *
in_tag_name(struct html_scanner *scanner, char c)
{
    if (!is_name_character(c)) {
        scanner->state = SCANNER_AFTER_ITEM;
        return in_tag(scanner, c);
    }
    return add_to_name(scanner->tag, c) ? NULL : "this name is too long";
}

/* http-equiv is remembered, because a <meta> with it can redirect. */
static const char *
in_attribute_name(struct html_scanner *scanner, char c)
{
    if (is_name_character(c))
        return add_to_name(scanner->attribute, c) ? NULL : "this name is too long";
    if (strcmp(scanner->attribute, "http-equiv") == 0)
        scanner->has_equiv = true;
    if (c == '=') {
        scanner->state = SCANNER_AFTER_EQUALS;
        return NULL;
    }
    scanner->state = SCANNER_AFTER_ITEM;
    return in_tag(scanner, c);
}

/* No blank may follow, which HTML would allow: templates are written by us, and a simpler grammar
 * is easier to verify. */
static const char *
after_equals(struct html_scanner *scanner, char c)
{
    scanner->begun = false;
    if (c == '"')
        scanner->state = SCANNER_IN_DOUBLE;
    else if (c == '\'')
        scanner->state = SCANNER_IN_SINGLE;
    else if (is_space(c) || strchr("<>=`/", c) != NULL)
        return "an attribute's value must follow = at once";
    else
        scanner->state = SCANNER_IN_BARE;
    return NULL;
}

static const char *
in_quotes(struct html_scanner *scanner, char c)
{
    if (c == (scanner->state == SCANNER_IN_DOUBLE ? '"' : '\''))
        scanner->state = SCANNER_AFTER_ITEM;
    scanner->begun = true;
    return NULL;
}

/* The characters that HTML also forbids in a value without quotation marks. */
static const char *
in_bare(struct html_scanner *scanner, char c)
{
    if (c == '>' || is_space(c)) {
        scanner->state = SCANNER_AFTER_ITEM;
        return in_tag(scanner, c);
    }
    return strchr("\"'<=`", c) == NULL ? NULL : "this value must be in quotes";
}

/* ---- elements without tags inside, comments, the doctype ---- */

/* Looks for the end tag of the element, whose name must match: `matched` counts characters of
 * "</name". */
static const char *
in_closed_element(struct html_scanner *scanner, char c)
{
    size_t name = strlen(scanner->tag);
    size_t at = scanner->matched; /* of "</" and the tag's name */
    if (at == name + 2 && (c == '>' || is_space(c))) {
        scanner->tags++;
        scanner->closing = true;
        scanner->marked = scanner->has_equiv = false;
        scanner->state = SCANNER_AFTER_ITEM;
        return in_tag(scanner, c);
    }
    /* After <!-- a script enters states in which </script> does not end it. */
    if (at == 1 && c == '!')
        return "<! is not allowed inside this element";
    bool more = (at == 0 && c == '<') || (at == 1 && c == '/') ||
                (at >= 2 && at < name + 2 && ascii_to_lower(c) == scanner->tag[at - 2]);
    if (at > 0 && !more && scanner->state == SCANNER_IN_TEXT_ELEMENT)
        return "this element may contain only its own end tag; write < as &lt;";
    scanner->matched = more ? at + 1 : c == '<';
    return NULL;
}

/* Only comments and the doctype: CDATA and processing instructions are read differently in HTML. */
static const char *
after_bang(struct html_scanner *scanner, char c)
{
    if (scanner->state == SCANNER_AFTER_BANG && c == '-') {
        scanner->state = SCANNER_AFTER_DASH;
    } else if (scanner->state == SCANNER_AFTER_DASH && c == '-') {
        scanner->state = SCANNER_IN_COMMENT;
        scanner->matched = 0;
        scanner->begun = false;
    } else if (scanner->state == SCANNER_AFTER_BANG && ascii_is_letter(c)) {
        scanner->state = SCANNER_IN_DOCTYPE;
    } else {
        return "only -- or DOCTYPE may follow <!";
    }
    return NULL;
}

/* Browsers also end comments at --!>, and at > directly after <!--; neither is accepted. */
static const char *
in_comment(struct html_scanner *scanner, char c)
{
    if (c == '-') {
        if (scanner->matched < 2)
            scanner->matched++;
        return NULL;
    }
    if (c == '>' && scanner->matched == 2) {
        scanner->state = SCANNER_IN_TEXT;
        scanner->matched = 0;
        return NULL;
    }
    if ((c == '>' && !scanner->begun) || (c == '!' && scanner->matched == 2))
        return "a comment must end with --> and nothing that looks like it";
    scanner->matched = 0;
    scanner->begun = true;
    return NULL;
}

/* One character of a template's own text. A problem is an error of the template, found at the
 * start. */
const char *
html_scanner_step(struct html_scanner *scanner, char c)
{
    switch (scanner->state) {
    case SCANNER_IN_TEXT:
        if (c == '<') {
            begin_tag(scanner);
            scanner->state = SCANNER_AFTER_LESS;
        }
        return NULL;
    case SCANNER_IN_TEXT_ELEMENT:
    case SCANNER_IN_RAW_ELEMENT:
        return in_closed_element(scanner, c);
    case SCANNER_AFTER_LESS:
        return after_less(scanner, c);
    case SCANNER_IN_TAG_NAME:
        return in_tag_name(scanner, c);
    case SCANNER_BETWEEN:
    case SCANNER_AFTER_ITEM:
        return in_tag(scanner, c);
    case SCANNER_AFTER_SLASH:
        return c == '>' ? end_tag(scanner) : "> must follow / here";
    case SCANNER_IN_NAME:
        return in_attribute_name(scanner, c);
    case SCANNER_AFTER_EQUALS:
        return after_equals(scanner, c);
    case SCANNER_IN_DOUBLE:
    case SCANNER_IN_SINGLE:
        return in_quotes(scanner, c);
    case SCANNER_IN_BARE:
        return in_bare(scanner, c);
    case SCANNER_AFTER_BANG:
    case SCANNER_AFTER_DASH:
        return after_bang(scanner, c);
    case SCANNER_IN_DOCTYPE:
        if (c == '>')
            scanner->state = SCANNER_IN_TEXT;
        return NULL;
    case SCANNER_IN_COMMENT:
        return in_comment(scanner, c);
    }
    return NULL;
}

/* ---- marks ---- */

/* Everything that is not known to be a URL, a script, or a style is plain text, which escaping
 * makes safe. */
static enum html_context
attribute_context(const char *attribute, const char **problem)
{
    static const char *const addresses[] = { "href", "src", "action", "formaction", NULL };
    /* Scripts, styles, embedded documents, and URLs that no template needs. */
    static const char *const refused[] = { "style",      "srcdoc", "srcset",   "imagesrcset",
                                           "data",       "poster", "cite",     "background",
                                           "xlink:href", "ping",   "manifest", NULL };
    if (is_one_of(attribute, addresses))
        return HTML_CONTEXT_URL;
    if (strncmp(attribute, "on", 2) == 0 || is_one_of(attribute, refused)) {
        *problem = "a mark is not allowed in an attribute of this name";
        return HTML_CONTEXT_NONE;
    }
    return HTML_CONTEXT_ATTRIBUTE;
}

/* Decides what a value at this place would be. Values are refused where escaping could not make
 * them safe. */
enum html_context
html_scanner_context(const struct html_scanner *scanner, const char **problem)
{
    static const char *const problems[] = {
        [SCANNER_IN_TEXT_ELEMENT] = "a mark is not allowed inside a tag",
        [SCANNER_IN_RAW_ELEMENT] =
            "a mark is not allowed inside <script>, <style>, and similar elements",
        [SCANNER_AFTER_LESS] = "a mark is not allowed in a tag's name",
        [SCANNER_IN_TAG_NAME] = "a mark is not allowed in a tag's name",
        [SCANNER_BETWEEN] = "a mark is not allowed in an end tag",
        [SCANNER_AFTER_ITEM] = "a mark is not allowed in an end tag",
        [SCANNER_AFTER_SLASH] = "a mark is not allowed before the > that ends a tag",
        [SCANNER_IN_NAME] = "a mark is not allowed in an attribute's name",
        [SCANNER_AFTER_EQUALS] = "an attribute value with a mark must be in quotes",
        [SCANNER_IN_BARE] = "an attribute value with a mark must be in quotes",
        [SCANNER_AFTER_BANG] = "a mark is not allowed in a comment or doctype",
        [SCANNER_AFTER_DASH] = "a mark is not allowed in a comment or doctype",
        [SCANNER_IN_DOCTYPE] = "a mark is not allowed in a comment or doctype",
        [SCANNER_IN_COMMENT] = "a mark is not allowed in a comment or doctype",
    };
    if (scanner->state == SCANNER_IN_TEXT)
        return HTML_CONTEXT_TEXT;
    if (scanner->state == SCANNER_IN_TEXT_ELEMENT && scanner->matched == 0)
        return HTML_CONTEXT_TEXT;
    if (scanner->state == SCANNER_IN_DOUBLE || scanner->state == SCANNER_IN_SINGLE)
        return attribute_context(scanner->attribute, problem);
    if ((scanner->state == SCANNER_BETWEEN || scanner->state == SCANNER_AFTER_ITEM) &&
        !scanner->closing)
        return HTML_CONTEXT_TAG;
    *problem = problems[scanner->state];
    return HTML_CONTEXT_NONE;
}

void
html_scanner_mark(struct html_scanner *scanner)
{
    scanner->marked = true;
    scanner->begun = true;
}

static bool
is_in_tag(enum scanner_state state)
{
    return state == SCANNER_BETWEEN || state == SCANNER_AFTER_ITEM;
}

/* A section may be left out or repeated. So the state at its end must equal that at its start, in
 * the same tag and the same attribute. Between attributes, the content may lack the space that
 * separates it from the next one: the caller adds it. */
bool
html_scanner_close_section(const struct html_scanner *opened, struct html_scanner *now,
                           bool *needs_space)
{
    *needs_space = false;
    /* In text a section may contain whole elements; anywhere else a new tag would be another
     * context. */
    if (opened->state != SCANNER_IN_TEXT && opened->tags != now->tags)
        return false;
    if (is_in_tag(opened->state) && now->state == SCANNER_IN_NAME) {
        if (strcmp(now->attribute, "http-equiv") == 0)
            now->has_equiv = true;
        now->state = SCANNER_AFTER_ITEM; /* the mark ends the name */
    }
    if (is_in_tag(opened->state) && is_in_tag(now->state)) {
        *needs_space = opened->state == SCANNER_BETWEEN && now->state == SCANNER_AFTER_ITEM;
        now->state = opened->state;
        return true;
    }
    bool in_value = opened->state == SCANNER_IN_DOUBLE || opened->state == SCANNER_IN_SINGLE;
    return opened->state == now->state && opened->matched == now->matched &&
           (!in_value || opened->attributes == now->attributes);
}

/* With one of these, the value that follows cannot change the scheme. */
bool
html_scanner_url_prefix_ok(struct str prefix)
{
    return str_starts(prefix, STR("https://")) || str_starts(prefix, STR("http://")) ||
           (prefix.len > 0 && strchr("/?#", prefix.ptr[0]) != NULL);
}

/* Whether a value may be the whole URL, and not only the end of a fixed one. */
bool
html_scanner_may_choose_url(const struct html_scanner *scanner)
{
    /* Elements that load and run what the URL names, or change the base of every other URL. */
    static const char *const loaders[] = { "script", "iframe", "frame", "embed",
                                           "object", "base",   NULL };
    return !is_one_of(scanner->tag, loaders);
}
