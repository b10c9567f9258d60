/* account_pages.c - what is known about a person, all of it at a glance: /account. */
#include "base/arena.h"
#include "flow/hints.h"
#include "model/value.h"
#include "text/json_read.h"
#include "text/template.h"
#include "web/account_page.h"
#include "web/call.h"
#include "web/facts.h"
#include "web/hints_panel.h"
#include "web/reply.h"
#include "web/routes.h"
#include "web/say.h"
#include "web/state.h"

#define SEARCH_FROM 15 /* facts, from which a search helps */

/* A person may have thousands of facts, and a page must stay one. The rest is a link or a search
 * away, and what waits moves up as it is decided. */
#define SHOWN_PER_MEMBER 12
#define FOUND_PER_MEMBER 40
#define WAITING_SHOWN 10
#define WRONG_SHOWN 50

WORD(facts_one, "account.facts.one");
WORD(facts_other, "account.facts.other");
WORD(more_one, "account.more.one");
WORD(more_other, "account.more.other");
WORD(waiting_more_one, "account.held.more.one");
WORD(waiting_more_other, "account.held.more.other");
WORD(brief, "hints.budget.50");
WORD(standard, "hints.budget.100");
WORD(detailed, "hints.budget.200");
WORD(everything, "hints.budget.500");

enum { QUERY, CONTEXT, BUDGET };

static const struct field account_fields[] = {
    [QUERY] = { "q", FIELD_LINE, FIELD_IN_QUERY, .max = 200 },
    [CONTEXT] = { "context", FIELD_LINE, FIELD_IN_QUERY, .max = CONTEXT_MAX },
    [BUDGET] = { "budget", FIELD_WHOLE, FIELD_IN_QUERY, .min = 1, .max = HINTS_TOKENS_MAX,
                 .otherwise = HINTS_TOKENS_OTHERWISE },
};

struct shown {
    struct call *call;
    struct facts facts;
    struct str wanted; /* folded; absent: everything */
    int64_t active;
};

/* ---- searching ---- */

static bool
contains(struct str text, struct str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (str_starts(str_from(text, i), part))
            return true;
    return false;
}

static bool
is_wanted(struct shown *shown, const struct domain *domain, const struct atom *atom)
{
    struct call *call = shown->call;
    if (!str_present(shown->wanted))
        return true;
    const struct member *member = domain_member(domain, atom->member);
    struct str value = value_fold(call->mem, facts_value(call, member, atom->value));
    struct str label = value_fold(call->mem, facts_label(call, atom->member));
    struct str title = value_fold(call->mem, domain->title);
    return contains(value, shown->wanted) || contains(label, shown->wanted) ||
           contains(title, shown->wanted);
}

/* ---- by domain ---- */

static void
put_member(struct shown *shown, struct values *values, const struct domain *domain,
           const struct member *member)
{
    struct values *item = NULL;
    int64_t count = 0, most = str_present(shown->wanted) ? FOUND_PER_MEMBER : SHOWN_PER_MEMBER;
    for (size_t i = 0; i < shown->facts.count; i++) {
        const struct sourced_atom *fact = &shown->facts.list[i];
        if (fact->atom.status != ATOM_ACTIVE || !str_eq(fact->atom.domain, domain->name) ||
            !str_eq(fact->atom.member, member->name) || !is_wanted(shown, domain, &fact->atom))
            continue;
        if (item == NULL) {
            item = values_item(values, "members");
            values_text(item, "label", facts_label(shown->call, member->name));
            values_flag(item, "sensitive", member->sensitive);
        }
        if (count++ < most)
            facts_put(shown->call, &shown->facts, values_item(item, "facts"), fact);
    }
    if (count > most) {
        values_text(item, "more", say_count(shown->call, more_one, more_other, count - most));
        values_text(item, "member", member->name);
    }
}

static int64_t
count_active(const struct facts *facts, struct str domain)
{
    int64_t count = 0;
    for (size_t i = 0; i < facts->count; i++)
        count += facts->list[i].atom.status == ATOM_ACTIVE &&
                 (!str_present(domain) || str_eq(facts->list[i].atom.domain, domain));
    return count;
}

static void
put_domains(struct shown *shown, struct values *values)
{
    struct call *call = shown->call;
    const struct domains *domains = call->web->settings.domains;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->list[i];
        struct values *item = values_item(values, "domains");
        int64_t count = count_active(&shown->facts, domain->name);
        values_text(item, "domain", domain->name);
        values_text(item, "title", domain->title);
        values_text(item, "description", domain->description);
        values_text(item, "count", say_count(call, facts_one, facts_other, count));
        values_flag(item, "empty", count == 0);
        for (size_t m = 0; m < domain->member_count; m++)
            put_member(shown, item, domain, &domain->members[m]);
    }
}

/* ---- what waits, and what is wrong ---- */

static void
put_others(struct shown *shown, struct values *values)
{
    int64_t suppressed = 0, waiting = 0;
    for (size_t i = shown->facts.count; i > 0; i--) {
        const struct sourced_atom *fact = &shown->facts.list[i - 1];
        const struct domain *domain =
            domains_find(shown->call->web->settings.domains, fact->atom.domain);
        if (fact->atom.status == ATOM_ACTIVE || domain == NULL)
            continue;
        bool held = fact->atom.status == ATOM_HELD;
        if (!held && !is_wanted(shown, domain, &fact->atom))
            continue;
        int64_t before = held ? waiting++ : suppressed++;
        if (before >= (held ? WAITING_SHOWN : WRONG_SHOWN))
            continue;
        struct values *item = values_item(values, held ? "waiting" : "wrong");
        facts_put(shown->call, &shown->facts, item, fact);
        if (held)
            facts_put_why(shown->call, &shown->facts, item, &fact->atom);
    }
    if (waiting > WAITING_SHOWN)
        values_text(
            values, "waiting_more",
            say_count(shown->call, waiting_more_one, waiting_more_other, waiting - WAITING_SHOWN));
    values_flag(values, "has_wrong", suppressed > 0);
    values_text(values, "wrong_count", str_format(shown->call->mem, "%lld", (long long)suppressed));
}

/* ---- what an agent would be told ---- */

static void
put_contexts(struct call *call, struct values *values)
{
    const struct domains *domains = call->web->settings.domains;
    for (size_t i = 0; i < domains->count; i++)
        for (size_t c = 0; c < domains->list[i].context_count; c++) {
            struct str name = domains->list[i].contexts[c].name;
            struct values *item = values_item(values, "contexts");
            values_text(item, "context", name);
            values_text(item, "says", facts_label(call, name));
            values_flag(item, "chosen", str_eq(name, call_text(call, CONTEXT)));
        }
}

static void
put_budgets(struct call *call, struct values *values)
{
    const struct {
        int64_t tokens;
        const char *key;
    } budgets[] = { { 50, brief }, { 100, standard }, { 200, detailed }, { 500, everything } };
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        struct values *item = values_item(values, "budgets");
        values_text(item, "budget", str_format(call->mem, "%lld", (long long)budgets[i].tokens));
        values_text(item, "says", say(call, budgets[i].key));
        values_flag(item, "chosen", budgets[i].tokens == call_whole(call, BUDGET));
    }
}

static enum err
put_hints(struct call *call, struct values *values)
{
    struct hints_question question = {
        .scopes = SCOPE_AGENT_HINTS | SCOPE_PREFERENCES_READ,
        .asked = SCOPE_AGENT_HINTS | SCOPE_PREFERENCES_READ,
        .context = call_text(call, CONTEXT),
        .max_tokens = (int)call_whole(call, BUDGET),
    };
    put_contexts(call, values);
    put_budgets(call, values);
    return hints_panel_put(call, values, &question);
}

/* ---- the page ---- */

static enum err
get_account(struct call *call)
{
    struct shown shown = { .call = call };
    struct values *values = values_new(call->mem);
    struct str query = call_text(call, QUERY);
    enum err err = facts_load(call, STR_NONE, &shown.facts);
    if (err != ERR_NONE)
        return err;
    if (query.len > 0)
        shown.wanted = value_fold(call->mem, query);
    int64_t active = count_active(&shown.facts, STR_NONE);
    values_text(values, "q", query);
    values_flag(values, "searching", query.len > 0);
    values_flag(values, "searchable", active >= SEARCH_FROM || query.len > 0);
    values_flag(values, "nothing", shown.facts.count == 0);
    values_text(values, "total", say_count(call, facts_one, facts_other, active));
    put_others(&shown, values);
    put_domains(&shown, values);
    err = put_hints(call, values);
    if (err != ERR_NONE)
        return err;
    return account_page_acting(call, 200, "account", values);
}

const struct route account_routes[] = {
    { GET, "/account", get_account, WHO_PERSON, .says = "What is known about a person.",
      .page = true, .reads_store = true, ROUTE_FIELDS(account_fields) },
    { 0 },
};
