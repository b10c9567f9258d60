/* grant.c - what a consent, a narrowing, or a token leaves of the permissions.
 *
 * Sets of scopes and of domains use the same bits (scope.h): the scope of a domain is also the
 * domain in hint_domains and the others. So a set operation is one instruction, and DOMAINS_ALL
 * includes domains that do not exist yet. Every function returns a subset of what was granted, or
 * adds exactly what a consent page showed. */
#include "model/grant.h"

/* Beyond this a new place replaces the others. */
#define SHOWN_MAX 4096

/* The values of the consent form. */
bool
grant_term_read(struct str text, enum grant_term *out)
{
    static const char *const names[] = { "revoked", "1d", "30d", "1y" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (str_eq_c(text, names[i])) {
            *out = (enum grant_term)i;
            return true;
        }
    }
    return false;
}

/* A month is 30 days and a year 365, as the page says. */
int64_t
grant_term_end(enum grant_term term, int64_t now)
{
    static const int64_t day = 24 * 3600;
    switch (term) {
    case TERM_UNTIL_REVOKED:
        return NEVER_EXPIRES;
    case TERM_DAY:
        return now + day;
    case TERM_MONTH:
        return now + 30 * day;
    case TERM_YEAR:
        return now + 365 * day;
    }
    /* Not a term: a grant that has expired already is the safe result. */
    return now;
}

/* The texts of the result belong to `access`. */
struct view
access_view(const struct access *access, const struct domains *domains)
{
    return (struct view){ .user_id = access->user_id,
                          .app_id = access->app_id,
                          .domains = domains,
                          .withheld = access->withheld,
                          .sensitive = access->allowed.sensitive_domains };
}

scopes
scopes_readable(scopes set)
{
    return (set & SCOPE_PREFERENCES_READ) != 0 ? DOMAINS_ALL : scopes_domains(set);
}

/* A scope that the grant has lost is removed first, and with it the domains for which it was
 * needed. */
struct permissions
permissions_within(scopes set, bool domains_limited, const struct permissions *granted)
{
    set &= granted->scopes;
    scopes domains = domains_limited ? scopes_domains(set) : DOMAINS_ALL;
    return (struct permissions){
        .scopes = set,
        .hint_domains = (set & SCOPE_AGENT_HINTS) != 0 ? domains & granted->hint_domains : 0,
        .write_domains =
            (set & SCOPE_PREFERENCES_WRITE) != 0 ? domains & granted->write_domains : 0,
        .sensitive_domains = scopes_readable(set) & granted->sensitive_domains,
    };
}

struct permissions
permissions_of(scopes asked, scopes selected)
{
    static const struct permissions all = { ~(scopes)0, DOMAINS_ALL, DOMAINS_ALL, 0 };
    return permissions_within(asked & selected, scopes_limit_domains(asked), &all);
}

/* Removing the scope of a domain also ends hints and writing there. */
struct permissions
grant_without(const struct permissions *held, scopes removed)
{
    scopes left = held->scopes & ~removed;
    return (struct permissions){
        .scopes = left,
        .hint_domains = (removed & SCOPE_AGENT_HINTS) != 0 ? 0 : held->hint_domains & ~removed,
        .write_domains =
            (removed & SCOPE_PREFERENCES_WRITE) != 0 ? 0 : held->write_domains & ~removed,
        .sensitive_domains = held->sensitive_domains & scopes_readable(left),
    };
}

void
grant_choose_sensitive(struct permissions *grant, scopes asked, scopes chosen)
{
    scopes shown = scopes_readable(asked);
    grant->sensitive_domains =
        ((grant->sensitive_domains & ~shown) | (chosen & shown)) & scopes_readable(grant->scopes);
}

/* Scopes that were on the page are as selected; scopes that were not stay as they were. Sensitive
 * facts are decided separately. */
struct permissions
grant_after_consent(const struct permissions *held, scopes asked, scopes selected)
{
    struct permissions kept = grant_without(held, asked & ~selected);
    struct permissions shown = permissions_of(asked, selected);
    return (struct permissions){
        .scopes = kept.scopes | shown.scopes,
        .hint_domains = kept.hint_domains | shown.hint_domains,
        .write_domains = kept.write_domains | shown.write_domains,
        .sensitive_domains = kept.sensitive_domains,
    };
}

/* The domains in which an authorization applies that asked for these scopes. */
static scopes
domains_asked(scopes asked)
{
    return scopes_limit_domains(asked) ? scopes_domains(asked) : DOMAINS_ALL;
}

/* If the user left out a domain, preferences:read, which covers all, becomes the scopes of the
 * domains that are left. */
scopes
grant_limited_scopes(scopes asked, scopes selected, scopes domains)
{
    scopes wanted = domains_asked(asked), allowed = asked & selected;
    if ((wanted & ~domains) == 0)
        return allowed;
    scopes readable =
        (allowed & SCOPE_PREFERENCES_READ) != 0 ? wanted : scopes_domains(allowed) & wanted;
    return (allowed & ~(DOMAINS_ALL | SCOPE_PREFERENCES_READ)) | (readable & domains);
}

/* If the user allowed every domain that the request asked for, this is a normal consent. */
struct permissions
grant_after_limited_consent(const struct permissions *held, scopes asked, scopes selected,
                            scopes domains)
{
    scopes wanted = domains_asked(asked), within = wanted & domains;
    scopes allowed = grant_limited_scopes(asked, selected, domains);
    if (within == wanted)
        return grant_after_consent(held, asked, selected);
    /* The user chose the domains on this page, so that it decides on all of them: whatever an
     * earlier consent allowed and this one does not is removed. */
    scopes shown = asked | SCOPE_PREFERENCES_READ | DOMAINS_ALL;
    struct permissions after = grant_without(held, shown & ~allowed);
    after.scopes |= allowed;
    if ((allowed & SCOPE_AGENT_HINTS) != 0)
        after.hint_domains = within;
    if ((allowed & SCOPE_PREFERENCES_WRITE) != 0)
        after.write_domains = within;
    return after;
}

/* Reading hints about a domain is reading it, so hint_domains count as well. */
bool
grant_reads(const struct permissions *allowed, struct str domain, bool sensitive)
{
    scopes own = scope_named(domain);
    if (sensitive)
        return (allowed->sensitive_domains & own) != 0;
    return ((scopes_readable(allowed->scopes) | allowed->hint_domains) & own) != 0;
}

/* A request that names no domain uses hints in all of them. A grant for one domain does not cover
 * it, although it has the scope. */
scopes
grant_covered(const struct permissions *held, scopes asked)
{
    struct permissions wanted = permissions_of(asked, asked);
    scopes covered = asked & held->scopes;
    if ((wanted.hint_domains & ~held->hint_domains) != 0)
        covered &= ~(scopes)SCOPE_AGENT_HINTS;
    if ((wanted.write_domains & ~held->write_domains) != 0)
        covered &= ~(scopes)SCOPE_PREFERENCES_WRITE;
    return covered;
}

/* `shown` is the description of an app that the user has consented to, and below it the places it
 * may return to. False: something has changed since, so the user must be asked again. */
bool
grant_shows(struct str shown, struct str about, struct str place)
{
    struct str rest = str_from(shown, about.len), line;
    if (!str_starts(shown, about))
        return false;
    while (str_cut(&rest, '\n', &line))
        if (str_eq(line, place))
            return true;
    return false;
}

/* A change of the name or link starts a new list: the places were shown under the old name. */
struct str
grant_add_shown(struct arena *mem, struct str shown, struct str about, struct str place)
{
    if (grant_shows(shown, about, place))
        return shown;
    bool add = str_starts(shown, about) && shown.len < SHOWN_MAX;
    return str_format(mem, "%.*s%s%.*s", STR_ARG(add ? shown : about), add ? "\n" : "",
                      STR_ARG(place));
}

/* A lost token is not a stolen one: the database forgot it, the client did not use it twice. */
enum refresh_state
refresh_classify(const struct refresh_token *token, int64_t reuses_max, int64_t now)
{
    if (token->is_lost)
        return REFRESH_LOST;
    if (token->used_at == 0)
        return REFRESH_FRESH;
    if (now - token->used_at > REUSE_SECONDS)
        return REFRESH_REUSED;
    return token->reuses < reuses_max ? REFRESH_RETRY : REFRESH_TOO_OFTEN;
}
