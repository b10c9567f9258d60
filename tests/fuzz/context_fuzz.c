/* Any bytes as an agent's context, with the built-in definitions: the result is deterministic and
 * consistent, letter case does not matter, and a context's name matches with any punctuation. */
#include "fuzz.h"

#include "../unit/context_kit.h"
#include "context/context_task.h"

#include <string.h>

static bool
is_same(const struct context_match *a, const struct context_match *b)
{
    if (a->known != b->known || a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].domain != b->list[i].domain || a->list[i].context != b->list[i].context)
            return false;
    return true;
}

static void
match_holds(const struct context_match *match)
{
    const struct domains *domains = kit_domains();
    MUST(match->known == (match->count > 0));
    MUST(match->count <= domains->count);
    for (size_t i = 0; i < match->count; i++) {
        const struct context_choice *choice = &match->list[i];
        const struct context *first = choice->domain->contexts;
        MUST(i == 0 || match->list[i - 1].domain < choice->domain);
        MUST(context_chosen(match, choice->domain) == choice);
        MUST(choice->context == NULL ||
             (choice->context >= first && choice->context < first + choice->domain->context_count));
    }
    for (size_t i = 0; i < domains->count; i++)
        if (context_is_safety(match, &domains->list[i]))
            MUST(match->known);
}

static struct str
in_capitals(struct arena *mem, struct str text)
{
    char *copy = arena_alloc(mem, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = (char)(text.ptr[i] >= 'a' && text.ptr[i] <= 'z' ? text.ptr[i] - 32 : text.ptr[i]);
    return (struct str){ copy, text.len };
}

/* Text in one letter case has no camelCase words. */
static void
letters_of_any_size_mean_the_same(struct arena *mem, struct str text)
{
    struct context_match small, capital;
    context_find(kit_context_index(), str_lower(mem, text), &small);
    context_find(kit_context_index(), in_capitals(mem, text), &capital);
    MUST(is_same(&small, &capital));
}

/* Punctuation instead of "_" and around the name; the input chooses both. */
static void
a_name_is_found(struct arena *mem, struct str text)
{
    static const char signs[] = " -./:|!?#";
    const struct domains *domains = kit_domains();
    const struct domain *domain = &domains->list[(unsigned char)text.ptr[0] % domains->count];
    const struct context *context =
        &domain->contexts[(unsigned char)text.ptr[1] % domain->context_count];
    size_t number = (unsigned char)text.ptr[2] % (context->alias_count + 1);
    char sign = signs[(unsigned char)text.ptr[3] % (sizeof signs - 1)];
    struct str name = number == 0 ? context->name : context->aliases[number - 1],
               changed = str_format(mem, "%c%.*s%c", sign, STR_ARG(name), sign);
    struct context_match match;
    for (char *c = memchr(changed.ptr, '_', changed.len); c != NULL; c = strchr(c, '_'))
        *c = sign;
    context_find(kit_context_index(), changed, &match);
    MUST(match.known && context_chosen(&match, domain) != NULL);
    MUST(context_chosen(&match, domain)->context == context);
}

/* The second call remembers the first. */
static void
a_task_is_remembered(struct str text, const struct context_match *expected)
{
    struct terms fresh = { .count = 0 }, terms;
    struct context_match match;
    if (expected->known)
        terms_add(&fresh, text);
    for (int i = 0; i < 2; i++) {
        context_task_find(kit_context_index(), text, &match, &terms);
        MUST(is_same(expected, &match));
        MUST(memcmp(&terms, &fresh, sizeof terms) == 0);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str text = fuzz_input(mem, data, size);
    struct context_match match, again;
    context_find(kit_context_index(), text, &match);
    context_find(kit_context_index(), text, &again);
    MUST(is_same(&match, &again));
    MUST(size <= CONTEXT_MAX || !match.known);
    MUST(!match.known || !match.unrelated);
    match_holds(&match);
    a_task_is_remembered(text, &match);
    letters_of_any_size_mean_the_same(mem, text);
    if (size >= 4)
        a_name_is_found(mem, text);
    arena_free(mem);
    return 0;
}
