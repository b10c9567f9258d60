#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/settings_load.h"
#include "base/arena.h"
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena *mem;

static enum err
load(struct settings *out, struct why *why, const char *name, const char *value)
{
    struct setting_flag flag = { str_of(name), str_of(value) };
    *why = (struct why){ 0 };
    return settings_load(mem, &flag, name == NULL ? 0 : 1, out, why);
}

static const char *
write_file(const char *text, mode_t mode)
{
    static char path[] = "/tmp/penchant-settings-XXXXXX";
    memcpy(strrchr(path, '-') + 1, "XXXXXX", 6);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    return path;
}

static void
defaults_are_those_of_the_table(void **state)
{
    (void)state;
    struct settings settings;
    struct why why;
    assert_int_equal(load(&settings, &why, NULL, NULL), ERR_NONE);
    assert_string_equal(settings.listen, "127.0.0.1:8080");
    assert_string_equal(settings.store, "sqlite:penchant.db");
    assert_null(settings.base_url);
    assert_null(settings.metrics_listen);
    assert_int_equal(settings.threads, 0);
    assert_int_equal(settings.workers, 64);
    assert_int_equal(settings.pool, 8);
    assert_true(settings.registration_open);
    assert_true(settings.access_log);
    assert_int_equal(settings.log_format, LOG_AS_TEXT);
    assert_int_equal(settings.log_level, LOG_INFO);
}

static void
an_invalid_value_is_reported_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *summary;
    } cases[] = {
        { "listen", "8080", "--listen" },
        { "listen", "127.0.0.1:99999", "--listen" },
        { "listen", "", "--listen is empty" },
        { "base-url", "https://x.example/path", "--base-url" },
        { "base-url", "ftp://x.example", "--base-url" },
        { "base-url", "https://user@x.example", "--base-url" },
        { "auth-url", "x.example", "--auth-url" },
        { "store", "mysql://x", "--store must be sqlite:FILE or postgresql://" },
        { "store", "sqlite:", "--store" },
        { "threads", "-1", "--threads must be a whole number from 0 to 256" },
        { "threads", "1.5", "--threads" },
        { "workers", "0", "--workers must be a whole number from 1 to 1024" },
        { "pool", "many", "--pool" },
        { "registration", "maybe", "--registration must be closed or open" },
        { "log-format", "xml", "--log-format must be text or json" },
        { "log-level", "INFO", "--log-level must be" },
        { "access-log", "true", "--access-log must be off or on" },
        { "trusted-proxies", "10.0.0.0/99", "--trusted-proxies" },
        { "tls-cert", "/no/such/file", "--tls-cert is not a readable file" },
        { "metrics-listen", "nowhere", "--metrics-listen" },
        { "connections", "0", "--connections" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct settings settings;
        struct why why;
        assert_int_equal(load(&settings, &why, cases[i].name, cases[i].value), ERR_INVALID);
        if (strstr(why.text, cases[i].summary) != why.text)
            fail_msg("--%s %s: said \"%s\"", cases[i].name, cases[i].value, why.text);
    }
}

static void
a_flag_wins_over_a_variable_and_a_variable_over_the_file(void **state)
{
    (void)state;
    struct settings settings;
    struct why why;
    const char *path = write_file("# a comment\n\nworkers = 3\n pool=4 \r\nthreads =\t5\n", 0644);
    setenv("PENCHANT_CONFIG", path, 1);
    assert_int_equal(load(&settings, &why, NULL, NULL), ERR_NONE);
    assert_int_equal(settings.workers, 3);
    assert_int_equal(settings.pool, 4);
    assert_int_equal(settings.threads, 5);
    setenv("PENCHANT_WORKERS", "6", 1);
    assert_int_equal(load(&settings, &why, NULL, NULL), ERR_NONE);
    assert_int_equal(settings.workers, 6);
    assert_int_equal(load(&settings, &why, "workers", "7"), ERR_NONE);
    assert_int_equal(settings.workers, 7);
    unsetenv("PENCHANT_WORKERS");
    unsetenv("PENCHANT_CONFIG");
    unlink(path);
}

static void
an_invalid_line_is_reported_by_number(void **state)
{
    (void)state;
    static const struct {
        const char *text, *summary;
    } cases[] = {
        { "workers = 3\ncolour = red\n", "line 2: colour is not a setting" },
        { "\n\nworkers\n", "line 3" },
        { "= 3\n", "line 1" },
        { "pool = zero\n", "line 1: pool must be a whole number" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct settings settings;
        struct why why;
        const char *path = write_file(cases[i].text, 0600);
        assert_int_equal(load(&settings, &why, "config", path), ERR_INVALID);
        if (strstr(why.text, cases[i].summary) == NULL)
            fail_msg("said \"%s\" and not \"%s\"", why.text, cases[i].summary);
        unlink(path);
    }
}

static void
an_invalid_variable_is_reported_by_name(void **state)
{
    (void)state;
    struct settings settings;
    struct why why;
    setenv("PENCHANT_BASE_URL", "nonsense", 1);
    assert_int_equal(load(&settings, &why, NULL, NULL), ERR_INVALID);
    assert_ptr_equal(strstr(why.text, "PENCHANT_BASE_URL "), why.text);
    unsetenv("PENCHANT_BASE_URL");
}

static void
a_file_with_a_password_that_others_may_read_is_refused(void **state)
{
    (void)state;
    struct settings settings;
    struct why why;
    const char *path = write_file("store = postgresql://a:secret@db/x\n", 0644);
    assert_int_equal(load(&settings, &why, "config", path), ERR_INVALID);
    assert_non_null(strstr(why.text, "chmod o="));
    assert_null(strstr(why.text, "secret"));
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(load(&settings, &why, "config", path), ERR_NONE);
    unlink(path);
}

static void
tls_needs_both_of_its_files(void **state)
{
    (void)state;
    struct settings settings;
    struct why why;
    const char *path = write_file("x", 0600);
    assert_int_equal(load(&settings, &why, "tls-cert", path), ERR_INVALID);
    assert_string_equal(why.text, "tls-cert is set without tls-key; TLS needs both");
    unlink(path);
}

static void
every_setting_is_described(void **state)
{
    (void)state;
    struct buf text = buf_in(mem, 1 << 20);
    settings_describe(&text, HELP_MARKDOWN);
    buf_add_char(&text, '\0');
    const char *said = buf_str(&text).ptr;
    static const char *const names[] = {
        "listen",
        "base-url",
        "auth-url",
        "store",
        "threads",
        "workers",
        "pool",
        "connections",
        "access-log",
        "registration",
        "tls-cert",
        "trusted-proxies",
        "log-format",
        "log-level",
        "metrics-listen",
        "tls-key",
        "connections-per-address",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char row[64];
        snprintf(row, sizeof row, "| `%s` |", names[i]);
        if (strstr(said, row) == NULL)
            fail_msg("%s is not described", names[i]);
        assert_true(setting_exists(str_of(names[i])));
    }
    assert_false(setting_exists(STR("colour")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(an_invalid_value_is_reported_by_name),
        cmocka_unit_test(a_flag_wins_over_a_variable_and_a_variable_over_the_file),
        cmocka_unit_test(an_invalid_line_is_reported_by_number),
        cmocka_unit_test(an_invalid_variable_is_reported_by_name),
        cmocka_unit_test(a_file_with_a_password_that_others_may_read_is_refused),
        cmocka_unit_test(tls_needs_both_of_its_files),
        cmocka_unit_test(every_setting_is_described),
    };
    mem = arena_new();
    int failed = cmocka_run_group_tests_name("settings", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
