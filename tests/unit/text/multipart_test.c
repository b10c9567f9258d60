#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/multipart.h"

static void
a_boundary_is_read_from_its_header(void **state)
{
    static const struct {
        const char *header;
        const char *boundary;
    } rows[] = {
        { "multipart/form-data; boundary=abc", "abc" },
        { "Multipart/Form-Data;boundary=\"a b\"", "a b" },
        { "multipart/form-data; charset=utf-8; BOUNDARY=----WebKitFormBoundaryX", "----WebKitForm"
                                                                                  "BoundaryX" },
        { "multipart/form-data", NULL },
        { "multipart/form-data; boundary=", NULL },
        { "multipart/form-data; boundary=\"\"", NULL },
        { "multipart/form-data; boundary=a; boundary=b", NULL },
        { "multipart/form-data; boundary=\"a \"", NULL },
        { "multipart/form-data; boundary=a\"b", NULL },
        { "multipart/mixed; boundary=a", NULL },
        { "application/json; boundary=a", NULL },
        { "", NULL },
        { "multipart/form-data; boundary="
          "12345678901234567890123456789012345678901234567890123456789012345678901",
          NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_str(multipart_boundary(str_of(rows[i].header)), str_of(rows[i].boundary),
                   rows[i].header);
}

#define PART "Content-Disposition: form-data; name="

static void
parts_come_out_as_they_were_sent(void **state)
{
    static const char body[] = "--x\r\n" PART "\"form\"\r\n\r\ntoken\r\n"
                               "--x\r\n" PART "\"file\"; filename=\"a b.json\"\r\n"
                               "Content-Type: application/json\r\n\r\n{\r\n--y}\r\n\r\n"
                               "--x\r\nContent-disposition:form-data;name=\"empty\"\r\n\r\n\r\n"
                               "--x--\r\n";
    struct arena *mem = arena_new();
    struct multipart form;
    struct why why = { 0 };
    (void)state;
    assert_int_equal(multipart_read(mem, STR("x"), str_of(body), &form, &why), ERR_NONE);
    assert_int_equal(form.count, 3);
    assert_str(multipart_find(&form, "form"), STR("token"), "a field");
    assert_str(multipart_find(&form, "file"), STR("{\r\n--y}\r\n"), "a file");
    assert_str(form.parts[1].file, STR("a b.json"), "its name");
    assert_str(multipart_find(&form, "empty"), STR(""), "an empty one");
    assert_false(str_present(multipart_find(&form, "none")));
    arena_free(mem);
}

static void
what_no_browser_sends_is_refused(void **state)
{
    static const struct {
        const char *why;
        const char *body;
    } rows[] = {
        { "empty", "" },
        { "no boundary first", "x\r\n--x--\r\n" },
        { "another boundary", "--y\r\n" PART "\"a\"\r\n\r\nb\r\n--y--\r\n" },
        { "no end", "--x\r\n" PART "\"a\"\r\n\r\nb\r\n" },
        { "no head", "--x\r\n\r\nb\r\n--x--\r\n" },
        { "no empty line", "--x\r\n" PART "\"a\"\r\nb\r\n--x--\r\n" },
        { "no name", "--x\r\nContent-Disposition: form-data\r\n\r\nb\r\n--x--\r\n" },
        { "empty name", "--x\r\n" PART "\"\"\r\n\r\nb\r\n--x--\r\n" },
        { "bare name", "--x\r\n" PART "a\r\n\r\nb\r\n--x--\r\n" },
        { "open name", "--x\r\n" PART "\"a\r\n\r\nb\r\n--x--\r\n" },
        { "two names", "--x\r\n" PART "\"a\"; name=\"b\"\r\n\r\nb\r\n--x--\r\n" },
        { "two heads", "--x\r\n" PART "\"a\"\r\n" PART "\"b\"\r\n\r\nb\r\n--x--\r\n" },
        { "an attachment", "--x\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nb\r\n"
                           "--x--\r\n" },
        { "something after", "--x\r\n" PART "\"a\"\r\n\r\nb\r\n--x--\r\nmore" },
        { "something at a boundary", "--x y\r\n" PART "\"a\"\r\n\r\nb\r\n--x--\r\n" },
        { "no UTF-8", "--x\r\n" PART "\"\xff\"\r\n\r\nb\r\n--x--\r\n" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct multipart form;
        struct why why = { 0 };
        if (multipart_read(mem, STR("x"), str_of(rows[i].body), &form, &why) != ERR_INVALID)
            fail_msg("taken: %s", rows[i].why);
        assert_int_not_equal(why.text[0], '\0');
    }
    arena_free(mem);
}

static void
a_repeated_name_is_not_found(void **state)
{
    static const char body[] =
        "--x\r\n" PART "\"a\"\r\n\r\n1\r\n--x\r\n" PART "\"a\"\r\n\r\n2\r\n--x--";
    struct arena *mem = arena_new();
    struct multipart form;
    struct why why = { 0 };
    (void)state;
    assert_int_equal(multipart_read(mem, STR("x"), str_of(body), &form, &why), ERR_NONE);
    assert_int_equal(form.count, 2);
    assert_false(str_present(multipart_find(&form, "a")));
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_boundary_is_read_from_its_header),
        cmocka_unit_test(parts_come_out_as_they_were_sent),
        cmocka_unit_test(what_no_browser_sends_is_refused),
        cmocka_unit_test(a_repeated_name_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
