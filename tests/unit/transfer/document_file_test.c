#include "unit/assert_str.h"

#include "transfer/document_file.h"
#include "base/arena.h"
#include "transfer/transfer.h"

#include <stdlib.h>
#include <unistd.h>

static char name[] = "/tmp/penchant-documents-XXXXXX";

static void
put(struct str text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
    fclose(file);
}

static void
documents_are_separated(void **state)
{
    static const struct {
        const char *why, *bytes;
        bool many;
        const char *texts[4];
        size_t lines[4];
    } rows[] = {
        { "nothing", "", false, { NULL }, { 0 } },
        { "blank lines", "\n \t\r\n\n", false, { NULL }, { 0 } },
        { "one", "{}", false, { "{}" }, { 0 } },
        { "one with a newline", "{}\n", false, { "{}" }, { 0 } },
        { "one behind blank lines", "\n\n{}\n", false, { "{}" }, { 0 } },
        { "one with blank lines behind", "{}\n\n \n", false, { "{}\n\n " }, { 0 } },
        { "one over many lines", "{\n\"a\":1\n}\n", false, { "{\n\"a\":1\n}" }, { 0 } },
        { "one that is broken", "{\n\"a\":\n", false, { "{\n\"a\":" }, { 0 } },
        { "two", "{}\n[]\n", true, { "{}", "[]" }, { 1, 2 } },
        { "two, the last without newline", "{}\n[]", true, { "{}", "[]" }, { 1, 2 } },
        { "blank lines between", "\n{}\n\n \n[]\n\n", true, { "{}", "[]" }, { 2, 5 } },
        { "a bad one between", "{}\n{\n[]\n", true, { "{}", "{", "[]" }, { 1, 2, 3 } },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct arena *mem = arena_new();
        struct document_file *file = NULL;
        struct document document;
        struct why why = { 0 };
        put(str_of(rows[i].bytes));
        assert_row(document_file_open(mem, name, &file, &why) == ERR_NONE, rows[i].why);
        assert_row(document_file_is_many(file) == rows[i].many, rows[i].why);
        for (size_t k = 0; rows[i].texts[k] != NULL; k++) {
            assert_int_equal(document_file_next(file, &document, &why), ERR_NONE);
            assert_str(document.text, str_of(rows[i].texts[k]), rows[i].why);
            assert_row(document.line == rows[i].lines[k], rows[i].why);
        }
        for (int k = 0; k < 2; k++) { /* the end is reported every time */
            assert_int_equal(document_file_next(file, &document, &why), ERR_NONE);
            assert_row(!str_present(document.text), rows[i].why);
        }
        document_file_close(file);
        arena_free(mem);
    }
}

/* A file of `count` documents, the last of which has `length` bytes. */
static struct str
documents(struct arena *mem, size_t count, size_t length)
{
    size_t before = (count - 1) * 3;
    char *text = arena_alloc(mem, before + length);
    for (size_t i = 0; i < before; i += 3) {
        text[i] = '[';
        text[i + 1] = ']';
        text[i + 2] = '\n';
    }
    for (size_t i = 0; i < length; i++)
        text[before + i] = i == 0 ? '[' : i + 1 == length ? ']' : ' ';
    return (struct str){ text, before + length };
}

static void
the_largest_fits_and_one_byte_more_does_not(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 2; count++) {
        for (size_t more = 0; more <= 2; more++) {
            struct arena *mem = arena_new();
            struct document_file *file = NULL;
            struct document document;
            struct why why = { 0 };
            put(documents(mem, count, TRANSFER_OWN_MAX + more));
            assert_int_equal(document_file_open(mem, name, &file, &why), ERR_NONE);
            for (size_t i = 1; i < count; i++)
                assert_int_equal(document_file_next(file, &document, &why), ERR_NONE);
            enum err err = document_file_next(file, &document, &why);
            /* A single document may be one byte longer: transfer_import() reports it. */
            bool passes = more == 0 || (more == 1 && count == 1);
            assert_int_equal(err, passes ? ERR_NONE : ERR_TOO_LARGE);
            if (passes)
                assert_int_equal(document.text.len, TRANSFER_OWN_MAX + more);
            else
                assert_non_null(strstr(why.text, "larger than 64 MiB"));
            document_file_close(file);
            arena_free(mem);
        }
    }
}

static void
progress_grows_to_the_end(void **state)
{
    struct arena *mem = arena_new();
    struct document_file *file = NULL;
    struct document document;
    struct why why = { 0 };
    int before = 0;
    (void)state;
    put(documents(mem, 50, 2));
    assert_int_equal(document_file_open(mem, name, &file, &why), ERR_NONE);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(document_file_next(file, &document, &why), ERR_NONE);
        assert_true(document_file_percent(file) >= before && document_file_percent(file) <= 100);
        before = document_file_percent(file);
    }
    assert_true(before > 90);
    document_file_close(file);
    arena_free(mem);
}

static void
an_unreadable_file_is_reported(void **state)
{
    struct arena *mem = arena_new();
    struct document_file *file = NULL;
    struct why why = { 0 };
    (void)state;
    assert_int_equal(document_file_open(mem, "/nowhere/at/all", &file, &why), ERR_NOT_FOUND);
    assert_string_equal(why.text, "cannot open /nowhere/at/all: No such file or directory");
    document_file_close(file);
    why = (struct why){ 0 };
    assert_int_equal(document_file_open(mem, "/tmp", &file, &why), ERR_UNAVAILABLE);
    assert_string_equal(why.text, "/tmp cannot be read: Is a directory");
    document_file_close(file);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_separated),
        cmocka_unit_test(the_largest_fits_and_one_byte_more_does_not),
        cmocka_unit_test(progress_grows_to_the_end),
        cmocka_unit_test(an_unreadable_file_is_reported),
    };
    int fd = mkstemp(name);
    if (fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests_name("app/document_file", tests, NULL, NULL);
    unlink(name);
    return failed;
}
