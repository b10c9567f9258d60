/* html_scanner.h - tracks the HTML tokenizer state while a template is parsed. Private to
 * template_*.c.
 *
 * The scanner reads a template one character at a time and knows in which state a browser's
 * tokenizer would be. It accepts less HTML than a browser does: markup that browsers repair (an
 * attribute without a space before it, a comment inside a script) is rejected, so that the context
 * of a template mark is never ambiguous. The caller owns the scanner; any thread may use one of its
 * own. */
#ifndef TEMPLATE_HTML_SCANNER_H
#define TEMPLATE_HTML_SCANNER_H

#include "base/str.h"

enum scanner_state {
    SCANNER_IN_TEXT,
    SCANNER_IN_TEXT_ELEMENT, /* <title>, <textarea>: no tags inside */
    SCANNER_IN_RAW_ELEMENT,  /* <script>, <style> … */
    SCANNER_AFTER_LESS,      /* < */
    SCANNER_IN_TAG_NAME,     /* <p */
    SCANNER_BETWEEN,         /* in a tag, after white space */
    SCANNER_AFTER_ITEM,      /* in a tag, where white space or > must follow */
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
    bool begun;     /* the attribute value or comment is not empty */
    bool marked;    /* the tag contains a mark */
    bool has_equiv; /* the tag has an http-equiv attribute */
    size_t matched; /* characters matched of --> or of the end tag of a text or raw element */
    size_t tags;    /* number of tags seen; with `attributes` it identifies the current one */
    size_t attributes;
    char tag[SCANNER_NAME_MAX + 1];
    char attribute[SCANNER_NAME_MAX + 1];
};

/* Consumes one character. NULL, or the problem, as a sentence without a period. */
const char *html_scanner_step(struct html_scanner *scanner, char c);

/* The context of a mark in the current state; it decides how a value is escaped. */
enum html_context {
    HTML_CONTEXT_TEXT,
    HTML_CONTEXT_ATTRIBUTE, /* a quoted value */
    HTML_CONTEXT_URL,       /* the same, of href, src, action or formaction */
    HTML_CONTEXT_TAG,       /* between attributes: sections only */
    HTML_CONTEXT_NONE,
};

/* For HTML_CONTEXT_NONE, *problem is set to the reason. */
enum html_context html_scanner_context(const struct html_scanner *scanner, const char **problem);

/* Records that a value or a section mark is at this position. */
void html_scanner_mark(struct html_scanner *scanner);

/* True if the content between the two positions may be output any number of times, including zero,
 * without changing the state after it. *now is then valid in all these cases; if *needs_space is
 * set, the caller must add a space at the end of the content. */
bool html_scanner_close_section(const struct html_scanner *opened, struct html_scanner *now,
                                bool *needs_space);

/* True if a template may start a URL attribute with this literal prefix. */
bool html_scanner_url_prefix_ok(struct str prefix);

/* True if a value may be the whole URL; false for elements that load code, such as <script>. */
bool html_scanner_may_choose_url(const struct html_scanner *scanner);

#endif
