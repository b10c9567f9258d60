/* facts.c - formats atoms for pages: label, value, source, and the reason for a review.
 *
 * Atoms may refer to a domain or member that the current definitions no longer have; then their
 * names are shown instead of titles. Names of apps are looked up once per page (struct
 * source_name). */
#include "page/facts.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "value/value.h"
#include "domain/value_text.h"
#include "flow/apps.h"
#include "preference/corrections.h"
#include "page/when.h"
#include "text/html.h"
#include "text/json_read.h"
#include "template/template.h"
#include "text/utf8.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

#include <string.h>

#define SHOWN_MAX 1024
#define ELLIPSIS "…"

/* The name of an app, looked up once per page. */
struct source_name {
    struct str source;
    struct str name;
    struct source_name *next;
};

/* Facts of every status: pages filter them. */
enum err
facts_load(struct call *call, struct str domain, struct facts *out)
{
    *out = (struct facts){ 0 };
    return corrections_list(call->db, call->mem, call->browser->user.id, domain, &out->list,
                            &out->count);
}

/* NULL: the user has no such fact, or it was deleted meanwhile. */
const struct sourced_atom *
facts_find(const struct facts *facts, struct str atom_id)
{
    for (size_t i = 0; i < facts->count; i++)
        if (str_eq(facts->list[i].atom.id, atom_id))
            return &facts->list[i];
    return NULL;
}

/* ---- text ---- */

/* "favorite_artists" -> "Favorite artists". */
struct str
facts_label(struct call *call, struct str name)
{
    struct buf out = buf_in(call->mem, SHOWN_MAX);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i] == '_' ? ' ' : name.ptr[i];
        buf_add_char(&out, i == 0 && ascii_is_lower(c) ? (char)(c - 'a' + 'A') : c);
    }
    return message_sentence(call, buf_str(&out));
}

struct str
facts_member_label(struct call *call, const struct member *member)
{
    return str_present(member->title) ? message_sentence(call, member->title)
                                      : facts_label(call, member->name);
}

/* member NULL: not in the current definition. */
static struct str
label_of(struct call *call, const struct atom *atom, const struct member *member)
{
    return member == NULL ? facts_label(call, atom->member) : facts_member_label(call, member);
}

/* At most ten digits. In text, the decimal separator is that of the language. */
static struct str
number_text(struct call *call, const struct member *member, const struct json_value *value)
{
    if (value->type == JSON_INT)
        return str_format(call->mem, "%lld", (long long)value->integer);
    struct str text = str_format(call->mem, "%.10g", value->real);
    size_t point = str_index(text, '.');
    if (member == NULL || point == text.len) /* NULL: for a form, which needs the point */
        return text;
    return str_format(call->mem, "%.*s%.*s%.*s", STR_ARG(str_first(text, point)),
                      STR_ARG(message(call, KEY("number.decimal"))),
                      STR_ARG(str_from(text, point + 1)));
}

static struct str value_text(struct call *call, const struct member *member,
                             const struct json_value *value);

/* "Style: tabs, Width: 4". A member that is an object has no vocabulary of its own. */
static struct str
object_text(struct call *call, const struct member *member, const struct json_value *object)
{
    struct buf out = buf_in(call->mem, SHOWN_MAX);
    for (size_t i = 0; i < object->count; i++) {
        const struct message_value values[] = {
            { "name", facts_label(call, object->children[i].key) },
            { "value", value_text(call, member, &object->children[i]) },
        };
        buf_add_c(&out, i > 0 ? ", " : "");
        buf_add(&out, message_with(call, KEY("fact.pair"), values, 2));
    }
    return buf_str(&out);
}

/* Values of the vocabularies are translated; texts of users are shown as they are. */
static struct str
value_text(struct call *call, const struct member *member, const struct json_value *value)
{
    const struct vocabulary *vocabulary = member == NULL ? NULL : member->vocabulary;
    switch (value->type) {
    case JSON_STR:
        if (vocabulary != NULL && !vocabulary->open) {
            const struct vocabulary_value *known =
                vocabulary_find(vocabulary, value_fold(call->mem, value->text));
            return known == NULL ? value->text : message_sentence(call, known->label);
        }
        /* A value of an open vocabulary is shown as typed; in its canonical spelling, translated.
         */
        return vocabulary == NULL ? value->text : message_sentence(call, value->text);
    case JSON_BOOL:
        return message(call, value->integer != 0 ? KEY("fact.yes") : KEY("fact.no"));
    case JSON_INT:
    case JSON_REAL:
        return number_text(call, member, value);
    case JSON_OBJECT:
        return object_text(call, member, value);
    case JSON_ARRAY:
    case JSON_NULL:
        break;
    }
    return STR("");
}

/* A value that is not valid JSON is shown as it is. */
struct str
facts_value(struct call *call, const struct member *member, struct str json)
{
    const struct json_value *value = NULL;
    if (json_read(call->mem, json, 4, &value, NULL) != ERR_NONE)
        return json;
    return value_text(call, member, value);
}

/* At most `most` bytes of escaped HTML, because pages have a limit in bytes, and "<" takes four of
 * them. Cuts between characters. */
static struct str
shorten(struct call *call, struct str shown, size_t most)
{
    struct buf out = buf_in(call->mem, 2 * most);
    struct str rest = shown, kept = STR("");
    while (rest.len > 0 && out.len <= most) {
        struct str before = rest;
        if (utf8_next(&rest) < 0)
            rest = str_from(before, 1);
        html_escape(&out, str_first(before, before.len - rest.len));
        if (out.len + strlen(ELLIPSIS) <= most)
            kept = str_first(shown, shown.len - rest.len);
    }
    if (out.len <= most)
        return shown;
    return str_format(call->mem, "%.*s" ELLIPSIS, STR_ARG(str_trim(kept)));
}

struct str
facts_short(struct call *call, struct str shown)
{
    return shorten(call, shown, FACTS_SHORT_MAX);
}

static bool
contains(struct str text, struct str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (str_starts(str_from(text, i), part))
            return true;
    return false;
}

/* Searches what the page shows, and the names of the member and its domain. */
bool
facts_match(struct call *call, const struct atom *atom, struct str wanted)
{
    const struct domain *domain = domains_find(call->web->settings.domains, atom->domain);
    if (!str_present(wanted))
        return true;
    if (domain == NULL)
        return false;
    const struct member *member = domain_member(domain, atom->member);
    struct arena *mem = call->mem; /* folding takes many times the length of a text */
    call->mem = arena_new();
    bool found = contains(value_fold(call->mem, facts_value(call, member, atom->value)), wanted) ||
                 contains(value_fold(call->mem, label_of(call, atom, member)), wanted) ||
                 contains(value_fold(call->mem, facts_label(call, atom->member)), wanted) ||
                 contains(value_fold(call->mem, domain->title), wanted);
    arena_free(call->mem);
    call->mem = mem;
    return found;
}

/* A deleted app has no name any more. */
struct str
facts_source(struct call *call, struct facts *facts, struct str source)
{
    struct app app;
    if (str_eq(source, SOURCE_USER))
        return message(call, KEY("fact.source.you"));
    for (const struct source_name *known = facts->names; known != NULL; known = known->next)
        if (str_eq(known->source, source))
            return known->name;
    struct source_name *name = ARENA_NEW(call->mem, struct source_name);
    bool found = app_find(call->db, call->mem, source, &app) == ERR_NONE;
    *name = (struct source_name){ source,
                                  found ? app.name : message(call, KEY("fact.source.deleted_app")),
                                  facts->names };
    facts->names = name;
    return name->name;
}

/* "you" if the user is a source, else the first app; and the number of other sources. */
static struct str
sources_text(struct call *call, struct facts *facts, const struct sourced_atom *fact)
{
    const struct atom_source *shown = fact->source_count == 0 ? NULL : &fact->sources[0];
    for (size_t i = 0; i < fact->source_count; i++)
        if (str_eq(fact->sources[i].source, SOURCE_USER) ||
            (!str_eq(shown->source, SOURCE_USER) &&
             fact->sources[i].created_at < shown->created_at))
            shown = &fact->sources[i];
    if (shown == NULL)
        return message(call, KEY("fact.source.deleted_app"));
    struct str name = facts_source(call, facts, shown->source);
    if (fact->source_count == 1)
        return name;
    int64_t others = (int64_t)fact->source_count - 1;
    const struct message_value values[] = { { "name", name },
                                            { "count", message_number(call, others) } };
    return message_with(
        call, others == 1 ? KEY("fact.source.others.one") : KEY("fact.source.others.other"), values,
        2);
}

/* Everything that the parts of pages about one fact need; each part uses some of it. */
void
facts_put(struct call *call, struct facts *facts, struct values *item,
          const struct sourced_atom *fact)
{
    const struct atom *atom = &fact->atom;
    const struct domain *domain = domains_find(call->web->settings.domains, atom->domain);
    const struct member *member = domain == NULL ? NULL : domain_member(domain, atom->member);
    values_text(item, "id", atom->id);
    struct str shown = facts_value(call, member, atom->value);
    struct str brief = facts_short(call, shown);
    values_text(item, "value", shown);
    values_text(item, "brief", brief);
    values_flag(item, "long", brief.len < shown.len);
    values_text(item, "label", label_of(call, atom, member));
    values_text(item, "domain", atom->domain);
    values_text(item, "title",
                domain == NULL ? atom->domain : message_sentence(call, domain->title));
    struct str source = sources_text(call, facts, fact);
    values_text(item, "source", source);
    if (!atom->by_user)
        values_text(item, "by", shorten(call, source, FACTS_NAME_MAX));
    values_flag(item, "by_user", atom->by_user);
    values_flag(item, "active", atom->status == ATOM_ACTIVE);
    values_flag(item, "held", atom->status == ATOM_HELD);
    values_flag(item, "suppressed", atom->status == ATOM_SUPPRESSED);
    values_flag(item, "sensitive", member != NULL && member->sensitive);
    when_put(call, item, "when", atom->updated_at);
}

/* ---- why a fact is held ---- */

/* The value that a member with one value has now. */
static const struct sourced_atom *
current_of(const struct facts *facts, const struct atom *atom)
{
    for (size_t i = 0; i < facts->count; i++)
        if (facts->list[i].atom.status == ATOM_ACTIVE &&
            str_eq(facts->list[i].atom.domain, atom->domain) &&
            str_eq(facts->list[i].atom.member, atom->member))
            return &facts->list[i];
    return NULL;
}

/* Which value it would replace, and whose: not always the user's. */
static struct str
replaces_text(struct call *call, struct facts *facts, const struct member *member,
              const struct sourced_atom *current)
{
    const struct message_value values[] = {
        { "value", facts_value(call, member, current->atom.value) },
        { "source", sources_text(call, facts, current) },
    };
    return message_with(
        call, current->atom.by_user ? KEY("account.held.instead") : KEY("account.held.instead.app"),
        values, 2);
}

/* A fact is held because it looks like something else (a link, an instruction to a model), or
 * because it would replace a value. The reason is not stored: value_suspicion() is asked again. */
static void
put_why_held(struct call *call, struct facts *facts, struct values *item, const struct atom *held)
{
    const struct domain *domain = domains_find(call->web->settings.domains, held->domain);
    const struct member *member = domain == NULL ? NULL : domain_member(domain, held->member);
    const struct sourced_atom *current = current_of(facts, held);
    struct value value = { .json = held->value };
    const char *suspicion = value_suspicion(call->mem, &value);
    if (suspicion != NULL)
        values_text(item, "why",
                    message_one(call, KEY("account.held.looks_like"), "pattern",
                                message_sentence(call, str_of(suspicion))));
    else if (member != NULL && member->type != MEMBER_ARRAY && current != NULL)
        values_text(item, "why", replaces_text(call, facts, member, current));
    values_flag(item, "suspicious", suspicion != NULL);
}

/* ---- what waits ---- */

#define REASON_KEY "fact.reason."

/* Without REASON_KEY, each is a reason. */
static const char reasons[][32] MESSAGE_KEYS = {
    REASON_KEY "not_accurate", REASON_KEY "outdated", REASON_KEY "not_mine",
    REASON_KEY "too_personal", REASON_KEY "other",
};

const char *
facts_reason_name(size_t i)
{
    return i < sizeof reasons / sizeof *reasons ? reasons[i] + strlen(REASON_KEY) : NULL;
}

/* A reason that this version does not know is shown as it is stored. */
struct str
facts_reason(struct call *call, struct str name)
{
    for (size_t i = 0; facts_reason_name(i) != NULL; i++)
        if (str_eq_c(name, facts_reason_name(i)))
            return message(call, reasons[i]);
    return name;
}

/* Says why the user is asked: a new fact of an app, or a removal that an app asked for. */
void
facts_put_review(struct call *call, struct facts *facts, struct values *item,
                 const struct atom *atom)
{
    enum atom_review review = atom_review(atom);
    values_flag(item, "held", review == REVIEW_FACT);
    values_flag(item, "removal", review == REVIEW_REMOVAL);
    values_flag(item, "removed", review == REVIEW_REMOVED);
    if (review == REVIEW_FACT) {
        put_why_held(call, facts, item, atom);
    } else if (review != REVIEW_NONE) {
        values_text(item, "by", facts_source(call, facts, atom->suppressed_by));
        values_text(item, "why",
                    message_one(call,
                                review == REVIEW_REMOVED ? KEY("account.removed.why")
                                : atom->by_user          ? KEY("account.removal.why")
                                                         : KEY("account.removal.why.app"),
                                "reason", facts_reason(call, atom->reason)));
    }
}
