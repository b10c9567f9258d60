/* Computes hints for the users of a test. Reads and writes one line of JSON for each user:
 *   {"atoms": [{"domain", "member", "value", "user": true, "sources": 1, "at": seconds,
 *               "sequence": 1, "status": "active", "app": "name of the first app"}, …],
 *    "queries": [{"domains": ["food_profile"], "allowed": ["food_profile"], "context": "…",
 *                 "max_tokens": 100, "format": "text", "sensitive": true, "general": false}, …]}
 *   [the API's answer to each query]
 * "domains" are the requested domains, "allowed" those that the token may use. A query
 * {"stored": true} returns the atoms as they are stored, and {"label": "…"} the domains that a
 * context matches, with a context of each, a second one or null, and the scores of members, and
 * whether the label is the context's name: [["food_profile", "restaurant_search", null,
 * {"cuisines": 12}, false]], or "unrelated". Values that cannot be stored are left out, and hint
 * sets are written as text and read back, as the store does. */
#include "config/definitions.h"
#include "base/arena.h"
#include "base/buf.h"
#include "value/statement.h"
#include "value/value.h"
#include "preference/hints.h"
#include "model/app_names.h"
#include "model/atom.h"
#include "model/scope.h"
#include "text/json_read.h"
#include "text/json_write.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE_MAX_BYTES ((size_t)64 * 1024 * 1024)
#define EVERYTHING (~(uint64_t)0)

static struct str
text_member(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL && value->type == JSON_STR ? value->text : STR_NONE;
}

static int64_t
number_member(const struct json_value *object, const char *key, int64_t fallback)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL && (value->type == JSON_INT || value->type == JSON_BOOL) ? value->integer
                                                                                  : fallback;
}

/* The id of an app follows from its name. */
static struct str
id_of(struct arena *mem, struct str name)
{
    uint32_t hash = 2166136261;
    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.ptr[i]) * 16777619;
    return str_present(name) ? str_format(mem, "app_%08x", hash) : STR_NONE;
}

/* Reads an atom, or several if its value is a list. Returns their number: none if it is of another
 * domain or cannot be stored. */
static size_t
read_atoms(struct arena *mem, const struct domain *domain, const struct json_value *given,
           struct atom *out)
{
    if (!str_eq(text_member(given, "domain"), domain->name))
        return 0;
    const struct member *member = domain_member(domain, text_member(given, "member"));
    const struct json_value *value = json_member(given, "value");
    struct value *read = NULL;
    size_t count = 0;
    struct str status = text_member(given, "status");
    enum atom_status known = ATOM_ACTIVE;
    if (member == NULL || value == NULL ||
        value_read_list(mem, member, value, &read, &count) != NULL ||
        (str_present(status) && !atom_status_read(status, &known)))
        return 0;
    for (size_t i = 0; i < count; i++)
        out[i] = (struct atom){
            .domain = domain->name,
            .member = member->name,
            .key = read[i].key,
            .value = read[i].json,
            .status = known,
            .by_user = number_member(given, "user", 0) != 0,
            .app = id_of(mem, text_member(given, "app")),
            .source_count = number_member(given, "sources", 1),
            .sequence = number_member(given, "sequence", 0),
            .updated_at = number_member(given, "at", 0),
        };
    return count;
}

#define PARTS_MAX 32 /* of one value */

/* The store keeps one atom for equal values of a member. */
static size_t
drop_equal(struct atom *atoms, size_t before, size_t count)
{
    size_t kept = before;
    for (size_t i = before; i < count; i++) {
        size_t j = 0;
        while (j < kept &&
               !(str_eq(atoms[j].key, atoms[i].key) && str_eq(atoms[j].member, atoms[i].member)))
            j++;
        if (j == kept)
            atoms[kept++] = atoms[i];
    }
    return kept;
}

static struct str
name_of(void *source, struct arena *mem, struct str app_id)
{
    const struct json_value *given = source;
    for (size_t i = 0; i < given->count; i++)
        if (str_eq(id_of(mem, text_member(&given->children[i], "app")), app_id))
            return text_member(&given->children[i], "app");
    return STR_NONE;
}

static size_t
make_sets(struct arena *mem, const struct domains *domains, const struct json_value *given,
          struct hint_set *out)
{
    struct atom *atoms = ARENA_ARRAY(mem, struct atom, given->count * PARTS_MAX + 1);
    size_t hint_sets = 0;
    struct app_names names = { name_of, (void *)(uintptr_t)given };
    for (size_t d = 0; d < domains->count; d++) {
        size_t count = 0;
        struct hint_set set;
        for (size_t i = 0; i < given->count; i++)
            count = drop_equal(
                atoms, count,
                count + read_atoms(mem, &domains->list[d], &given->children[i], &atoms[count]));
        if (count == 0)
            continue;
        hint_set_make(mem, &domains->list[d], atoms, count, &names, &set);
        if (!hint_set_read(mem, &domains->list[d], hint_set_write(mem, &set), &out[hint_sets++]))
            abort();
        atoms = ARENA_ARRAY(mem, struct atom, given->count * PARTS_MAX + 1);
    }
    return hint_sets;
}

static uint64_t
allowed_bits(const struct domains *domains, const struct json_value *named)
{
    uint64_t allowed = 0;
    for (size_t i = 0; named != NULL && i < named->count; i++)
        allowed |= (uint64_t)1 << (domains_find(domains, named->children[i].text) - domains->list);
    return named == NULL ? EVERYTHING : allowed;
}

static void
answer_query(struct arena *mem, const struct domains *domains, const struct hint_set *hint_sets,
             size_t count, const struct json_value *given, struct json *out)
{
    const struct json_value *named = json_member(given, "domains");
    const struct json_value *allowed = json_member(given, "allowed");
    struct str format = text_member(given, "format");
    struct hints_params params = {
        .domains = domains,
        .allowed = allowed_bits(domains, named) & allowed_bits(domains, allowed),
        .sensitive = number_member(given, "sensitive", 1) != 0 ? EVERYTHING : 0,
        .domains_named = named != NULL,
        .context = text_member(given, "context"),
        .general = number_member(given, "general", 0) != 0,
        .max_tokens = (int)number_member(given, "max_tokens", HINTS_TOKENS_DEFAULT),
    };
    struct hints hints;
    if (str_present(format) && !hint_format_read(format, &params.format))
        abort();
    hints_from_sets(mem, &params, hint_sets, count, &hints);
    hints_write(out, &params, &hints);
}

static void
write_scores(const struct context_choice *choice, struct json *out)
{
    json_open_object(out);
    for (size_t i = 0; choice->scored && i < choice->domain->member_count; i++)
        if (i < CONTEXT_SCORED && choice->scores[i] != CONTEXT_NO_SCORE) {
            json_key_str(out, choice->domain->members[i].name);
            json_int(out, choice->scores[i]);
        }
    json_close_object(out);
}

static void
answer_label(const struct domains *domains, struct str label, struct json *out)
{
    struct context_match match = { 0 };
    context_find(domains->contexts, label, &match);
    if (match.unrelated) {
        json_str(out, STR("unrelated"));
        return;
    }
    json_open_array(out);
    for (size_t i = 0; match.known && i < match.count; i++) {
        const struct context *context = match.list[i].context;
        json_open_array(out);
        json_str(out, match.list[i].domain->name);
        json_str(out, context == NULL ? STR_NONE : context->name);
        json_str(out, match.list[i].second == NULL ? STR_NONE : match.list[i].second->name);
        write_scores(&match.list[i], out);
        json_bool(out, match.list[i].by_name);
        json_close_array(out);
    }
    json_close_array(out);
}

/* What a statement says about safety, which the model of the tests takes from here: examples teach
 * it. STR_NONE: nothing. */
static struct str
concern_of(const struct domain *domain, const struct member *member, struct str text)
{
    enum concern concern = statement_holds(member) ? statement_concern(domain, text) : CONCERN_NONE;
    return concern == CONCERN_NONE       ? STR_NONE
           : concern == CONCERN_FOOD     ? STR("food")
           : statement_is_physical(text) ? STR("physical")
                                         : STR("private");
}

/* The atoms that each given atom is stored as: [[{"value", "key", "waits", "concern"}, …], …].
 * `waits`: if an app writes it. */
static void
answer_stored(struct arena *mem, const struct domains *domains, const struct json_value *given,
              struct json *out)
{
    struct atom *atoms = ARENA_ARRAY(mem, struct atom, PARTS_MAX);
    json_open_array(out);
    for (size_t i = 0; i < given->count; i++) {
        const struct domain *domain =
            domains_find(domains, text_member(&given->children[i], "domain"));
        size_t count = domain == NULL ? 0 : read_atoms(mem, domain, &given->children[i], atoms);
        json_open_array(out);
        for (size_t k = 0; k < count; k++) {
            json_open_object(out);
            json_key(out, "value");
            json_raw(out, atoms[k].value);
            json_put_str(out, "key", atoms[k].key);
            struct value value = { atoms[k].value, atoms[k].key, STR_NONE };
            const struct member *member = domain_member(domain, atoms[k].member);
            json_put_bool(out, "waits", value_needs_user(mem, domain, member, &value));
            json_put_str(out, "concern", concern_of(domain, member, atoms[k].key));
            json_close_object(out);
        }
        json_close_array(out);
    }
    json_close_array(out);
}

static void
answer_line(struct arena *mem, const struct domains *domains, struct str line)
{
    const struct json_value *given = NULL;
    struct why why = { 0 };
    if (json_read(mem, line, 8, &given, &why) != ERR_NONE) {
        fprintf(stderr, "hints_probe: %s\n", why.text);
        abort();
    }
    const struct json_value *queries = json_member(given, "queries");
    struct hint_set *hint_sets = ARENA_ARRAY(mem, struct hint_set, DOMAINS_MAX);
    size_t count = make_sets(mem, domains, json_member(given, "atoms"), hint_sets);
    struct buf text = buf_in(mem, LINE_MAX_BYTES);
    struct json out = json_into(&text);
    json_open_array(&out);
    for (size_t i = 0; i < queries->count; i++) {
        struct str label = text_member(&queries->children[i], "label");
        if (json_member(&queries->children[i], "stored") != NULL)
            answer_stored(mem, domains, json_member(given, "atoms"), &out);
        else if (str_present(label))
            answer_label(domains, label, &out);
        else
            answer_query(mem, domains, hint_sets, count, &queries->children[i], &out);
    }
    json_close_array(&out);
    printf("%.*s\n", STR_ARG(buf_str(&text)));
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    struct arena *long_lived = arena_new(), *mem = arena_new();
    struct domains domains;
    struct why why = { 0 };
    if (definitions_load(long_lived, argc > 1 ? argv[1] : NULL, NULL, &domains, &why) != ERR_NONE) {
        fprintf(stderr, "hints_probe: %s\n", why.text);
        return 1;
    }
    scopes_setup(&domains);
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) > 0) {
        answer_line(mem, &domains, (struct str){ line, (size_t)length });
        arena_reset(mem);
    }
    free(line);
    arena_free(mem);
    arena_free(long_lived);
    return 0;
}
