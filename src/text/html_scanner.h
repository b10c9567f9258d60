/* html_scanner.h - where in an HTML page the next character stands. Private to template_*.c.
 *
 * A walk over a template, one character at a time, that always knows what a browser's tokenizer
 * would make of the place. It takes less HTML than a browser does: whatever browsers repair (an
 * attribute without a space before it, a comment inside a script …) is refused, so that there is
 * no second opinion about where a mark stands. */
#ifndef TEXT_HTML_SCANNER_H
#define TEXT_HTML_SCANNER_H

#include "base/str.h"

enum scanner_state {
    SCANNER_IN_TEXT,
    SCANNER_IN_TEXT_ELEMENT, /* <title>, <textarea>: no tags inside */
    SCANNER_IN_RAW_ELEMENT,  /* <script>, <style> … */
    SCANNER_AFTER_LESS,      /* < */
    SCANNER_IN_TAG_NAME,     /* <p */
    SCANNER_BETWEEN,         /* in a tag, behind white space */
    SCANNER_AFTER_ITEM,      /* in a tag, where white space or the end must follow */
    SCANNER_AFTER_SLASH,     /* <br / */
    SCANNER_IN_NAME,         /* an attribute's name */
    SCANNER_AFTER_EQUALS,
    SCANNER_IN_DOUBLE, /* an attribute's value, by its quotes */
    SCANNER_IN_SINGLE,
    SCANNER_IN_BARE,
    SCANNER_AFTER_BANG, /* <! */
    SCANNER_AFTER_DASH, /* <!- */
    SCANNER_IN_DOCTYPE,
    SCANNER_IN_COMMENT,
};

#define SCANNER_NAME_MAX 24

struct html_scanner {
    enum scanner_state state;
    bool closing;   /* the tag is an end tag */
    bool begun;     /* something of the attribute's value, or of the comment, was there already */
    bool marked;    /* the tag holds a mark */
    bool has_equiv; /* the tag has an http-equiv attribute */
    size_t matched; /* how much of the end of a comment or of an element without tags was seen */
    size_t tags;    /* tags begun so far, and attributes: to tell one from the next */
    size_t attributes;
    char tag[SCANNER_NAME_MAX + 1];
    char attribute[SCANNER_NAME_MAX + 1];
};

/* Takes one character. NULL, or what is wrong with it, as a sentence without its full stop. */
const char *html_scanner_step(struct html_scanner *scanner, char c);

/* What may stand at a place. */
enum html_context {
    HTML_CONTEXT_TEXT,
    HTML_CONTEXT_ATTRIBUTE, /* a quoted value */
    HTML_CONTEXT_URL,       /* the same, of href, src, action or formaction */
    HTML_CONTEXT_TAG,       /* between attributes: sections only */
    HTML_CONTEXT_NONE,
};

/* For HTML_CONTEXT_NONE *problem says why. */
enum html_context html_scanner_context(const struct html_scanner *scanner, const char **problem);

/* A value or a section's mark stands here. */
void html_scanner_mark(struct html_scanner *scanner);

/* True if what stands between the two may come out any number of times, or not at all, without a
 * change of the place behind it. Then *now is right for each of these cases, provided that
 * where *needs_space is set a space is put at the end of what stands between. */
bool html_scanner_close_section(const struct html_scanner *opened, struct html_scanner *now,
                                bool *needs_space);

/* True if the address an attribute begins with is one the template itself may choose. */
bool html_scanner_url_prefix_ok(struct str prefix);

/* True if a value may choose the whole address: not what a <script> or a frame loads. */
bool html_scanner_may_choose_url(const struct html_scanner *scanner);

#endif
