#include "model/grant.h"

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
    return now;
}

scopes
grant_after_consent(scopes held, scopes asked, scopes ticked)
{
    return (held & ~asked) | (asked & ticked);
}

bool
grant_covers(scopes held, scopes asked)
{
    return (asked & ~held) == 0;
}

enum refresh_verdict
refresh_judge(const struct refresh_token *token, int64_t now)
{
    if (token->used_at == 0)
        return REFRESH_FRESH;
    if (now - token->used_at > REUSE_SECONDS)
        return REFRESH_STOLEN;
    return token->reuses < REUSES_MAX ? REFRESH_RETRY : REFRESH_TOO_OFTEN;
}
