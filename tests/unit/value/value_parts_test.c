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

int
main(void)
{
    const struct CMUnitTest tests[] = {
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
