#include "value/value_none.h"
#include "value/value.h"
#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "config/definitions.h"
#include "value/value_clean.h"
#include "text/json_read.h"

static struct domains domains;

struct row {
    const char *place, *text, *values; /* separated by |; "=": the text itself */
};

static const struct member *
member_at(const char *place)
{
    struct str member = str_of(place), domain;
    str_cut(&member, '.', &domain);
    return domain_member(domains_find(&domains, domain), member);
}

/* The values of a text as a write stores them. */
static struct str
stored(struct arena *mem, const char *place, const char *text)
{
    const struct member *member = member_at(place);
    struct json_value given = { .type = JSON_STR, .text = str_of(text) };
    struct value *values = NULL;
    size_t count = 0;
    struct buf out = buf_in(mem, 4096);
    assert_null(value_read_list(mem, member, &given, &values, &count));
    for (size_t i = 0; i < count; i++) {
        const struct json_value *shown = NULL;
        struct why why;
        assert_int_equal(json_read(mem, values[i].json, 2, &shown, &why), ERR_NONE);
        buf_add_c(&out, i == 0 ? "" : "|");
        buf_add(&out, shown->text);
    }
    return str_copy(mem, buf_str(&out));
}

static void
check(const struct row *rows, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct arena *mem = arena_new();
        const char *values = strcmp(rows[i].values, "=") == 0 ? rows[i].text : rows[i].values;
        struct str found = stored(mem, rows[i].place, rows[i].text);
        if (!str_eq_c(found, values)) {
            print_error("%s \"%s\": is \"%.*s\", must be \"%s\"\n", rows[i].place, rows[i].text,
                        STR_ARG(found), values);
            wrong++;
        }
        arena_free(mem);
    }
    assert_int_equal(wrong, 0);
}

#define ALLERGIES "food_profile.allergies"
#define INTOLERANCES "food_profile.intolerances"
#define MEDICAL "food_profile.medical_diets"
#define DIETARY "food_profile.dietary"
#define RESTRICTIONS "food_profile.dietary_restrictions"
#define ACCESS "travel_profile.accessibility_needs"
#define OTHER_ALLERGIES "lifestyle_profile.allergies"
#define LIMITS "lifestyle_profile.physical_limits"

static void
nothing_but_a_denial_is_none(void **state)
{
    static const struct row rows[] = {
        { ALLERGIES, "none", "none" },
        { ALLERGIES, "None.", "none" },
        { ALLERGIES, "No", "none" },
        { ALLERGIES, "nope", "none" },
        { ALLERGIES, "no allergies", "none" },
        { ALLERGIES, "No Allergies!", "none" },
        { ALLERGIES, "No known allergies", "none" },
        { ALLERGIES, "no known food allergies", "none" },
        { ALLERGIES, "NKA", "none" },
        { ALLERGIES, "n.a.", "none" },
        { ALLERGIES, "no allergies thank goodness", "none" },
        { ALLERGIES, "NKDA", "none" },
        { ALLERGIES, "N/A", "none" },
        { ALLERGIES, "none known", "none" },
        { ALLERGIES, "none that I know of", "none" },
        { ALLERGIES, "none that I'm aware of", "none" },
        { ALLERGIES, "none at all", "none" },
        { ALLERGIES, "no allergies that I know of", "none" },
        { ALLERGIES, "I don't have any allergies", "none" },
        { ALLERGIES, "I don\u2019t have any allergies", "none" },
        { ALLERGIES, "I have no allergies", "none" },
        { ALLERGIES, "I do not have any food allergies", "none" },
        { ALLERGIES, "I don't know of any allergies", "none" },
        { ALLERGIES, "I'm not allergic to anything", "none" },
        { ALLERGIES, "not allergic to anything", "none" },
        { ALLERGIES, "not allergic", "none" },
        { ALLERGIES, "no food allergies or intolerances", "none" },
        { ALLERGIES, "no allergies at all", "none" },
        { ALLERGIES, "zero allergies", "none" },
        { ALLERGIES, "without allergies", "none" },
        { ALLERGIES, "Allergies: none", "none" },
        { ALLERGIES, "food allergies - none", "none" },
        { ALLERGIES, "no, none", "none" },
        { ALLERGIES, "no dietary restrictions", "none" },
        { ALLERGIES, "keine Allergien", "none" },
        { ALLERGIES, "Ich habe keine Allergien", "none" },
        { ALLERGIES, "sin alergias", "none" },
        { ALLERGIES, "no tengo alergias", "none" },
        { ALLERGIES, "aucune allergie", "none" },
        { ALLERGIES, "nessuna allergia", "none" },
        { ALLERGIES, "sem alergias", "none" },
        { ALLERGIES, "аллергии нет", "none" },
        { ALLERGIES, "没有过敏", "none" },
        { ALLERGIES, "アレルギーなし", "none" },
        { ALLERGIES, "कोई एलर्जी नहीं", "none" },
        { ALLERGIES, "لا توجد حساسية", "none" },
        { INTOLERANCES, "no intolerances", "none" },
        { INTOLERANCES, "not intolerant to anything", "none" },
        { MEDICAL, "none", "none" },
        { MEDICAL, "no special diet", "none" },
        { MEDICAL, "no medical conditions", "none" },
        { MEDICAL, "I don't need any special diet", "none" },
        { DIETARY, "no diet", "none" },
        { DIETARY, "no particular diet", "none" },
        { RESTRICTIONS, "No restrictions", "none" },
        { RESTRICTIONS, "I have no dietary restrictions", "none" },
        { ACCESS, "none", "none" },
        { ACCESS, "no special needs", "none" },
        { ACCESS, "no accessibility requirements", "none" },
        { ACCESS, "I don't have any disabilities", "none" },
        { OTHER_ALLERGIES, "no known allergies", "none" },
        { LIMITS, "no injuries", "none" },
        { LIMITS, "no physical limitations", "none" },
    };
    (void)state;
    check(rows, ROWS(rows));
}

static void
a_danger_is_never_none(void **state)
{
    static const struct row rows[] = {
        { ALLERGIES, "no shellfish because of allergies", "shellfish" },
        { ALLERGIES, "no nuts allergic", "nuts" },
        { ALLERGIES, "nuts - not even traces severe allergy", "nuts" },
        { ALLERGIES, "absolutely no nuts, severe allergy", "nuts" },
        { ALLERGIES, "no nuts!!! deadly allergy", "nuts" },
        { ALLERGIES, "NO PEANUTS", "peanuts" },
        { ALLERGIES, "no dairy", "dairy" },
        { ALLERGIES, "no milk due to allergy", "milk" },
        { ALLERGIES, "I can't have nuts", "nuts" },
        { ALLERGIES, "I can not eat eggs", "eggs" },
        { ALLERGIES, "don't give me shrimp, allergic", "shrimp" },
        { ALLERGIES, "no nuts of any kind", "nuts" },
        { ALLERGIES, "no nuts or shrimp, I'm allergic", "nuts|shrimp" },
        { ALLERGIES, "no tree nuts, no sesame", "tree nuts|sesame" },
        { ALLERGIES, "never any peanuts, anaphylaxis", "peanuts" },
        { ALLERGIES, "peanuts, no other allergies", "peanuts" },
        { ALLERGIES, "no allergies except peanuts", "peanuts" },
        { ALLERGIES, "none except penicillin", "penicillin" },
        { ALLERGIES, "nothing but peanuts", "peanuts" },
        { ALLERGIES, "no known allergies other than eggs and soy", "eggs|soy" },
        { ALLERGIES, "no known allergies but lactose intolerant", "lactose" },
        { ALLERGIES, "milk (not even traces)", "milk" },
        { ALLERGIES, "gluten-free please, allergic", "gluten" },
        { ALLERGIES, "no durian, severe allergy", "=" },
        { ALLERGIES, "durian, no other allergies", "durian" },
        /* a denial of one value stays as it was written */
        { ALLERGIES, "no peanut allergy", "=" },
        { ALLERGIES, "no allergy to nuts", "=" },
        { ALLERGIES, "not allergic to peanuts", "=" },
        { ALLERGIES, "I'm not allergic to shellfish", "=" },
        { ALLERGIES, "tree nuts, but not to peanuts", "=" },
        /* so does everything else that says more */
        { ALLERGIES, "no, I have allergies", "=" },
        { ALLERGIES, "No. I am allergic", "=" },
        { ALLERGIES, "not without allergies", "=" },
        { ALLERGIES, "I don't know my allergies", "=" },
        { ALLERGIES, "allergies not known", "=" },
        { ALLERGIES, "no idea, never tested for allergies", "=" },
        { ALLERGIES, "no intolerances", "=" },
        { ALLERGIES, "allergic to everything except rice", "everything except rice" },
        { ALLERGIES, "I can't eat anything except rice", "=" },
        { ALLERGIES, "no food with artificial coloring allergy", "=" },
        { INTOLERANCES, "no lactose", "lactose" },
        { INTOLERANCES, "no wheat, intolerant", "wheat" },
        { INTOLERANCES, "no gluten because of intolerance", "gluten" },
        { MEDICAL, "no-sodium diet", "no-sodium" },
        { MEDICAL, "no salt diet", "no salt" },
        { MEDICAL, "no allergies", "=" },
        { DIETARY, "no sugar diet", "=" },
        { DIETARY, "no red meat", "=" },
        { RESTRICTIONS, "no pork", "pork" },
        { RESTRICTIONS, "no beef or pork", "beef|pork" },
        { ACCESS, "does not climb stairs needs a ramp", "=" },
        { ACCESS, "no stairs", "=" },
        { ACCESS, "no steps, wheelchair needs", "no steps|wheelchair" },
        { OTHER_ALLERGIES, "no cats, allergic", "cat hair" },
        { OTHER_ALLERGIES, "no allergies except pollen", "pollen" },
        { LIMITS, "no running because of a knee condition", "=" },
        { LIMITS, "no physical exercise", "=" },
        { LIMITS, "no heavy lifting, back condition", "=" },
    };
    (void)state;
    check(rows, ROWS(rows));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_but_a_denial_is_none),
        cmocka_unit_test(a_danger_is_never_none),
    };
    struct arena *mem = arena_new();
    struct why why = { 0 };
    if (definitions_load(mem, NULL, NULL, &domains, &why) != ERR_NONE)
        return 1;
    int failed = cmocka_run_group_tests_name("domain/value_none", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
