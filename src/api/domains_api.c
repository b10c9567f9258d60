/* domains_api.c - the list of domains, their schemas, and their statistics. */
#include "api/api_routes.h"
#include "dispatch/allowed_domains.h"
#include "preference/preferences.h"
#include "model/grant.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

/* 0: nothing is stored in this domain. */
static int64_t
count_of(const struct record *records, size_t count, struct str domain)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(records[i].domain, domain))
            return records[i].atom_count;
    return 0;
}

/* Lists domains that the token may not read as well, so that an app knows what to ask for, but
 * without a count. */
static enum err
get_domains(struct call *call)
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
    json_key_array(out, "domains");
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->list[i];
        bool readable = allowed_domains_can_read(call->access, domain);
        json_open_object(out);
        json_put_str(out, "domain", domain->name);
        json_put_str(out, "title", domain->title);
        json_put_str(out, "description", domain->description);
        json_put_str(out, "scope", domain->name);
        json_put_bool(out, "readable", readable);
        if (readable)
            json_put_int(out, "atom_count", count_of(records, count, domain->name));
        json_close_object(out);
    }
    json_close_array(out);
    json_close_object(out);
    response_conditional(call);
    return ERR_NONE;
}

/* A definition is not about a user: any valid token may read it. */
static enum err
get_schema(struct call *call)
{
    const struct domain *domain = allowed_domains_in_path(call);
    if (domain == NULL)
        return ERR_NONE;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "domain", domain->name);
    json_put_str(out, "version", domain->version);
    json_key(out, "schema");
    json_raw(out, domain->schema);
    json_close_object(out);
    response_conditional(call);
    return ERR_NONE;
}

/* ---- statistics ---- */

/* For one member: atoms by status, and the indexes of its first and last atom. */
struct atom_counts {
    /* By enum atom_status. */
    int64_t by_status[3];
    int64_t first;
    int64_t last;
};

/* Times are those of active atoms only; others are counted by their status. */
static struct atom_counts
count_atoms(const struct atom *atoms, size_t count)
{
    struct atom_counts counts = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (!atom_visible(&atoms[i]))
            continue;
        counts.by_status[atoms[i].status]++;
        if (atoms[i].status != ATOM_ACTIVE)
            continue;
        if (counts.first == 0 || atoms[i].created_at < counts.first)
            counts.first = atoms[i].created_at;
        if (atoms[i].updated_at > counts.last)
            counts.last = atoms[i].updated_at;
    }
    return counts;
}

/* Members without a value are left out. */
static void
write_members(struct json *out, const struct domain *domain, const struct atom *atoms, size_t count)
{
    json_key_object(out, "members");
    for (size_t m = 0; m < domain->member_count; m++) {
        int64_t number = 0;
        for (size_t i = 0; i < count; i++)
            number +=
                atoms[i].status == ATOM_ACTIVE && str_eq(atoms[i].member, domain->members[m].name);
        if (number > 0) {
            json_key_str(out, domain->members[m].name);
            json_int(out, number);
        }
    }
    json_close_object(out);
}

/* The counts are those of the view: facts that the user withholds from the app are not in it. */
static enum err
get_stats(struct call *call)
{
    struct atom *atoms = NULL;
    size_t count = 0;
    int64_t sources = 0;
    struct view view = access_view(call->access, call->web->settings.domains);
    const struct domain *domain = allowed_domains_readable_in_path(call);
    if (domain == NULL)
        return ERR_NONE;
    enum err err = preferences_atoms(call->db, call->mem, &view, domain->name, &atoms, &count);
    if (err == ERR_NONE)
        err = preferences_sources(call->db, call->mem, &view, domain->name, &sources);
    if (err != ERR_NONE)
        return err;
    struct atom_counts counts = count_atoms(atoms, count);
    /* The user's activity shows the domain, without a number of facts: none was sent. */
    call_record_facts(call, (size_t)(domain - call->web->settings.domains->list), 0);
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "domain", domain->name);
    json_put_int(out, "atom_count", counts.by_status[ATOM_ACTIVE]);
    json_put_int(out, "suppressed_count", counts.by_status[ATOM_SUPPRESSED]);
    json_put_int(out, "held_count", counts.by_status[ATOM_HELD]);
    write_members(out, domain, atoms, count);
    json_put_int(out, "sources", sources);
    json_put_time(out, "first_recorded_at", counts.first);
    json_put_time(out, "updated_at", counts.last);
    json_close_object(out);
    response_conditional(call);
    return ERR_NONE;
}

const struct route domains_routes[] = {
    { GET, "/v1/domains", get_domains, CALLER_TOKEN, .summary = "Lists the domains.",
      .activity = ACTIVITY_BY_HANDLER, .cached_by = CACHE_PREFERENCES, .cors = true },
    { GET, "/v1/domains/{domain}/schema", get_schema, CALLER_TOKEN,
      .summary = "Returns a domain's schema.", .activity = ACTIVITY_BY_HANDLER, .cors = true },
    { GET, "/v1/domains/{domain}/stats", get_stats, CALLER_TOKEN,
      .summary = "Counts a domain's atoms.", .activity = ACTIVITY_READ,
      .cached_by = CACHE_PREFERENCES, .cors = true },
    { 0 },
};
