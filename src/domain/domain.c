/* domain.c - finds domains and members, and loads a set of definitions.
 *
 * Lookups are linear: a set has few domains with few members each, and comparing lengths first
 * rejects most. Loading runs in three steps for each file: parse the JSON, read it into structs,
 * and check rules that involve several values. A later step runs only if the one before found no
 * problem, because it relies on what that step has checked. */
#include "domain/domain.h"

#include "base/arena.h"
#include "crypt/digest.h"
#include "domain/domain_internal.h"
#include "text/json_read.h"

#define FILE_MAX_BYTES (256 * 1024)
/* Nesting of the JSON. add_path() of definition.c recurses as deep. */
#define DEPTH_MAX 8

/* These names are paths below /v1/preferences/ or scopes. */
static const char *const reserved[] = { "atoms", "suppress", "export", "agent_hints" };

/* ---- finding ---- */

bool
domain_has_critical(const struct domain *domain)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (domain->members[i].safety == SAFETY_CRITICAL)
            return true;
    return false;
}

bool
member_lists_dangers(const struct member *member)
{
    return member->avoid && member->safety == SAFETY_CRITICAL && member->vocabulary != NULL &&
           member->vocabulary->open;
}

bool
member_opposes(const struct member *member, const struct member *other)
{
    for (size_t i = 0; i < member->oppose_count; i++)
        if (str_eq(member->opposes[i], other->name))
            return true;
    return false;
}

/* Linear: a domain has some dozens of members. */
const struct member *
domain_member(const struct domain *domain, struct str name)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (str_eq(domain->members[i].name, name))
            return &domain->members[i];
    return NULL;
}

const struct domain *
domains_find(const struct domains *set, struct str name)
{
    for (size_t i = 0; i < set->count; i++)
        if (str_eq(set->list[i].name, name))
            return &set->list[i];
    return NULL;
}

/* ---- loading ---- */

/* The name is that of the file, so that a copied file cannot define a domain twice. */
static void
check_name(const struct node *root, const struct domain_source *source, struct str name)
{
    struct node node = node_member(root, "domain");
    if (!str_eq(name, source->name))
        node_reject(&node, "must equal the file name, %s",
                    definition_quote(root->in, source->name));
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (str_eq_c(name, reserved[i]))
            node_reject(&node, "%s is reserved", reserved[i]);
}

/* The text is parsed in scratch memory, which is freed after loading; what stays is copied to
 * `in->mem`. */
static bool
read_file(struct definition *in, const struct domain_source *source, struct domain *out)
{
    struct node root = { .in = in };
    struct why problem = { 0 };
    if (source->text.len > FILE_MAX_BYTES)
        node_reject(&root, "is larger than %d bytes", FILE_MAX_BYTES);
    else if (json_read(in->scratch, source->text, DEPTH_MAX, &root.value, &problem))
        node_reject(&root, "%s", problem.text);
    if (!in->failed)
        domain_read(&root, out);
    if (!in->failed) {
        check_name(&root, source, out->name);
        domain_check(&root, out);
    }
    return !in->failed;
}

/* The digest is that of the whole file: any change, even of a space, makes stored hint sets stale.
 */
static enum err
load_one(struct arena *mem, const struct domain_source *source, struct domain *out, struct why *why)
{
    struct definition in = {
        .mem = mem, .scratch = arena_new(), .file = source->file, .text = source->text, .why = why
    };
    bool good = read_file(&in, source, out);
    arena_free(in.scratch);
    if (!good)
        return ERR_INVALID;
    out->digest = digest_text(mem, source->text);
    out->schema = domain_schema(mem, out);
    return ERR_NONE;
}

/* The last source of a name counts: an operator's file replaces a built-in one as a whole. */
static bool
is_replaced(const struct domain_source *sources, size_t count, size_t i)
{
    for (size_t j = i + 1; j < count; j++)
        if (str_eq(sources[i].name, sources[j].name))
            return true;
    return false;
}

static int
compare_names(const void *a, const void *b)
{
    const struct domain *one = a, *other = b;
    return str_order(one->name, other->name);
}

/* Sorted, so that the order of scopes and pages does not depend on the order of files. */
enum err
domains_load(struct arena *mem, const struct domain_source *sources, size_t count,
             struct domains *out, struct why *why)
{
    struct domain *list = ARENA_ARRAY(mem, struct domain, DOMAINS_MAX);
    *out = (struct domains){ .list = list };
    for (size_t i = 0; i < count; i++) {
        if (is_replaced(sources, count, i))
            continue;
        if (out->count == DOMAINS_MAX) {
            why_set(why, "%.*s: there are more than %d domains", STR_ARG(sources[i].file),
                    DOMAINS_MAX);
            return ERR_INVALID;
        }
        enum err err = load_one(mem, &sources[i], &list[out->count], why);
        if (err)
            return err;
        out->count++;
    }
    qsort(list, out->count, sizeof *list, compare_names);
    return ERR_NONE;
}

/* By name or alias, as a request may name it. */
static bool
has_context(const struct domain *domain, struct str name)
{
    for (size_t i = 0; i < domain->context_count; i++) {
        const struct context *context = &domain->contexts[i];
        if (str_eq(context->name, name))
            return true;
        for (size_t k = 0; k < context->alias_count; k++)
            if (str_eq(context->aliases[k], name))
                return true;
    }
    return false;
}

/* The domain's own contexts select it anyway; a safety context is one of another domain. */
static bool
defined_by_another(const struct domains *set, const struct domain *domain, struct str name)
{
    for (size_t i = 0; i < set->count; i++)
        if (&set->list[i] != domain && has_context(&set->list[i], name))
            return true;
    return false;
}

/* Absent: every context in `only_in` is defined by another domain. */
struct str
domains_undefined_context(const struct domains *set, const struct domain *domain)
{
    for (size_t i = 0; i < domain->member_count; i++)
        for (size_t k = 0; k < domain->members[i].only_in_count; k++)
            if (!defined_by_another(set, domain, domain->members[i].only_in[k]))
                return domain->members[i].only_in[k];
    return STR_NONE;
}

/* The index of the first one that no other domain defines, or the count. */
size_t
domains_undefined_safety_context(const struct domains *set, const struct domain *domain)
{
    size_t at = 0;
    while (at < domain->safety_context_count &&
           defined_by_another(set, domain, domain->safety_contexts[at]))
        at++;
    return at;
}
