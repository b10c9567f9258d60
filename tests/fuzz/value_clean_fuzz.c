/* Any text as a value of any built-in member that cleans its values: cleaning the result changes
 * nothing, parts of a list are parts of the text, and the grammar of phrases is consistent. The
 * first byte chooses the member. */
#include "fuzz_member.h"

#include "value/danger.h"
#include "naming/name.h"
#include "value/phrase.h"
#include "domain/named_values.h"
#include "value/value_clean.h"
#include "value/value_parts.h"
#include "value/value_none.h"
#include "value/value_speech.h"
#include "domain/value_text.h"
#include "text/utf8.h"

#include <string.h>

static void
cleaning_holds(struct arena *mem, const struct member *member, struct str text)
{
    struct str shown, key, again, again_key;
    if (!value_clean(mem, member, text, &shown, &key))
        return;
    MUST(utf8_valid(shown) && shown.len > 0);
    MUST(utf8_valid(key) && str_eq(value_fold(mem, key), key));
    MUST(value_clean(mem, member, shown, &again, &again_key));
    const struct vocabulary *vocabulary = member->vocabulary;
    const struct vocabulary_value *entry =
        vocabulary == NULL ? NULL : vocabulary_find(vocabulary, key);
    if (entry != NULL && str_eq(entry->key, key)) {
        MUST(str_eq(again_key, key));
        MUST(value_contains(mem, vocabulary, entry->value, entry->key));
    }
}

static bool
has_part(struct str text, struct str part)
{
    return memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

/* Parts are as written, or those of what the user says to like: "baking" for "I like to bake". */
static void
parts_hold(struct arena *mem, const struct member *member, struct str text)
{
    struct str object = text, *parts = NULL;
    if (!value_spoken_object(mem, member, text, &object))
        object = text;
    size_t count = value_parts(mem, member, text, &parts), bytes = 0;
    MUST(count >= 1);
    for (size_t i = 0; i < count; i++) {
        MUST(parts[i].len > 0 && utf8_valid(parts[i]));
        MUST(has_part(text, parts[i]) || has_part(object, parts[i]));
        bytes += parts[i].len;
    }
    MUST(bytes <= text.len || bytes <= object.len);
    struct str named;
    if (member->vocabulary != NULL && value_means_none(mem, member, text))
        MUST(count == 1 && value_named(mem, member, text, &named, 1) == 0);
}

static void
dangers_hold(struct arena *mem, const struct member *member, struct str text)
{
    struct dangers found;
    struct str named;
    if (value_denies(mem, member, text))
        MUST(value_named(mem, member, text, &named, 1) == 0);
    if (!danger_in_statement(mem, member, CONCERN_FOOD, text, &found))
        return;
    MUST(found.count <= DANGERS_MAX && !value_denies(mem, member, text));
    for (size_t i = 0; i < found.count; i++)
        MUST(vocabulary_find(member->vocabulary, found.keys[i]) != NULL);
}

static void
phrases_hold(struct arena *mem, struct str text)
{
    struct str third = phrase_third_person(mem, text);
    MUST(utf8_valid(third));
    MUST(str_eq(phrase_third_person(mem, third), third));
    MUST(phrase_fits(FORM_ANY, text));
    for (int form = FORM_NOUN; form <= FORM_ROLE; form++)
        if (phrase_fits((enum phrase_form)form, text))
            MUST(!phrase_is_clause(text));
    if (phrase_is_fragment(text)) /* "at the gym" fits "while …" */
        MUST(!phrase_fits(FORM_NOUN, text) && !phrase_fits(FORM_ADJECTIVE, text) &&
             !phrase_fits(FORM_THING, text));
    MUST(!name_is_plain(text) || !phrase_is_clause(text));
    phrase_reads_on(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1024)
        return 0;
    struct arena *mem = arena_new();
    struct str text = fuzz_input(mem, data + 1, size - 1);
    const struct member *member = choose_member(data[0]);
    if (utf8_valid(text) && utf8_forbidden(text) < 0) {
        text = str_trim(text);
        phrases_hold(mem, text);
        if (text.len > 0 && member->type <= MEMBER_STRING) {
            cleaning_holds(mem, member, text);
            parts_hold(mem, member, text);
            dangers_hold(mem, member, text);
        }
    }
    arena_free(mem);
    return 0;
}
