#include "unit/assert_str.h"
#include "unit/test_arena.h"

#include "text/mime.h"

static struct mime_message
letter(void)
{
    return (struct mime_message){
        .id = STR("mail_1.1"),
        .from = STR("penchant@mail.test"),
        .from_name = STR("Penchant"),
        .to = STR("ada@example.org"),
        .subject = STR("Hello"),
        .language = STR("en"),
        .date = 1794648600,
        .link = STR("https://id.example/reset?token=a&b"),
        .paragraphs = { STR("First."), STR("Last.") },
        .paragraph_count = 2,
    };
}

static const char *
written(const struct mime_message *message)
{
    struct buf out = buf_in(mem, 64 * 1024);
    mime_write(&out, message);
    assert_false(out.overflow);
    return str_c(mem, buf_str(&out));
}

static void
assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("missing: %s\nin: %s", part, text);
}

static void
a_message_has_headers_and_the_same_content_twice(void **state)
{
    (void)state;
    struct mime_message message = letter();
    const char *text = written(&message);
    assert_has(text, "From: \"Penchant\" <penchant@mail.test>\r\nTo: <ada@example.org>\r\n"
                     "Subject: Hello\r\nContent-Language: en\r\n"
                     "Date: Sat, 14 Nov 2026 09:30:00 +0000\r\n"
                     "Message-ID: <mail_1.1@mail.test>\r\nMIME-Version: 1.0\r\n"
                     "Auto-Submitted: auto-generated\r\n");
    assert_has(text, "\r\n\r\nFirst.\r\n\r\nhttps://id.example/reset?token=a&b\r\n\r\nLast.\r\n");
    assert_has(text, "<html lang=\"en\">");
    assert_has(text, "<a href=\"https://id.example/reset?token=a&amp;b\">");
    assert_has(text, "--=_penchant_part--\r\n");
}

/* Header injection: nothing in a value may start a line of its own. */
static void
control_characters_start_no_header(void **state)
{
    static const struct str bad[] = { STR("a\r\nBcc: all@example.org"), STR("a\nBcc: x"),
                                      STR("a\rBcc: x"), STR("a\0Bcc: x"),
                                      STR("\xc3\xa9\r\nBcc: x") };
    (void)state;
    for (size_t i = 0; i < ROWS(bad); i++) {
        struct mime_message message = letter();
        message.subject = message.to = message.from_name = bad[i];
        const char *text = written(&message);
        assert_null(strstr(text, "\nBcc:"));
        assert_null(strstr(text, "\rBcc:"));
    }
}

static void
other_alphabets_are_encoded_and_no_line_is_too_long(void **state)
{
    (void)state;
    struct mime_message message = letter();
    struct buf subject = buf_in(mem, 4096);
    for (size_t i = 0; i < 60; i++)
        buf_add_c(&subject, "ö友 ");
    message.subject = message.paragraphs[0] = buf_str(&subject);
    const char *text = written(&message);
    assert_has(text, "Subject: =?UTF-8?Q?=C3=B6=E5=8F=8B_");
    assert_has(text, "Content-Transfer-Encoding: quoted-printable");
    size_t length = 0;
    for (const char *c = text; *c != '\0'; c++) {
        assert_true((unsigned char)*c < 0x80);
        length = *c == '\n' ? 0 : length + 1;
        assert_true(length <= 78);
    }
}

static void
markup_in_a_text_is_escaped(void **state)
{
    (void)state;
    struct mime_message message = letter();
    message.paragraphs[0] = STR("<b>\"x\"</b> & more");
    message.language = STR("\"><script>");
    const char *text = written(&message);
    assert_has(text, "<p>&lt;b&gt;&quot;x&quot;&lt;/b&gt; &amp; more</p>");
    assert_has(text, "<html lang=\"&quot;&gt;&lt;script&gt;\">");
}

static void
too_much_text_is_reported(void **state)
{
    (void)state;
    struct mime_message message = letter();
    struct buf out = buf_in(mem, 100);
    mime_write(&out, &message);
    assert_true(out.overflow);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_has_headers_and_the_same_content_twice),
        cmocka_unit_test(control_characters_start_no_header),
        cmocka_unit_test(other_alphabets_are_encoded_and_no_line_is_too_long),
        cmocka_unit_test(markup_in_a_text_is_escaped),
        cmocka_unit_test(too_much_text_is_reported),
    };
    return cmocka_run_group_tests(tests, make_memory, free_memory);
}
