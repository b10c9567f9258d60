/* Any bytes as a definition: rejected with one line that names path and problem, or loaded with all
 * guarantees of domain.h, and loading it again gives the same result. */
#include "fuzz.h"

#include "domain/domain.h"
#include "value/value.h"
#include "domain/value_text.h"
#include "context/context.h"
#include "model/scope.h"
#include "text/json_read.h"
#include "text/utf8.h"

#include <string.h>

static void
text_is_fit_to_be_shown(struct str text)
{
    if (!str_present(text))
        return;
    MUST(utf8_valid(text) && utf8_forbidden(text) < 0);
    MUST(text.ptr[text.len] == '\0');
}

static void
is_a_sentence(struct str text)
{
    if (!str_present(text))
        return;
    text_is_fit_to_be_shown(text);
    MUST(str_ends(text, STR(".")));
    MUST(memmem(text.ptr, text.len, ". ", 2) == NULL);
}

static void
vocabulary_holds(struct arena *mem, const struct vocabulary *vocabulary)
{
    MUST(vocabulary->count > 0);
    for (size_t i = 0; i < vocabulary->count; i++) {
        const struct vocabulary_value *value = &vocabulary->values[i];
        text_is_fit_to_be_shown(value->value);
        text_is_fit_to_be_shown(value->label);
        MUST(vocabulary_find(vocabulary, value->key) == value);
        MUST(vocabulary_find(vocabulary, value_fold(mem, value->label)) == value);
        MUST(str_eq(value->key, value_fold(mem, value->value)));
    }
}

static void
hint_holds(const struct member *member)
{
    is_a_sentence(member->hint.text);
    is_a_sentence(member->hint.text_one);
    text_is_fit_to_be_shown(member->hint.short_text);
    text_is_fit_to_be_shown(member->hint.emphasis);
    for (size_t i = 0; i < member->hint.value_count; i++)
        is_a_sentence(member->hint.values[i].sentence);
    MUST(member->hint.base_items >= 1 && member->hint.base_items <= member->hint.std_items);
    MUST(member->hint.std_items <= member->hint.max_items && member->hint.max_items <= 64);
}

static void
member_holds(const struct domain *domain, const struct member *member)
{
    MUST(domain_member(domain, member->name) == member);
    MUST(member->weight >= 0 && member->weight <= 65536);
    MUST(member->max_length >= 1 && member->max_length <= VALUE_MAX_CHARACTERS);
    MUST(member->type != MEMBER_ENUM || !member->vocabulary->open);
    MUST((member->type == MEMBER_OBJECT) == (member->property_count > 0));
    for (size_t i = 0; i < member->oppose_count; i++)
        MUST(domain_member(domain, member->opposes[i]) != NULL);
    for (size_t i = 0; i <= domain->context_count; i++)
        MUST(member->context_weights[i] >= 0 && member->context_weights[i] <= 65536);
    hint_holds(member);
}

static void
domain_holds(struct arena *mem, const struct domain *domain)
{
    const struct json_value *schema;
    text_is_fit_to_be_shown(domain->title);
    text_is_fit_to_be_shown(domain->heading);
    text_is_fit_to_be_shown(domain->consent);
    MUST(str_ends(domain->consent, STR(".")));
    MUST(domain->member_count > 0);
    for (size_t i = 0; i < domain->vocabulary_count; i++)
        vocabulary_holds(mem, &domain->vocabularies[i]);
    for (size_t i = 0; i < domain->member_count; i++)
        member_holds(domain, &domain->members[i]);
    for (size_t i = 0; i < domain->summary_count; i++)
        MUST(domain_member(domain, domain->summary_members[i]) != NULL);
    MUST(json_read(mem, domain->schema, 8, &schema, NULL) == ERR_NONE);
    MUST(json_member(schema, "properties")->count == domain->member_count);
}

static void
name_is_found(const struct context_index *index, const struct domain *domain, struct str name)
{
    struct context_match match;
    context_find(index, name, &match);
    MUST(match.known && context_chosen(&match, domain) != NULL);
}

static void
contexts_hold(struct arena *mem, const struct domains *set)
{
    const struct context_index *index = context_index_make(mem, set);
    const struct domain *domain = &set->list[0];
    name_is_found(index, domain, domain->name);
    for (size_t i = 0; i < domain->context_count; i++) {
        const struct context *context = &domain->contexts[i];
        name_is_found(index, domain, context->name);
        for (size_t j = 0; j < context->alias_count; j++)
            name_is_found(index, domain, context->aliases[j]);
    }
}

static void
line_holds(const char *line)
{
    MUST(strncmp(line, "f.json: ", 8) == 0 && strlen(line) > 8);
    text_is_fit_to_be_shown(str_of(line));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct domain_source source = { STR("f.json"), STR("tea"), fuzz_input(mem, data, size) };
    struct domains set, again;
    struct why why = { 0 };
    enum err err = domains_load(mem, &source, 1, &set, &why);
    if (err) {
        MUST(err == ERR_INVALID);
        line_holds(why.text);
    } else {
        MUST(set.count == 1 && why.text[0] == '\0');
        MUST(str_eq_c(set.list[0].name, "tea"));
        domain_holds(mem, &set.list[0]);
        contexts_hold(mem, &set);
        MUST(domains_load(mem, &source, 1, &again, &why) == ERR_NONE);
        MUST(str_eq(again.list[0].digest, set.list[0].digest));
        MUST(str_eq(again.list[0].schema, set.list[0].schema));
        scopes_setup(&set);
        MUST(scope_count() == 5);
    }
    arena_free(mem);
    return 0;
}
