#include "domain/named_values.h"

#include "base/arena.h"
#include "domain/value_text.h"

#define NAME_WORDS_MAX 4 /* words of one vocabulary value */

/* The first words of a text, up to `words` of them. */
static struct str
first_words(struct str text, size_t words)
{
    size_t end = 0;
    for (; end < text.len; end++)
        if (text.ptr[end] == ' ' && --words == 0)
            break;
    return str_first(text, end);
}

static bool
is_or_contains(const struct vocabulary_value *entry, struct str food)
{
    for (size_t i = 0; i < entry->contain_count; i++)
        if (str_eq(entry->contains[i], food))
            return true;
    return str_eq(entry->key, food);
}

void
value_names(struct arena *mem, const struct vocabulary *vocabulary, struct str dish,
            struct named_values *out)
{
    struct str rest = value_fold(mem, dish);
    *out = (struct named_values){ 0 };
    if (!str_present(rest))
        return;
    out->list = ARENA_ARRAY(mem, const struct vocabulary_value *, str_word_count(rest));
    while (rest.len > 0) {
        struct str taken = first_words(rest, 1);
        for (size_t words = NAME_WORDS_MAX; words > 0; words--) {
            struct str name = first_words(rest, words);
            const struct vocabulary_value *entry = value_entry(mem, vocabulary, name);
            if (entry == NULL)
                continue;
            out->list[out->count++] = entry;
            taken = name;
            break;
        }
        rest = str_from(rest, taken.len < rest.len ? taken.len + 1 : rest.len);
    }
}

bool
named_values_contain(const struct named_values *named, struct str food)
{
    for (size_t i = 0; i < named->count; i++)
        if (is_or_contains(named->list[i], food))
            return true;
    return false;
}

bool
value_contains(struct arena *mem, const struct vocabulary *vocabulary, struct str dish,
               struct str food)
{
    struct named_values named;
    value_names(mem, vocabulary, dish, &named);
    return named_values_contain(&named, food);
}
