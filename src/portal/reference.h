/* reference.h - the description of the interface as a person reads it.
 *
 * Made from the document of openapi.h: endpoints in their groups, references followed, kinds of
 * values in words, an example call for each. How it looks is for whoever shows it: as Markdown
 * (reference_text.c), or on a page. Everything lives in the arena it was made in. */
#ifndef PORTAL_REFERENCE_H
#define PORTAL_REFERENCE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct json_value;

struct reference_field {
    struct str name;
    struct str kind;    /* "whole number from 1 to 100; 20 if absent" */
    struct str summary; /* empty: nothing */
    bool required;
};

struct reference_fields {
    struct reference_field *list;
    size_t count;
};

struct reference_answer {
    struct str status; /* "400", or "default" */
    struct str errors; /* codes it can have: "`invalid_grant`, `invalid_scope`"; empty: none */
    struct str summary;
    struct str shared; /* the name under which several endpoints have it; empty: its own */
};

struct reference_answers {
    struct reference_answer *list;
    size_t count;
};

/* A way to call it: most endpoints have one, /oauth/token has one for each grant. */
struct reference_call {
    struct str title;             /* empty if there is only one */
    struct reference_fields body; /* members or fields */
    struct str text;              /* an example: a command for a shell, or an address */
};

struct reference_endpoint {
    const char *method;
    struct str path;
    struct str id; /* its operationId */
    struct str title;
    struct str summary;
    struct str needs;                   /* which scopes or credentials, in words; empty: nothing */
    struct reference_fields parameters; /* in path, query and headers */
    struct reference_call *calls;
    size_t call_count;
    bool is_address;                  /* a call is where a browser is sent */
    const struct json_value *example; /* what is answered to the first; NULL: none */
    struct reference_fields members;  /* of what is answered, where there is something to say */
    struct reference_answers answers;
};

struct reference_group {
    struct str name;
    struct str summary;
    struct reference_endpoint *endpoints;
    size_t count;
};

/* A domain's record. */
struct reference_record {
    struct str domain;
    struct str title;
    struct str summary;
    struct reference_fields members;
};

struct reference {
    struct reference_group *groups;
    size_t group_count;
    struct reference_answers shared; /* what several endpoints answer */
    struct reference_record *records;
    size_t record_count;
};

/* `document` is JSON from openapi_make(). */
enum err reference_make(struct arena *mem, struct str document, struct reference *out,
                        struct why *why);

/* As Markdown, without a title of its own. */
void reference_write(struct buf *out, const struct reference *reference);

#endif
