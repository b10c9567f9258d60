/* html_scanner.h - where in an HTML page the next character stands. Private to template_*.c.
 *
 * A walk over a template, one character at a time, that always knows what a browser's tokenizer
 * would make of the place. It takes less HTML than a browser does: whatever browsers repair (an
 * attribute without a space before it, a comment inside a script …) is refused, so that there is
 * no second opinion about where a mark stands. */
#ifndef TEXT_HTML_SCANNER_H
#define TEXT_HTML_SCANNER_H

#include "base/str.h"

enum place_state {
    PLACE_IN_TEXT,
    PLACE_IN_TEXT_ELEMENT, /* <title>, <textarea>: no tags inside */
    PLACE_IN_RAW_ELEMENT,  /* <script>, <style> … */
    PLACE_AFTER_LESS,      /* < */
    PLACE_IN_TAG_NAME,     /* <p */
    PLACE_BETWEEN,         /* in a tag, behind white space */
    PLACE_BEHIND_ITEM,     /* in a tag, where white space or the end must follow */
    PLACE_AFTER_SLASH,     /* <br / */
    PLACE_IN_NAME,         /* an attribute's name */
    PLACE_AFTER_EQUALS,
    PLACE_IN_DOUBLE, /* an attribute's value, by its quotes */
    PLACE_IN_SINGLE,
    PLACE_IN_BARE,
    PLACE_AFTER_BANG, /* <! */
    PLACE_AFTER_DASH, /* <!- */
    PLACE_IN_DOCTYPE,
    PLACE_IN_COMMENT,
};

#define PLACE_NAME_MAX 24

struct place {
    enum place_state state;
    bool closing;   /* the tag is an end tag */
    bool begun;     /* something of the attribute's value, or of the comment, was there already */
    bool marked;    /* the tag holds a mark */
    bool has_equiv; /* the tag has an http-equiv attribute */
    size_t matched; /* how much of the end of a comment or of an element without tags was seen */
    size_t tags;    /* tags begun so far, and attributes: to tell one from the next */
    size_t attributes;
    char tag[PLACE_NAME_MAX + 1];
    char attribute[PLACE_NAME_MAX + 1];
};

/* Takes one character. NULL, or what is wrong with it, as a sentence without its full stop. */
const char *place_step(struct place *place, char c);

/* What may stand at a place. */
enum place_kind {
    PLACE_TEXT,
    PLACE_ATTRIBUTE, /* a quoted value */
    PLACE_URL,       /* the same, of href, src, action or formaction */
    PLACE_TAG,       /* between attributes: sections only */
    PLACE_NOWHERE,
};

/* For PLACE_NOWHERE *problem says why. */
enum place_kind place_kind(const struct place *place, const char **problem);

/* A value or a section's mark stands here. */
void place_mark(struct place *place);

/* True if what stands between the two may come out any number of times, or not at all, without a
 * change of the place behind it. Then *now is right for each of these cases, provided that
 * where *needs_space is set a space is put at the end of what stands between. */
bool place_close_section(const struct place *opened, struct place *now, bool *needs_space);

/* True if the address an attribute begins with is one the template itself may choose. */
bool place_url_prefix_fine(struct str prefix);

/* True if a value may choose the whole address: not what a <script> or a frame loads. */
bool place_may_choose_url(const struct place *place);

#endif
