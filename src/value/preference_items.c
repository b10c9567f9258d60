/* preference_items.c - turns the members of a write into a flat list of valid values. */
#include "value/preference_items.h"

#include "base/arena.h"
#include "crypt/digest.h"
#include "text/json_read.h"

#define KEY_MAX_BYTES 400
#define SPLIT_ITEMS_MAX 1000 /* items that lists within single texts may add to a write */

struct item_reader {
    struct arena *mem;
    const struct domain *domain;
    struct preference_items *items;
    struct preference_problems *problems;
};

void
preference_problem_add(struct arena *mem, struct preference_problems *problems, struct str at,
                       const char *problem)
{
    if (problems->count < PREFERENCE_PROBLEMS_MAX)
        problems->list[problems->count++] =
            (struct preference_problem){ str_copy(mem, at), str_of(problem) };
}

struct str
preference_key(struct arena *mem, struct str key)
{
    return key.len <= KEY_MAX_BYTES ? key : str_format(mem, "#%s", digest_text(mem, key).ptr);
}

/* Nearly all writes have few items, so room for the most that is allowed is not reserved. */
static void
reserve(struct arena *mem, struct preference_items *items, size_t count)
{
    if (count <= items->capacity)
        return;
    size_t capacity = count > 2 * items->capacity ? count : 2 * items->capacity;
    struct preference_item *list = ARENA_ARRAY(mem, struct preference_item, capacity);
    for (size_t i = 0; i < items->count; i++)
        list[i] = items->list[i];
    items->list = list;
    items->capacity = capacity;
}

/* All problems of a document are collected, up to a limit, so that a client can correct them at
 * once. */
static void
read_item(const struct item_reader *reading, const struct member *member,
          const struct json_value *given, struct str at)
{
    struct preference_items *items = reading->items;
    struct value *values = NULL;
    size_t count = 0;
    const char *problem = value_read_list(reading->mem, member, given, &values, &count);
    if (problem == NULL && items->count + count > items->limit)
        problem = "has too many values; send them in several writes";
    if (problem != NULL) {
        preference_problem_add(reading->mem, reading->problems, at, problem);
        return;
    }
    reserve(reading->mem, items, items->count + count);
    for (size_t i = 0; i < count; i++) {
        values[i].key = preference_key(reading->mem, values[i].key);
        items->list[items->count++] = (struct preference_item){ member, values[i] };
    }
}

/* Paths in problems are cut: a key of the document may be long. */
static void
read_member(const struct item_reader *reading, const struct json_value *given)
{
    struct arena *mem = reading->mem;
    const struct member *member = domain_member(reading->domain, given->key);
    struct str at = str_format(mem, "preferences.%.*s", STR_ARG(str_first(given->key, 64)));
    const char *problem = NULL;
    if (member == NULL)
        problem = "is not a member of this domain; see its schema";
    else if (member->type == MEMBER_ARRAY && given->type != JSON_ARRAY)
        problem = "must be an array of strings";
    else if (member->type == MEMBER_ARRAY && given->count > ITEMS_PER_WRITE_MAX)
        problem = "has more than 100 items; send them in several writes";
    if (problem != NULL)
        preference_problem_add(mem, reading->problems, at, problem);
    else if (member->type != MEMBER_ARRAY)
        read_item(reading, member, given, at);
    else
        for (size_t i = 0; i < given->count; i++)
            read_item(reading, member, &given->children[i],
                      str_format(mem, "%.*s[%zu]", STR_ARG(at), i));
}

/* The limit follows from the document: lists within texts may add SPLIT_ITEMS_MAX values, so that a
 * small document cannot make a large write. */
bool
preference_items_read(struct arena *mem, const struct domain *domain,
                      const struct json_value *given, struct preference_items *out,
                      struct preference_problems *problems)
{
    struct item_reader reading = { mem, domain, out, problems };
    size_t most = 0;
    *out = (struct preference_items){ 0 };
    problems->count = 0;
    if (given == NULL || given->type != JSON_OBJECT) {
        preference_problem_add(mem, problems, STR("preferences"),
                               "must be an object with members of the domain");
        return false;
    }
    for (size_t i = 0; i < given->count; i++)
        most += given->children[i].type == JSON_ARRAY ? given->children[i].count : 1;
    out->limit = most + SPLIT_ITEMS_MAX;
    reserve(mem, out, most);
    for (size_t i = 0; i < given->count; i++)
        read_member(&reading, &given->children[i]);
    return problems->count == 0;
}
