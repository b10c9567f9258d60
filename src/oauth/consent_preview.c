/* consent_preview.c - under each requested scope, the values that the app would read now.
 *
 * All facts are loaded once and shown by member: at most five lines per scope, a few more that open
 * on demand, and the number of the rest. A page for many scopes has fewer lines each, because a
 * page is at most 60 KB. Sensitive facts are listed beside their own box, and those that the user
 * withheld are left out. */
#include "oauth/consent_preview.h"

#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "preference/hints.h"
#include "page/hints_panel.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

#define LINES_MAX 5 /* per scope */
#define LINES_FEW 2 /* per scope, if the page lists more than SCOPES_MANY */
#define SCOPES_MANY 10
#define REST_MAX 8 /* lines per scope that open, and sensitive ones */
#define REST_FEW 2
#define VALUES_MAX 5
#define LINE_MAX ((size_t)2048)

enum err
consent_preview_load(struct call *call, scopes requested, struct str withheld,
                     struct consent_preview *out)
{
    *out =
        (struct consent_preview){ .call = call, .requested = requested, .view.withheld = withheld };
    return facts_load(call, STR_NONE, &out->facts);
}

/* ---- facts ---- */

/* The lines below one scope. Those beyond `most` are hidden at first, and those beyond rest_most
 * only counted. */
struct lines {
    struct values *item;
    size_t shown, most;
    size_t rest, rest_most; /* lines that "and 3 more facts" hides */
    size_t sensitive;
    int64_t omitted; /* facts */
};

/* The first lines are always visible; further ones are in a part that the page opens on demand. */
static void
put_line(struct lines *lines, struct str label, struct str reads)
{
    bool opened = lines->shown == lines->most;
    struct values *line = values_item(lines->item, opened ? "rest" : "reads");
    values_text(line, "label", label);
    values_text(line, "reads", reads);
    if (opened)
        lines->rest++;
    else
        lines->shown++;
}

/* Beside the box that shares it. */
static void
put_sensitive(struct lines *lines, struct str label, struct str reads, int64_t count)
{
    if (count == 0 || lines->sensitive == lines->rest_most)
        return;
    lines->sensitive++;
    struct values *line = values_item(lines->item, "sensitive_reads");
    values_text(line, "label", label);
    values_text(line, "reads", reads);
}

/* "Björk, Radiohead and 3 more"; *count is the number of all values. */
static struct str
member_values(struct consent_preview *preview, const struct domain *domain,
              const struct member *member, int64_t *count)
{
    struct call *call = preview->call;
    struct buf out = buf_in(call->mem, LINE_MAX);
    *count = 0;
    for (size_t i = 0; i < preview->facts.count; i++) {
        const struct atom *atom = &preview->facts.list[i].atom;
        if (atom->status != ATOM_ACTIVE || !str_eq(atom->domain, domain->name) ||
            !str_eq(atom->member, member->name) || !view_shows(&preview->view, atom) ||
            /* A statement about health in a member that is not sensitive as a whole: it is withheld
             * without its box, so it is not shown as readable. */
            (!member->sensitive && view_is_sensitive(domain, member, atom->key)) ||
            (*count)++ >= VALUES_MAX)
            continue;
        buf_add_c(&out, out.len > 0 ? ", " : "");
        buf_add(&out, facts_short(call, facts_value(call, member, atom->value)));
    }
    if (*count <= VALUES_MAX)
        return buf_str(&out);
    const struct message_value values[] = {
        { "values", buf_str(&out) },
        { "count", message_number(call, *count - VALUES_MAX) },
    };
    return message_with(call, KEY("consent.preview.values"), values, 2);
}

/* With `name_domain`, the label also names the domain, because the lines of all domains are in one
 * list. */
static void
put_domain(struct consent_preview *preview, struct lines *lines, const struct domain *domain,
           bool name_domain)
{
    struct call *call = preview->call;
    for (size_t m = 0; m < domain->member_count; m++) {
        const struct member *member = &domain->members[m];
        int64_t count;
        struct str reads = member_values(preview, domain, member, &count);
        const struct message_value values[] = { { "domain", message_sentence(call, domain->title) },
                                                { "member", facts_member_label(call, member) } };
        struct str label = name_domain
                               ? message_with(call, KEY("consent.preview.member"), values, 2)
                               : values[1].text;
        if (member->sensitive) {
            put_sensitive(lines, label, reads, count);
            continue;
        }
        if (lines->shown == lines->most)
            lines->omitted += count;
        if (count > 0 && lines->rest < lines->rest_most)
            put_line(lines, label, reads);
    }
}

/* The members that the user info endpoint returns. */
static void
put_profile(struct consent_preview *preview, struct lines *lines)
{
    struct call *call = preview->call;
    const struct user *user = &call->browser->user;
    struct str picture =
        str_present(user->picture) ? message(call, KEY("profile.picture.now")) : STR_NONE;
    const struct line {
        const char *key;
        struct str text;
    } all[] = {
        { KEY("signup.username"), user->username },    { KEY("signup.name"), user->name },
        { KEY("signup.email"), user->email },          { KEY("profile.language"), user->language },
        { KEY("profile.time_zone"), user->time_zone }, { KEY("profile.picture"), picture },
    };
    lines->most = sizeof all / sizeof all[0]; /* none of them is hidden, on any page */
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (str_present(all[i].text))
            put_line(lines, message(call, all[i].key), all[i].text);
}

/* With many scopes on the page, each shows fewer lines, so that the page can still be read. */
void
consent_preview_put_scope(struct consent_preview *preview, struct values *item, scopes one)
{
    const struct domains *domains = preview->call->web->settings.domains;
    bool many = __builtin_popcountll(preview->requested) > SCOPES_MANY;
    struct lines lines = { .item = item,
                           .most = many ? LINES_FEW : LINES_MAX,
                           .rest_most = many ? REST_FEW : REST_MAX };
    bool everything = one == SCOPE_PREFERENCES_READ;
    if (one == SCOPE_PROFILE_READ)
        put_profile(preview, &lines);
    for (size_t i = 0; i < domains->count; i++)
        if (everything || scope_named(domains->list[i].name) == one)
            put_domain(preview, &lines, &domains->list[i], everything);
    /* Only scopes that read preferences can say that there is nothing yet. */
    values_flag(item, "reads_none", lines.shown == 0 && (everything || scopes_domains(one) != 0));
    if (lines.omitted > 0)
        values_text(item, "more",
                    message_count(preview->call, KEY("consent.preview.more.one"),
                                  KEY("consent.preview.more.other"), lines.omitted));
}

/* ---- hints ---- */

/* Without hints or domains there is nothing to preview, and the page shows no panel. */
enum err
consent_preview_put_hints(struct call *call, struct values *values, scopes requested,
                          scopes selected, scopes domains, scopes sensitive, struct str withheld)
{
    struct hints_panel_params params = {
        .scopes = requested & selected,
        .requested = requested,
        .within = domains,
        .sensitive = sensitive,
        .withheld = withheld,
        .max_tokens = HINTS_TOKENS_DEFAULT,
    };
    if ((params.scopes & SCOPE_AGENT_HINTS) == 0 || domains == 0)
        return ERR_NONE;
    return hints_panel_put(call, values, &params);
}
