/* context_list.c - a context that is a list of names of tools: "flight_search, concert_search". */
#include "context/context.h"

#include "context/context_internal.h"

#define LISTED_MAX 16 /* names in a list, each of which costs as much as a task */

/* Cuts the next part off a list. */
static struct str
cut_listed(struct str *rest)
{
    struct str part = STR_NONE;
    str_cut(rest, ',', &part);
    return str_trim(part);
}

/* "flight_search, concert_search": names of tools, in which '_' joins words. */
static bool
is_list(struct str text)
{
    bool joined = str_index(text, '_') < text.len;
    size_t parts = 0;
    for (struct str rest = text; joined && str_present(rest); parts++) {
        struct str part = cut_listed(&rest);
        if (str_index(part, ' ') < part.len)
            return false;
    }
    return parts > 1 && parts <= LISTED_MAX;
}

/* A member matters as much as to the part to which it matters most. */
static void
add_scores(struct context_choice *choice, const struct context_choice *more)
{
    for (size_t i = 0; more->scored && i < CONTEXT_SCORED; i++)
        if (!choice->scored || more->scores[i] > choice->scores[i])
            choice->scores[i] = more->scores[i];
    choice->scored = choice->scored || more->scored;
    choice->by_name = choice->by_name && more->by_name;
}

/* A domain of which a list names three contexts or more is matched as a whole. */
static void
add_context(struct context_choice *choice, const struct context_choice *more)
{
    if (choice->context == NULL || more->context == choice->context ||
        more->context == choice->second)
        return;
    if (choice->second == NULL && more->context != NULL)
        choice->second = more->context;
    else
        choice->context = choice->second = NULL;
}

static void
add_found(const struct context_match *found, struct context_match *out)
{
    for (size_t i = 0; i < found->count; i++) {
        size_t at = 0;
        while (at < out->count && out->list[at].domain < found->list[i].domain)
            at++;
        if (at < out->count && out->list[at].domain == found->list[i].domain) {
            add_context(&out->list[at], &found->list[i]);
            add_scores(&out->list[at], &found->list[i]);
            continue;
        }
        for (size_t k = out->count++; k > at; k--)
            out->list[k] = out->list[k - 1];
        out->list[at] = found->list[i];
        out->known = true;
    }
}

/* A list is about what its parts are about, and unrelated only if all of them are. */
static void
find_listed(const struct context_index *index, struct str text, struct context_match *out)
{
    bool unrelated = true;
    *out = (struct context_match){ .known = false };
    for (struct str rest = text; str_present(rest);) {
        struct context_match found;
        context_find_task(index, cut_listed(&rest), &found);
        add_found(&found, out);
        unrelated = unrelated && found.unrelated;
    }
    out->unrelated = unrelated && !out->known;
}

void
context_find(const struct context_index *index, struct str text, struct context_match *out)
{
    if (text.len <= LABEL_MAX && is_list(text))
        find_listed(index, text, out);
    else
        context_find_task(index, text, out);
}
