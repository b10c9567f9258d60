#include "hint/hint_claims.h"

#include "base/arena.h"
#include "hint/hint_dangers.h"
#include "value/claim.h"
#include "value/value.h"
#include "value/value_clean.h"

#define PLACED_MAX 64 /* of a domain; further ones stay in their members */
#define PARTS_MAX 32  /* values of one text */

/* A fact and its values in the member that it belongs to. */
struct claimed {
    const struct atom *atom;
    const struct member *to;
    struct value *values;
    size_t count;
};

/* The atoms while they are copied. */
struct placing {
    struct atom *list;
    size_t count;
    struct claimed claims[PLACED_MAX];
    size_t claim_count;
    size_t of_apps;
};

/* Whether the atom may belong to another member. Nearly none does. */
static bool
may_claim(const struct domain *domain, const struct atom *atom)
{
    if (claim_is_possible(atom->value))
        return true;
    const struct member *member = domain_member(domain, atom->member);
    return member != NULL && value_lists_dangers(member) &&
           vocabulary_find(member->vocabulary, atom->key) == NULL;
}

/* False: the atom stays what it is. */
static bool
read_claim(struct arena *mem, const struct domain *domain, const struct atom *atom,
           struct placing *placing)
{
    const struct member *member = domain_member(domain, atom->member);
    struct claimed claimed = { .atom = atom };
    bool known = false;
    if (!may_claim(domain, atom) || atom->status != ATOM_ACTIVE || member == NULL ||
        placing->claim_count == PLACED_MAX ||
        (!atom->by_user && placing->of_apps == CRITICAL_PER_APP_MAX))
        return false;
    claimed.count = value_claimed(mem, domain, member, hint_fact_text(mem, atom), &claimed.to,
                                  &claimed.values, &known);
    if (claimed.count == 0 || claimed.count > PARTS_MAX || (!known && !atom->by_user))
        return false;
    placing->claims[placing->claim_count++] = claimed;
    placing->of_apps += !atom->by_user;
    return true;
}

static struct atom *
find_active(const struct placing *placing, struct str member, struct str key)
{
    for (size_t i = 0; i < placing->count; i++)
        if (placing->list[i].status == ATOM_ACTIVE && str_eq(placing->list[i].key, key) &&
            str_eq(placing->list[i].member, member))
            return &placing->list[i];
    return NULL;
}

static bool
has_active(const struct placing *placing, struct str member)
{
    for (size_t i = 0; i < placing->count; i++)
        if (placing->list[i].status == ATOM_ACTIVE && str_eq(placing->list[i].member, member))
            return true;
    return false;
}

/* Of equal facts, the user's is kept, and then the first one, or of apps the latest. So the order
 * of the atoms does not matter. */
static bool
is_better(const struct atom *atom, const struct atom *other)
{
    if (atom->by_user != other->by_user)
        return atom->by_user;
    if (atom->by_user)
        return atom->sequence < other->sequence;
    if (atom->updated_at != other->updated_at)
        return atom->updated_at > other->updated_at;
    return str_order(atom->app, other->app) < 0;
}

/* For what the user does not eat. */
static const struct member *
restrictions_of(const struct domain *domain, const struct member *member)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (domain->members[i].avoid && domain->members[i].safety == SAFETY_CONSTRAINT &&
            domain->members[i].vocabulary == member->vocabulary)
            return &domain->members[i];
    return member;
}

/* A diet goes to the member for it. If that has a value, which would hide the diet or be hidden, it
 * is a restriction. */
static void
place(struct arena *mem, const struct domain *domain, const struct claimed *claimed,
      struct placing *placing)
{
    for (size_t i = 0; i < claimed->count; i++) {
        struct atom atom = *claimed->atom;
        struct value value = claimed->values[i], diet;
        const struct member *to = value_diet(mem, domain, claimed->to, &value, &diet);
        bool is_diet = to != NULL && !has_active(placing, to->name);
        atom.member = is_diet      ? to->name
                      : to != NULL ? restrictions_of(domain, claimed->to)->name
                                   : claimed->to->name;
        atom.key = is_diet ? diet.key : value.key;
        atom.value = is_diet ? diet.json : value.json;
        struct atom *same = find_active(placing, atom.member, atom.key);
        if (same == NULL)
            placing->list[placing->count++] = atom;
        else if (is_better(&atom, same))
            *same = atom;
    }
}

/* Few users have a fact to place, and then the atoms are not copied. */
const struct atom *
hint_claims_place(struct arena *mem, const struct domain *domain, const struct atom *atoms,
                  size_t *count)
{
    bool possible = false;
    for (size_t i = 0; i < *count && !possible; i++)
        possible = may_claim(domain, &atoms[i]);
    if (!possible || hint_gravest_member(domain) == NULL)
        return atoms;
    struct placing *placing = ARENA_NEW(mem, struct placing);
    *placing = (struct placing){ .count = 0 };
    placing->list = ARENA_ARRAY(mem, struct atom, *count + (size_t)PLACED_MAX * PARTS_MAX);
    for (size_t i = 0; i < *count; i++)
        if (!read_claim(mem, domain, &atoms[i], placing))
            placing->list[placing->count++] = atoms[i];
    for (size_t i = 0; i < placing->claim_count; i++)
        place(mem, domain, &placing->claims[i], placing);
    *count = placing->count;
    return placing->list;
}
