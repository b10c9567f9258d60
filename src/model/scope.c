/* scope.c - the table of scopes: four fixed ones, then one per domain.
 *
 * The table is written once, before threads start, and only read afterwards. Bits depend on the
 * loaded definitions, so that the database and the wire have names. A name that is not in the
 * table, such as that of a removed domain, has no bit: reading stored scopes drops it. */
#include "model/scope.h"

#include "base/buf.h"
#include "domain/domain.h"

#define NAMES_MAX 4096

#define FIXED_ROWS 4

static struct scope_row rows[64] = {
    { "preferences:read", "All preferences",
      "See all of your preferences, in every area, no matter what else you select." },
    { "preferences:write", "Add and edit preferences in the areas you allow",
      "The app can add and edit facts. Each one is marked as coming from this app, and you can "
      "correct or delete it." },
    { "agent_hints", "Hints for AI agents",
      "Get short sentences about your preferences to give to an AI model." },
    { "profile:read", "Profile",
      "See your profile: username, name, email, language, time zone, and picture." },
};

/* The name of each row with its length, since every request compares about a dozen. */
static struct str names[64] = {
    STR("preferences:read"),
    STR("preferences:write"),
    STR("agent_hints"),
    STR("profile:read"),
};

static size_t row_count = FIXED_ROWS;

_Static_assert(FIXED_ROWS + DOMAINS_MAX <= sizeof rows / sizeof rows[0], "a set has 64 bits");
_Static_assert(SCOPE_FIRST_DOMAIN == 1 << FIXED_ROWS, "domains follow the fixed scopes");

/* Call before any thread reads the rows: they have no lock. They point to the names, titles, and
 * sentences of the domains. */
void
scopes_setup(const struct domains *domains)
{
    row_count = FIXED_ROWS;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->list[i];
        names[row_count] = domain->name;
        rows[row_count++] =
            (struct scope_row){ domain->name.ptr, domain->title.ptr, domain->consent.ptr };
    }
}

size_t
scope_count(void)
{
    return row_count;
}

const struct scope_row *
scope_row(size_t index)
{
    return &rows[index];
}

/* Domains come after "all preferences", the other fixed scopes at the end. */
size_t
scope_on_page(size_t n)
{
    if (n == 0)
        return 0; /* preferences:read */
    size_t i = n + FIXED_ROWS - 1;
    return i < row_count ? i : i + 1 - row_count;
}

/* 0: no scope has this name. */
scopes
scope_named(struct str name)
{
    for (size_t i = 0; i < row_count; i++)
        if (str_eq(names[i], name))
            return (scopes)1 << i;
    return 0;
}

/* A repeated name is an error like an unknown one. */
bool
scopes_read(struct str text, scopes *out, struct str *unknown)
{
    struct str rest = text.len == 0 ? STR_NONE : text, word;
    *out = 0;
    while (str_cut(&rest, ' ', &word)) {
        scopes one = scope_named(word);
        if (one == 0 || (*out & one) != 0) {
            if (unknown != NULL)
                *unknown = word;
            return false;
        }
        *out |= one;
    }
    return true;
}

/* `lenient` is for clients that are not of the portal: see authorize_check.c. */
bool
scopes_read_request(struct str text, bool lenient, scopes *out, struct str *unknown)
{
    struct str rest = text.len == 0 ? STR_NONE : text, word;
    *out = 0;
    while (str_cut(&rest, ' ', &word)) {
        if (str_eq(word, STR("offline_access")))
            continue;
        scopes one = scope_named(word);
        bool wrong = one == 0 || (*out & one) != 0;
        if (one == 0 || (wrong && !lenient))
            *unknown = word;
        if (wrong && !lenient)
            return false;
        *out |= one;
    }
    return true;
}

/* For stored texts: scopes of a domain that no longer exists are dropped. */
void
scopes_read_known(struct str text, scopes *out)
{
    struct str rest = text, word;
    *out = 0;
    while (str_cut(&rest, ' ', &word))
        *out |= scope_named(word);
}

/* In the order of the table, separated by single spaces. */
struct str
scopes_write(struct arena *mem, scopes set)
{
    struct buf out = buf_in(mem, NAMES_MAX);
    for (size_t i = 0; i < row_count; i++)
        if ((set & ((scopes)1 << i)) != 0)
            buf_add_format(&out, "%s%s", out.len == 0 ? "" : " ", rows[i].name);
    return str_copy(mem, buf_str(&out));
}

scopes
scopes_domains(scopes set)
{
    return set & DOMAINS_ALL;
}

/* Without the bits of domains that do not exist, which DOMAINS_ALL has. */
uint64_t
scopes_domain_indexes(scopes set)
{
    return (set & (((scopes)1 << row_count) - 1)) >> FIXED_ROWS;
}

struct str
scopes_write_domains(struct arena *mem, scopes domains)
{
    return domains == DOMAINS_ALL ? STR("*") : scopes_write(mem, domains);
}

/* The result has no other bits, whatever is stored. */
scopes
scopes_read_domains(struct str text)
{
    scopes domains = DOMAINS_ALL;
    if (!str_eq(text, STR("*")))
        scopes_read_known(text, &domains);
    return scopes_domains(domains);
}

bool
scopes_limit_domains(scopes asked)
{
    return scopes_domains(asked) != 0 && (asked & SCOPE_PREFERENCES_READ) == 0;
}
