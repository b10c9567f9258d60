/* reference_pages.c - the API reference, without sign-in: an overview, and a page for each endpoint
 * and each domain's record. One page for all would exceed the size limit of pages.
 *
 * An endpoint's URL has its operationId in /openapi.json, which is also its anchor on the overview.
 * The content is the same for everyone, so it is rendered once. That takes longer than the rest of
 * a start except opening the store, and many services are never asked for it, so the first request
 * for a page renders all of them. */
#include "portal/reference_pages.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "page/account_page.h"
#include "portal/portal_routes.h"
#include "portal/reference.h"
#include "text/json_tree.h"
#include "template/template.h"
#include "web/call.h"
#include "web/language.h"
#include "web/message.h"
#include "web/state.h"

#include <pthread.h>

#define HERE "/developer/reference"
#define EXAMPLE_MAX ((size_t)64 * 1024)
#define EXAMPLE_WIDTH 76

/* Written once per language at the first request and then kept. */
struct reference_page {
    struct str id;             /* operationId or domain; empty: the overview */
    struct str title;          /* empty: that of the overview */
    const struct part **parts; /* by number of the language */
};

struct reference_pages {
    struct web *web;
    pthread_mutex_t lock;
    bool tried;      /* this and all below: written once, with the lock */
    enum err result; /* of rendering; what failed once is not tried again */
    struct reference_page overview;
    struct reference_page *endpoints;
    size_t endpoint_count;
    struct reference_page *records;
    size_t record_count;
};

/* State while one page is made. */
struct making {
    struct arena *mem; /* of the values */
    const struct language *language;
};

/* ---- values ---- */

/* Requests mark required fields, responses optional ones. */
static void
put_fields(struct values *values, const struct reference_fields *fields, bool in_response)
{
    values_flag(values, "has_fields", fields->count > 0);
    for (size_t i = 0; i < fields->count; i++) {
        struct values *item = values_item(values, "fields");
        values_text(item, "name", fields->list[i].name);
        values_flag(item, "required", !in_response && fields->list[i].required);
        values_flag(item, "optional", in_response && !fields->list[i].required);
        message_marked(item, "kind", fields->list[i].kind);
        message_marked(item, "description", fields->list[i].summary);
    }
}

/* "default" is the row for all other errors. */
static void
put_responses(const struct making *making, struct values *values,
              const struct reference_responses *responses)
{
    for (size_t i = 0; i < responses->count; i++) {
        const struct reference_response *response = &responses->list[i];
        struct values *item = values_item(values, "responses");
        bool other = str_eq_c(response->status, "default");
        values_text(item, "status",
                    other ? catalog_format(making->language->catalog, making->mem,
                                           KEY("reference.others"), NULL, 0)
                          : response->status);
        message_marked(item, "errors", response->errors);
        message_marked(item, "description", response->summary);
    }
}

/* Method, path, and title, for lists and for links to the page before and after. */
static void
put_line(struct values *item, const struct reference_endpoint *endpoint)
{
    values_text(item, "id", endpoint->id);
    values_text(item, "method", str_of(endpoint->method));
    values_text(item, "path", endpoint->path);
    values_text(item, "title", endpoint->title);
}

static void
put_record(struct values *values, const struct reference_record *record)
{
    values_text(values, "domain", record->domain);
    values_text(values, "title", record->title);
}

/* Parameters and members are lists of one element, so that the template can leave out a whole
 * table. */
static void
put_endpoint(const struct making *making, struct values *item,
             const struct reference_endpoint *endpoint)
{
    put_line(item, endpoint);
    /* Not "description": a field without one would show this one instead. */
    message_marked(item, "about", endpoint->summary);
    message_marked(item, "needs", endpoint->needs);
    values_flag(item, "has_needs", endpoint->needs.len > 0);
    if (endpoint->parameters.count > 0)
        put_fields(values_item(item, "parameters"), &endpoint->parameters, false);
    for (size_t i = 0; i < endpoint->call_count; i++) {
        struct values *one = values_item(item, "calls");
        values_text(one, "call", endpoint->calls[i].title);
        values_text(one, "text", endpoint->calls[i].text);
        put_fields(one, &endpoint->calls[i].body, false);
    }
    if (endpoint->example != NULL) {
        struct buf out = buf_in(making->mem, EXAMPLE_MAX);
        json_tree_format(&out, endpoint->example, EXAMPLE_WIDTH, 0);
        values_text(item, "example", buf_str(&out));
    }
    if (endpoint->members.count > 0)
        put_fields(values_item(item, "members"), &endpoint->members, true);
    put_responses(making, item, &endpoint->responses);
}

/* Groups of endpoints, then the records of the domains. */
static struct values *
overview_values(const struct making *making, const struct reference *reference)
{
    struct values *values = values_new(making->mem);
    for (size_t g = 0; g < reference->group_count; g++) {
        struct values *group = values_item(values, "groups");
        values_text(group, "group", reference->groups[g].name);
        message_marked(group, "about", reference->groups[g].summary);
        for (size_t i = 0; i < reference->groups[g].count; i++)
            put_line(values_item(group, "endpoints"), &reference->groups[g].endpoints[i]);
    }
    for (size_t i = 0; i < reference->record_count; i++) {
        struct values *record = values_item(values, "records");
        put_record(record, &reference->records[i]);
        message_marked(record, "about", reference->records[i].summary);
    }
    return values;
}

/* `before` and `after` are NULL at the ends. */
static struct values *
endpoint_values(const struct making *making, const struct reference_endpoint *before,
                const struct reference_endpoint *endpoint, const struct reference_endpoint *after)
{
    struct values *values = values_new(making->mem);
    put_endpoint(making, values, endpoint);
    if (before != NULL)
        put_line(values_item(values, "before"), before);
    if (after != NULL)
        put_line(values_item(values, "after"), after);
    return values;
}

/* With links to the records before and after it. */
static struct values *
record_values(const struct making *making, const struct reference *reference, size_t number)
{
    const struct reference_record *record = &reference->records[number];
    struct values *values = values_new(making->mem);
    put_record(values, record);
    message_marked(values, "about", record->summary);
    if (number > 0)
        put_record(values_item(values, "before"), record - 1);
    if (number + 1 < reference->record_count)
        put_record(values_item(values, "after"), record + 1);
    put_fields(values, &record->members, false);
    return values;
}

/* ---- at the first request ---- */

/* All endpoints, group after group. */
static const struct reference_endpoint **
list_endpoints(struct arena *mem, const struct reference *reference, size_t *count)
{
    size_t all = 0;
    for (size_t g = 0; g < reference->group_count; g++)
        all += reference->groups[g].count;
    const struct reference_endpoint **list =
        ARENA_ARRAY(mem, const struct reference_endpoint *, all + 1);
    *count = 0;
    for (size_t g = 0; g < reference->group_count; g++)
        for (size_t i = 0; i < reference->groups[g].count; i++)
            list[(*count)++] = &reference->groups[g].endpoints[i];
    return list;
}

/* `parts` are rendered later, at the first request. */
static struct reference_page
empty_page(const struct web *web, struct str id, struct str title)
{
    return (struct reference_page){
        .id = str_copy(web->mem, id),
        .title = str_copy(web->mem, title),
        .parts = ARENA_ARRAY(web->mem, const struct part *, web->languages.count),
    };
}

/* endpoints[count] is NULL: the list has one element more. Values are in `scratch`, rendered parts
 * in the web's arena. */
static enum err
make_all(const struct web *web, struct arena *scratch, const struct reference *reference,
         struct reference_pages *pages)
{
    const struct reference_endpoint **endpoints =
        list_endpoints(scratch, reference, &pages->endpoint_count);
    pages->record_count = reference->record_count;
    pages->overview = empty_page(web, STR(""), STR(""));
    pages->endpoints = ARENA_ARRAY(web->mem, struct reference_page, pages->endpoint_count + 1);
    pages->records = ARENA_ARRAY(web->mem, struct reference_page, pages->record_count + 1);
    for (size_t i = 0; i < pages->endpoint_count; i++)
        pages->endpoints[i] = empty_page(web, endpoints[i]->id, endpoints[i]->title);
    for (size_t i = 0; i < pages->record_count; i++)
        pages->records[i] =
            empty_page(web, reference->records[i].domain, reference->records[i].title);
    enum err err = ERR_NONE;
    for (size_t l = 0; l < web->languages.count && !err; l++) {
        struct making making = { scratch, &web->languages.list[l] };
        const struct template_set *set = making.language->pages;
        err = part_render(set, "reference_overview", overview_values(&making, reference), web->mem,
                          &pages->overview.parts[l]);
        for (size_t i = 0; i < pages->endpoint_count && !err; i++)
            err = part_render(set, "reference_endpoint",
                              endpoint_values(&making, i == 0 ? NULL : endpoints[i - 1],
                                              endpoints[i], endpoints[i + 1]),
                              web->mem, &pages->endpoints[i].parts[l]);
        for (size_t i = 0; i < pages->record_count && !err; i++)
            err = part_render(set, "reference_record", record_values(&making, reference, i),
                              web->mem, &pages->records[i].parts[l]);
    }
    return err;
}

/* Call with the lock held, once. */
static enum err
render(struct reference_pages *pages)
{
    struct arena *scratch = arena_new(); /* parsing takes ten times the size of the document */
    struct reference reference;
    struct why why = { 0 };
    enum err err = reference_make(scratch, pages->web->openapi, &reference, &why);
    if (err == ERR_NONE)
        err = make_all(pages->web, scratch, &reference, pages);
    if (err != ERR_NONE)
        log_error("reference_not_rendered", log_text("problem", str_of(why.text)));
    arena_free(scratch);
    return err;
}

/* Nothing is rendered here, because most services never show these pages. */
void
reference_pages_start(struct web *web)
{
    struct reference_pages *pages = ARENA_NEW(web->mem, struct reference_pages);
    *pages = (struct reference_pages){ .web = web };
    pthread_mutex_init(&pages->lock, NULL);
    web->reference = pages;
}

/* ---- requests ---- */

static enum err
send_page(struct call *call, const struct reference_page *page)
{
    struct values *values = values_new(call->mem);
    size_t language = (size_t)(message_language(call) - call->web->languages.list);
    values_text(values, "title", page->title);
    values_part(values, "content", page->parts[language]);
    return account_page(call, 200, "developer_reference", "developer", values);
}

/* Only a few dozen pages, so a linear search is enough. */
static enum err
send_named(struct call *call, const struct reference_page *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(list[i].id, call_param(call, 0)))
            return send_page(call, &list[i]);
    return ERR_NOT_FOUND;
}

/* Requests that arrive meanwhile wait for the lock. Afterwards the pages do not change, so they are
 * read without it. */
static enum err
rendered(struct call *call, const struct reference_pages **out)
{
    struct reference_pages *pages = call->web->reference;
    pthread_mutex_lock(&pages->lock);
    if (!pages->tried)
        pages->result = render(pages);
    pages->tried = true;
    pthread_mutex_unlock(&pages->lock);
    *out = pages;
    return pages->result;
}

static enum err
get_overview(struct call *call)
{
    const struct reference_pages *pages;
    enum err err = rendered(call, &pages);
    return err ? err : send_page(call, &pages->overview);
}

static enum err
get_endpoint(struct call *call)
{
    const struct reference_pages *pages;
    enum err err = rendered(call, &pages);
    return err ? err : send_named(call, pages->endpoints, pages->endpoint_count);
}

static enum err
get_record(struct call *call)
{
    const struct reference_pages *pages;
    enum err err = rendered(call, &pages);
    return err ? err : send_named(call, pages->records, pages->record_count);
}

const struct route developer_reference_routes[] = {
    { GET, HERE, get_overview, CALLER_ANYONE, .summary = "Shows the API reference.", .page = true },
    { GET, HERE "/{endpoint}", get_endpoint, CALLER_ANYONE,
      .summary = "Shows an endpoint of the API.", .page = true },
    { GET, HERE "/records/{domain}", get_record, CALLER_ANYONE,
      .summary = "Shows the members of a domain's record.", .page = true },
    { 0 },
};
