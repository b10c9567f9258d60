#include "unit/assert_str.h"

#include "base/arena.h"
#include "passkey/client_data.h"

#define REST "\"challenge\":\"YQ\",\"origin\":\"https://a.example\""

static void
members_and_types_decide(void **state)
{
    static const struct {
        const char *why;
        const char *json;
        bool valid, cross;
    } rows[] = {
        { "as browsers send it", "{\"type\":\"webauthn.get\"," REST ",\"crossOrigin\":false}", true,
          false },
        { "in a frame", "{\"type\":\"webauthn.get\"," REST ",\"crossOrigin\":true}", true, true },
        { "without crossOrigin", "{\"type\":\"webauthn.get\"," REST "}", true, false },
        { "more members", "{\"type\":\"webauthn.get\"," REST ",\"other\":{\"a\":[1]}}", true,
          false },
        { "crossOrigin as text", "{\"type\":\"webauthn.get\"," REST ",\"crossOrigin\":\"false\"}",
          false, false },
        { "no type", "{" REST "}", false, false },
        { "a number as type", "{\"type\":1," REST "}", false, false },
        { "no origin", "{\"type\":\"webauthn.get\",\"challenge\":\"YQ\"}", false, false },
        { "no challenge", "{\"type\":\"webauthn.get\",\"origin\":\"https://a.example\"}", false,
          false },
        { "type twice", "{\"type\":\"webauthn.create\",\"type\":\"webauthn.get\"," REST "}", false,
          false },
        { "an array", "[\"webauthn.get\"]", false, false },
        { "text after it", "{\"type\":\"webauthn.get\"," REST "}x", false, false },
        { "nothing", "", false, false },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct client_data data;
        bool valid = client_data_read(mem, str_of(rows[i].json), &data) == ERR_NONE;
        assert_string_equal(valid == rows[i].valid ? "" : rows[i].why, "");
        assert_string_equal(!valid || data.cross_origin == rows[i].cross ? "" : rows[i].why, "");
        if (valid)
            assert_str(data.origin, STR("https://a.example"), rows[i].why);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(members_and_types_decide) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
