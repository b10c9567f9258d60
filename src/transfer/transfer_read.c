/* transfer_read.c - validates a document completely before anything is written; the first problem
 * ends it.
 *
 * A document may come from another installation or an editor, so nothing in it is trusted: values
 * are read by the rules of their member, times and sources are checked, and a suspicious value
 * waits, whatever status the document gives it. Problems name the place
 * ("domains.food_profile.atoms[3]") and do not repeat the text of the document. */
#include "transfer/transfer_internal.h"

#include "base/arena.h"
#include "domain/definition.h"
#include "value/value.h"
#include "preference/preferences.h"
#include "transfer/transfer.h"
#include "text/json_read.h"
#include "text/time_text.h"

#include <stdlib.h>

#define DEPTH_MAX 10

static bool
time_of(const struct json_value *object, const char *key, int64_t *out)
{
    return time_read(json_text(object, key), out) && *out > 0; /* 0 would be exported as no time */
}

/* Accepts SOURCE_USER and ids of apps, which need not be registered on this server. */
static bool
source_valid(struct str source)
{
    if (source.len == 0 || source.len > 64)
        return false;
    for (size_t i = 0; i < source.len; i++)
        if (source.ptr[i] <= ' ' || (unsigned char)source.ptr[i] >= 0x7f)
            return false;
    return true;
}

/* Appends to out->sources, which has room for it. */
static const char *
read_source(const struct json_value *given, struct sourced_atom *out)
{
    struct atom_source *source = &out->sources[out->source_count];
    *source = (struct atom_source){ .source = json_text(given, "source") };
    if (!source_valid(source->source) || !time_of(given, "created_at", &source->created_at) ||
        !time_of(given, "updated_at", &source->updated_at))
        return "has a source without a valid name, created_at, or updated_at";
    for (size_t i = 0; i < out->source_count; i++)
        if (str_eq(out->sources[i].source, source->source))
            return "lists a source twice";
    out->source_count++;
    return NULL;
}

static int
compare_sources(const void *a, const void *b)
{
    return atom_source_before(b, a) - atom_source_before(a, b);
}

/* Only suppressed atoms may have no source. */
static const char *
read_sources(struct arena *mem, const struct json_value *given, struct sourced_atom *out)
{
    const struct json_value *list = json_member(given, "sources");
    size_t least = out->atom.status == ATOM_SUPPRESSED ? 0 : 1;
    const char *problem = NULL;
    bool by_user = false;
    if (list == NULL || list->type != JSON_ARRAY || list->count < least ||
        list->count > SOURCES_PER_ATOM_MAX)
        return "must have a list of sources: at most 50, and at least one unless it is suppressed";
    out->sources = ARENA_ARRAY(mem, struct atom_source, list->count);
    for (size_t i = 0; i < list->count && problem == NULL; i++) {
        problem = read_source(&list->children[i], out);
        by_user = by_user || str_eq(out->sources[i].source, SOURCE_USER);
    }
    qsort(out->sources, out->source_count, sizeof *out->sources, compare_sources);
    out->atom.source_count = (int64_t)out->source_count;
    if (problem == NULL && by_user != out->atom.by_user)
        return "must have the source user when by_user is true, and only then";
    return problem;
}

/* Reads nothing for other atoms: a proposal to remove an atom is not exported. */
static const char *
read_suppression(const struct json_value *given, struct atom *atom)
{
    if (atom->status != ATOM_SUPPRESSED)
        return NULL;
    atom->reason = json_text(given, "reason");
    atom->suppressed_by = json_text(given, "suppressed_by");
    if (!atom_reason_valid(atom->reason) || !source_valid(atom->suppressed_by) ||
        !time_of(given, "suppressed_at", &atom->suppressed_at))
        return "is suppressed but has no valid reason, suppressed_by, or suppressed_at";
    return NULL;
}

/* The wording of a value, if it is a text that the member could have: it is shown with the value.
 */
static struct str
read_wording(struct arena *mem, struct arena *scratch, const struct member *member,
             const struct json_value *given, const struct value *value)
{
    const struct json_value *wording = json_member(given, "as_written");
    struct value *parts = NULL;
    size_t count = 0;
    if (wording == NULL || value_read_list(scratch, member, wording, &parts, &count) != NULL)
        return str_present(value->wording) ? str_copy(mem, value->wording) : STR_NONE;
    for (size_t i = 0; i < count; i++)
        if (str_eq(parts[i].key, value->key) && str_present(parts[i].wording))
            return str_copy(mem, parts[i].wording);
    return STR_NONE;
}

/* Returns NULL, or the problem as the end of a sentence. Reading a value takes many times its
 * length, which comes from `scratch`. */
static const char *
read_atom(struct arena *mem, struct arena *scratch, const struct domain *domain,
          const struct json_value *given, struct sourced_atom *out)
{
    struct value value = { 0 };
    const struct member *member = domain_member(domain, json_text(given, "member"));
    const struct json_value *shown = json_member(given, "value");
    const struct json_value *by_user = json_member(given, "by_user");
    struct atom *atom = &out->atom;
    *out = (struct sourced_atom){ 0 };
    if (member == NULL)
        return "has a member that its domain does not define";
    const char *problem = shown == NULL ? "is missing" : value_read(scratch, member, shown, &value);
    if (problem != NULL)
        return str_format(mem, "has an invalid value: it %s", problem).ptr;
    if (by_user == NULL || by_user->type != JSON_BOOL)
        return "must have by_user, either true or false";
    *atom = (struct atom){ .domain = domain->name,
                           .member = member->name,
                           .key = str_copy(mem, preference_key(scratch, value.key)),
                           .value = str_copy(mem, value.json),
                           .wording = read_wording(mem, scratch, member, given, &value),
                           .by_user = by_user->integer != 0 };
    if (!atom_status_read(json_text(given, "status"), &atom->status))
        return "must have the status active, suppressed, or held";
    /* A document can claim anything, also that the user stated the value: a value that could
     * instruct an agent waits until the user accepts it. */
    if (atom->status == ATOM_ACTIVE && value_suspicion(scratch, &value) != NULL)
        atom->status = ATOM_HELD;
    if (!time_of(given, "created_at", &atom->created_at) ||
        !time_of(given, "updated_at", &atom->updated_at))
        return "must have created_at and updated_at, both times after 1970";
    problem = read_suppression(given, atom);
    return problem != NULL ? problem : read_sources(mem, given, out);
}

/* A domain that is not defined here is skipped if no atom is lost by that. */
static bool
is_unknown_and_empty(const struct domains *domains, const struct json_value *given)
{
    const struct json_value *atoms = json_member(given, "atoms");
    return domains_find(domains, given->key) == NULL && atoms != NULL &&
           atoms->type == JSON_ARRAY && atoms->count == 0;
}

/* An unknown domain with facts is an error: skipping it would lose them silently. */
static enum err
read_domain(struct arena *mem, const struct domains *domains, const struct json_value *given,
            struct document_domain *out, struct why *why)
{
    const struct json_value *atoms = json_member(given, "atoms");
    bool named = is_definition_name(given->key); /* error messages must not quote arbitrary text */
    struct str name = named ? given->key : STR("*");
    *out = (struct document_domain){ .domain = domains_find(domains, given->key) };
    if (out->domain == NULL) {
        why_set(why, "domains.%.*s is not a domain of this service", STR_ARG(name));
    } else if (atoms == NULL || atoms->type != JSON_ARRAY) {
        why_set(why, "domains.%.*s.atoms must be a list", STR_ARG(name));
    } else if (atoms->count > ATOMS_PER_DOMAIN_MAX) {
        why_set(why, "domains.%.*s.atoms has more than 2,000 facts", STR_ARG(name));
    } else {
        const char *problem = NULL;
        struct arena *scratch = arena_new();
        out->atoms = ARENA_ARRAY(mem, struct sourced_atom, atoms->count);
        for (; out->count < atoms->count && problem == NULL; out->count++) {
            problem = read_atom(mem, scratch, out->domain, &atoms->children[out->count],
                                &out->atoms[out->count]);
            arena_reset(scratch);
        }
        arena_free(scratch);
        if (problem == NULL)
            return ERR_NONE;
        why_set(why, "domains.%.*s.atoms[%zu] %s", STR_ARG(name), out->count - 1, problem);
    }
    return ERR_INVALID;
}

/* Reads the document and checks its format and version. */
static enum err
read_envelope(struct arena *mem, struct str document, const struct json_value **root,
              struct why *why)
{
    if (document.len > TRANSFER_OWN_MAX) {
        why_set(why, "the document is larger than 64 MiB");
        return ERR_INVALID;
    }
    if (json_read(mem, document, DEPTH_MAX, root, why))
        return ERR_INVALID;
    const struct json_value *version = json_member(*root, "version");
    if (str_eq(json_text(*root, "format"), STR("penchant-export")) && version != NULL &&
        version->type == JSON_INT && version->integer == 1)
        return ERR_NONE;
    why_set(why, "the document is not a penchant-export of version 1");
    return ERR_INVALID;
}

/* The whole document is checked before anything is written, so an import either begins with a valid
 * document or not at all. A domain that this service does not have is skipped if it is empty, and
 * otherwise an error. */
enum err
transfer_read(struct arena *mem, const struct domains *domains, struct str document,
              struct document *out, struct why *why)
{
    const struct json_value *root = NULL;
    out->count = 0;
    enum err err = read_envelope(mem, document, &root, why);
    if (err)
        return err;
    const struct json_value *given = json_member(root, "domains");
    if (given == NULL || given->type != JSON_OBJECT) {
        why_set(why, "domains must be an object");
        return ERR_INVALID;
    }
    for (size_t i = 0; i < given->count && !err; i++) {
        struct document_domain part;
        if (is_unknown_and_empty(domains, &given->children[i]))
            continue;
        err = read_domain(mem, domains, &given->children[i], &part, why);
        if (!err) /* fits: names are unique, and each is a defined domain */
            out->list[out->count++] = part;
    }
    return err;
}

/* For commands that import several accounts: the caller decides whether to use it. */
enum err
transfer_owner(struct arena *mem, struct str document, struct str *sub, struct str *username,
               struct why *why)
{
    const struct json_value *root = NULL;
    *sub = *username = STR_NONE;
    enum err err = read_envelope(mem, document, &root, why);
    if (err)
        return err;
    const struct json_value *user = json_member(root, "user");
    if (user != NULL) {
        *sub = json_text(user, "sub");
        *username = json_text(user, "username");
    }
    return ERR_NONE;
}
