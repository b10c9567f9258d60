#include "unit/assert_str.h"

#include "base/arena.h"
#include "page/second_person.h"

static void
the_user_becomes_you(void **state)
{
    static const struct {
        const char *text;
        const char *said;
    } rows[] = {
        { "Genres the user listens to, best first.", "Genres you listen to, best first." },
        { "Genres the user does not want to hear.", "Genres you do not want to hear." },
        { "Foods the user is allergic to.", "Foods you are allergic to." },
        { "Streaming services the user has.", "Streaming services you have." },
        { "The airport the user usually leaves from.", "The airport you usually leave from." },
        { "What the user's room should be like.", "What your room should be like." },
        { "A sentence of the user's own.", "A sentence of your own." },
        { "Known to the user", "Known to you" },
        { "Test tools used.", "Test tools used." },
        { "", "" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str said = second_person_text(mem, str_of(rows[i].text));
        assert_str(said.len == 0 ? STR("") : said, str_of(rows[i].said), rows[i].text);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_user_becomes_you) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
