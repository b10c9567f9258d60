/* The object of what a user writes in the first person. */
#include "unit/assert_str.h"

#include "value/value_speech.h"
#include "base/arena.h"

static void
a_sentence_gives_its_object(void **state)
{
    (void)state;
    static const struct str trims[] = { STR("visit") };
    static const struct member likes = { .trims = trims, .trim_count = 1 },
                               dislikes = { .trims = trims, .trim_count = 1, .avoid = true },
                               names = { .type = MEMBER_ARRAY },
                               hobbies = { .separate = true, .trims = trims, .trim_count = 1 };
    static const struct {
        const struct member *member;
        const char *text, *object; /* NULL: none */
    } rows[] = {
        { &likes, "I want to see Iceland", "Iceland" },
        { &likes, "I like to bake", "baking" },
        { &likes, "learn the guitar", "learning the guitar" },
        { &likes, "run the cleanup script", NULL },
        { &likes, "I hate Iceland", NULL },
        { &likes, "I Want to Hold Your Hand", NULL },
        { &likes, "", NULL },
        { &likes, "how to ...", NULL },
        { &dislikes, "I can't stand blue cheese", "blue cheese" },
        { &dislikes, "I love blue cheese", NULL },
        { &names, "I want to see Iceland", NULL },
        { &hobbies, "to paint", "painting" },
        { &hobbies, "go fishing", "fishing" },
        { &hobbies, "go karts", NULL },
        { &hobbies, "volunteer at the library", "volunteering at the library" },
        { &likes, "to paint", NULL },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str object;
        bool found = value_spoken_object(mem, rows[i].member, str_of(rows[i].text), &object);
        assert_row(found == (rows[i].object != NULL), rows[i].text);
        if (found)
            assert_str(object, str_of(rows[i].object), rows[i].text);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_gives_its_object),
    };
    return cmocka_run_group_tests_name("value/value_speech", tests, NULL, NULL);
}
