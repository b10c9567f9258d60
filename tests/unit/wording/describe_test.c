/* Values that describe something, and what must not be taken for one. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "wording/describe.h"
#include "wording/quality.h"
#include "wording/shape.h"

static const struct vocabulary stay = { .open = true };
static const struct member places = { .vocabulary = &stay, .hint = { .noun = STR("places") } },
                           brands = { .hint = { .form = FORM_NAME, .noun = STR("brands") } },
                           titles = { .hint = { .form = FORM_ANY } },
                           work = { .hint = { .form = FORM_ROLE,
                                              .manner = STR("User works {value}.") } },
                           genres = { .vocabulary = &stay,
                                      .hint = { .noun = STR("music"),
                                                .described = STR("User likes {list}.") } };

static void
what_names_nothing_gets_a_noun(void **state)
{
    static const struct {
        const struct member *member;
        const char *text, *expected; /* NULL: none */
    } rows[] = {
        { &places, "crowded", "crowded places" },
        { &places, "quiet and cozy", "quiet and cozy places" },
        { &places, "too loud", "places that are too loud" },
        { &places, "with a terrace", "places with a terrace" },
        { &places, "far from the center", "places far from the center" },
        { &places, "anything dirty", "dirty places" },
        { &places, "anything that's dirty", "dirty places" },
        { &places, "somewhere by the sea", "places by the sea" },
        { &places, "anything my mom likes", "places their mom likes" },
        { &places, "small ones", "small places" },
        { &places, "low cost", "low cost places" },
        { &places, "anything except hostels", NULL },
        { &places, "any hostel", NULL },
        { &places, "houseboat", NULL },
        { &places, "quiet street", NULL },
        { &places, "With Honors", NULL },
        { &places, "crowded, loud", NULL },
        { &places, "", NULL },
        { &brands, "overpriced", "overpriced brands" },
        { &brands, "anything local", "local brands" },
        { &brands, "anything by Nestle", NULL },
        { &brands, "simple", NULL },
        { &brands, "united", NULL },
        { &brands, "by chloe", NULL },
        { &brands, "no name", NULL },
        { &titles, "overpriced", NULL },
        { &titles, "anything goes", NULL },
        { &genres, "heavy music", "heavy music" },
        { &genres, "anything by Bach", "music by Bach" },
        { &genres, "heavy metal", NULL },
        { &work, "in the army", "in the army" },
        { &work, "works at a bank", "at a bank" },
        { &work, "by myself", "by themselves" },
        { &work, "nurse", NULL },
        { &work, "when I can", NULL },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str out = STR_NONE;
        enum description kind = describe_value_of(mem, rows[i].member, str_of(rows[i].text), &out);
        assert_row((kind != DESCRIBES_NOTHING) == (rows[i].expected != NULL), rows[i].text);
        if (kind != DESCRIBES_NOTHING)
            assert_str(out, kind == DESCRIBES_NOTHING ? STR("") : str_of(rows[i].expected),
                       rows[i].text);
    }
    arena_free(mem);
}

static void
values_get_the_shape_of_their_sentence(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    assert_str(shape_place(STR("us")), STR("the US"), "");
    assert_str(shape_place(STR("The Netherlands")), STR("the Netherlands"), "");
    assert_str(shape_place(STR("nice")), STR("nice"), "a city");
    assert_str(shape_goal(mem, STR("stronger")), STR("get stronger"), "");
    assert_str(shape_goal(mem, STR("flexible")), STR("be flexible"), "");
    assert_str(shape_goal(mem, STR("abs")), STR("abs"), "a noun");
    assert_str(shape_company(mem, STR("wife and 2 daughters")), STR("their wife and 2 daughters"),
               "");
    assert_str(shape_company(mem, STR("family of 5")), STR("a family of 5"), "");
    assert_str(shape_company(mem, STR("friends")), STR("friends"), "");
    assert_true(shape_is_own(STR("my brother's pub")));
    assert_true(shape_is_own(STR("my best friend")));
    assert_false(shape_is_own(STR("my bloody valentine")));
    assert_false(shape_is_own(STR("My Brother's Keeper")));
    assert_true(shape_is_clause(FORM_NOUN, STR("keep it simple")));
    assert_false(shape_is_clause(FORM_NOUN, STR("it support")));
    assert_false(shape_is_clause(FORM_VERB, STR("be healthy")));
    assert_true(shape_is_no_item(STR("moving to vue")));
    assert_false(shape_is_no_item(STR("spring boot")));
    assert_false(shape_fits(FORM_QUALITY, STR("energy")));
    assert_true(shape_fits(FORM_QUALITY, STR("relaxing")));
    assert_false(quality_is(STR("red"), NO_NAME));
    assert_false(quality_is(STR("vegetable"), NO_NAME));
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_names_nothing_gets_a_noun),
        cmocka_unit_test(values_get_the_shape_of_their_sentence),
    };
    return cmocka_run_group_tests_name("wording/describe", tests, NULL, NULL);
}
