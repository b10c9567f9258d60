#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "portal/snippet.h"

#include <string.h>

static const char *const files[] = { "snippet_curl.sh", "snippet_openid_client.mjs",
                                     "snippet_authlib.py" };

static struct snippet
usual(void)
{
    return (struct snippet){ .base_url = STR("https://api.example"),
                             .auth_url = STR("https://penchant.example"),
                             .client_id = STR("app_AAAAAAAAAAAAAAAAAAAAAA"),
                             .redirect_uri = STR("http://127.0.0.1:9876/callback"),
                             .scope = STR("agent_hints"),
                             .api_path = STR("/v1/agent-hints"),
                             .confidential = true,
                             .hints = true };
}

static bool
has(struct str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static void
all_placeholders_are_filled_in(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct snippet snippet = usual();
        struct str text = snippet_fill(mem, files[i], &snippet);
        assert_true(has(text, "https://api.example"));
        assert_true(has(text, "app_AAAAAAAAAAAAAAAAAAAAAA"));
        assert_true(has(text, "http://127.0.0.1:9876/callback"));
        assert_true(has(text, "/v1/agent-hints"));
        assert_true(has(text, "PENCHANT_SECRET first"));
        assert_true(has(text, "--- prompt ---"));
        assert_false(has(text, "{{") || has(text, "}}"));
    }
    arena_free(mem);
}

static void
an_app_without_secret_or_hints_gets_no_lines_about_them(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct snippet snippet = usual();
        snippet.confidential = snippet.hints = false;
        struct str text = snippet_fill(mem, files[i], &snippet);
        assert_false(has(text, "PENCHANT_SECRET first"));
        assert_false(has(text, "prompt"));
        assert_false(has(text, "{{"));
    }
    arena_free(mem);
}

/* A redirect URI may contain these characters, and the developer will run the code. */
static void
a_value_cannot_end_its_quotes(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct snippet snippet = usual();
    snippet.redirect_uri = STR("https://c.example/';id;'$(id)\"\\");
    struct str shell = snippet_fill(mem, "snippet_curl.sh", &snippet);
    assert_true(has(shell, "redirect='https://c.example/'\\'';id;'\\''$(id)\"\\'\n"));
    struct str python = snippet_fill(mem, "snippet_authlib.py", &snippet);
    assert_true(has(python, "redirect_uri = \"https://c.example/';id;'$(id)\\\"\\\\\"\n"));
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_placeholders_are_filled_in),
        cmocka_unit_test(an_app_without_secret_or_hints_gets_no_lines_about_them),
        cmocka_unit_test(a_value_cannot_end_its_quotes),
    };
    return cmocka_run_group_tests_name("portal/snippet", tests, NULL, NULL);
}
