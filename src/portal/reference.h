/* reference.h - the API reference for developers, as data.
 *
 * Made from the OpenAPI document: endpoints by group, $ref resolved, types described in words, and
 * an example call for each. Rendered as Markdown (reference_text.c) or as pages
 * (reference_pages.c). Everything is allocated in the arena given to reference_make(). Any thread
 * may call these functions. */
#ifndef PORTAL_REFERENCE_H
#define PORTAL_REFERENCE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct json_value;

struct reference_field {
    struct str name;
    struct str kind;    /* "integer from 1 to 100; default `20`" */
    struct str summary; /* may be empty */
    bool required;
};

struct reference_fields {
    struct reference_field *list;
    size_t count;
};

struct reference_response {
    struct str status; /* "400", or "default" */
    struct str errors; /* its error codes: "`invalid_grant`, `invalid_scope`"; empty: none */
    struct str summary;
    struct str shared; /* name of a shared response; empty: not shared */
};

struct reference_responses {
    struct reference_response *list;
    size_t count;
};

/* An example request: most endpoints have one, /oauth/token has one for each grant type. */
struct reference_call {
    struct str title;             /* empty if there is only one */
    struct reference_fields body; /* members or fields */
    struct str text;              /* a shell command, or a URL for a browser */
};

struct reference_endpoint {
    const char *method;
    struct str path;
    struct str id; /* its operationId */
    struct str title;
    struct str summary;
    struct str needs;                   /* required scopes or credentials; empty: none */
    struct reference_fields parameters; /* in path, query and headers */
    struct reference_call *calls;
    size_t call_count;
    bool is_url;                      /* the examples are URLs for a browser */
    const struct json_value *example; /* response to the first call; NULL: none */
    struct reference_fields members;  /* of the response, where described */
    struct reference_responses responses;
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
    struct reference_responses shared; /* responses that several endpoints share */
    struct reference_record *records;
    size_t record_count;
};

/* `document` is JSON from openapi_make(). */
enum err reference_make(struct arena *mem, struct str document, struct reference *out,
                        struct why *why);

/* As Markdown, without a title. */
void reference_write(struct buf *out, const struct reference *reference);

#endif
