/* list_pages.c - GET /account/facts: all facts to review, or all marked as wrong. The overview
 * shows the newest of both. */
#include "account/account_routes.h"
#include "base/arena.h"
#include "base/buf.h"
#include "domain/value_text.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "page/pager.h"
#include "text/template.h"
#include "text/url.h"
#include "web/call.h"
#include "web/state.h"

#define PAGE_ITEMS 25
#define PAGE_BYTES ((size_t)20 * 1000)
#define ROW_BYTES 1400 /* with its two forms */
#define URL_MAX ((size_t)4096)

enum { SHOW, QUERY, PAGE };

static const struct field list_fields[] = {
    [SHOW] = { "show", FIELD_LINE, FIELD_IN_QUERY, .max = 20 },
    [QUERY] = { "q", FIELD_LINE, FIELD_IN_QUERY, .max = 200 },
    [PAGE] = PAGER_FIELD,
};

/* Indexes of the facts with this status that match the search, newest first. */
static size_t
find_facts(struct call *call, const struct facts *facts, enum atom_status status, size_t *out)
{
    struct str query = call_text(call, QUERY);
    struct str wanted = query.len > 0 ? value_fold(call->mem, query) : STR_NONE;
    size_t count = 0;
    for (size_t i = facts->count; i > 0; i--) {
        const struct atom *atom = &facts->list[i - 1].atom;
        if (atom->status == status &&
            domains_find(call->web->settings.domains, atom->domain) != NULL &&
            facts_match(call, atom, wanted))
            out[count++] = i - 1;
    }
    return count;
}

static struct pager
page_through(struct call *call, const struct facts *facts, const size_t *list, size_t count)
{
    struct pager pager = pager_for(call_integer(call, PAGE), PAGE_ITEMS, PAGE_BYTES);
    for (size_t i = 0; i < count; i++)
        pager_add(&pager, ROW_BYTES + pager_bytes(call->mem, facts->list[list[i]].atom.value));
    pager_settle(&pager);
    return pager;
}

static struct str
page_url(struct call *call, bool waiting)
{
    struct buf out = buf_in(call->mem, URL_MAX);
    buf_add_format(&out, "/account/facts?show=%s", waiting ? "waiting" : "wrong");
    if (call_text(call, QUERY).len > 0) {
        buf_add_c(&out, "&q=");
        url_encode(&out, call_text(call, QUERY));
    }
    buf_add_c(&out, "&page=");
    return buf_str(&out);
}

static enum err
get_list(struct call *call)
{
    struct facts facts;
    struct values *values = values_new(call->mem);
    struct str show = call_text(call, SHOW);
    bool waiting = !str_present(show) || str_eq_c(show, "waiting");
    if (!waiting && !str_eq_c(show, "wrong"))
        return ERR_NOT_FOUND;
    enum err err = facts_load(call, STR_NONE, &facts);
    if (err != ERR_NONE)
        return err;
    size_t *list = ARENA_ARRAY(call->mem, size_t, facts.count + 1);
    size_t count = find_facts(call, &facts, waiting ? ATOM_HELD : ATOM_SUPPRESSED, list);
    struct pager pager = page_through(call, &facts, list, count);
    for (size_t i = pager.first; i < pager.last; i++) {
        struct values *item = values_item(values, waiting ? "waiting" : "wrong");
        facts_put(call, &facts, item, &facts.list[list[i]]);
        if (waiting)
            facts_put_why(call, &facts, item, &facts.list[list[i]].atom);
    }
    values_flag(values, "show_waiting", waiting);
    values_flag(values, "any", count > 0);
    values_text(values, "q", call_text(call, QUERY));
    values_text(values, "to",
                str_format(call->mem, "%s/%zu", waiting ? "waiting" : "wrong", pager.wanted));
    pager_put(call, values, &pager, page_url(call, waiting), "");
    return account_page_with_script(call, 200, "account_facts", values);
}

const struct route account_list_routes[] = {
    { GET, "/account/facts", get_list, CALLER_USER,
      .summary = "Lists facts to review, or marked as wrong.", .page = true, .blocks = true,
      ROUTE_FIELDS(list_fields) },
    { 0 },
};
