/* people_facts.h - the preferences of each user, the same in every run. */
#ifndef BENCH_PEOPLE_FACTS_H
#define BENCH_PEOPLE_FACTS_H

#include "base/arena.h"
#include "domain/domain.h"
#include "text/json_read.h"

#define VISITS 2 /* writes of a person in each domain */

/* Pseudorandom numbers, the same in every run. */
static uint32_t
dice(size_t person, size_t which)
{
    uint64_t x = (uint64_t)person * 0x9e3779b97f4a7c15u + which * 0xbf58476d1ce4e5b9u + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(x >> 32);
}

static size_t
atoms_of(size_t person)
{
    return person == 0 ? 40 : 20 + dice(person, 0) % 41;
}

/* Values for members without a vocabulary. */
static struct str
invented(struct arena *mem, const struct member *member, uint32_t number)
{
    static const char *const first[] = { "Copper",  "Northern", "Quiet", "Velvet",  "Harbor",
                                         "Seventh", "Paper",    "Amber", "Distant", "Little",
                                         "Marble",  "Winter",   "Open",  "Silver" };
    static const char *const second[] = { "Lanterns", "Meadow", "Signals", "Rivers",  "Atlas",
                                          "Foxes",    "Orbit",  "Garden",  "Parade",  "Station",
                                          "Compass",  "Cranes", "Letters", "Thunder", "Bridges" };
    const char *one = first[number % 14], *two = second[number / 14 % 15];
    if (str_eq(member->name, STR("statements")))
        return str_format(mem, "Prefers the %s %s over anything louder", one, two);
    return str_format(mem, "%s %s %u", one, two, number / 210 % 40);
}

static struct str
value_at(struct arena *mem, const struct member *member, uint32_t number)
{
    const struct vocabulary *known = member->vocabulary;
    return known != NULL ? known->values[number % known->count].value
                         : invented(mem, member, number);
}

static bool
is_told(const struct member *member)
{
    return member->type == MEMBER_ARRAY || (member->type == MEMBER_ENUM && member->vocabulary);
}

/* Atom number `at` of a user in a domain. The first pass over the members gives each a value, later
 * passes add values to arrays. No two atoms are equal. */
static bool
fact_at(struct arena *mem, const struct domain *domain, size_t person, size_t at,
        const struct member **member, struct str *value)
{
    size_t places = domain->member_count;
    uint32_t start = dice(person, 1 + (size_t)domain->name.ptr[0]);
    *member = &domain->members[(start + at) % places];
    bool again = at >= places;
    if (!is_told(*member) || (again && (*member)->type != MEMBER_ARRAY))
        return false;
    uint32_t number = dice(person, 100 + (size_t)(*member - domain->members));
    *value = value_at(mem, *member, number + (uint32_t)(at / places));
    return true;
}

/* Adds the value to the member's array, or to a new one. */
static void
add_fact(struct arena *mem, struct json_value *object, const struct member *member, struct str text)
{
    struct json_value value = { .type = JSON_STR, .text = text };
    struct json_value *place = NULL;
    for (size_t i = 0; i < object->count; i++)
        if (str_eq(object->children[i].key, member->name))
            place = &object->children[i];
    if (place == NULL) {
        place = &object->children[object->count++];
        *place = (struct json_value){ .type = JSON_ARRAY, .key = member->name };
        place->children = ARENA_ARRAY(mem, struct json_value, 64);
    }
    if (member->type == MEMBER_ARRAY) {
        place->children[place->count++] = value;
    } else {
        *place = value;
        place->key = member->name;
    }
}

/* The atoms of one write: a part of the user's atoms in this domain. */
static struct json_value *
facts_of_visit(struct arena *mem, const struct domains *domains, size_t person, size_t domain,
               size_t visit)
{
    struct json_value *object = ARENA_NEW(mem, struct json_value);
    const struct domain *of = &domains->list[domain];
    size_t all = atoms_of(person), count = domains->count;
    size_t mine = all / count + (domain < all % count); /* every domain the same, but for one */
    size_t from = mine * visit / VISITS, to = mine * (visit + 1) / VISITS;
    object->type = JSON_OBJECT;
    object->children = ARENA_ARRAY(mem, struct json_value, of->member_count);
    for (size_t at = 0, found = 0; found < to; at++) {
        const struct member *member;
        struct str value;
        if (!fact_at(mem, of, person, at, &member, &value))
            continue;
        if (found++ >= from)
            add_fact(mem, object, member, value);
    }
    return object;
}

#endif
