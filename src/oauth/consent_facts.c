/* consent_facts.c - the newest facts of the requested areas, each with a box that withholds it.
 *
 * The page has room for twenty facts, which the areas share; each area gets at least five, in the
 * order of the definitions, until the twenty are used. The rest is counted. Facts that the user
 * withheld before are shown as such. */
#include "oauth/consent_facts.h"

#include "base/arena.h"
#include "model/grant.h"
#include "page/facts.h"
#include "text/form.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

#define FACTS_MAX 20       /* on the page: newer facts of a domain first */
#define DOMAIN_FACTS_MIN 5 /* of a domain, however many domains share the page */

/* Facts of one consent page. `omitted` counts those beyond the limit of the page. */
struct listing {
    struct call *call;
    const struct facts *facts;
    struct view view; /* what is withheld already */
    size_t shown, domain_max;
    int64_t omitted;
};

/* Facts that wait or are marked as wrong are not shared with apps anyway. */
static bool
lists(const struct atom *atom, const struct domain *domain)
{
    return atom->status == ATOM_ACTIVE && str_eq(atom->domain, domain->name);
}

/* `before` marks a fact that is withheld already; its box is checked and cannot be changed here. */
static void
put_fact(struct listing *listing, struct values *item, const struct domain *domain,
         const struct atom *atom)
{
    struct call *call = listing->call;
    const struct member *member = domain_member(domain, atom->member);
    values_text(item, "id", atom->id);
    values_text(item, "fact", facts_short(call, facts_value(call, member, atom->value)));
    values_text(item, "label",
                member == NULL ? facts_label(call, atom->member)
                               : facts_member_label(call, member));
    values_flag(item, "before", !view_shows(&listing->view, atom));
}

/* Facts are stored oldest first, so the loop runs backward. */
static void
put_domain(struct listing *listing, struct values *values, const struct domain *domain)
{
    struct values *group = NULL;
    size_t shown = 0;
    for (size_t i = listing->facts->count; i > 0; i--) {
        const struct atom *atom = &listing->facts->list[i - 1].atom;
        if (!lists(atom, domain))
            continue;
        if (shown == listing->domain_max || listing->shown == FACTS_MAX) {
            listing->omitted++;
            continue;
        }
        if (group == NULL) {
            group = values_item(values, "withhold");
            values_text(group, "title", message_sentence(listing->call, domain->title));
        }
        put_fact(listing, values_item(group, "facts"), domain, atom);
        shown++;
        listing->shown++;
    }
}

/* A request for few domains lists more facts of each. */
static size_t
domain_max(const struct facts *facts, const struct domains *domains,
           const struct permissions *asked)
{
    size_t used = 0;
    for (size_t i = 0; i < domains->count; i++) {
        bool any = false;
        for (size_t n = 0; n < facts->count && !any; n++)
            any = lists(&facts->list[n].atom, &domains->list[i]);
        used += any && grant_reads(asked, domains->list[i].name, false);
    }
    size_t each = used == 0 ? FACTS_MAX : FACTS_MAX / used;
    return each > DOMAIN_FACTS_MIN ? each : DOMAIN_FACTS_MIN;
}

/* Lists facts only of the domains that the app asked to read, so that the user withholds what this
 * app would see. */
void
consent_facts_put(struct call *call, struct values *values, const struct facts *facts,
                  scopes requested, struct str withheld)
{
    const struct domains *domains = call->web->settings.domains;
    struct permissions asked = permissions_of(requested, requested);
    struct listing listing = { .call = call,
                               .facts = facts,
                               .view.withheld = withheld,
                               .domain_max = domain_max(facts, domains, &asked) };
    for (size_t i = 0; i < domains->count; i++)
        if (grant_reads(&asked, domains->list[i].name, false))
            put_domain(&listing, values, &domains->list[i]);
    values_flag(values, "withhold_any", listing.shown > 0);
    if (listing.omitted > 0)
        values_text(values, "withhold_more",
                    message_count(call, KEY("consent.withhold.more.one"),
                                  KEY("consent.withhold.more.other"), listing.omitted));
}

/* The ids are checked by the flow, which ignores those that are not the user's. Never NULL, so that
 * a form without checked boxes is an empty list. */
struct str *
consent_facts_ids(struct call *call, const struct form *form, size_t *count)
{
    struct str *ids = ARENA_ARRAY(call->mem, struct str, form == NULL ? 1 : form->count + 1);
    *count = 0;
    for (size_t i = 0; form != NULL && i < form->count; i++)
        if (str_eq_c(form->fields[i].name, "withhold"))
            ids[(*count)++] = form->fields[i].value;
    return ids;
}

/* Ids that are not the user's are ignored. A fact that does not fit is left out: this is for the
 * preview; consent_decide() refuses the whole form instead. */
struct str
consent_facts_withheld(struct call *call, const struct facts *facts, const struct form *form,
                       struct str withheld)
{
    size_t count;
    struct str *ids = consent_facts_ids(call, form, &count);
    for (size_t i = 0; i < count; i++) {
        const struct sourced_atom *fact = facts_find(facts, ids[i]);
        struct str more = fact == NULL ? withheld : view_withhold(call->mem, withheld, &fact->atom);
        withheld = str_present(more) ? more : withheld;
    }
    return withheld;
}
