#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "web/accept_header.h"

static const struct {
    const char *why;
    const char *accept;
    bool page;
} table[] = {
    { "nothing said", NULL, false },
    { "empty", "", false },
    { "anything, as curl says", "*/*", false },
    { "JSON", "application/json", false },
    { "a page", "text/html", true },
    { "Chromium", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
      true },
    { "upper case and blanks", " TEXT/HTML ; q=1 , */* ; q=0.1", true },
    { "JSON before a page", "application/json, text/html;q=0.9", false },
    { "a page before JSON", "application/json;q=0.5, text/html;q=0.9", true },
    { "both the same", "text/html, application/json", false },
    { "any text", "text/*, application/json;q=0.9", true },
    { "anything but a page", "*/*, text/html;q=0", false },
    { "a precise range beats a wide one", "text/html;q=0.2, */*;q=0.8", false },
    { "three digits", "text/html;q=0.901, application/json;q=0.900", true },
    { "a weight that is none counts as 1", "text/html;q=high, application/json;q=0.9", true },
    { "another parameter", "text/html;level=1, */*;q=0.4", true },
    { "only commas", ",,,;;q=,", false },
};

static void
a_page_is_sent_if_the_client_prefers_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (accept_prefers_page(str_of(table[i].accept)) != table[i].page)
            fail_msg("%s: %s", table[i].why, table[i].accept);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_page_is_sent_if_the_client_prefers_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
