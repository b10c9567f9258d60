/* facts.c - the tool get_preferences: areas, and the facts stored in one.
 *
 * Without an argument it lists the areas that the token may read, with the names of their members,
 * so that a model can then use remember and forget. With an area it returns its facts in pages.
 * Both read through a view (model/view.h), so what the user withholds does not exist here. */
#include "dispatch/allowed_domains.h"
#include "preference/preferences.h"
#include "mcp/permission.h"
#include "mcp/tool.h"
#include "model/atom_page.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/state.h"

#define PAGE 50
#define OFFSET_MAX 1000000
#define VALUE_DEPTH 4

/* ---- areas ---- */

/* Properties of an object member are written as "indentation.width". */
static void
write_members(struct call *call, struct json *out, const struct domain *domain)
{
    json_key_array(out, "members");
    for (size_t i = 0; i < domain->member_count; i++) {
        const struct member *member = &domain->members[i];
        if (member->type != MEMBER_OBJECT)
            json_str(out, member->name);
        for (size_t p = 0; member->type == MEMBER_OBJECT && p < member->property_count; p++)
            json_str(out, str_format(call->mem, "%.*s.%.*s", STR_ARG(member->name),
                                     STR_ARG(member->properties[p].name)));
    }
    json_close_array(out);
}

/* Areas without facts are listed, too: a model needs their members to store the first one. Sends no
 * facts, only numbers, so the activity shows none. */
static enum err
send_domains(const struct mcp_call *mcp)
{
    struct call *call = mcp->call;
    const struct domains *domains = call->web->settings.domains;
    struct record *records = NULL;
    size_t count = 0;
    struct view view = access_view(call->access, domains);
    enum err err = preferences_read_all(call->db, call->mem, &view, &records, &count);
    if (err != ERR_NONE)
        return err;
    struct buf buf = buf_in(call->mem, TOOL_RESULT_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    json_key_array(&out, "domains");
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->list[i];
        int64_t facts = 0;
        if (!allowed_domains_can_read(call->access, domain))
            continue;
        for (size_t r = 0; r < count; r++)
            facts = str_eq(records[r].domain, domain->name) ? records[r].atom_count : facts;
        json_open_object(&out);
        json_put_str(&out, "domain", domain->name);
        json_put_str(&out, "title", domain->title);
        json_put_int(&out, "count", facts);
        write_members(call, &out, domain);
        json_close_object(&out);
    }
    json_close_array(&out);
    json_put_name(&out, "content_role", STR("data"));
    json_close_object(&out);
    call_record_no_facts(call);
    return buf.overflow ? ERR_INTERNAL : tool_send_result(mcp, buf_str(&buf));
}

/* ---- facts ---- */

/* For atom_query: names come from stored rows, whose domain may have no definition anymore. */
static bool
may_read(struct str name, void *context)
{
    const struct call *call = context;
    const struct domain *domain = domains_find(call->web->settings.domains, name);
    return domain != NULL && allowed_domains_can_read(call->access, domain);
}

/* A value as text: a schema with several types is not portable between models. */
static struct str
value_text(struct call *call, struct str json)
{
    const struct json_value *value = NULL;
    bool is_text = json_read(call->mem, json, VALUE_DEPTH, &value, NULL) == ERR_NONE &&
                   value->type == JSON_STR;
    return is_text ? value->text : json;
}

/* "self": this client stated it. Names of other apps are not sent. */
static void
write_fact(struct call *call, struct json *out, const struct atom *atom)
{
    json_open_object(out);
    json_put_str(out, "fact_id", atom->id);
    json_put_str(out, "member", atom->member);
    json_put_str(out, "value", value_text(call, atom->value));
    json_put_str(out, "source",
                 atom->by_user     ? STR("user")
                 : atom->by_caller ? STR("self")
                                   : STR("other"));
    json_put_time(out, "since", atom->created_at);
    if (atom->status != ATOM_ACTIVE)
        json_put_str(out, "status", str_of(atom_status_name(atom->status)));
    json_close_object(out);
}

/* Also facts that wait or are suppressed, with their status, so that a model does not suggest them
 * again. */
static enum err
send_facts(const struct mcp_call *mcp, const struct domain *domain, int64_t offset)
{
    struct call *call = mcp->call;
    struct atom_page page;
    struct atom_query query = {
        .may_read = may_read,
        .context = call,
        .statuses = 1u << ATOM_ACTIVE | 1u << ATOM_SUPPRESSED | 1u << ATOM_HELD,
        .offset = (size_t)offset,
        .limit = PAGE,
    };
    struct view view = access_view(call->access, call->web->settings.domains);
    enum err err = preferences_page(call->db, call->mem, &view, domain->name, &query, &page);
    if (err != ERR_NONE)
        return err;
    call_record_facts(call, (size_t)(domain - call->web->settings.domains->list),
                      (int64_t)page.count);
    struct buf buf = buf_in(call->mem, TOOL_RESULT_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    json_key_array(&out, "facts");
    for (size_t i = 0; i < page.count; i++)
        write_fact(call, &out, &page.atoms[i]);
    json_close_array(&out);
    if ((size_t)offset + page.count < page.total)
        json_put_str(&out, "next_cursor",
                     str_format(call->mem, "%zu", (size_t)offset + page.count));
    json_put_name(&out, "content_role", STR("data"));
    json_close_object(&out);
    return buf.overflow ? ERR_INTERNAL : tool_send_result(mcp, buf_str(&buf));
}

/* Arguments before permission, because the area decides which permission is needed. */
enum err
tool_get_preferences(const struct mcp_call *mcp, struct tool_args *args)
{
    static const char *const names[] = { "domain", "cursor", NULL };
    args_only(args, names);
    const struct domain *domain = args_domain(args, "domain");
    struct str cursor = args_text(args, "cursor", 20);
    int64_t offset = 0;
    /* The cursor is an offset: facts that are added or removed between two pages may be repeated or
     * missed. */
    if (str_present(cursor) && (domain == NULL || !str_to_int(cursor, 0, OFFSET_MAX, &offset)))
        args_fail(args, STR("cursor must be the next_cursor of the page before, with the same "
                            "domain."));
    if (str_present(args->problem))
        return tool_send_error(mcp, args->problem);
    enum permission permission = permission_read(mcp, domain);
    if (permission != PERMITTED)
        return tool_send_denied(
            mcp, SCOPE_PREFERENCES_READ, permission == PERMISSION_DENIED,
            domain == NULL ? STR("reading stored facts")
                           : str_format(mcp->call->mem, "reading %.*s", STR_ARG(domain->name)));
    return domain == NULL ? send_domains(mcp) : send_facts(mcp, domain, offset);
}
