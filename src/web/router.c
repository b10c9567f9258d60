/* router.c - checks all rows at startup and builds the index of paths.
 *
 * Rows with the same path make one endpoint. Paths without parameters are in a hash table; the few
 * with parameters are a sorted list that is searched from the start. A literal path is found before
 * a pattern that would match it too, such as /v1/preferences/atoms and /v1/preferences/{domain}.
 *
 * Checks return NULL or the problem, worded to follow "route GET /path". */
#include "web/router.h"

#include "base/arena.h"
#include "text/url.h"
#include "web/field.h"
#include "web/path.h"

#include <stdlib.h>
#include <string.h>

/* Not changed after router_new(), so threads read it without a lock. */
struct router {
    struct arena *mem;
    size_t row_count;
    const struct route **rows; /* by number */
    size_t endpoint_count;
    struct endpoint *endpoints;
    /* Paths without parameters: a hash table of 2^n slots, at most half of them used. */
    size_t slot_count;
    const struct endpoint **slots;
    /* Paths with parameters, sorted by pattern_order(). */
    size_t pattern_count;
    const struct endpoint **patterns;
};

const char *
method_name(enum method method)
{
    static const char *const names[METHOD_COUNT] = { "", "GET", "POST" };
    return names[method];
}

const char *
caller_name(enum caller caller)
{
    static const char *const names[] = { "", "anyone", "operator", "user", "app", "token" };
    return names[caller];
}

/* ---- checking a row ---- */

/* Pages take forms only, because their protection against forged requests, the form token, is a
 * field of the form. */
static const char *
body_problem(const struct route *row)
{
    if ((row->body == BODY_NONE) != (row->body_max == 0))
        return "has a body without body_max, or body_max without a body";
    if (row->method == GET && row->body != BODY_NONE)
        return "is a GET with a body";
    if (row->page && row->body == BODY_JSON)
        return "is a page that takes JSON, which forms cannot send";
    if (!row->page && row->body == BODY_FILE)
        return "takes a form with a file but is not a page";
    return NULL;
}

/* Every field has bounds, so that no handler gets an unlimited value. */
static const char *
fields_problem(const struct route *row)
{
    if (row->field_count > FIELDS_MAX)
        return "declares more fields than FIELDS_MAX";
    for (size_t i = 0; i < row->field_count; i++) {
        const struct field *field = &row->fields[i];
        if (field->name == NULL || field->kind == FIELD_UNSET)
            return "declares a field without a name or a kind";
        if (field->in == FIELD_IN_FORM && row->body != BODY_FORM)
            return "declares a form field but does not take a form";
        if (field->max < field->min || (field->kind != FIELD_INTEGER && field->max == 0))
            return "declares a field without bounds";
    }
    return NULL;
}

/* Contradictions in a row that would weaken a check: a page with CORS could be read by other sites,
 * for example. */
static const char *
row_problem(const struct route *row)
{
    if (row->method <= METHOD_UNSET || row->method >= METHOD_COUNT)
        return "has no method";
    if (row->caller == CALLER_UNSET)
        return "has no caller";
    if (row->handle == NULL)
        return "has no handler";
    if (row->summary == NULL || row->summary[0] == '\0')
        return "has no summary";
    if (row->page && row->cors)
        return "is a page with cors";
    if (row->rpc && (row->page || row->cors || row->caller != CALLER_TOKEN))
        return "is rpc, but also a page or cors, or its caller is not a token";
    if ((row->caller == CALLER_TOKEN) != (row->activity != ACTIVITY_NONE))
        return "must state its activity if its caller is a token, and only then";
    if (row->hashes && !row->blocks)
        return "hashes passwords but does not block";
    const char *problem = body_problem(row);
    return problem != NULL ? problem : fields_problem(row);
}

/* ---- endpoints ---- */

/* A parameter is a whole segment: {name}. */
static bool
is_param(struct str segment)
{
    return segment.len > 2 && segment.ptr[0] == '{' && segment.ptr[segment.len - 1] == '}';
}

/* Literal segments are compared byte by byte with canonical paths, so they must be canonical. */
static const char *
split_path(struct endpoint *endpoint)
{
    struct str path = str_of(endpoint->path);
    if (path.len == 0 || path.ptr[0] != '/')
        return "has a path that does not start with a slash";
    if (path.len == 1)
        return NULL;
    struct str rest = str_from(path, 1);
    struct str segment;
    while (str_cut(&rest, '/', &segment)) {
        if (endpoint->segment_count == ROUTE_SEGMENTS_MAX)
            return "has too many segments";
        if (is_param(segment)) {
            if (endpoint->param_count++ == ROUTE_PARAMS_MAX)
                return "has too many parameters";
            segment = STR_NONE;
        } else {
            /* With its slash, since path_is_canonical() takes a path. */
            struct str literal = { segment.ptr - 1, segment.len + 1 };
            if (!path_is_canonical(literal) || segment.len == 0 ||
                str_index(segment, '%') < segment.len)
                return "has a path that is not canonical";
        }
        endpoint->segments[endpoint->segment_count++] = segment;
    }
    return NULL;
}

/* 0: the same path, except for the names of parameters. A literal segment sorts before a parameter,
 * so that the most specific pattern is found first. */
static int
compare_paths(const struct endpoint *a, const struct endpoint *b)
{
    if (a->segment_count != b->segment_count)
        return a->segment_count < b->segment_count ? -1 : 1;
    for (size_t i = 0; i < a->segment_count; i++) {
        struct str x = a->segments[i];
        struct str y = b->segments[i];
        if (str_present(x) != str_present(y))
            return str_present(x) ? -1 : 1;
        if (!str_eq(x, y))
            return str_order(x, y);
    }
    return 0;
}

static int
pattern_order(const void *a, const void *b)
{
    return compare_paths(*(const struct endpoint *const *)a, *(const struct endpoint *const *)b);
}

/* page, cors, and rpc decide how errors of the endpoint look, also before a method is known: all
 * rows of an endpoint must agree. */
static const char *
add_row(struct endpoint *endpoint, const struct route *row, size_t number)
{
    if (strcmp(endpoint->path, row->path) != 0)
        return "has the path of another route, with different parameter names";
    if (endpoint->rows[row->method] != NULL)
        return "is declared twice";
    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (endpoint->rows[i] != NULL &&
            (endpoint->rows[i]->page != row->page || endpoint->rows[i]->cors != row->cors ||
             endpoint->rows[i]->rpc != row->rpc))
            return "differs in page, cors, or rpc from another route of its path";
    endpoint->rows[row->method] = row;
    endpoint->numbers[row->method] = number;
    endpoint->page = row->page;
    endpoint->cors = row->cors;
    endpoint->mcp = row->mcp;
    endpoint->slash |= row->slash;
    endpoint->rpc = row->rpc;
    return NULL;
}

/* Written once, for the headers that list methods. */
static void
write_methods(struct endpoint *endpoint)
{
    bool get = endpoint->rows[GET] != NULL;
    bool post = endpoint->rows[POST] != NULL;
    snprintf(endpoint->methods, sizeof endpoint->methods, "%s%s%s", get ? "GET" : "",
             get && post ? ", " : "", post ? "POST" : "");
    snprintf(endpoint->allow, sizeof endpoint->allow, "%s%sOPTIONS", get ? "GET, HEAD, " : "",
             post ? "POST, " : "");
}

/* Compares with every endpoint so far, which is quick enough for one start. */
static const char *
router_add(struct router *router, const struct route *row)
{
    const char *problem = row_problem(row);
    if (problem != NULL)
        return problem;
    struct endpoint candidate = { .path = row->path };
    problem = split_path(&candidate);
    if (problem != NULL)
        return problem;

    struct endpoint *endpoint = NULL;
    for (size_t i = 0; i < router->endpoint_count && endpoint == NULL; i++)
        if (compare_paths(&router->endpoints[i], &candidate) == 0)
            endpoint = &router->endpoints[i];
    if (endpoint == NULL) {
        endpoint = &router->endpoints[router->endpoint_count++];
        *endpoint = candidate;
    }
    router->rows[router->row_count] = row;
    return add_row(endpoint, row, router->row_count++);
}

/* ---- index ---- */

/* FNV-1a, unseeded: the table is fixed and half empty, so a chosen path costs a few probes at most.
 */
static uint64_t
hash(struct str text)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.ptr[i]) * 1099511628211u;
    return h;
}

/* Called once, after the last row: endpoints must not move any more. */
static void
router_index(struct router *router)
{
    router->slot_count = 2;
    /* At least one slot stays empty, which ends every search. */
    while (router->slot_count < 2 * router->endpoint_count)
        router->slot_count *= 2;
    router->slots = ARENA_ARRAY(router->mem, const struct endpoint *, router->slot_count);
    router->patterns =
        ARENA_ARRAY(router->mem, const struct endpoint *, router->endpoint_count + 1);
    for (size_t i = 0; i < router->endpoint_count; i++) {
        struct endpoint *endpoint = &router->endpoints[i];
        write_methods(endpoint);
        if (endpoint->param_count > 0) {
            router->patterns[router->pattern_count++] = endpoint;
            continue;
        }
        size_t slot = hash(str_of(endpoint->path)) & (router->slot_count - 1);
        while (router->slots[slot] != NULL)
            slot = (slot + 1) & (router->slot_count - 1);
        router->slots[slot] = endpoint;
    }
    qsort(router->patterns, router->pattern_count, sizeof(struct endpoint *), pattern_order);
}

/* Tables are checked at the start: a mistake in a row stops the program. Rows must stay valid as
 * long as the router. */
enum err
router_new(const struct route *const *tables, struct router **out, struct why *why)
{
    size_t count = 0;
    for (size_t t = 0; tables[t] != NULL; t++)
        for (const struct route *row = tables[t]; row->path != NULL; row++)
            count++;

    struct arena *mem = arena_new();
    struct router *router = ARENA_NEW(mem, struct router);
    router->mem = mem;
    router->rows = ARENA_ARRAY(mem, const struct route *, count + 1);
    router->endpoints = ARENA_ARRAY(mem, struct endpoint, count + 1);
    for (size_t t = 0; tables[t] != NULL; t++)
        for (const struct route *row = tables[t]; row->path != NULL; row++) {
            const char *problem = router_add(router, row);
            if (problem != NULL) {
                why_set(why, "route %s %s %s", method_name(row->method), row->path, problem);
                router_free(router);
                return ERR_INVALID;
            }
        }
    router_index(router);
    *out = router;
    return ERR_NONE;
}

void
router_free(struct router *router)
{
    if (router != NULL)
        arena_free(router->mem);
}

size_t
router_row_count(const struct router *router)
{
    return router->row_count;
}

const struct route *
router_row(const struct router *router, size_t number)
{
    return router->rows[number];
}

/* ---- lookup ---- */

/* The table is at most half full, so a search always ends at a free slot. */
static const struct endpoint *
find_literal(const struct router *router, struct str path)
{
    size_t slot = hash(path) & (router->slot_count - 1);
    for (; router->slots[slot] != NULL; slot = (slot + 1) & (router->slot_count - 1))
        if (str_eq_c(path, router->slots[slot]->path))
            return router->slots[slot];
    return NULL;
}

/* An absent segment of the pattern is a parameter and matches any text. */
static bool
pattern_matches(const struct endpoint *endpoint, const struct str *segments, size_t count)
{
    if (endpoint->segment_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (str_present(endpoint->segments[i]) && !str_eq(endpoint->segments[i], segments[i]))
            return false;
    return true;
}

/* False: a parameter has an escape that cannot be decoded. The endpoint is then not found. */
static bool
read_params(const struct endpoint *endpoint, struct arena *mem, const struct str *segments,
            struct endpoint_match *out)
{
    size_t count = 0;
    for (size_t i = 0; i < endpoint->segment_count; i++)
        if (!str_present(endpoint->segments[i]) &&
            !url_decode(mem, segments[i], false, &out->params[count++]))
            return false;
    out->endpoint = endpoint;
    return true;
}

/* The first match is the most specific one; see compare_paths(). */
static bool
find_pattern(const struct router *router, struct arena *mem, struct str path,
             struct endpoint_match *out)
{
    struct str segments[ROUTE_SEGMENTS_MAX];
    size_t count = 0;
    struct str rest = str_from(path, 1);
    struct str segment;
    while (str_cut(&rest, '/', &segment)) {
        if (count == ROUTE_SEGMENTS_MAX)
            return false;
        segments[count++] = segment;
    }
    for (size_t i = 0; i < router->pattern_count; i++)
        if (pattern_matches(router->patterns[i], segments, count))
            return read_params(router->patterns[i], mem, segments, out);
    return false;
}

/* A slash at the end is part of the path unless the row allows it. */
bool
router_find(const struct router *router, struct arena *mem, struct str path,
            struct endpoint_match *out)
{
    *out = (struct endpoint_match){ 0 };
    bool slash = path.len > 1 && path.ptr[path.len - 1] == '/';
    path.len -= slash;
    if (!path_is_canonical(path))
        return false;
    const struct endpoint *literal = find_literal(router, path);
    if (slash && (literal == NULL || !literal->slash))
        return false;
    out->endpoint = literal;
    return literal != NULL || find_pattern(router, mem, path, out);
}
