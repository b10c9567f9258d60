#include "value/value_parts.h"
#include "unit/assert_str.h"

#include "config/definitions.h"
#include "base/arena.h"
#include "base/buf.h"

static struct domains domains;

static const struct member *
member_named(const char *domain, const char *member)
{
    return domain_member(domains_find(&domains, str_of(domain)), str_of(member));
}

static void
lists_are_split_where_their_items_are_known(void **state)
{
    static const struct {
        const char *domain, *member, *text, *parts;
    } rows[] = {
        { "food_profile", "allergies", "milk, eggs and soy", "milk|eggs|soy" },
        { "food_profile", "allergies", "milk/eggs", "milk|eggs" },
        { "food_profile", "allergies", "peanuts and tree nuts", "peanuts|tree nuts" },
        { "food_profile", "allergies", "durian, eggs", "durian|eggs" },
        { "food_profile", "allergies", "salt and vinegar chips", "salt and vinegar chips" },
        { "food_profile", "allergies", "eggs", "eggs" },
        { "food_profile", "allergies", "soy,", "soy," },
        { "food_profile", "allergies", "nuts, but only if they have been roasted in oil",
          "nuts, but only if they have been roasted in oil" },
        { "food_profile", "disliked_foods", "olives, zuzu root", "olives|zuzu root" },
        { "food_profile", "disliked_foods", "zuzu root, well done", "zuzu root, well done" },
        { "music_preferences", "genres", "Rock, Pop", "Rock|Pop" },
        { "music_preferences", "favorite_artists", "Earth, Wind & Fire", "Earth, Wind & Fire" },
        { "food_profile", "statements", "milk, eggs and soy", "milk, eggs and soy" },
        { "food_profile", "allergies", "cod n crab", "cod|crab" },
        { "food_profile", "allergies", "celery + birch sap", "celery|birch sap" },
        { "food_profile", "allergies", "zuzu root (zuzu, lotus)", "zuzu root (zuzu, lotus)" },
        { "food_profile", "allergies", "gado sauce (peanut)", "gado sauce|peanut" },
        { "food_profile", "allergies", "gado sauce (no peanut)", "gado sauce (no peanut)" },
        { "media_profile", "content_limits", "cruelty to cats and violence against dogs",
          "cruelty to cats and violence against dogs" },
        { "coding_profile", "paradigms", "functional, but not always",
          "functional, but not always" },
        { "media_profile", "disliked_screen_genres", "horror, all of them", "horror" },
        { "media_profile", "disliked_screen_genres", "horror, too scary", "horror" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str *parts;
        struct buf joined = buf_in(mem, 4096);
        size_t count = value_parts(mem, member_named(rows[i].domain, rows[i].member),
                                   str_of(rows[i].text), &parts);
        for (size_t k = 0; k < count; k++) {
            buf_add_c(&joined, k == 0 ? "" : "|");
            buf_add(&joined, parts[k]);
        }
        assert_str(buf_str(&joined), str_of(rows[i].parts), rows[i].text);
    }
    arena_free(mem);
}

static void
remarks_are_no_dangers(void **state)
{
    static const struct {
        const char *text, *parts;
    } rows[] = {
        { "durian, makes my tongue tingle", "durian" },
        { "durian; carry an EpiPen", "durian" },
        { "milk, gives me cramps, eggs", "milk|eggs" }, /* known values are found first */
        { "durian, salmon ok", "durian" },
        { "durian, not clams", "durian" },
        { "sulfites in beer", "sulfites in beer" },
        { "peach juice, but baked is fine", "peach juice" },
        /* In doubt it is a danger. */
        { "cod, salmon not ok", "cod|salmon" },
        { "no squid, not clams", "squid|clams" },
        { "squid, not only clams", "squid, not only clams" },
        { "eggs are ok but not milk", "eggs are ok but not milk" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str *parts;
        struct buf joined = buf_in(mem, 4096);
        size_t count = value_parts(mem, member_named("food_profile", "allergies"),
                                   str_of(rows[i].text), &parts);
        for (size_t k = 0; k < count; k++) {
            buf_add_c(&joined, k == 0 ? "" : "|");
            buf_add(&joined, parts[k]);
        }
        assert_str(buf_str(&joined), str_of(rows[i].parts), rows[i].text);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remarks_are_no_dangers),
        cmocka_unit_test(lists_are_split_where_their_items_are_known),
    };
    struct arena *mem = arena_new();
    struct why why = { 0 };
    if (definitions_load(mem, NULL, NULL, &domains, &why) != ERR_NONE)
        return 1;
    int failed = cmocka_run_group_tests_name("domain/value_parts", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
