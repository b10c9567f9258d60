/* request_activity.c - see request_activity.h. A cached response carries its activity as bytes:
 * whether anything was read, the number of domains, and for each its index and count of facts. */
#include "dispatch/request_activity.h"

#include "job/activity_counters.h"
#include "model/grant.h"
#include "web/call.h"
#include "web/state.h"

_Static_assert(REQUEST_ACTIVITY_MAX == 2 + DOMAINS_MAX * 3, "three bytes per domain");

/* The path names the domain that was denied; without one, the scopes do if they are of a single
 * domain. */
void
request_activity_denied(struct call *call, scopes needed)
{
    const struct domains *all = call->web->settings.domains;
    const struct domain *in_path = domains_find(all, call_param(call, 0));
    uint64_t domains = scopes_domain_indexes(needed);
    call->activity.refused = true;
    if (in_path != NULL)
        call->activity.domains = (uint64_t)1 << (in_path - all->list);
    else if (__builtin_popcountll(domains) == 1) /* several: the request was about none alone */
        call->activity.domains = domains;
}

/* One byte each for "something happened" and the number of domains, then three bytes per domain:
 * its index, and its facts with the low byte first. REQUEST_ACTIVITY_MAX has room for all
 * domains. */
size_t
request_activity_pack(const struct call *call, char out[REQUEST_ACTIVITY_MAX])
{
    size_t length = 2;
    out[0] = (char)call->activity.happened;
    for (uint64_t left = call->activity.domains; left != 0; left &= left - 1) {
        size_t domain = (size_t)__builtin_ctzll(left);
        uint16_t facts = call->activity.facts[domain];
        out[length++] = (char)domain;
        out[length++] = (char)(facts & 0xff);
        out[length++] = (char)(facts >> 8);
    }
    out[1] = (char)((length - 2) / 3);
    return length;
}

/* Only reads what request_activity_pack() of the same process wrote, so lengths are not checked. */
struct str
request_activity_unpack(struct call *call, struct str packed)
{
    const unsigned char *at = (const unsigned char *)packed.ptr;
    size_t count = at[1];
    call->activity.happened = at[0] != 0;
    at += 2;
    for (size_t i = 0; i < count; i++, at += 3) {
        call->activity.domains |= (uint64_t)1 << at[0];
        call->activity.facts[at[0]] = (uint16_t)(at[1] | at[2] << 8);
    }
    return str_from(packed, 2 + 3 * count);
}

/* A route that changes facts is counted here only if it was refused: its transaction records the
 * change. */
void
request_activity_count(const struct call *call)
{
    const struct call_activity *activity = &call->activity;
    struct activity_counters *counters = call->web->settings.activity;
    const struct access *access = call->access != NULL ? call->access : call->refused_access;
    enum activity_action action =
        activity->action != ACTIVITY_NONE ? activity->action : call->route->activity;
    bool read = activity->happened && call->exchange->response.status < 400;
    bool changes = action == ACTIVITY_WRITE || action == ACTIVITY_SUPPRESS;
    if (counters == NULL || access == NULL || call->now == 0 || action == ACTIVITY_BY_HANDLER ||
        !(activity->refused || (read && !changes)))
        return;
    struct activity_count count = {
        .user_id = access->user_id,
        .app_id = access->app_id,
        .action = action,
        .refused = activity->refused,
        .domains = activity->domains,
        .facts = activity->facts,
        .now = call->now,
    };
    activity_counters_add(counters, &count);
}
