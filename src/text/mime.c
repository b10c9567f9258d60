/* mime.c - one email: headers, then the same text twice, plain and as HTML (multipart/alternative).
 *
 * Names of devices and apps appear in messages and come from others. A line break in a header would
 * begin another header, so that add_value() replaces control characters; the HTML is escaped. Parts
 * in ASCII are sent as they are, others as quoted-printable, so that no line depends on 8BITMIME.
 */
#include "text/mime.h"

#include "base/ascii.h"
#include "text/html.h"

#include <time.h>

#define BOUNDARY "=_penchant_part" /* quoted-printable text cannot contain it: = is escaped */
#define WORD_MAX 60                /* of an encoded word, which can have 75 characters */
#define LINE_MAX_LENGTH 72

/* ---- headers ---- */

/* Only ASCII can be sent as it is (7bit). */
static bool
is_plain(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80)
            return false;
    return true;
}

static void
add_hex(struct buf *out, unsigned char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    buf_add_char(out, '=');
    buf_add_char(out, digits[byte >> 4]);
    buf_add_char(out, digits[byte & 15]);
}

/* RFC 2047. A new word begins between characters, never inside one. */
static void
add_encoded_words(struct buf *out, struct str text)
{
    size_t length = 0;
    buf_add_c(out, "=?UTF-8?Q?");
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (length > WORD_MAX - 12 && (byte & 0xc0) != 0x80) {
            buf_add_c(out, "?=\r\n =?UTF-8?Q?");
            length = 0;
        }
        bool letter = ascii_is_alphanumeric(byte);
        length += letter || byte == ' ' ? 1 : 3;
        if (letter)
            buf_add_char(out, (char)byte);
        else if (byte == ' ')
            buf_add_char(out, '_');
        else
            add_hex(out, byte);
    }
    buf_add_c(out, "?=");
}

/* Control characters are replaced, so that a value cannot begin another header. */
static void
add_value(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        buf_add_char(out, byte < 0x20 || byte == 0x7f ? '?' : (char)byte);
    }
}

/* A value that is not plain ASCII becomes encoded words (RFC 2047). */
static void
add_header(struct buf *out, const char *name, struct str value)
{
    buf_add_format(out, "%s: ", name);
    if (is_plain(value))
        add_value(out, value);
    else
        add_encoded_words(out, value);
    buf_add_c(out, "\r\n");
}

/* `shown` is in quotes: it comes from the operator's settings. */
static void
add_address(struct buf *out, const char *name, struct str shown, struct str address)
{
    buf_add_format(out, "%s: ", name);
    if (shown.len > 0) {
        buf_add_char(out, '"');
        add_value(out, shown);
        buf_add_c(out, "\" ");
    }
    buf_add_char(out, '<');
    add_value(out, address);
    buf_add_c(out, ">\r\n");
}

/* RFC 5322 §3.3, in UTC. strftime() would follow the locale, which the program never sets. */
static void
add_date(struct buf *out, int64_t seconds)
{
    char text[64];
    time_t now = (time_t)seconds;
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL &&
        strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S +0000", &parts) > 0)
        add_header(out, "Date", str_of(text));
}

/* ---- bodies ---- */

/* The link is on a line of its own, so that programs that make links of URLs find its end. */
static void
add_text(struct buf *out, const struct mime_message *message)
{
    for (size_t i = 0; i < message->paragraph_count; i++) {
        if (i > 0)
            buf_add_c(out, "\n\n");
        buf_add(out, message->paragraphs[i]);
        if (i == 0 && str_present(message->link)) {
            buf_add_c(out, "\n\n");
            buf_add(out, message->link);
        }
    }
    buf_add_char(out, '\n');
}

/* The link follows the first paragraph, as in the plain text. Everything is escaped: names are
 * chosen by users. */
static void
add_html(struct buf *out, const struct mime_message *message)
{
    buf_add_c(out, "<!doctype html>\n<html lang=\"");
    html_escape(out, message->language);
    buf_add_c(out, "\"><head><meta charset=\"utf-8\"></head>\n<body>\n");
    for (size_t i = 0; i < message->paragraph_count; i++) {
        buf_add_c(out, "<p>");
        html_escape(out, message->paragraphs[i]);
        buf_add_c(out, "</p>\n");
        if (i == 0 && str_present(message->link)) {
            buf_add_c(out, "<p><a href=\"");
            html_escape(out, message->link);
            buf_add_c(out, "\">\n");
            html_escape(out, message->link);
            buf_add_c(out, "</a></p>\n");
        }
    }
    buf_add_c(out, "</body></html>\n");
}

/* Quoted-printable (RFC 2045 section 6.7). */
static void
add_quoted(struct buf *out, struct str text)
{
    size_t column = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == '\n') {
            buf_add_c(out, "\r\n");
            column = 0;
            continue;
        }
        if (column > LINE_MAX_LENGTH - 3) {
            buf_add_c(out, "=\r\n");
            column = 0;
        }
        /* A space at the end of a line may be removed on the way (RFC 2045 section 6.7). */
        bool at_end = i + 1 == text.len || text.ptr[i + 1] == '\n';
        bool literal = byte >= 0x20 && byte < 0x7f && byte != '=' && !(byte == ' ' && at_end);
        if (literal)
            buf_add_char(out, (char)byte);
        else
            add_hex(out, byte);
        column += literal ? 1 : 3;
    }
}

/* English text is sent as it is, so that people can read and copy it from the message's source. */
static void
add_plain(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n')
            buf_add_char(out, '\r');
        buf_add_char(out, text.ptr[i]);
    }
}

/* ASCII text is sent as it is; other text as quoted-printable, which survives every mail server. */
static void
add_part(struct buf *out, const char *type, struct str text)
{
    bool plain = is_plain(text);
    buf_add_format(out,
                   "--" BOUNDARY "\r\nContent-Type: %s; charset=utf-8\r\n"
                   "Content-Transfer-Encoding: %s\r\n\r\n",
                   type, plain ? "7bit" : "quoted-printable");
    if (plain)
        add_plain(out, text);
    else
        add_quoted(out, text);
    buf_add_c(out, "\r\n");
}

/* Auto-Submitted keeps programs from answering (RFC 3834). */
void
mime_write(struct buf *out, const struct mime_message *message)
{
    struct str domain = str_from(message->from, str_index(message->from, '@') + 1);
    struct buf text = buf_in(out->mem, out->max), html = buf_in(out->mem, out->max);
    add_address(out, "From", message->from_name, message->from);
    add_address(out, "To", STR(""), message->to);
    add_header(out, "Subject", message->subject);
    add_header(out, "Content-Language", message->language);
    add_date(out, message->date);
    buf_add_format(out, "Message-ID: <%.*s@%.*s>\r\n", STR_ARG(message->id), STR_ARG(domain));
    buf_add_c(out, "MIME-Version: 1.0\r\nAuto-Submitted: auto-generated\r\n"
                   "Content-Type: multipart/alternative; boundary=\"" BOUNDARY "\"\r\n\r\n");
    add_text(&text, message);
    add_part(out, "text/plain", buf_str(&text));
    add_html(&html, message);
    add_part(out, "text/html", buf_str(&html));
    buf_add_c(out, "--" BOUNDARY "--\r\n");
    out->overflow = out->overflow || text.overflow || html.overflow;
}
