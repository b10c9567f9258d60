#include "text/html_scanner.h"

#include <string.h>

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_name_character(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == ':' || c == '.';
}

static bool
is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* False if the name becomes too long. Names are kept in lower case. */
static bool
add_to_name(char name[PLACE_NAME_MAX + 1], char c)
{
    size_t length = strlen(name);
    if (length == PLACE_NAME_MAX)
        return false;
    name[length] = lower(c);
    name[length + 1] = '\0';
    return true;
}

/* ---- tags ---- */

static enum place_state
state_inside(const char *tag)
{
    static const char *const text_elements[] = { "title", "textarea", NULL };
    static const char *const raw_elements[] = { "script",  "style",    "xmp",      "iframe",
                                                "noembed", "noframes", "noscript", NULL };
    if (is_one_of(tag, text_elements))
        return PLACE_IN_TEXT_ELEMENT;
    return is_one_of(tag, raw_elements) ? PLACE_IN_RAW_ELEMENT : PLACE_IN_TEXT;
}

static const char *
end_tag(struct place *place)
{
    if (place->marked && place->has_equiv)
        return "no mark may stand in a tag with http-equiv";
    if (strcmp(place->tag, "plaintext") == 0)
        return "nothing ends <plaintext>";
    place->state = place->closing ? PLACE_IN_TEXT : state_inside(place->tag);
    place->matched = 0;
    return NULL;
}

static void
begin_tag(struct place *place)
{
    place->tags++;
    place->closing = place->marked = place->has_equiv = false;
    place->tag[0] = '\0';
}

static const char *
after_less(struct place *place, char c)
{
    if (c == '/' && !place->closing) {
        place->closing = true;
        return NULL;
    }
    if (c == '!' && !place->closing) {
        place->state = PLACE_AFTER_BANG;
        return NULL;
    }
    if (!is_letter(c))
        return "a tag's name must follow <; the character itself is written &lt;";
    place->state = PLACE_IN_TAG_NAME;
    add_to_name(place->tag, c);
    return NULL;
}

/* Behind a tag's name, an attribute, or white space between them. */
static const char *
in_tag(struct place *place, char c)
{
    if (c == '>')
        return end_tag(place);
    if (is_space(c)) {
        place->state = PLACE_BETWEEN;
        return NULL;
    }
    if (c == '/' && !place->closing) {
        place->state = PLACE_AFTER_SLASH;
        return NULL;
    }
    if (place->state != PLACE_BETWEEN)
        return "white space, / or > must follow here";
    if (!is_name_character(c))
        return "this is no character of an attribute's name";
    if (place->closing)
        return "an end tag has no attributes";
    place->state = PLACE_IN_NAME;
    place->attributes++;
    place->attribute[0] = '\0';
    add_to_name(place->attribute, c);
    return NULL;
}

static const char *
in_tag_name(struct place *place, char c)
{
    if (!is_name_character(c)) {
        place->state = PLACE_BEHIND_ITEM;
        return in_tag(place, c);
    }
    return add_to_name(place->tag, c) ? NULL : "this name is too long";
}

static const char *
in_attribute_name(struct place *place, char c)
{
    if (is_name_character(c))
        return add_to_name(place->attribute, c) ? NULL : "this name is too long";
    if (strcmp(place->attribute, "http-equiv") == 0)
        place->has_equiv = true;
    if (c == '=') {
        place->state = PLACE_AFTER_EQUALS;
        return NULL;
    }
    place->state = PLACE_BEHIND_ITEM;
    return in_tag(place, c);
}

static const char *
after_equals(struct place *place, char c)
{
    place->begun = false;
    if (c == '"')
        place->state = PLACE_IN_DOUBLE;
    else if (c == '\'')
        place->state = PLACE_IN_SINGLE;
    else if (is_space(c) || strchr("<>=`/", c) != NULL)
        return "an attribute's value must follow = at once";
    else
        place->state = PLACE_IN_BARE;
    return NULL;
}

static const char *
in_quotes(struct place *place, char c)
{
    if (c == (place->state == PLACE_IN_DOUBLE ? '"' : '\''))
        place->state = PLACE_BEHIND_ITEM;
    place->begun = true;
    return NULL;
}

static const char *
in_bare(struct place *place, char c)
{
    if (c == '>' || is_space(c)) {
        place->state = PLACE_BEHIND_ITEM;
        return in_tag(place, c);
    }
    return strchr("\"'<=`", c) == NULL ? NULL : "this value must stand in quotes";
}

/* ---- elements without tags inside, comments, the doctype ---- */

static const char *
in_closed_element(struct place *place, char c)
{
    size_t name = strlen(place->tag);
    size_t at = place->matched; /* of "</" and the tag's name */
    if (at == name + 2 && (c == '>' || is_space(c))) {
        place->tags++;
        place->closing = true;
        place->marked = place->has_equiv = false;
        place->state = PLACE_BEHIND_ITEM;
        return in_tag(place, c);
    }
    /* <!-- would take a script into states in which </script> does not end it. */
    if (at == 1 && c == '!')
        return "<! may not stand inside this element";
    bool more = (at == 0 && c == '<') || (at == 1 && c == '/') ||
                (at >= 2 && at < name + 2 && lower(c) == place->tag[at - 2]);
    if (at > 0 && !more && place->state == PLACE_IN_TEXT_ELEMENT)
        return "only its own end tag may stand inside this element; < is written &lt;";
    place->matched = more ? at + 1 : c == '<';
    return NULL;
}

static const char *
after_bang(struct place *place, char c)
{
    if (place->state == PLACE_AFTER_BANG && c == '-') {
        place->state = PLACE_AFTER_DASH;
    } else if (place->state == PLACE_AFTER_DASH && c == '-') {
        place->state = PLACE_IN_COMMENT;
        place->matched = 0;
        place->begun = false;
    } else if (place->state == PLACE_AFTER_BANG && is_letter(c)) {
        place->state = PLACE_IN_DOCTYPE;
    } else {
        return "only -- or DOCTYPE may follow <!";
    }
    return NULL;
}

static const char *
in_comment(struct place *place, char c)
{
    if (c == '-') {
        if (place->matched < 2)
            place->matched++;
        return NULL;
    }
    if (c == '>' && place->matched == 2) {
        place->state = PLACE_IN_TEXT;
        place->matched = 0;
        return NULL;
    }
    if ((c == '>' && !place->begun) || (c == '!' && place->matched == 2))
        return "a comment must end with --> and nothing that looks like it";
    place->matched = 0;
    place->begun = true;
    return NULL;
}

const char *
place_step(struct place *place, char c)
{
    switch (place->state) {
    case PLACE_IN_TEXT:
        if (c == '<') {
            begin_tag(place);
            place->state = PLACE_AFTER_LESS;
        }
        return NULL;
    case PLACE_IN_TEXT_ELEMENT:
    case PLACE_IN_RAW_ELEMENT:
        return in_closed_element(place, c);
    case PLACE_AFTER_LESS:
        return after_less(place, c);
    case PLACE_IN_TAG_NAME:
        return in_tag_name(place, c);
    case PLACE_BETWEEN:
    case PLACE_BEHIND_ITEM:
        return in_tag(place, c);
    case PLACE_AFTER_SLASH:
        return c == '>' ? end_tag(place) : "> must follow / here";
    case PLACE_IN_NAME:
        return in_attribute_name(place, c);
    case PLACE_AFTER_EQUALS:
        return after_equals(place, c);
    case PLACE_IN_DOUBLE:
    case PLACE_IN_SINGLE:
        return in_quotes(place, c);
    case PLACE_IN_BARE:
        return in_bare(place, c);
    case PLACE_AFTER_BANG:
    case PLACE_AFTER_DASH:
        return after_bang(place, c);
    case PLACE_IN_DOCTYPE:
        if (c == '>')
            place->state = PLACE_IN_TEXT;
        return NULL;
    case PLACE_IN_COMMENT:
        return in_comment(place, c);
    }
    return NULL;
}

/* ---- marks ---- */

static enum place_kind
attribute_kind(const char *attribute, const char **problem)
{
    static const char *const addresses[] = { "href", "src", "action", "formaction", NULL };
    /* Scripts, styles and documents of their own, and addresses of a form nobody has asked for. */
    static const char *const refused[] = { "style",      "srcdoc", "srcset",   "imagesrcset",
                                           "data",       "poster", "cite",     "background",
                                           "xlink:href", "ping",   "manifest", NULL };
    if (is_one_of(attribute, addresses))
        return PLACE_URL;
    if (strncmp(attribute, "on", 2) == 0 || is_one_of(attribute, refused)) {
        *problem = "a mark may not stand in an attribute of this name";
        return PLACE_NOWHERE;
    }
    return PLACE_ATTRIBUTE;
}

enum place_kind
place_kind(const struct place *place, const char **problem)
{
    static const char *const problems[] = {
        [PLACE_IN_TEXT_ELEMENT] = "a mark may not stand inside a tag",
        [PLACE_IN_RAW_ELEMENT] = "a mark may not stand inside <script>, <style> and their like",
        [PLACE_AFTER_LESS] = "a mark may not stand in a tag's name",
        [PLACE_IN_TAG_NAME] = "a mark may not stand in a tag's name",
        [PLACE_BETWEEN] = "a mark may not stand in an end tag",
        [PLACE_BEHIND_ITEM] = "a mark may not stand in an end tag",
        [PLACE_AFTER_SLASH] = "a mark may not stand before the > that ends a tag",
        [PLACE_IN_NAME] = "a mark may not stand in an attribute's name",
        [PLACE_AFTER_EQUALS] = "an attribute's value with a mark must stand in quotes",
        [PLACE_IN_BARE] = "an attribute's value with a mark must stand in quotes",
        [PLACE_AFTER_BANG] = "a mark may not stand in a comment or doctype",
        [PLACE_AFTER_DASH] = "a mark may not stand in a comment or doctype",
        [PLACE_IN_DOCTYPE] = "a mark may not stand in a comment or doctype",
        [PLACE_IN_COMMENT] = "a mark may not stand in a comment or doctype",
    };
    if (place->state == PLACE_IN_TEXT)
        return PLACE_TEXT;
    if (place->state == PLACE_IN_TEXT_ELEMENT && place->matched == 0)
        return PLACE_TEXT;
    if (place->state == PLACE_IN_DOUBLE || place->state == PLACE_IN_SINGLE)
        return attribute_kind(place->attribute, problem);
    if ((place->state == PLACE_BETWEEN || place->state == PLACE_BEHIND_ITEM) && !place->closing)
        return PLACE_TAG;
    *problem = problems[place->state];
    return PLACE_NOWHERE;
}

void
place_mark(struct place *place)
{
    place->marked = true;
    place->begun = true;
}

static bool
is_in_tag(enum place_state state)
{
    return state == PLACE_BETWEEN || state == PLACE_BEHIND_ITEM;
}

bool
place_close_section(const struct place *opened, struct place *now, bool *needs_space)
{
    *needs_space = false;
    if (opened->state != PLACE_IN_TEXT && opened->tags != now->tags)
        return false;
    if (is_in_tag(opened->state) && now->state == PLACE_IN_NAME) {
        if (strcmp(now->attribute, "http-equiv") == 0)
            now->has_equiv = true;
        now->state = PLACE_BEHIND_ITEM; /* the mark ends the name */
    }
    if (is_in_tag(opened->state) && is_in_tag(now->state)) {
        *needs_space = opened->state == PLACE_BETWEEN && now->state == PLACE_BEHIND_ITEM;
        now->state = opened->state;
        return true;
    }
    bool in_value = opened->state == PLACE_IN_DOUBLE || opened->state == PLACE_IN_SINGLE;
    return opened->state == now->state && opened->matched == now->matched &&
           (!in_value || opened->attributes == now->attributes);
}

bool
place_url_prefix_fine(struct str prefix)
{
    return str_starts(prefix, STR("https://")) || str_starts(prefix, STR("http://")) ||
           (prefix.len > 0 && strchr("/?#", prefix.ptr[0]) != NULL);
}

bool
place_may_choose_url(const struct place *place)
{
    static const char *const loaders[] = { "script", "iframe", "frame", "embed",
                                           "object", "base",   NULL };
    return !is_one_of(place->tag, loaders);
}
