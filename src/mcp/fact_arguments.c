/* fact_arguments.c - arguments of remember and forget, which models write, with errors that help
 * them to write better ones.
 *
 * A wrong member is answered with the list of members, a wrong value with what it must be. Values
 * are not validated further here: the flow does that for all clients. */
#include "mcp/fact_arguments.h"

#include "base/arena.h"
#include "dispatch/allowed_domains.h"
#include "domain/domain.h"
#include "mcp/permission.h"
#include "text/json_read.h"
#include "web/call.h"
#include "web/state.h"

/* NULL: there is no such property. */
static const struct property *
find_property(const struct member *member, struct str name)
{
    for (size_t i = 0; member != NULL && i < member->property_count; i++)
        if (str_eq(member->properties[i].name, name))
            return &member->properties[i];
    return NULL;
}

/* The error lists all valid names, so that a model can repeat the call without another request. */
static void
fail_member(struct tool_args *args, const struct domain *domain, struct str name)
{
    struct buf list = buf_in(args->mcp->call->mem, TOOL_RESULT_MAX);
    for (size_t i = 0; i < domain->member_count; i++) {
        const struct member *member = &domain->members[i];
        if (member->type != MEMBER_OBJECT)
            buf_add_format(&list, ", %.*s", STR_ARG(member->name));
        for (size_t p = 0; member->type == MEMBER_OBJECT && p < member->property_count; p++)
            buf_add_format(&list, ", %.*s.%.*s", STR_ARG(member->name),
                           STR_ARG(member->properties[p].name));
    }
    args_fail(args, str_format(args->mcp->call->mem,
                               "%.*s has no member \"%.*s\". Its members are: %.*s.",
                               STR_ARG(domain->name), STR_ARG(str_first(name, 64)),
                               STR_ARG(str_from(buf_str(&list), 2))));
}

/* Reports the first problem only; the caller sends it after it has checked permission, so that the
 * errors do not depend on what the client may do. */
void
statement_read(struct tool_args *args, struct statement *out)
{
    *out = (struct statement){ .domain = args_domain(args, "domain") };
    struct str name = args_text(args, "member", 200);
    if (out->domain == NULL)
        args_fail(args, STR("domain is required."));
    else if (!str_present(name))
        args_fail(args, STR("member is required."));
    if (str_present(args->problem))
        return;
    /* An object needs a property, and any other member must have none. */
    size_t dot = str_index(name, '.');
    out->member = domain_member(out->domain, str_first(name, dot));
    bool is_object = out->member != NULL && out->member->type == MEMBER_OBJECT;
    out->property = is_object ? find_property(out->member, str_from(name, dot + 1)) : NULL;
    if (out->member == NULL || (dot < name.len) != is_object ||
        (is_object && out->property == NULL))
        fail_member(args, out->domain, name);
}

/* ---- values ---- */

enum kind { KIND_TEXT, KIND_NUMBER, KIND_BOOL };

/* The type of the property for an object, otherwise of the member. */
static enum kind
kind_of(const struct statement *statement)
{
    if (statement->property != NULL)
        return statement->property->type == PROPERTY_NUMBER ? KIND_NUMBER
               : statement->property->type == PROPERTY_BOOL ? KIND_BOOL
                                                            : KIND_TEXT;
    return statement->member->type == MEMBER_NUMBER ? KIND_NUMBER
           : statement->member->type == MEMBER_BOOL ? KIND_BOOL
                                                    : KIND_TEXT;
}

static bool
read_bool(struct str text, bool *out)
{
    *out = str_eq_nocase(text, STR("true")) || str_eq_nocase(text, STR("yes"));
    return *out || str_eq_nocase(text, STR("false")) || str_eq_nocase(text, STR("no"));
}

/* A number is parsed as JSON, so it has exactly the spellings that the API accepts. */
const struct json_value *
statement_value(struct tool_args *args, const struct statement *statement, struct str text)
{
    struct arena *mem = args->mcp->call->mem;
    struct json_value *value = ARENA_NEW(mem, struct json_value);
    const struct json_value *number = NULL;
    bool truth;
    switch (kind_of(statement)) {
    case KIND_TEXT:
        value->type = JSON_STR;
        value->text = text;
        return value;
    case KIND_BOOL:
        if (read_bool(text, &truth)) {
            value->type = JSON_BOOL;
            value->integer = truth;
            return value;
        }
        break;
    case KIND_NUMBER:
        if (json_read(mem, text, 1, &number, NULL) == ERR_NONE &&
            (number->type == JSON_INT || number->type == JSON_REAL))
            return number;
        break;
    }
    args_fail(args, str_format(mem, "\"%.*s\" must be %s.", STR_ARG(str_first(text, 64)),
                               kind_of(statement) == KIND_BOOL ? "true or false" : "a number"));
    return NULL;
}

/* ---- permission ---- */

/* False: a response was sent. */
static bool
may_write(const struct mcp_call *mcp, const struct domain *domain)
{
    enum permission permission = permission_scope(mcp, SCOPE_PREFERENCES_WRITE);
    if (permission != PERMITTED) {
        tool_send_denied(mcp, SCOPE_PREFERENCES_WRITE, permission == PERMISSION_DENIED,
                         STR("changes to stored facts"));
        return false;
    }
    if (domain == NULL || allowed_domains_can_write(mcp->call->access, domain))
        return true;
    mcp->call->activity.domains = (uint64_t)1 << (domain - mcp->call->web->settings.domains->list);
    tool_send_error(mcp, permission_sentence(mcp, str_format(mcp->call->mem, "changes to %.*s",
                                                             STR_ARG(domain->name))));
    return false;
}

/* The order matters: permission first, then mistakes in the arguments, then the state of an earlier
 * call. False: the response is complete, and *err is the result of the tool. */
bool
statement_begin(struct tool_args *args, const struct statement *statement, enum confirm_step *step,
                enum err *err)
{
    *err = ERR_NONE;
    if (!may_write(args->mcp, statement->domain))
        return false;
    if (str_present(args->problem)) {
        *err = tool_send_error(args->mcp, args->problem);
        return false;
    }
    *err = confirm_read(args->mcp, step);
    if (*err == ERR_INVALID)
        *err = rpc_invalid(args->mcp, STR("requestState is not one of this server for this call, "
                                          "or it has expired. Repeat the call without it."));
    else if (*err == ERR_NONE)
        return true;
    return false;
}
