/* context_safety.c - whether critical members of a domain matter to a match: see context.h. */
#include "context/context.h"

static bool
is_among(struct str name, const struct str *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(name, names[i]))
            return true;
    return false;
}

/* A definition may list a safety context by its name or by an alias. */
static bool
is_safety_context(const struct context *context, const struct domain *domain)
{
    const struct str *names = domain->safety_contexts;
    size_t count = domain->safety_context_count;
    if (is_among(context->name, names, count))
        return true;
    for (size_t i = 0; i < context->alias_count; i++)
        if (is_among(context->aliases[i], names, count))
            return true;
    return false;
}

static bool
is_safety_choice(const struct context_choice *choice, const struct domain *domain)
{
    if (choice->domain == domain)
        return false;
    if (choice->second != NULL && is_safety_context(choice->second, domain))
        return true;
    if (choice->context != NULL)
        return is_safety_context(choice->context, domain);
    for (size_t i = 0; i < choice->domain->context_count; i++)
        if (is_safety_context(&choice->domain->contexts[i], domain))
            return true;
    return false;
}

bool
context_is_among(const struct context_match *match, const struct str *names, size_t count)
{
    for (size_t i = 0; i < match->count; i++) {
        const struct context_choice *choice = &match->list[i];
        if (choice->context != NULL && is_among(choice->context->name, names, count))
            return true;
        if (choice->second != NULL && is_among(choice->second->name, names, count))
            return true;
        for (size_t k = 0; choice->context == NULL && k < choice->domain->context_count; k++)
            if (is_among(choice->domain->contexts[k].name, names, count))
                return true;
    }
    return false;
}

bool
context_is_safety(const struct context_match *match, const struct domain *domain)
{
    bool elsewhere = domain->safety_context_count == 0 && !domain_has_critical(domain);
    for (size_t i = 0; i < match->count; i++)
        if (elsewhere ? domain_has_critical(match->list[i].domain)
                      : is_safety_choice(&match->list[i], domain))
            return true;
    return false;
}
