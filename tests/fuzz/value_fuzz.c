/* Any JSON or text as a value of any built-in member: accepted values have no forbidden characters,
 * reading the result gives the same value, and equal spellings have equal keys. The first byte
 * chooses the member. */
#include "fuzz_member.h"

#include "value/value.h"
#include "value/value_speech.h"
#include "domain/value_text.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/utf8.h"

static void
text_holds(struct arena *mem, const struct member *member, struct str text)
{
    MUST(utf8_valid(text) && utf8_forbidden(text) < 0);
    MUST(str_eq(utf8_nfc(mem, text), text));
    MUST(text.len > 0 && utf8_length(text) <= VALUE_MAX_CHARACTERS);
    MUST(str_eq(str_trim(text), text));
    bool closed = member->vocabulary != NULL && !member->vocabulary->open;
    if (!closed)
        MUST(utf8_length(text) <= member->max_length);
    else
        MUST(str_eq(vocabulary_find(member->vocabulary, value_fold(mem, text))->value, text));
}

/* Letter case and spaces do not change the value, except that "No Doubt" is a name and "no doubt" a
 * refusal. */
static void
spellings_meet(struct arena *mem, const struct member *member, const struct value *value,
               struct str text)
{
    struct json_value other = { .type = JSON_STR };
    struct value read;
    other.text = str_format(mem, " %.*s  ", STR_ARG(text));
    MUST(value_read(mem, member, &other, &read) == NULL);
    MUST(str_eq(read.json, value->json) && str_eq(read.key, value->key));
    other.text = str_lower(mem, text);
    struct str object;
    if (!value_spoken_object(mem, member, other.text, &object) &&
        value_read(mem, member, &other, &read) == NULL)
        MUST(str_eq(read.key, value->key));
}

static void
value_holds(struct arena *mem, const struct member *member, const struct value *value)
{
    const struct json_value *shown;
    struct value again;
    MUST(json_read(mem, value->json, 2, &shown, NULL) == ERR_NONE);
    MUST(value_read(mem, member, shown, &again) == NULL);
    MUST(str_eq(again.json, value->json) && str_eq(again.key, value->key));
    MUST(str_present(value->key) && value->key.len > 0 && utf8_valid(value->key));
    if (shown->type == JSON_STR) {
        text_holds(mem, member, shown->text);
        spellings_meet(mem, member, value, shown->text);
        MUST(str_eq(value_fold(mem, value->key), value->key));
    }
    for (size_t i = 0; i < shown->count; i++)
        if (shown->children[i].type == JSON_STR)
            text_holds(mem, member, shown->children[i].text);
    /* What was cut off from the value can be suspicious too; `again` no longer has it. */
    const char *name = value_suspicion(mem, value), *shown_only = value_suspicion(mem, &again);
    MUST(name == shown_only || (str_present(value->wording) && shown_only == NULL));
}

static void
folding_holds(struct arena *mem, struct str text)
{
    struct str folded = value_fold(mem, text);
    if (!str_present(folded))
        return;
    MUST(utf8_valid(text));
    MUST(str_eq(value_fold(mem, folded), folded));
    MUST(str_eq(str_trim(folded), folded));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct arena *mem = arena_new();
    const struct member *member = choose_member(data[0]);
    struct json_value as_text = { .type = JSON_STR };
    const struct json_value *given = &as_text;
    struct value value;
    as_text.text = fuzz_input(mem, data + 1, size - 1);
    folding_holds(mem, as_text.text);
    if (value_read(mem, member, given, &value) == NULL)
        value_holds(mem, member, &value);
    if (json_read(mem, as_text.text, 8, &given, NULL) == ERR_NONE &&
        value_read(mem, member, given, &value) == NULL)
        value_holds(mem, member, &value);
    arena_free(mem);
    return 0;
}
