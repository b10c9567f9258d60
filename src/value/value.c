/* value.c - reads one JSON value into the form that is stored, and the key by which it is compared.
 *
 * A text passes four steps: visible characters only (Unicode NFC, no controls), single spaces, the
 * spelling of the vocabulary, and the value found in a longer wording (value_clean.c). The key is
 * folded further and never shown. What was written is kept as `reading` if the stored value differs
 * from it. */
#include "value/value.h"

#include "base/arena.h"
#include "base/buf.h"
#include "domain/definition.h"
#include "value/claim.h"
#include "value/statement.h"
#include "value/value_clean.h"
#include "value/value_parts.h"
#include "value/value_remark.h"
#include "value/value_trim.h"
#include "value/value_patterns.h"
#include "domain/value_text.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/utf8.h"
#include "reading/statement_key.h"

#define LISTED_MAX 8                /* values of a vocabulary in an error */
#define SHOWN_MAX_BYTES (64 * 1024) /* an object of 32 texts of 200 characters fits */

/* ---- texts ---- */

/* Lengths are counted in characters, after spaces were collapsed. */
static const char *
read_text(struct arena *mem, size_t max_length, const struct json_value *given, struct str *shown)
{
    if (given->type != JSON_STR)
        return "must be a string";
    if (!utf8_valid(given->text))
        return "is not valid UTF-8";
    struct str text = utf8_nfc(mem, given->text);
    if (!str_present(text))
        return "has too many combining marks on one letter";
    int32_t forbidden = utf8_forbidden(text);
    if (forbidden >= 0)
        return str_format(mem, "contains U+%04X, an invisible character; remove it",
                          (unsigned)forbidden)
            .ptr;
    *shown = value_collapse_spaces(mem, text);
    if (shown->len == 0)
        return "is empty";
    if (utf8_length(*shown) > max_length)
        return str_format(mem, "must have at most %zu characters, not %zu", max_length,
                          utf8_length(*shown))
            .ptr;
    return NULL;
}

/* For the message of a closed vocabulary; a long one is cut. */
static const char *
list_values(struct arena *mem, const struct vocabulary *vocabulary)
{
    struct buf out = buf_in(mem, SHOWN_MAX_BYTES);
    buf_add_c(&out, "must be one of ");
    for (size_t i = 0; i < vocabulary->count && i < LISTED_MAX; i++) {
        buf_add_c(&out, i == 0 ? "" : ", ");
        buf_add(&out, vocabulary->values[i].value);
    }
    if (vocabulary->count > LISTED_MAX)
        buf_add_format(&out, " or %zu others listed in the schema", vocabulary->count - LISTED_MAX);
    return str_c(mem, buf_str(&out));
}

static struct str
quoted(struct arena *mem, struct str text)
{
    struct buf out = buf_in(mem, SHOWN_MAX_BYTES);
    struct json json = json_into(&out);
    json_str(&json, text);
    return str_copy(mem, buf_str(&out));
}

/* Also of "SkyTeam (gold)". */
static const struct vocabulary_value *
find_exact(struct arena *mem, const struct vocabulary *vocabulary, struct str text)
{
    const struct vocabulary_value *found = vocabulary_find(vocabulary, value_fold(mem, text));
    struct str bare = value_trim_remark(text);
    return found != NULL || str_eq(bare, text) ? found
                                               : vocabulary_find(vocabulary, value_fold(mem, bare));
}

/* A closed vocabulary replaces the spelling by its own, so that records match the schema. The key
 * is that of the value, so that all aliases are one fact. */
static const char *
read_closed(struct arena *mem, const struct vocabulary *vocabulary, struct str *shown,
            struct str *key)
{
    if (!str_present(value_fold(mem, *shown)))
        return "has too many combining marks on one letter";
    const struct vocabulary_value *found = find_exact(mem, vocabulary, *shown);
    if (found == NULL)
        return list_values(mem, vocabulary);
    *key = found->key;
    *shown = found->value;
    return NULL;
}

/* An alias may be longer than a value: "Berlin" is read as the airport BER. */
static const char *
read_name(struct arena *mem, const struct member *member, const struct json_value *given,
          struct str *shown)
{
    const char *problem = read_text(mem, VALUE_MAX_CHARACTERS, given, shown);
    if (problem != NULL || utf8_length(*shown) <= member->max_length)
        return problem;
    const struct vocabulary_value *found = find_exact(mem, member->vocabulary, *shown);
    const struct vocabulary_value *code = member->vocabulary->values;
    if (found == NULL && member->vocabulary->count > 0 && str_present(code->note))
        return str_format(mem,
                          "must be a code of at most %zu characters, such as %.*s, or a known "
                          "name for one, such as %.*s",
                          member->max_length, STR_ARG(code->value), STR_ARG(code->note))
            .ptr;
    if (found == NULL)
        return read_text(mem, member->max_length, given, shown);
    *shown = found->value;
    return NULL;
}

static bool
is_closed(const struct member *member)
{
    return member->vocabulary != NULL && !member->vocabulary->open;
}

/* Makes the value of a text with single spaces. */
static const char *
read_word(struct arena *mem, const struct member *member, struct str text, struct value *out)
{
    struct str shown = text, key;
    const char *problem = NULL;
    if (is_closed(member)) {
        problem = read_closed(mem, member->vocabulary, &shown, &key);
    } else if (statement_holds(member)) {
        key = statement_key(mem, text);
        problem = str_present(key) ? NULL : "has too many combining marks on one letter";
    } else if (!value_clean(mem, member, text, &shown, &key)) {
        problem = "has too many combining marks on one letter";
    } else if (member->safety == SAFETY_CRITICAL &&
               (value_is_no_answer(mem, text) || value_is_no_answer(mem, shown))) {
        problem = "does not name anything; leave it out if it is not known";
    }
    if (problem == NULL)
        *out = (struct value){ .json = quoted(mem, shown),
                               .key = key,
                               .wording = is_closed(member) || str_eq(shown, text)
                                              ? STR_NONE
                                              : quoted(mem, text) };
    return problem;
}

/* ---- numbers ---- */

/* A value that is no number gets the same message as one out of bounds. */
static const char *
read_number(struct arena *mem, const struct json_value *given, double minimum, double maximum,
            double *out)
{
    if (given->type == JSON_INT)
        *out = (double)given->integer;
    else if (given->type == JSON_REAL)
        *out = given->real;
    if ((given->type == JSON_INT || given->type == JSON_REAL) && *out >= minimum && *out <= maximum)
        return NULL;
    return str_format(mem, "must be a number from %s to %s", value_number_text(mem, minimum).ptr,
                      value_number_text(mem, maximum).ptr)
        .ptr;
}

/* ---- objects ---- */

/* A name that is no definition name is not repeated in the error: it could be anything. */
static const char *
check_properties(struct arena *mem, const struct member *member, const struct json_value *given)
{
    if (given->type != JSON_OBJECT)
        return "must be an object";
    if (given->count == 0)
        return "must have at least one property";
    for (size_t i = 0; i < given->count; i++) {
        struct str name = given->children[i].key;
        size_t j = 0;
        while (j < member->property_count && !str_eq(member->properties[j].name, name))
            j++;
        if (j == member->property_count)
            return is_definition_name(name)
                       ? str_format(mem, "cannot have the property %.*s", STR_ARG(name)).ptr
                       : "has a property that is not defined";
    }
    return NULL;
}

/* Adds one property to both forms. The caller goes by the order of the definition, so that the
 * order in the document does not matter for the key. */
static const char *
read_property(struct arena *mem, const struct member *member, enum property_type type,
              const struct json_value *given, struct json *shown, struct json *key)
{
    struct str text;
    double number = 0;
    const char *problem = NULL;
    switch (type) {
    case PROPERTY_STRING:
        problem = read_text(mem, member->max_length, given, &text);
        if (problem == NULL && !str_present(value_fold(mem, text)))
            problem = "has too many combining marks on one letter";
        if (problem == NULL) {
            json_str(shown, text);
            json_str(key, value_fold(mem, text));
        }
        return problem;
    case PROPERTY_NUMBER:
        problem = read_number(mem, given, -VALUE_NUMBER_MAX, VALUE_NUMBER_MAX, &number);
        json_number(shown, number);
        json_number(key, number);
        return problem;
    case PROPERTY_BOOL:
        json_bool(shown, given->integer != 0);
        json_bool(key, given->integer != 0);
        return given->type == JSON_BOOL ? NULL : "must be true or false";
    }
    return "has an unknown type";
}

/* The properties are stored in the order of the definition, so equal objects have equal texts. */
static const char *
read_object(struct arena *mem, const struct member *member, const struct json_value *given,
            struct value *out)
{
    struct buf shown_text = buf_in(mem, SHOWN_MAX_BYTES), key_text = buf_in(mem, SHOWN_MAX_BYTES);
    struct json shown = json_into(&shown_text), key = json_into(&key_text);
    const char *problem = check_properties(mem, member, given);
    if (problem != NULL)
        return problem;
    json_open_object(&shown);
    json_open_object(&key);
    for (size_t i = 0; i < member->property_count; i++) {
        const char *name = str_c(mem, member->properties[i].name);
        const struct json_value *child = json_member(given, name);
        if (child == NULL)
            continue;
        json_key(&shown, name);
        json_key(&key, name);
        problem = read_property(mem, member, member->properties[i].type, child, &shown, &key);
        if (problem != NULL)
            return str_format(mem, "has an invalid property %s: it %s", name, problem).ptr;
    }
    json_close_object(&shown);
    json_close_object(&key);
    *out = (struct value){ .json = str_copy(mem, buf_str(&shown_text)),
                           .key = str_copy(mem, buf_str(&key_text)) };
    return NULL;
}

/* ---- any value ---- */

/* NULL: *out is the value. Otherwise the end of a sentence, as in "… must be an object". */
const char *
value_read(struct arena *mem, const struct member *member, const struct json_value *given,
           struct value *out)
{
    struct str text;
    double number = 0;
    const char *problem;
    *out = (struct value){ 0 };
    switch (member->type) {
    case MEMBER_ARRAY:
    case MEMBER_STRING:
    case MEMBER_ENUM:
        problem = is_closed(member)            ? read_text(mem, VALUE_MAX_CHARACTERS, given, &text)
                  : member->vocabulary != NULL ? read_name(mem, member, given, &text)
                                               : read_text(mem, member->max_length, given, &text);
        return problem != NULL ? problem : read_word(mem, member, text, out);
    case MEMBER_NUMBER:
        problem = read_number(mem, given, member->has_minimum ? member->minimum : -VALUE_NUMBER_MAX,
                              member->has_maximum ? member->maximum : VALUE_NUMBER_MAX, &number);
        if (problem == NULL)
            out->json = out->key = value_number_text(mem, number);
        return problem;
    case MEMBER_BOOL:
        out->json = out->key = given->integer != 0 ? STR("true") : STR("false");
        return given->type == JSON_BOOL ? NULL : "must be true or false";
    case MEMBER_OBJECT:
        return read_object(mem, member, given, out);
    }
    return "has an unknown type";
}

/* Only arrays with an open vocabulary, or none, can have lists within a text. Each part keeps the
 * whole text as its wording, so that users see where it comes from. */
const char *
value_read_list(struct arena *mem, const struct member *member, const struct json_value *given,
                struct value **out, size_t *count)
{
    struct str text, *parts;
    *out = ARENA_NEW(mem, struct value);
    *count = 1;
    if (member->type != MEMBER_ARRAY || is_closed(member) || given->type != JSON_STR)
        return value_read(mem, member, given, *out);
    const char *problem = read_text(mem, VALUE_MAX_CHARACTERS, given, &text);
    if (problem != NULL)
        return problem;
    *count = value_parts(mem, member, text, &parts);
    if (*count == 1 && str_eq(parts[0], text))
        return value_read(mem, member, given, *out);
    *out = ARENA_ARRAY(mem, struct value, *count);
    for (size_t i = 0; i < *count && problem == NULL; i++) {
        struct json_value part = { .type = JSON_STR, .text = parts[i] };
        problem = value_read(mem, member, &part, &(*out)[i]);
        (*out)[i].wording = quoted(mem, text);
    }
    return problem;
}

const struct member *
value_diet(struct arena *mem, const struct domain *domain, const struct member *member,
           const struct value *value, struct value *diet)
{
    const struct json_value *read;
    if (!value_lists_dangers(member) || vocabulary_find(member->vocabulary, value->key) != NULL ||
        json_read(mem, value->json, 2, &read, NULL) != ERR_NONE || read->type != JSON_STR)
        return NULL;
    for (size_t i = 0; i < domain->member_count; i++) {
        const struct member *to = &domain->members[i];
        bool lists_diets = to->type == MEMBER_STRING && to->safety == SAFETY_CONSTRAINT &&
                           to->vocabulary != NULL && to->vocabulary->open;
        if (!lists_diets || value_read(mem, to, read, diet) != NULL)
            continue;
        /* Some aliases of diets are also foods ("kidney") or conditions ("pregnant"). */
        const struct vocabulary_value *found = vocabulary_find(to->vocabulary, diet->key);
        if (found != NULL && (str_eq(found->key, value->key) ||
                              (found->exclude_count > 0 && str_eq(found->label, found->value))))
            return to;
    }
    return NULL;
}

/* The member for what the user only does not like. */
static const struct member *
member_for_tastes(const struct domain *domain, const struct vocabulary *vocabulary)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (domain->members[i].avoid && domain->members[i].safety == SAFETY_NONE &&
            domain->members[i].vocabulary == vocabulary)
            return &domain->members[i];
    return NULL;
}

/* "Stomach sensitivity" names nothing that a member for intolerances knows. */
size_t
value_claimed(struct arena *mem, const struct domain *domain, const struct member *member,
              struct str text, const struct member **to, struct value **out, bool *known)
{
    struct str said = text, disliked;
    struct value diet;
    size_t count = 0;
    bool certain = true;
    *to = claim_member(mem, domain, member, text, &said, &certain);
    if (*to == NULL && value_lists_dangers(member)) {
        disliked = value_disliked(mem, member, text);
        said = str_present(disliked) ? disliked : text;
        *to = str_present(disliked) ? member_for_tastes(domain, member->vocabulary) : member;
    }
    if (*to == NULL)
        return 0;
    struct json_value given = { .type = JSON_STR, .text = said };
    if (value_read_list(mem, *to, &given, out, &count) != NULL)
        return 0;
    bool diets = false;
    *known = true;
    for (size_t i = 0; i < count; i++) {
        if (str_eq((*out)[i].key, VALUE_NONE))
            return 0;
        bool is_diet = value_diet(mem, domain, *to, &(*out)[i], &diet) != NULL;
        diets = diets || is_diet;
        *known = *known && (is_diet || vocabulary_find((*to)->vocabulary, (*out)[i].key) != NULL);
    }
    return (*to != member || diets) && (*known || certain) ? count : 0;
}

static const char *
suspicion_in(struct arena *mem, struct str json)
{
    const struct json_value *read;
    if (json_read(mem, json, 2, &read, NULL))
        return "no value"; /* not made by value_read(); held rather than served */
    if (read->type == JSON_STR)
        return value_pattern_in(mem, read->text);
    for (size_t i = 0; i < read->count; i++) {
        const char *name = NULL;
        if (read->children[i].type == JSON_STR)
            name = value_pattern_in(mem, read->children[i].text);
        if (name != NULL)
            return name;
    }
    return NULL;
}

/* The wording, too: it is shown to apps that wrote it, and may say more than the value. */
const char *
value_suspicion(struct arena *mem, const struct value *value)
{
    const char *name = suspicion_in(mem, value->json);
    return name == NULL && str_present(value->wording) ? suspicion_in(mem, value->wording) : name;
}

/* A value of the vocabulary, or "peanut allergy" among intolerances, whose allergen is. */
static bool
is_known(struct arena *mem, const struct domain *domain, const struct member *member,
         const struct value *value)
{
    const struct json_value *read;
    const struct member *to;
    struct value *values;
    bool known = false;
    if (member->vocabulary == NULL)
        return false;
    if (vocabulary_find(member->vocabulary, value->key) != NULL)
        return true;
    return claim_is_possible(value->json) &&
           json_read(mem, value->json, 2, &read, NULL) == ERR_NONE && read->type == JSON_STR &&
           value_claimed(mem, domain, member, read->text, &to, &values, &known) > 0 && known;
}

bool
value_needs_user(struct arena *mem, const struct domain *domain, const struct member *member,
                 const struct value *value)
{
    /* No app may say that the user has no allergies; "none" for humor is a choice like others. */
    bool critical = member->safety == SAFETY_CRITICAL;
    bool known =
        !(critical && str_eq(value->key, VALUE_NONE)) && is_known(mem, domain, member, value);
    bool decides = critical || (domain->always && member->vocabulary != NULL);
    return statement_holds(member) || (decides && !known) || value_suspicion(mem, value) != NULL;
}
