/* overview_pages.c - /account: an overview of the user's preferences.
 *
 * Without a search: each domain with its number of facts and a summary, the newest facts to review
 * and marked as wrong, and the hints that an agent would get. With a search: the matching facts, by
 * domain and member, in pages. All facts are loaded once and sorted by member; if the page is too
 * large, it is rendered a second time with shorter lists. */
#include "fact/fact_routes.h"
#include "base/arena.h"
#include "base/buf.h"
#include "domain/value_text.h"
#include "preference/hints.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "page/hints_panel.h"
#include "page/pager.h"
#include "template/template.h"
#include "text/url.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

#define QUERY_BYTES_MAX ((size_t)4096)
#define BUDGET_MOST 500 /* largest option */
#define SEARCH_FROM 15  /* facts from which on the search box is shown */

#define WAITING_MOST 4
#define WRONG_MOST 8

/* Limits for a page of search results. */
#define FOUND_ITEMS 100
#define FOUND_BYTES ((size_t)14 * 1000)
#define CHIP_BYTES (100 + FACTS_NAME_MAX) /* without its value, with its source */
#define MEMBER_BYTES 160                  /* a heading */

/* The summary of a domain. */
#define BRIEF_MEMBERS 5
#define BRIEF_VALUES 2 /* of each member */
#define BRIEF_BYTES_MAX ((size_t)8 * 1024)

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

/* The end of a list of facts. */
#define NONE SIZE_MAX

/* Facts are sorted by member once, so that the parts of the page need not search for them. */
struct overview_page {
    struct call *call;
    struct facts facts;
    struct str wanted;              /* folded; absent: everything */
    bool *matches;                  /* for each fact */
    struct member_facts *by_member; /* of all domains */
    size_t *first_member;           /* for each domain, its first member in by_member */
    size_t *older;                  /* for each fact, the next older one of its member, or NONE */
    struct pager pager;
    size_t at; /* facts so far, for the pager */
    bool few;  /* the page would be too large otherwise: shorter lists, no summaries */
};

static bool
is_searching(const struct overview_page *shown)
{
    return str_present(shown->wanted);
}

/* ---- by domain ---- */

/* The active facts of one member that are wanted: a list through `older`. */
struct member_facts {
    size_t newest; /* NONE: there are none */
    size_t count;
};

/* Sorts the facts by member once: a page that looked through all of them for each member would take
 * as long as the product of both. */
static void
sort_by_member(struct overview_page *shown)
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
page_through(struct overview_page *shown)
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

/* The facts of a member, oldest first. */
static const size_t *
in_record_order(struct overview_page *shown, const struct member_facts *facts)
{
    size_t *order = ARENA_ARRAY(shown->call->mem, size_t, facts->count + 1), at = facts->count;
    for (size_t i = facts->newest; i != NONE; i = shown->older[i])
        order[--at] = i;
    return order;
}

/* Search results. */
static void
put_member(struct overview_page *shown, struct values *values, const struct member *member,
           const struct member_facts *facts)
{
    struct call *call = shown->call;
    const size_t *order = in_record_order(shown, facts);
    struct values *item = NULL;
    for (size_t i = 0; i < facts->count; i++) {
        if (!pager_shows(&shown->pager, shown->at++))
            continue;
        if (item == NULL) {
            item = values_item(values, "members");
            values_text(item, "label", facts_member_label(call, member));
        }
        facts_put(call, &shown->facts, values_item(item, "facts"), &shown->facts.list[order[i]]);
    }
}

/* "Allergies: peanuts. Cuisines: Thai, Ethiopian." */
static struct str
brief_of(struct overview_page *shown, const struct domain *domain,
         const struct member_facts *by_member)
{
    struct call *call = shown->call;
    struct buf out = buf_in(call->mem, BRIEF_BYTES_MAX);
    size_t put = 0;
    for (size_t m = 0; m < domain->member_count && put < BRIEF_MEMBERS; m++) {
        const struct member *member = &domain->members[m];
        const size_t *order = in_record_order(shown, &by_member[m]);
        size_t count = by_member[m].count;
        for (size_t i = 0; i < count && i < BRIEF_VALUES; i++) {
            struct str value = facts_value(call, member, shown->facts.list[order[i]].atom.value);
            if (i == 0)
                buf_add_format(&out, "%s%.*s: ", put++ > 0 ? " " : "",
                               STR_ARG(facts_member_label(call, member)));
            buf_add_c(&out, i > 0 ? ", " : "");
            buf_add(&out, facts_short(call, value));
        }
        if (count > 0)
            buf_add_c(&out, count > BRIEF_VALUES ? " …" : ".");
    }
    return buf_str(&out);
}

/* Of one domain, or of all if it is absent. */
static int64_t
count_active(const struct facts *facts, struct str domain)
{
    int64_t count = 0;
    for (size_t i = 0; i < facts->count; i++)
        count += facts->list[i].atom.status == ATOM_ACTIVE &&
                 (!str_present(domain) || str_eq(facts->list[i].atom.domain, domain));
    return count;
}

/* Each domain has an entry, also without facts, because users add their first one there. A search
 * shows members with results, otherwise a summary is shown. */
static void
put_domains(struct overview_page *shown, struct values *values)
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
        const struct member_facts *by_member = &shown->by_member[shown->first_member[i]];
        if (!is_searching(shown) && !shown->few)
            values_text(item, "brief", brief_of(shown, domain, by_member));
        for (size_t m = 0; is_searching(shown) && m < domain->member_count; m++)
            put_member(shown, item, &domain->members[m], &by_member[m]);
    }
}

/* ---- facts to review, facts marked as wrong ---- */

/* Counts all, and shows the newest `most`. The lists have pages of their own (list_pages.c). */
static void
put_others(struct overview_page *shown, struct values *values, bool review, int64_t most)
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

/* The values of the table in docs/HINTS.md. */
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

/* As for an app that may read everything, sensitive facts included: it is the user's own page. */
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

/* Without a query, every fact matches. */
static void
find_matches(struct overview_page *shown, struct str query)
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

/* May be called twice, so it must not change what the second call reads. */
static enum err
show(struct overview_page *shown)
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
    values_text(values, "to", STR("overview"));
    values_text(values, "total", message_count(call, facts_one, facts_other, active));
    put_others(shown, values, true, shown->few ? 1 : WAITING_MOST);
    put_others(shown, values, false, shown->few ? 1 : WRONG_MOST);
    /* For a second rendering. */
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

/* Usually one rendering is enough. A user with very many facts gets shorter lists, because a page
 * that is too large cannot be sent. */
static enum err
get_account(struct call *call)
{
    struct overview_page shown = { .call = call };
    enum err err = facts_load(call, STR_NONE, &shown.facts);
    if (err != ERR_NONE)
        return err;
    find_matches(&shown, call_text(call, QUERY));
    err = show(&shown);
    if (err == ERR_NONE && !account_page_fits(call)) {
        shown.few = true;
        err = show(&shown);
    }
    return err;
}

const struct route account_routes[] = {
    { GET, "/account", get_account, CALLER_USER, .summary = "Shows the user's preferences.",
      .page = true, .blocks = true, ROUTE_FIELDS(account_fields) },
    { 0 },
};
