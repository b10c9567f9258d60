/* preferences_api.c - a user's preferences as JSON: records, atoms, writes, corrections.
 * allowed_domains.h decides which domains the token may use. */
#include "api/api_routes.h"
#include "dispatch/allowed_domains.h"
#include "dispatch/bearer_error.h"
#include "preference/corrections.h"
#include "preference/preferences.h"
#include "transfer/transfer.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

#define BODY_MAX (64 * KIB)
#define DEPTH_MAX 8
#define ATOM_BYTES 320 /* most atoms are smaller, with their keys */

/* The stored JSON is sent as it is, without being parsed. */
static void
write_record(struct json *out, const struct record *record)
{
    json_key(out, "preferences");
    json_raw(out, record->json);
    json_put_time(out, "updated_at", record->updated_at);
}

/* ---- reading ---- */

/* Needs no scope in its row: which scope suffices depends on the domain in the path. */
static enum err
get_domain(struct call *call)
{
    struct record record = { 0 };
    const struct domain *domain = allowed_domains_readable_in_path(call);
    if (domain == NULL)
        return ERR_NONE;
    struct view view = access_view(call->access, call->web->settings.domains);
    enum err err = preferences_read(call->db, call->mem, &view, domain->name, &record);
    if (err != ERR_NONE)
        return err;
    call_record_facts(call, (size_t)(domain - call->web->settings.domains->list),
                      record.atom_count);
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "domain", domain->name);
    write_record(out, &record);
    json_close_object(out);
    response_conditional(call);
    return ERR_NONE;
}

/* All readable domains, also those without atoms. */
static enum err
get_all(struct call *call)
{
    const struct domains *domains = call->web->settings.domains;
    struct record *records = NULL;
    size_t count = 0;
    struct view view = access_view(call->access, domains);
    enum err err = preferences_read_all(call->db, call->mem, &view, &records, &count);
    if (err != ERR_NONE)
        return err;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    call_record_no_facts(call);
    json_key_object(out, "preferences");
    for (size_t i = 0; i < domains->count; i++) {
        if (!allowed_domains_can_read(call->access, &domains->list[i]))
            continue;
        struct str json = STR("{}");
        for (size_t r = 0; r < count; r++)
            if (str_eq(records[r].domain, domains->list[i].name)) {
                json = records[r].json;
                if (records[r].atom_count > 0)
                    call_record_facts(call, i, records[r].atom_count);
            }
        json_key_str(out, domains->list[i].name);
        json_raw(out, json);
    }
    json_close_object(out);
    json_close_object(out);
    response_conditional(call);
    return ERR_NONE;
}

enum { DOMAIN, LIMIT, OFFSET, STATUS };

static const struct field atoms_fields[] = {
    [DOMAIN] = { "domain", FIELD_TEXT, FIELD_IN_QUERY, .max = 100 },
    [LIMIT] = { "limit", FIELD_INTEGER, FIELD_IN_QUERY, .min = 1, .max = 100, .fallback = 20 },
    [OFFSET] = { "offset", FIELD_INTEGER, FIELD_IN_QUERY, .max = 1000000 },
    [STATUS] = { "status", FIELD_TEXT, FIELD_IN_QUERY, .max = 20 },
};

/* The requested statuses as bits. 0: unknown status. */
static unsigned
read_statuses(struct str text)
{
    enum atom_status status;
    if (!str_present(text))
        return 1u << ATOM_ACTIVE;
    if (str_eq(text, STR("all")))
        /* The bits of all three statuses. */
        return 7;
    return atom_status_read(text, &status) ? 1u << status : 0;
}

/* Filters in the flow, so that `total` and the pages count only what the token may read. */
static bool
may_read(struct str name, void *context)
{
    const struct call *call = context;
    const struct domain *domain = domains_find(call->web->settings.domains, name);
    return domain != NULL && allowed_domains_can_read(call->access, domain);
}

/* `total` counts all atoms that match, so that a client knows when it has read every page. */
static void
write_page(struct call *call, const struct atom_page *page)
{
    struct json *out = response_json(call, 200);
    /* One allocation instead of several that grow. */
    buf_reserve(out->out, (page->count + 1) * ATOM_BYTES);
    json_open_object(out);
    json_key_array(out, "atoms");
    atom_write_list(out, page->atoms, page->count);
    json_close_array(out);
    json_put_int(out, "total", (int64_t)page->total);
    json_put_int(out, "limit", call_integer(call, LIMIT));
    json_put_int(out, "offset", call_integer(call, OFFSET));
    json_close_object(out);
    response_conditional(call);
}

/* False: an error response was sent. Without a name all readable domains are listed. */
static bool
check_domain(struct call *call, struct str name)
{
    const struct domain *domain = domains_find(call->web->settings.domains, name);
    if (!str_present(name))
        return true;
    if (domain == NULL)
        error_send(call, 400,
                   STR("domain names a domain that does not exist. GET /v1/domains lists all "
                       "domains."));
    else if (!allowed_domains_can_read(call->access, domain))
        bearer_error_scope(call, allowed_domains_read_scopes(domain));
    else
        return true;
    return false;
}

/* A read of one domain is shown to the user even if it found nothing. */
static void
record_page(struct call *call, struct str domain, const struct atom_page *page)
{
    const struct domains *domains = call->web->settings.domains;
    const struct domain *named = domains_find(domains, domain);
    call_record_no_facts(call);
    if (named != NULL)
        call_record_facts(call, (size_t)(named - domains->list), 0);
    for (size_t i = 0; i < page->count; i++)
        call_record_facts(
            call, (size_t)(domains_find(domains, page->atoms[i].domain) - domains->list), 1);
}

/* Unknown values of parameters are refused before any fact is read. */
static enum err
get_atoms(struct call *call)
{
    struct atom_page page;
    struct str domain = call_text(call, DOMAIN);
    struct atom_query query = {
        .may_read = may_read,
        .context = call,
        .statuses = read_statuses(call_text(call, STATUS)),
        .offset = (size_t)call_integer(call, OFFSET),
        .limit = (size_t)call_integer(call, LIMIT),
    };
    if (query.statuses == 0) {
        error_send(call, 400, STR("status must be active, suppressed, held, or all."));
        return ERR_NONE;
    }
    if (!check_domain(call, domain))
        return ERR_NONE;
    struct view view = access_view(call->access, call->web->settings.domains);
    enum err err = preferences_page(call->db, call->mem, &view, domain, &query, &page);
    if (err != ERR_NONE)
        return err;
    record_page(call, domain, &page);
    write_page(call, &page);
    return ERR_NONE;
}

/* ---- writing ---- */

/* NULL: an error response was sent. */
static const struct json_value *
read_body(struct call *call)
{
    const struct json_value *body = NULL;
    struct why why = { 0 };
    if (json_read(call->mem, call->exchange->request.body, DEPTH_MAX, &body, &why) != ERR_NONE)
        error_send(call, 400, str_format(call->mem, "The body is not JSON: %s", why.text));
    else if (body->type != JSON_OBJECT)
        error_send(call, 400, STR("The body must be a JSON object."));
    else
        return body;
    return NULL;
}

/* False: an error response was sent, from which the app learns whether it lacks the scope to write
 * or only this domain. */
static bool
may_write(struct call *call, const struct domain *domain)
{
    if ((call->access->allowed.scopes & SCOPE_PREFERENCES_WRITE) == 0)
        bearer_error_scope(call, SCOPE_PREFERENCES_WRITE);
    else if (!allowed_domains_can_write(call->access, domain))
        bearer_error_scope(call, SCOPE_PREFERENCES_WRITE | scope_named(domain->name));
    else
        return true;
    return false;
}

/* Nothing was stored: a write is valid as a whole or refused as a whole. */
static enum err
refuse_write(struct call *call, const struct preference_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        error_add_detail(call, problems->list[i].at, problems->list[i].problem);
    return ERR_INVALID;
}

/* `source` is the app of the token, never a value of the body. The flow decides what is held for
 * the user's review. */
static enum err
post_domain(struct call *call)
{
    const struct domain *domain = allowed_domains_in_path(call);
    if (domain == NULL || !may_write(call, domain))
        return ERR_NONE;
    const struct json_value *body = read_body(call);
    if (body == NULL)
        return ERR_NONE;
    struct preference_write params = {
        .user_id = call->access->user_id,
        .domain = domain,
        .source = call->access->app_id,
        .preferences = json_member(body, "preferences"),
        .now = call->now,
        /* New values may have to wait for the user, as the grant demands. */
        .as_granted = true,
    };
    struct preference_counts counts;
    struct preference_problems problems;
    struct record record = { 0 };
    enum err err = preferences_write(call->db, call->mem, &params, &counts, &record, &problems);
    if (err == ERR_INVALID)
        return refuse_write(call, &problems);
    if (err != ERR_NONE)
        return err;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "domain", domain->name);
    if (allowed_domains_can_read(call->access, domain)) {
        write_record(out, &record);
        json_put_int(out, "added", counts.added);
        json_put_int(out, "updated", counts.updated);
        json_put_int(out, "unchanged", counts.unchanged);
        json_put_int(out, "suppressed", counts.suppressed);
        json_put_int(out, "held", counts.held);
    } else { /* the other counts would reveal what was stored before */
        json_put_int(out, "received",
                     counts.added + counts.updated + counts.unchanged + counts.suppressed +
                         counts.held);
    }
    json_close_object(out);
    return ERR_NONE;
}

static bool
may_touch(const struct domain *domain, void *context)
{
    return allowed_domains_can_write(context, domain);
}

/* False if the token may use no domain at all; an error response was sent. The domain of the atom
 * is not known yet: the flow checks it with may_touch(). */
static bool
may_suppress(struct call *call)
{
    const struct domains *domains = call->web->settings.domains;
    scopes needed = SCOPE_PREFERENCES_WRITE;
    for (size_t i = 0; i < domains->count; i++) {
        if (allowed_domains_can_write(call->access, &domains->list[i]))
            return true;
        needed |= scope_named(domains->list[i].name);
    }
    bearer_error_scope(call, needed);
    return false;
}

/* A string of the body. Absent: an error response was sent. */
static struct str
body_text(struct call *call, const struct json_value *body, const char *name)
{
    const struct json_value *value = json_member(body, name);
    if (value != NULL && value->type == JSON_STR)
        return value->text;
    error_send(call, 400, str_format(call->mem, "%s must be a string.", name));
    return STR_NONE;
}

/* 202: the removal is only proposed, and the user decides on the page of confirm_url. */
static void
write_suppression(struct call *call, const struct atom *atom)
{
    bool waits = atom->status == ATOM_ACTIVE;
    struct json *out = response_json(call, waits ? 202 : 200);
    json_open_object(out);
    json_put_str(out, "atom_id", atom->id);
    json_put_str(out, "status", waits ? STR("waiting") : STR("suppressed"));
    json_put_str(out, "reason", atom->reason);
    if (waits)
        json_put_str(out, "confirm_url",
                     str_format(call->mem, "%.*s/account/waiting#%.*s",
                                STR_ARG(call->web->settings.auth_url), STR_ARG(atom->id)));
    else
        json_put_time(out, "suppressed_at", atom->suppressed_at);
    json_close_object(out);
}

/* Idempotent: an app may repeat a request whose response it lost. */
static enum err
post_suppress(struct call *call)
{
    if (!may_suppress(call))
        return ERR_NONE;
    const struct json_value *body = read_body(call);
    struct str atom_id = body == NULL ? STR_NONE : body_text(call, body, "atom_id");
    struct str reason = !str_present(atom_id) ? STR_NONE : body_text(call, body, "reason");
    if (!str_present(reason))
        return ERR_NONE;
    if (!atom_reason_valid(reason)) {
        error_send(call, 400,
                   STR("reason must be not_accurate, outdated, not_mine, too_personal, or "
                       "other."));
        return ERR_NONE;
    }
    struct app_suppression params = {
        .user_id = call->access->user_id,
        .atom_id = atom_id,
        .reason = reason,
        .app_id = call->access->app_id,
        .domains = call->web->settings.domains,
        .may_touch = may_touch,
        .context = (void *)(uintptr_t)call->access,
        .now = call->now,
    };
    struct atom atom = { 0 };
    enum err err = corrections_suppress_by_app(call->db, call->mem, &params, &atom);
    /* One response for an unknown atom and for one the app must not change: the difference would
     * show what exists. */
    if (err == ERR_NOT_FOUND) {
        error_send(call, 404, STR("This atom does not exist, or the app may not change it."));
        return ERR_NONE;
    }
    if (err == ERR_TOO_LARGE) {
        error_send(call, 400,
                   STR("100 changes by this app wait for the user's confirmation. The user must "
                       "decide on some of them first."));
        return ERR_NONE;
    }
    if (err == ERR_NONE)
        write_suppression(call, &atom);
    return err;
}

/* ---- export ---- */

/* Not conditional: the document contains the time of the export. */
static enum err
get_export(struct call *call)
{
    struct buf out = buf_in(call->mem, TRANSFER_MAX);
    int64_t facts[DOMAINS_MAX] = { 0 };
    struct export_params params = {
        .view = access_view(call->access, call->web->settings.domains),
        .domains = call->web->settings.domains,
        .now = call->now,
        .facts = facts,
    };
    enum err err = transfer_export(call->db, call->mem, &params, &out);
    if (err == ERR_TOO_LARGE) {
        error_send(call, 413,
                   STR("The export is larger than 8 MiB, the limit for one response. Read single "
                       "domains (GET /v1/preferences/{domain}) or pages of atoms "
                       "(GET /v1/preferences/atoms)."));
        return ERR_NONE;
    }
    if (err != ERR_NONE)
        return err;
    call_record_no_facts(call);
    for (size_t i = 0; i < params.domains->count; i++)
        if (facts[i] > 0)
            call_record_facts(call, i, facts[i]);
    response_bytes(call, 200, "application/json", buf_str(&out));
    response_header(call, "Content-Disposition", "attachment; filename=\"penchant-export.json\"");
    response_header(call, "Cache-Control", "private, no-cache");
    response_header(call, "Vary", "Authorization");
    return ERR_NONE;
}

/* The literal paths here are found before {domain} (web/router.h). */
const struct route preferences_routes[] = {
    { GET, "/v1/preferences", get_all, CALLER_TOKEN,
      .summary = "Returns all preferences that the token may read.", .activity = ACTIVITY_READ,
      .any_domain = true, .scope = SCOPE_PREFERENCES_READ, .cached_by = CACHE_PREFERENCES,
      .cors = true },
    { GET, "/v1/preferences/{domain}", get_domain, CALLER_TOKEN,
      .summary = "Returns a domain's preferences.", .activity = ACTIVITY_READ,
      .cached_by = CACHE_PREFERENCES, .cors = true },
    { POST, "/v1/preferences/{domain}", post_domain, CALLER_TOKEN,
      .summary = "Adds or changes preferences.", .activity = ACTIVITY_WRITE, .body = BODY_JSON,
      .body_max = BODY_MAX, .blocks = true, .cors = true },
    { GET, "/v1/preferences/atoms", get_atoms, CALLER_TOKEN,
      .summary = "Lists atoms, newest first.", .activity = ACTIVITY_READ, .any_domain = true,
      .scope = SCOPE_PREFERENCES_READ, ROUTE_FIELDS(atoms_fields), .cached_by = CACHE_PREFERENCES,
      .cors = true },
    { POST, "/v1/preferences/suppress", post_suppress, CALLER_TOKEN,
      .summary = "Marks an atom as wrong.", .activity = ACTIVITY_SUPPRESS,
      .scope = SCOPE_PREFERENCES_WRITE, .body = BODY_JSON, .body_max = BODY_MAX, .blocks = true,
      .cors = true },
    { GET, "/v1/preferences/export", get_export, CALLER_TOKEN,
      .summary = "Exports all preferences as one document.", .activity = ACTIVITY_EXPORT,
      .scope = SCOPE_PREFERENCES_READ, .blocks = true, .cors = true },
    { 0 },
};
