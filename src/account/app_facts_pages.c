/* app_facts_pages.c - /account/apps/{app}/facts: the facts that a connected app sees, and those
 * that the user withholds from it.
 *
 * A withheld fact is stored in the grant as domain, member, and key, not as the id of an atom,
 * because it stays withheld when the fact is deleted and stated again. So the list has two kinds of
 * rows: atoms, by their id, and withheld facts, by a digest of their line, whether the atom exists
 * or not. */
#include "account/account_routes.h"
#include "base/arena.h"
#include "crypt/digest.h"
#include "dispatch/browser_session.h"
#include "flow/connections.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "page/pager.h"
#include "template/template.h"
#include "web/call.h"
#include "web/error.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/state.h"

#define HERE "/account/apps/{app}"
#define PAGE_ITEMS 50
#define PAGE_BYTES ((size_t)25 * 1000)
#define ROW_BYTES 500 /* with its form */

enum { PAGE };
enum { FACT, SHOWN_PAGE };

static const struct field page_fields[] = {
    [PAGE] = PAGER_FIELD,
};

static const struct field fact_fields[] = {
    [FACT] = { "fact", FIELD_LINE, FIELD_IN_FORM, .required = true, .max = 100 },
    [SHOWN_PAGE] = { "page", FIELD_INTEGER, FIELD_IN_FORM, .min = 1, .max = PAGER_PAGES_MAX,
                     .fallback = 1 },
};

/* ---- the list ---- */

/* A fact that is withheld, that the app sees, or both: never shown twice. */
struct row {
    const struct sourced_atom *fact; /* NULL: a withheld fact that is not stored now */
    struct withheld_fact withheld;   /* unless the app sees it */
    bool is_withheld;
};

static bool
is_fact(const struct withheld_fact *withheld, const struct atom *atom)
{
    return str_eq(withheld->key, atom->key) && str_eq(withheld->member, atom->member) &&
           str_eq(withheld->domain, atom->domain);
}

/* NULL: the fact was deleted, but the grant still withholds it. */
static const struct sourced_atom *
find_fact(const struct facts *facts, const struct withheld_fact *withheld)
{
    for (size_t i = 0; i < facts->count; i++)
        if (is_fact(withheld, &facts->list[i].atom))
            return &facts->list[i];
    return NULL;
}

/* The same rules as for the app's requests: the grant's domains, sensitive facts, and what is
 * withheld. */
static bool
app_sees(struct call *call, const struct grant *grant, const struct atom *atom)
{
    const struct domain *domain = domains_find(call->web->settings.domains, atom->domain);
    const struct member *member = domain == NULL ? NULL : domain_member(domain, atom->member);
    struct view view = { .withheld = grant->withheld };
    return member != NULL && atom->status == ATOM_ACTIVE &&
           grant_reads(&grant->allowed, atom->domain,
                       view_is_sensitive(domain, member, atom->key)) &&
           view_shows(&view, atom);
}

/* Withheld facts first, then what the app sees, newest first. */
static size_t
find_rows(struct call *call, const struct grant *grant, const struct facts *facts, struct row *out)
{
    size_t count = 0, at = 0;
    while (view_next(grant->withheld, &at, &out[count].withheld)) {
        out[count].is_withheld = true;
        out[count].fact = find_fact(facts, &out[count].withheld);
        count++;
    }
    for (size_t i = facts->count; i > 0; i--)
        if (app_sees(call, grant, &facts->list[i - 1].atom))
            out[count++] = (struct row){ .fact = &facts->list[i - 1] };
    return count;
}

/* Names a withheld fact in a form, without repeating its text there. */
static struct str
id_of(struct call *call, struct str line)
{
    return str_first(digest_text(call->mem, line), DIGEST_SHORT_LENGTH);
}

/* A row is a fact that exists, or a withheld one that was deleted since: its line in the grant has
 * its own description, so that the user can still share it. */
static void
put_row(struct call *call, struct facts *facts, struct values *item, const struct row *row)
{
    const struct withheld_fact *withheld = &row->withheld;
    const struct domain *domain;
    if (row->fact != NULL) {
        facts_put(call, facts, item, row->fact);
    } else {
        domain = domains_find(call->web->settings.domains, withheld->domain);
        values_text(item, "brief", facts_short(call, withheld->key));
        values_text(item, "title",
                    domain == NULL ? withheld->domain : message_sentence(call, domain->title));
        values_text(item, "label", facts_label(call, withheld->member));
    }
    values_flag(item, "withheld", row->is_withheld);
    values_text(item, "row", row->is_withheld ? id_of(call, withheld->line) : row->fact->atom.id);
}

/* The list is built for the whole user and then cut into a page: withheld facts and shared ones are
 * one list. */
static enum err
get_facts(struct call *call)
{
    struct connection connection;
    struct facts facts;
    struct values *values = values_new(call->mem);
    enum err err = connection_find(call->db, call->mem, call->browser->user.id, call_param(call, 0),
                                   call->now, &connection);
    if (err == ERR_NONE)
        err = facts_load(call, STR_NONE, &facts);
    if (err != ERR_NONE)
        return err;
    /* One more: the last view_next(), which finds nothing, writes to a row, too. */
    struct row *rows = ARENA_ARRAY(call->mem, struct row, facts.count + WITHHELD_MAX + 1);
    size_t count = find_rows(call, &connection.grant, &facts, rows);
    struct pager pager = pager_for(call_integer(call, PAGE), PAGE_ITEMS, PAGE_BYTES);
    for (size_t i = 0; i < count; i++)
        pager_add(&pager, ROW_BYTES);
    pager_settle(&pager);
    for (size_t i = pager.first; i < pager.last; i++)
        put_row(call, &facts, values_item(values, "facts"), &rows[i]);
    values_flag(values, "any", count > 0);
    values_text(values, "app", connection.app.name);
    values_text(values, "app_id", connection.app.id);
    values_text(values, "page", str_format(call->mem, "%zu", pager.wanted));
    pager_put(call, values, &pager,
              str_format(call->mem, "/account/apps/%.*s/facts?page=", STR_ARG(connection.app.id)),
              "");
    return account_page(call, 200, "account_app_facts", "apps", values);
}

/* ---- changing it ---- */

/* To the page of the list that had the form. If it does not exist anymore, the pager shows the last
 * one. */
static void
return_to_list(struct call *call, const struct connection *connection, const char *key)
{
    const char *path =
        str_format(call->mem, "/account/apps/%.*s/facts?page=%lld", STR_ARG(connection->app.id),
                   (long long)call_integer(call, SHOWN_PAGE))
            .ptr;
    flash_redirect(call, path, &(struct flash){ .key = key, .what = connection->app.name });
}

/* The new list of withheld facts takes effect with the app's next request. */
static enum err
post_withhold(struct call *call)
{
    struct connection connection;
    struct str id = call_text(call, FACT);
    enum err err = connection_withhold(call->db, call->mem, call->browser->user.id,
                                       call_param(call, 0), &id, 1, call->now, &connection);
    if (err == ERR_TOO_LARGE)
        return error_send_page(call, 400, message(call, KEY("apps.facts.full")));
    if (err == ERR_NONE)
        return_to_list(call, &connection, KEY("flash.withheld"));
    return err;
}

/* The form has an id of the line instead of the line, which contains the fact. */
static enum err
post_share(struct call *call)
{
    struct connection connection;
    struct withheld_fact fact;
    struct str user_id = call->browser->user.id, app_id = call_param(call, 0), line = STR("");
    enum err err = connection_find(call->db, call->mem, user_id, app_id, call->now, &connection);
    if (err != ERR_NONE)
        return err;
    /* If no line has this id, the fact is shared already, and connection_share() changes
     * nothing. */
    for (size_t at = 0; view_next(connection.grant.withheld, &at, &fact);)
        if (str_eq(id_of(call, fact.line), call_text(call, FACT)))
            line = fact.line;
    err = connection_share(call->db, call->mem, user_id, app_id, line, call->now, &connection);
    if (err == ERR_NONE)
        return_to_list(call, &connection, KEY("flash.shared"));
    return err;
}

const struct route account_app_facts_routes[] = {
    { GET, HERE "/facts", get_facts, CALLER_USER, .summary = "Lists the facts that an app sees.",
      .page = true, .blocks = true, ROUTE_FIELDS(page_fields) },
    { POST, HERE "/withhold", post_withhold, CALLER_USER,
      .summary = "Withholds a fact from an app.", .page = true, ROUTE_FIELDS(fact_fields),
      .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { POST, HERE "/share", post_share, CALLER_USER, .summary = "Shares a withheld fact again.",
      .page = true, ROUTE_FIELDS(fact_fields), .body = BODY_FORM, .body_max = 4 * KIB,
      .blocks = true },
    { 0 },
};
