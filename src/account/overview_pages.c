/* overview_pages.c - /account: an overview of the user's preferences. */
#include "account/account_routes.h"
#include "base/arena.h"
#include "base/buf.h"
#include "domain/value_text.h"
#include "flow/hints.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "page/hints_panel.h"
#include "page/pager.h"
#include "text/template.h"
#include "text/url.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

#define QUERY_BYTES_MAX ((size_t)4096)
#define BUDGET_MOST 500 /* largest option */
#define SEARCH_FROM 15  /* facts from which on the search box is shown */

/* A user may have thousands of facts, and the page has a size limit: of each member it shows as
 * many as fit, and links to the rest. */
#define SHOWN_MOST 8
#define MEMBER_MOST 2600 /* bytes of one member's facts; reduced until the page fits */
#define DOMAIN_MEMBERS                                                                         \
    8                  /* of each domain, if the page is still too large; halved until it fits \
                        */
#define MEMBER_FEW 500 /* below: only the newest fact to review, and marked as wrong */
#define WAITING_MOST 4
#define WRONG_MOST 8

/* Limits for a page of search results. */
#define FOUND_ITEMS 100
#define FOUND_BYTES ((size_t)14 * 1000)
#define CHIP_BYTES 130   /* without its value, with its source */
#define MEMBER_BYTES 160 /* a heading */

MESSAGE(facts_one, "account.facts.one");
MESSAGE(facts_other, "account.facts.other");

enum { QUERY, PAGE, CONTEXT, BUDGET };

static const struct field account_fields[] = {
    [QUERY] = { "q", FIELD_LINE, FIELD_IN_QUERY, .max = 200 },
    [PAGE] = PAGER_FIELD,
    [CONTEXT] = { "context", FIELD_LINE, FIELD_IN_QUERY, .max = CONTEXT_MAX },
    [BUDGET] = { "budget", FIELD_INTEGER, FIELD_IN_QUERY, .min = 1, .max = BUDGET_MOST,
                 .fallback = HINTS_TOKENS_DEFAULT },
};

#define NONE SIZE_MAX

struct shown {
    struct call *call;
    struct facts facts;
    struct str wanted;              /* folded; absent: everything */
    bool *matches;                  /* for each fact */
    struct member_facts *by_member; /* of all domains */
    size_t *first_member;           /* for each domain, its first member in by_member */
    size_t *older;                  /* for each fact, the next older one of its member, or NONE */
    struct pager pager;
    size_t at;      /* facts so far, for the pager */
    size_t most;    /* bytes of a member */
    size_t members; /* of a domain */
};

static bool
is_searching(const struct shown *shown)
{
    return str_present(shown->wanted);
}

/* ---- by domain ---- */

/* The active facts of one member that are wanted, newest first: a list through `older`. */
struct member_facts {
    size_t newest; /* NONE: there are none */
    size_t count;
};

/* Sorts the facts by member once: a page that looked through all of them for each member would take
 * as long as the product of both. */
static void
sort_by_member(struct shown *shown)
{
    const struct domains *domains = shown->call->web->settings.domains;
    size_t members = 0;
    shown->first_member = ARENA_ARRAY(shown->call->mem, size_t, domains->count);
    for (size_t d = 0; d < domains->count; d++) {
        shown->first_member[d] = members;
        members += domains->list[d].member_count;
    }
    shown->by_member = ARENA_ARRAY(shown->call->mem, struct member_facts, members);
    shown->older = ARENA_ARRAY(shown->call->mem, size_t, shown->facts.count);
    for (size_t i = 0; i < members; i++)
        shown->by_member[i].newest = NONE;
    for (size_t i = 0; i < shown->facts.count; i++) {
        const struct atom *atom = &shown->facts.list[i].atom;
        const struct domain *domain = domains_find(domains, atom->domain);
        const struct member *member = domain == NULL ? NULL : domain_member(domain, atom->member);
        if (member == NULL || atom->status != ATOM_ACTIVE || !shown->matches[i])
            continue;
        struct member_facts *facts = &shown->by_member[shown->first_member[domain - domains->list] +
                                                       (size_t)(member - domain->members)];
        shown->older[i] = facts->newest;
        facts->newest = i;
        facts->count++;
    }
}

/* Divides the results into pages, in the order in which they are shown. */
static void
page_through(struct shown *shown)
{
    struct call *call = shown->call;
    const struct domains *domains = call->web->settings.domains;
    shown->pager = pager_for(call_integer(call, PAGE), FOUND_ITEMS, FOUND_BYTES);
    for (size_t d = 0; d < domains->count; d++)
        for (size_t m = 0; m < domains->list[d].member_count; m++)
            for (size_t i = 0; i < shown->by_member[shown->first_member[d] + m].count; i++)
                pager_add(&shown->pager,
                          CHIP_BYTES + FACTS_SHORT_MAX + (i == 0 ? MEMBER_BYTES : 0));
    pager_settle(&shown->pager);
}

/* Whether this fact of a member is shown; *bytes is the size of the member's facts so far. */
static bool
fits(struct shown *shown, const struct sourced_atom *fact, const struct member *member,
     size_t *bytes)
{
    struct call *call = shown->call;
    if (is_searching(shown))
        return pager_shows(&shown->pager, shown->at++);
    struct str chip = facts_short(call, facts_value(call, member, fact->atom.value));
    *bytes += CHIP_BYTES + pager_bytes(call->mem, chip);
    return *bytes <= shown->most;
}

/* Newest first, as on the domain's page. */
static void
put_member(struct shown *shown, struct values *values, const struct member *member,
           const struct member_facts *facts)
{
    struct call *call = shown->call;
    struct values *item = NULL;
    size_t put = 0, bytes = 0;
    for (size_t i = facts->newest; i != NONE; i = shown->older[i]) {
        const struct sourced_atom *fact = &shown->facts.list[i];
        bool is_shown =
            (is_searching(shown) || put < SHOWN_MOST) && fits(shown, fact, member, &bytes);
        if (item == NULL && (is_shown || !is_searching(shown))) {
            item = values_item(values, "members");
            values_text(item, "label", facts_member_label(call, member));
            values_flag(item, "sensitive", member->sensitive);
        }
        if (is_shown && ++put > 0)
            facts_put(call, &shown->facts, values_item(item, "facts"), fact);
        else if (!is_searching(shown))
            break; /* no room for the older ones either */
    }
    if (is_searching(shown) || facts->count == put)
        return;
    values_text(item, "more",
                put == 0 ? message_count(call, facts_one, facts_other, (int64_t)facts->count)
                         : message_count(call, KEY("account.more.one"), KEY("account.more.other"),
                                         (int64_t)(facts->count - put)));
    values_text(item, "member", member->name);
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
        values_text(item, "title", message_sentence(call, domain->title));
        values_text(item, "description", message_sentence(call, domain->description));
        values_text(item, "count", message_count(call, facts_one, facts_other, count));
        values_flag(item, "empty", count == 0);
        size_t put = 0;
        for (size_t m = 0; m < domain->member_count; m++) {
            const struct member_facts *facts = &shown->by_member[shown->first_member[i] + m];
            if (facts->count > 0 && put++ < shown->members)
                put_member(shown, item, &domain->members[m], facts);
        }
    }
}

/* ---- facts to review, facts marked as wrong ---- */

static void
put_others(struct shown *shown, struct values *values, bool review, int64_t most)
{
    struct call *call = shown->call;
    int64_t count = 0;
    for (size_t i = shown->facts.count; i > 0; i--) {
        const struct sourced_atom *fact = &shown->facts.list[i - 1];
        bool listed =
            review ? atom_review(&fact->atom) != REVIEW_NONE : fact->atom.status == ATOM_SUPPRESSED;
        if (!listed || !shown->matches[i - 1] ||
            domains_find(call->web->settings.domains, fact->atom.domain) == NULL || count++ >= most)
            continue;
        struct values *item = values_item(values, review ? "waiting" : "wrong");
        facts_put(call, &shown->facts, item, fact);
        if (review)
            facts_put_review(call, &shown->facts, item, &fact->atom);
    }
    if (count > 0)
        values_text(values, review ? "waiting_count" : "wrong_count", message_number(call, count));
    values_flag(values, review ? "more_waiting" : "more_wrong", count > most);
}

/* ---- hints ---- */

static void
put_contexts(struct call *call, struct values *values)
{
    const struct domains *domains = call->web->settings.domains;
    for (size_t i = 0; i < domains->count; i++)
        for (size_t c = 0; c < domains->list[i].context_count; c++) {
            struct str name = domains->list[i].contexts[c].name;
            struct values *item = values_item(values, "contexts");
            values_text(item, "context", name);
            values_text(item, "label", facts_label(call, name));
            values_flag(item, "chosen", str_eq(name, call_text(call, CONTEXT)));
        }
}

static void
put_budgets(struct call *call, struct values *values)
{
    const struct {
        int64_t tokens;
        const char *key;
    } budgets[] = { { 50, KEY("hints.budget.50") },
                    { 100, KEY("hints.budget.100") },
                    { 200, KEY("hints.budget.200") },
                    { 500, KEY("hints.budget.500") } };
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        struct values *item = values_item(values, "budgets");
        values_text(item, "budget", str_format(call->mem, "%lld", (long long)budgets[i].tokens));
        values_text(item, "label", message(call, budgets[i].key));
        values_flag(item, "chosen", budgets[i].tokens == call_integer(call, BUDGET));
    }
}

static enum err
put_hints(struct call *call, struct values *values)
{
    struct hints_panel_params params = {
        .sensitive = DOMAINS_ALL,
        .scopes = SCOPE_AGENT_HINTS | SCOPE_PREFERENCES_READ,
        .requested = SCOPE_AGENT_HINTS | SCOPE_PREFERENCES_READ,
        .context = call_text(call, CONTEXT),
        .max_tokens = (int)call_integer(call, BUDGET),
    };
    put_contexts(call, values);
    put_budgets(call, values);
    return hints_panel_put(call, values, &params);
}

/* ---- the page ---- */

static void
find_matches(struct shown *shown, struct str query)
{
    struct call *call = shown->call;
    if (query.len > 0)
        shown->wanted = value_fold(call->mem, query);
    shown->matches = ARENA_ARRAY(call->mem, bool, shown->facts.count + 1);
    for (size_t i = 0; i < shown->facts.count; i++)
        shown->matches[i] = facts_match(call, &shown->facts.list[i].atom, shown->wanted);
    sort_by_member(shown);
    page_through(shown);
}

/* For URLs. */
static struct str
encode_query(struct call *call, struct str query)
{
    struct buf out = buf_in(call->mem, QUERY_BYTES_MAX);
    if (query.len > 0)
        url_encode(&out, query);
    return buf_str(&out);
}

static enum err
show(struct shown *shown)
{
    struct call *call = shown->call;
    struct values *values = values_new(call->mem);
    struct str query = call_text(call, QUERY);
    int64_t active = count_active(&shown->facts, STR_NONE);
    values_text(values, "q", query);
    values_text(values, "q_part", encode_query(call, query));
    values_flag(values, "searching", query.len > 0);
    values_flag(values, "searchable", active >= SEARCH_FROM || query.len > 0);
    values_flag(values, "nothing", shown->facts.count == 0);
    values_flag(values, "legend",
                is_searching(shown) ? shown->pager.count > 0 : shown->facts.count > 0);
    values_text(values, "to", STR("overview"));
    values_text(values, "total", message_count(call, facts_one, facts_other, active));
    put_others(shown, values, true, shown->most < MEMBER_FEW ? 1 : WAITING_MOST);
    put_others(shown, values, false, shown->most < MEMBER_FEW ? 1 : WRONG_MOST);
    shown->at = 0;
    put_domains(shown, values);
    if (is_searching(shown) && shown->pager.count > 0)
        values_text(values, "found",
                    message_count(call, KEY("account.found.one"), KEY("account.found.other"),
                                  (int64_t)shown->pager.count));
    if (is_searching(shown))
        pager_put(
            call, values, &shown->pager,
            str_format(call->mem, "/account?q=%.*s&page=", STR_ARG(encode_query(call, query))), "");
    enum err err = put_hints(call, values);
    return err == ERR_NONE ? account_page_with_script(call, 200, "account", values) : err;
}

static enum err
get_account(struct call *call)
{
    struct shown shown = { .call = call, .most = MEMBER_MOST, .members = SIZE_MAX };
    enum err err = facts_load(call, STR_NONE, &shown.facts);
    if (err != ERR_NONE)
        return err;
    find_matches(&shown, call_text(call, QUERY));
    err = show(&shown);
    while (err == ERR_NONE && shown.most > 0 && !account_page_fits(call)) {
        shown.most = shown.most > CHIP_BYTES ? shown.most * 2 / 3 : 0;
        err = show(&shown);
    }
    bool searching = is_searching(&shown);
    for (size_t members = DOMAIN_MEMBERS;
         err == ERR_NONE && !searching && members > 0 && !account_page_fits(call); members /= 2) {
        shown.members = members;
        err = show(&shown);
    }
    return err;
}

const struct route account_routes[] = {
    { GET, "/account", get_account, CALLER_USER, .summary = "Shows the user's preferences.",
      .page = true, .blocks = true, ROUTE_FIELDS(account_fields) },
    { 0 },
};
