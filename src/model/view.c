/* view.c - decides for each fact whether an app sees it.
 *
 * Two rules withhold a fact: the user listed it, or it is sensitive and the user does not share the
 * sensitive facts of the domain. Both are checked by view_withholds(), which every read goes
 * through. The list is one text and short (WITHHELD_MAX), so that it is searched from the start
 * each time. The digest in front identifies the list in keys of cached responses. */
#include "model/view.h"

#include "base/arena.h"
#include "base/buf.h"
#include "crypt/digest.h"
#include "domain/domain.h"
#include "naming/personal.h"
#include "value/statement.h"

#define LINES_AT (DIGEST_SHORT_LENGTH + 1) /* after the digest and its line feed */

struct view
view_whole(struct str user_id)
{
    return (struct view){ .user_id = user_id };
}

/* *at is 0 in the first call. The members of *out point into `withheld`. */
bool
view_next(struct str withheld, size_t *at, struct withheld_fact *out)
{
    struct str rest = str_from(withheld, *at == 0 ? LINES_AT : *at);
    if (rest.len == 0)
        return false;
    struct str line = str_first(rest, str_index(rest, '\n'));
    *at = withheld.len - rest.len + line.len + 1;
    out->line = line;
    out->domain = str_first(line, str_index(line, '\t'));
    line = str_from(line, out->domain.len + 1);
    out->member = str_first(line, str_index(line, '\t'));
    out->key = str_from(line, out->member.len + 1);
    return true;
}

/* ---- sensitive facts ---- */

/* The consent page has a box for statements only where a member is critical. */
bool
view_has_sensitive_statements(const struct domain *domain)
{
    bool critical = false, statements = false;
    for (size_t i = 0; i < domain->member_count; i++) {
        critical = critical || domain->members[i].safety == SAFETY_CRITICAL;
        statements = statements || statement_holds(&domain->members[i]);
    }
    return critical && statements;
}

/* Also statements can be sensitive, depending on their text. */
bool
view_has_sensitive(const struct domain *domain)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (domain->members[i].sensitive)
            return true;
    return view_has_sensitive_statements(domain);
}

bool
view_is_sensitive(const struct domain *domain, const struct member *member, struct str key)
{
    return member->sensitive ||
           (statement_holds(member) &&
            (statement_concern(domain, key) == CONCERN_PRIVATE || personal_statement(key)));
}

/* Also in a domain without critical members, a statement can name a condition or a religion. The
 * consent page has no box for it there, so no app sees it. */
static bool
has_sensitive_members(const struct domain *domain)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (domain->members[i].sensitive || statement_holds(&domain->members[i]))
            return true;
    return false;
}

/* The domain if its sensitive facts are withheld, otherwise NULL. The user's own view has no app
 * and withholds nothing. */
static const struct domain *
withheld_sensitive(const struct view *view, struct str name)
{
    if (!str_present(view->app_id) || (view->sensitive & scope_named(name)) != 0)
        return NULL;
    return view->domains == NULL ? NULL : domains_find(view->domains, name);
}

/* ---- */

static bool
is_listed_domain(struct str withheld, struct str domain)
{
    struct withheld_fact fact;
    for (size_t at = 0; view_next(withheld, &at, &fact);)
        if (str_eq(fact.domain, domain))
            return true;
    return false;
}

/* May be true although no stored fact is withheld: then the slower way gives the same result. */
bool
view_limits(const struct view *view, struct str domain)
{
    const struct domain *sensitive = withheld_sensitive(view, domain);
    return (sensitive != NULL && has_sensitive_members(sensitive)) ||
           is_listed_domain(view->withheld, domain);
}

/* Sensitive members first: they are withheld without a line in the list. */
bool
view_withholds(const struct view *view, struct str domain, struct str member, struct str key)
{
    const struct domain *sensitive = withheld_sensitive(view, domain);
    const struct member *of = sensitive == NULL ? NULL : domain_member(sensitive, member);
    struct withheld_fact fact;
    if (of != NULL && view_is_sensitive(sensitive, of, key))
        return true;
    for (size_t at = 0; view_next(view->withheld, &at, &fact);)
        if (str_eq(fact.key, key) && str_eq(fact.member, member) && str_eq(fact.domain, domain))
            return true;
    return false;
}

bool
view_shows(const struct view *view, const struct atom *atom)
{
    return !view_withholds(view, atom->domain, atom->member, atom->key);
}

/* Keeps the order. */
size_t
view_filter(const struct view *view, struct atom *atoms, size_t count)
{
    size_t kept = 0;
    if (view->withheld.len == 0 && !str_present(view->app_id))
        return count;
    for (size_t i = 0; i < count; i++)
        if (view_shows(view, &atoms[i]))
            atoms[kept++] = atoms[i];
    return kept;
}

/* ---- changing ---- */

struct str
view_digest(struct str withheld)
{
    return str_first(withheld, withheld.len == 0 ? 0 : DIGEST_SHORT_LENGTH);
}

/* The lines with their digest. */
static struct str
finish(struct arena *mem, struct str lines)
{
    char digest[DIGEST_SHORT_LENGTH];
    if (lines.len == 0)
        return STR("");
    digest_short(lines, digest);
    return str_format(mem, "%.*s\n%.*s", DIGEST_SHORT_LENGTH, digest, STR_ARG(lines));
}

/* Compares with listed facts only: `view` has no app, so that a sensitive fact can be listed, too.
 */
struct str
view_withhold(struct arena *mem, struct str withheld, const struct atom *atom)
{
    struct withheld_fact fact;
    size_t count = 0;
    struct view view = { .withheld = withheld };
    if (!view_shows(&view, atom))
        return withheld; /* present: it has this fact */
    for (size_t at = 0; view_next(withheld, &at, &fact);)
        count++;
    struct str lines =
        str_format(mem, "%.*s%.*s\t%.*s\t%.*s\n", STR_ARG(str_from(withheld, LINES_AT)),
                   STR_ARG(atom->domain), STR_ARG(atom->member), STR_ARG(atom->key));
    return count >= WITHHELD_MAX || lines.len > WITHHELD_BYTES_MAX ? STR_NONE : finish(mem, lines);
}

/* Without the line, everything else stays in its order. */
struct str
view_share(struct arena *mem, struct str withheld, struct str line)
{
    struct withheld_fact fact;
    struct buf lines = buf_in(mem, WITHHELD_BYTES_MAX);
    for (size_t at = 0; view_next(withheld, &at, &fact);) {
        if (str_eq(fact.line, line))
            continue;
        buf_add(&lines, fact.line);
        buf_add_char(&lines, '\n');
    }
    return finish(mem, buf_str(&lines));
}
