/* list_pages.c - /account/waiting: all facts to review; /account/facts: all marked as wrong. The
 * overview shows the newest of both.
 *
 * One function shows both lists, with the same search and the same pages; they differ in which
 * facts are listed and in the forms at each. */
#include "fact/fact_routes.h"
#include "base/arena.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "domain/value_text.h"
#include "preference/corrections.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "page/pager.h"
#include "template/template.h"
#include "text/url.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/state.h"

#define WAITING "/account/waiting"
#define PAGE_ITEMS 25
#define PAGE_BYTES ((size_t)20 * 1000)
#define ROW_BYTES 1500 /* with its two forms */
#define URL_MAX ((size_t)4096)

enum { QUERY, PAGE };

static const struct field list_fields[] = {
    [QUERY] = { "q", FIELD_LINE, FIELD_IN_QUERY, .max = 200 },
    [PAGE] = PAGER_FIELD,
};

/* Indexes of the facts to review, or marked as wrong, that match the search, newest first. */
static size_t
find_facts(struct call *call, const struct facts *facts, bool waiting, size_t *out)
{
    struct str query = call_text(call, QUERY);
    struct str wanted = query.len > 0 ? value_fold(call->mem, query) : STR_NONE;
    size_t count = 0;
    for (size_t i = facts->count; i > 0; i--) {
        const struct atom *atom = &facts->list[i - 1].atom;
        bool listed = waiting ? atom_review(atom) != REVIEW_NONE : atom->status == ATOM_SUPPRESSED;
        if (listed && domains_find(call->web->settings.domains, atom->domain) != NULL &&
            facts_match(call, atom, wanted))
            out[count++] = i - 1;
    }
    return count;
}

/* The size of each row is estimated by its value, so that long values make pages shorter. */
static struct pager
page_through(struct call *call, const struct facts *facts, const size_t *list, size_t count)
{
    struct pager pager = pager_for(call_integer(call, PAGE), PAGE_ITEMS, PAGE_BYTES);
    for (size_t i = 0; i < count; i++)
        pager_add(&pager, ROW_BYTES + pager_bytes(call->mem, facts->list[list[i]].atom.value));
    pager_settle(&pager);
    return pager;
}

/* Up to the number of the page, with the search. */
static struct str
page_url(struct call *call, bool waiting)
{
    struct buf out = buf_in(call->mem, URL_MAX);
    buf_add_c(&out, waiting ? "/account/waiting?" : "/account/facts?");
    if (call_text(call, QUERY).len > 0) {
        buf_add_c(&out, "q=");
        url_encode(&out, call_text(call, QUERY));
        buf_add_c(&out, "&");
    }
    buf_add_c(&out, "page=");
    return buf_str(&out);
}

/* Whether one answer to all is useful: it does not apply to removals that were made already. */
static bool
many_wait(const struct facts *facts, const size_t *list, size_t count)
{
    size_t waiting = 0;
    for (size_t i = 0; i < count; i++)
        waiting += atom_review(&facts->list[list[i]].atom) != REVIEW_REMOVED;
    return waiting > 1;
}

/* Both lists have the same page: facts that wait, and facts that are marked as wrong. */
static enum err
show(struct call *call, bool waiting)
{
    struct facts facts;
    struct values *values = values_new(call->mem);
    enum err err = facts_load(call, STR_NONE, &facts);
    if (err != ERR_NONE)
        return err;
    size_t *list = ARENA_ARRAY(call->mem, size_t, facts.count + 1);
    size_t count = find_facts(call, &facts, waiting, list);
    struct pager pager = page_through(call, &facts, list, count);
    for (size_t i = pager.first; i < pager.last; i++) {
        struct values *item = values_item(values, waiting ? "waiting" : "wrong");
        facts_put(call, &facts, item, &facts.list[list[i]]);
        if (waiting)
            facts_put_review(call, &facts, item, &facts.list[list[i]].atom);
    }
    values_flag(values, "show_waiting", waiting);
    values_flag(values, "any", count > 0);
    values_flag(values, "all",
                /* Not for search results: the button decides about everything that waits, also what
                 * is not shown. */
                waiting && !str_present(call_text(call, QUERY)) && many_wait(&facts, list, count));
    values_text(values, "q", call_text(call, QUERY));
    values_text(values, "to",
                str_format(call->mem, "%s/%zu", waiting ? "waiting" : "wrong", pager.wanted));
    pager_put(call, values, &pager, page_url(call, waiting), "");
    return account_page_with_script(call, 200, "account_facts", values);
}

static enum err
get_waiting(struct call *call)
{
    return show(call, true);
}

static enum err
get_wrong(struct call *call)
{
    return show(call, false);
}

/* Accepting leaves out suspicious values and removals relevant to safety; the count says how many
 * were decided. */
static enum err
decide_all(struct call *call, bool confirm)
{
    size_t count = 0;
    enum err err = corrections_decide_all(call->db, call->mem, call->browser->user.id,
                                          call->web->settings.domains, confirm, call->now, &count);
    if (err != ERR_NONE)
        return err;
    flash_redirect(
        call, WAITING,
        &(struct flash){ .key = confirm ? KEY("flash.all_accepted") : KEY("flash.all_rejected"),
                         .count = message_number(call, (int64_t)count) });
    return ERR_NONE;
}

static enum err
post_accept_all(struct call *call)
{
    return decide_all(call, true);
}

static enum err
post_reject_all(struct call *call)
{
    return decide_all(call, false);
}

const struct route account_list_routes[] = {
    { GET, WAITING, get_waiting, CALLER_USER,
      .summary = "Lists what waits for the user's decision.", .page = true, .blocks = true,
      ROUTE_FIELDS(list_fields) },
    { POST, WAITING "/accept", post_accept_all, CALLER_USER, .summary = "Accepts all that waits.",
      .page = true, .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { POST, WAITING "/reject", post_reject_all, CALLER_USER, .summary = "Rejects all that waits.",
      .page = true, .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { GET, "/account/facts", get_wrong, CALLER_USER, .summary = "Lists facts marked as wrong.",
      .page = true, .blocks = true, ROUTE_FIELDS(list_fields) },
    { 0 },
};
