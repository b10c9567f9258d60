/* call_by_hand.h - a struct call for tests of handler helpers, and access to template values.
 * Include it once in a test program, instead of by_hand.h. */
#ifndef TESTS_UNIT_WEB_CALL_BY_HAND_H
#define TESTS_UNIT_WEB_CALL_BY_HAND_H

#include "unit/web/by_hand.h"

#include "template/template.h"
#include "unit/assert_str.h"
#include "unit/domains_kit.h"

/* 2026-11-14T09:30:00Z, a Saturday. */
#define NOW ((int64_t)1794648600)

static inline int
call_setup(void **state)
{
    (void)state;
    open_web(NULL, "https://id.example", true);
    hand.web->settings.domains = kit_domains();
    prepare("GET", "/");
    return 0;
}

static inline int
call_teardown(void **state)
{
    (void)state;
    close_web();
    return 0;
}

static inline struct call
call_by_hand(void)
{
    return (
        struct call){ .mem = hand.mem, .web = hand.web, .exchange = &hand.exchange, .now = NOW };
}

/* ---- values ---- */

static const char *values_pattern;

static struct str
values_find(const char *name)
{
    return strcmp(name, "pattern") == 0 ? str_of(values_pattern) : STR_NONE;
}

/* Renders values into a template such as "{{value}} by {{source}}". */
static inline struct str
values_in(const struct values *values, const char *pattern)
{
    struct template_set *set = template_set_new(values_find, NULL);
    struct buf out = buf_in(hand.mem, 64 * 1024);
    struct why why = { 0 };
    values_pattern = pattern;
    if (template_load(set, "pattern", &why) != ERR_NONE)
        fail_msg("%s", why.text);
    assert_int_equal(template_render(set, "pattern", values, &out), ERR_NONE);
    template_set_free(set);
    return buf_str(&out);
}

#define CALL_TEST(function) cmocka_unit_test_setup_teardown(function, call_setup, call_teardown)

#endif
