/* hints.c - the way from stored hint sets to the answer.
 *
 * Most requests need no statement here: the lookup of the access token has read the hint sets
 * (params->hint_sets), and ranking works on these texts. Only a stale set, or a domain in which
 * facts are withheld, is made from the atoms. `allowed` and `sensitive` are checked here, for every
 * set, before anything is ranked. */
#include "preference/hints.h"

#include "base/arena.h"
#include "selection/hint_origins.h"
#include "hint/hint_elsewhere.h"
#include "store/app_store.h"
#include "store/atom_store.h"
#include "store/record_store.h"
#include "store/tx.h"
#include "text/json_write.h"

/* ---- from the store ---- */

/* The hint sets of the allowed domains. `stale`: at least one must be rebuilt. */
struct hints_read {
    struct arena *mem;
    const struct hints_params *params;
    struct hint_set hint_sets[DOMAINS_MAX];
    size_t count;
    bool stale;
};

/* A hint set is made from the atoms if single facts are withheld, or if the stored one is of an
 * older definition or program version. Sensitive hints stay in it, marked: hint_order() leaves them
 * out, and safety_complete is false if one is critical. */
static enum err
read_set(struct db_tx *tx, struct hints_read *reading, const struct domain *domain, struct str text,
         struct hint_set *out)
{
    struct atom *atoms = NULL;
    size_t count = 0;
    struct view whole = reading->params->view;
    /* Withheld facts are removed now, sensitive ones later. */
    whole.sensitive = DOMAINS_ALL;
    const struct view *view = &whole;
    bool limited = view_limits(view, domain->name);
    if (!limited && hint_set_read(reading->mem, domain, text, out))
        return ERR_NONE;
    /* A set that is limited for this app is not wrong: no rebuild. */
    reading->stale = reading->stale || !limited;
    enum err err =
        atom_store_list(tx, reading->mem, view->user_id, domain->name, STR_NONE, &atoms, &count);
    struct app_store_names names;
    app_store_names(&names, tx);
    if (!err)
        hint_set_make(reading->mem, domain, atoms, view_filter(view, atoms, count), &names.names,
                      out);
    return err;
}

static bool
is_allowed(const struct hints_params *params, uint64_t allowed, const struct domain *domain)
{
    return allowed >> (domain - params->domains->list) & 1;
}

/* A domain without a hint set has no facts, and is not in the list. */
static enum err
read_sets(struct db_tx *tx, struct hints_read *reading)
{
    const struct hints_params *params = reading->params;
    struct record *records = NULL;
    size_t count = 0;
    enum err err = ERR_NONE;
    if (str_present(params->hint_sets))
        record_store_split(reading->mem, params->hint_sets, &records, &count);
    else
        err = record_store_hints(tx, reading->mem, params->view.user_id, &records, &count);
    uint64_t seen = 0;
    for (size_t i = 0; i < count && !err; i++) {
        const struct domain *domain = domains_find(params->domains, records[i].domain);
        if (domain == NULL) /* the definition was removed: the data is kept but not sent */
            continue;
        uint64_t bit = (uint64_t)1 << (domain - params->domains->list);
        if ((params->allowed & ~seen & bit) != 0) /* a damaged row may name a domain twice */
            err = read_set(tx, reading, domain, records[i].hints,
                           &reading->hint_sets[reading->count++]);
        seen |= bit;
    }
    return err;
}

/* The transaction covers only the reading; choosing and writing hints needs no store. */
enum err
hints_read(struct db *db, struct arena *mem, const struct hints_params *params, struct hints *out)
{
    struct hints_read *reading = ARENA_NEW(mem, struct hints_read);
    reading->mem = mem;
    reading->params = params;
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, read_sets(tx, reading));
    if (err)
        return err;
    hints_from_sets(mem, params, reading->hint_sets, reading->count, out);
    out->stale = reading->stale;
    return ERR_NONE;
}

/* ---- composing ---- */

/* The domains that the context is about, and those with a hint in the answer. Never one that is not
 * allowed: the response must not reveal that it has facts. */
static uint64_t
find_considered(const struct hints_params *params, const struct hint_query *query,
                const struct hints *hints)
{
    uint64_t found = 0;
    for (size_t i = 0; i < params->domains->count; i++)
        if ((!hints->match.known && query->fallback == HINT_EVERYTHING) || params->domains_named ||
            context_chosen(&hints->match, &params->domains->list[i]) != NULL)
            found |= (uint64_t)1 << i;
    for (size_t i = 0; i < query->set_count; i++)
        if (hints->answer.hint_sets >> i & 1)
            found |= (uint64_t)1 << (query->hint_sets[i].domain - params->domains->list);
    return found & params->allowed;
}

/* False: the context is about none of the named domains and is ignored. A match with a domain that
 * is not allowed must not show in the response. */
static bool
concerns_allowed(const struct hints_params *params, const struct context_match *match)
{
    for (size_t i = 0; i < match->count; i++)
        if (is_allowed(params, params->allowed, match->list[i].domain))
            return true;
    return false;
}

static struct str
context_of(const struct hints_params *params)
{
    return params->context.len > 0 ? params->context : params->purpose;
}

/* The selection for a context that matches nothing. A task that is recognized as unrelated to any
 * domain gets no facts; an unknown one only what matters for safety. */
static enum hint_fallback
fallback_of(const struct hints_params *params, const struct context_match *match)
{
    if (context_of(params).len == 0 || params->domains_named || params->general)
        return HINT_EVERYTHING;
    return match->unrelated ? HINT_NOTHING : HINT_ONLY_SAFETY;
}

/* A caller who names domains wants them ranked, so that a context about other domains is ignored.
 */
void
hints_from_sets(struct arena *mem, const struct hints_params *params,
                const struct hint_set *hint_sets, size_t count, struct hints *out)
{
    struct hint_set *reached = ARENA_ARRAY(mem, struct hint_set, count + 1);
    struct terms task = { .count = 0 };
    struct hint_query query = {
        .hint_sets = reached,
        .domains = params->domains,
        .context = &out->match,
        .task = &task,
        .domains_named = params->domains_named,
        .format = params->format,
        .max_tokens = params->max_tokens,
    };
    *out = (struct hints){ 0 };
    for (size_t i = 0; i < count; i++) {
        if (!is_allowed(params, params->allowed, hint_sets[i].domain))
            continue;
        if (is_allowed(params, params->sensitive, hint_sets[i].domain))
            query.sensitive |= (uint64_t)1 << query.set_count;
        reached[query.set_count++] = hint_sets[i];
    }
    hint_elsewhere_resolve(mem, params->domains, reached, query.set_count);
    if (context_of(params).len > 0)
        context_task_find(params->domains->contexts, context_of(params), &out->match, &task);
    if (params->domains_named && !concerns_allowed(params, &out->match))
        out->match = (struct context_match){ 0 };
    query.fallback = fallback_of(params, &out->match);
    hint_answer(mem, &query, &out->answer);
    out->considered = find_considered(params, &query, out);
    for (size_t i = 0; i < query.set_count; i++)
        out->named[query.hint_sets[i].domain - params->domains->list] = out->answer.named[i];
}

/* The name of the context, or of the domain if no context matched. Absent: nothing did. */
struct str
hints_matched(const struct hints *hints)
{
    const struct context_match *match = &hints->match;
    if (!match->known || match->count == 0)
        return STR_NONE;
    const struct context_choice *choice = &match->list[0];
    return choice->context != NULL ? choice->context->name : choice->domain->name;
}

#define OTHER_MEMBERS 512 /* bytes, usually fewer */

/* The members are those of docs/HINTS.md. Texts that are known to need no escape are written
 * directly. */
void
hints_write_members(struct json *out, const struct hints_params *params, const struct hints *hints)
{
    buf_reserve(out->out, 2 * hints->answer.hints.len + OTHER_MEMBERS);
    json_put_raw(out, "hints", hints->answer.hints);
    if (params->format == HINT_JSON) { /* programs read it; the others are text for a prompt */
        json_key_name(out, STR("origins"));
        hint_origins_by_member(out, hints->answer.selected);
    }
    json_put_name(out, "format", hint_format_name(params->format));
    json_key_name(out, STR("domains"));
    json_open_array(out);
    for (size_t i = 0; i < params->domains->count; i++)
        if (hints->considered >> i & 1)
            json_add_pieces(out, STR("\""), params->domains->list[i].name, STR("\""));
    json_close_array(out);
    json_key_name(out, STR("context"));
    json_str(out, params->context);
    json_put_integer(out, "max_tokens", params->max_tokens);
    json_put_integer(out, "token_count", hints->answer.tokens);
    json_put_name(out, "tokenizer", STR("o200k_base"));
    json_put_integer(out, "omitted", hints->answer.omitted);
    json_put_str(out, "context_matched", hints_matched(hints));
    json_put_integer(out, "hints_available", hints->answer.available);
    json_put_raw(out, "safety_complete",
                 hints->answer.safety_complete ? STR("true") : STR("false"));
    json_put_name(out, "content_role", STR("data")); /* never instructions */
}

void
hints_write(struct json *out, const struct hints_params *params, const struct hints *hints)
{
    json_open_object(out);
    hints_write_members(out, params, hints);
    json_close_object(out);
}
