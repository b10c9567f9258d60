/* head.c - validates a head that the library has parsed.
 *
 * Names and values point into the library's buffer. Every byte of a target, name, or value is
 * looked up in a table of allowed ones. Headers that decide where the body ends, which host is
 * meant, or who sends the request must not be repeated: two recipients that choose different ones
 * would disagree about the request. */
#include "http/head.h"

#include <microhttpd.h>
#include <string.h>

/* RFC 9110 section 5.6.2: characters of field names and methods. */
static const bool token_byte[256] = {
    ['!'] = true,         ['#'] = true,         ['$'] = true,         ['%'] = true, ['&'] = true,
    ['\''] = true,        ['*'] = true,         ['+'] = true,         ['-'] = true, ['.'] = true,
    ['0' ... '9'] = true, ['^'] = true,         ['_'] = true,         ['`'] = true, ['|'] = true,
    ['~'] = true,         ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
};

/* RFC 9110 section 5.5: visible characters, space, tab, and bytes above ASCII. */
static const bool value_byte[256] = {
    ['\t'] = true,
    [' ' ... '~'] = true,
    [0x80 ... 0xff] = true,
};

static const bool target_byte[256] = { ['!' ... '~'] = true };

/* RFC 3986 sections 3.2.2 and 3.2.3: host and port, without user information. */
static const bool host_byte[256] = {
    ['!'] = true,         ['$'] = true,         ['%' ... '+'] = true, ['-'] = true, ['.'] = true,
    ['0' ... ';'] = true, ['='] = true,         ['A' ... 'Z'] = true, ['['] = true, [']'] = true,
    ['_'] = true,         ['a' ... 'z'] = true, ['~'] = true,
};

static bool
all_allowed(struct str s, const bool allowed[256])
{
    for (size_t i = 0; i < s.len; i++)
        if (!allowed[(unsigned char)s.ptr[i]])
            return false;
    return true;
}

static bool
reject_head(struct head_problem *problem, const char *detail)
{
    *problem = (struct head_problem){ HTTP_BAD_REQUEST, detail };
    return false;
}

/* Problems are only noted while the library calls back for each header. */
struct reading {
    struct head *head;
    bool too_many;
    bool bad_name;
    bool bad_value;
};

/* Called by the library for each header. Notes what is wrong; read_fields() decides which error is
 * reported. */
static enum MHD_Result
read_field(void *context, enum MHD_ValueKind kind, const char *name, size_t name_len,
           const char *value, size_t value_len)
{
    struct reading *reading = context;
    struct head *head = reading->head;
    (void)kind;
    if (head->count == HTTP_FIELDS_MAX) {
        reading->too_many = true;
        return MHD_NO;
    }
    struct head_field *field = &head->fields[head->count++];
    field->name = (struct str){ name, name_len };
    field->value = (struct str){ value == NULL ? "" : value, value_len };
    reading->bad_name |= name_len == 0 || !all_allowed(field->name, token_byte);
    reading->bad_value |= !all_allowed(field->value, value_byte);
    return MHD_YES;
}

/* Bytes of the request line and headers as sent, with the empty line. */
static size_t
head_size(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/* Names and values are checked after the library has parsed them: it accepts more than RFC 9110 §5
 * allows, and a proxy in front may read such a header differently. */
static bool
read_fields(struct head *head, struct MHD_Connection *connection, struct head_problem *problem)
{
    struct reading reading = { .head = head };
    head->count = 0;
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, read_field, &reading);
    if (reading.too_many || head_size(connection) > HTTP_HEAD_MAX) {
        *problem = (struct head_problem){ HTTP_HEAD_TOO_LARGE, NULL };
        return false;
    }
    if (reading.bad_name)
        return reject_head(problem, "A header name has a character that is not allowed in names.");
    if (reading.bad_value)
        return reject_head(problem, "A header value has a control character.");
    return true;
}

/* The library has overwritten CR LF with two NULs. */
static bool
line_end(const char *at)
{
    return at[0] == '\0' && at[1] == '\0';
}

/* Needed with a version of the library that accepts malformed lines (`library_lenient`). The
 * library modifies the head in place. Walking over the bytes it was parsed from shows lines that it
 * skipped, folded, or split: with these, this server and a proxy in front would disagree on the
 * headers (request smuggling). */
bool
head_check_layout(const struct head *head, struct MHD_Connection *connection, const char *method,
                  struct str target, const char *version, struct head_problem *problem)
{
    /* Where the empty line must be: a head that was parsed differently ends elsewhere. */
    const char *end = method + head_size(connection) - 2;
    if (version != method + strlen(method) + 1 + target.len + 1)
        return reject_head(problem, "The request line is not a method, a path, and a version.");
    const char *at = version + strlen(version);
    if (!line_end(at))
        return reject_head(problem, "The request line does not end in CR LF.");
    bool contiguous = true;
    for (size_t i = 0; i < head->count && contiguous; i++) {
        const struct head_field *field = &head->fields[i];
        const char *value = at + 2 + field->name.len + 1;
        while (value < field->value.ptr && value < end && (*value == ' ' || *value == '\t'))
            value++;
        contiguous = field->name.ptr == at + 2 && field->value.ptr == value &&
                     line_end(value + field->value.len);
        at = value + field->value.len;
    }
    if (!contiguous || at + 2 != end || !line_end(end))
        return reject_head(problem,
                           "The headers are malformed: each must be one line that ends in CR LF.");
    return true;
}

/* Rejects absolute targets, which only proxies need (RFC 9112 §3.2), and every version but 1.0 and
 * 1.1. */
static bool
check_request_line(const char *method, struct str target, const char *version,
                   struct head_problem *problem)
{
    struct str name = str_of(method);
    if (!all_allowed(name, token_byte))
        return reject_head(problem, "The request line is not a method, a path, and a version.");
    if (!all_allowed(target, target_byte))
        return reject_head(problem, "The path has a character that must be percent-encoded.");
    if (target.len == 0 || target.ptr[0] != '/')
        return reject_head(problem, "The request target must be a path.");
    if (str_eq_c(name, "CONNECT"))
        return reject_head(problem,
                           "This server is not a proxy. Send a method other than CONNECT.");
    if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
        return reject_head(problem, "The version must be HTTP/1.1 or HTTP/1.0.");
    return true;
}

/* Most names differ in length, so that is compared first, without a call. */
static bool
is_named(struct str name, struct str wanted)
{
    return name.len == wanted.len && str_eq_nocase(name, wanted);
}

static size_t
count_of(const struct head *head, struct str name)
{
    size_t count = 0;
    for (size_t i = 0; i < head->count; i++)
        count += is_named(head->fields[i].name, name);
    return count;
}

struct str
head_value(const struct head *head, struct str name, size_t nth_from_last)
{
    for (size_t i = head->count; i > 0; i--)
        if (is_named(head->fields[i - 1].name, name) && nth_from_last-- == 0)
            return head->fields[i - 1].value;
    return STR_NONE;
}

/* Fields that must not be repeated, because recipients differ in which one they use. */
enum single { HOST, LENGTH, ENCODING, AUTHORIZATION, TYPE, SINGLES };

static const struct {
    struct str name;
    const char *twice;
} singles[SINGLES] = {
    [HOST] = { { "Host", 4 }, "There is more than one Host header." },
    [LENGTH] = { { "Content-Length", 14 }, "There is more than one Content-Length header." },
    [ENCODING] = { { "Transfer-Encoding", 17 },
                   "There is more than one Transfer-Encoding header." },
    [AUTHORIZATION] = { { "Authorization", 13 }, "There is more than one Authorization header." },
    [TYPE] = { { "Content-Type", 12 }, "There is more than one Content-Type header." },
};

/* `found` must be zeroed. */
static bool
find_singles(const struct head *head, struct str found[SINGLES], struct head_problem *problem)
{
    for (size_t i = 0; i < head->count; i++) {
        const struct head_field *field = &head->fields[i];
        for (size_t s = 0; s < SINGLES; s++) {
            if (!str_eq_nocase(field->name, singles[s].name))
                continue;
            if (str_present(found[s]))
                return reject_head(problem, singles[s].twice);
            found[s] = field->value;
        }
    }
    return true;
}

/* RFC 9112 sections 6.1 and 6.3: the body length must be given in exactly one way. */
static bool
find_length(struct head *head, struct str encoding, struct str length, bool http_1_0,
            struct head_problem *problem)
{
    head->length = 0;
    if (str_present(encoding)) {
        if (str_present(length))
            return reject_head(problem, "Transfer-Encoding and Content-Length exclude each other.");
        if (http_1_0)
            return reject_head(problem, "HTTP/1.0 has no Transfer-Encoding.");
        if (!str_eq_nocase(encoding, STR("chunked")))
            return reject_head(problem, "The only supported Transfer-Encoding is chunked.");
        head->length = HEAD_CHUNKED;
    } else if (str_present(length) && !str_to_int(length, 0, INT64_MAX, &head->length)) {
        return reject_head(problem, "Content-Length is not a whole number.");
    }
    return true;
}

/* First everything that decides where the body ends (Transfer-Encoding, Content-Length), since a
 * wrong length is a smuggling attempt, whatever else is wrong. HTTP/1.0 may omit Host, and a server
 * ignores its Expect (RFC 9110 §10.1.1). */
bool
head_read(struct head *head, struct MHD_Connection *connection, const char *method,
          struct str target, const char *version, struct head_problem *problem)
{
    bool http_1_0 = strcmp(version, "HTTP/1.0") == 0;
    struct str found[SINGLES] = { 0 };
    head->count = 0;
    head->length = 0;
    head->expects_continue = false;
    if (!check_request_line(method, target, version, problem) ||
        !read_fields(head, connection, problem) || !find_singles(head, found, problem) ||
        !find_length(head, found[ENCODING], found[LENGTH], http_1_0, problem))
        return false;
    if (!str_present(found[HOST]) && !http_1_0)
        return reject_head(problem, "The Host header is missing.");
    struct str host = str_trim(found[HOST]);
    if (str_present(found[HOST]) && (host.len == 0 || !all_allowed(host, host_byte)))
        return reject_head(problem, "The Host header is not a host and a port.");
    struct str expected = head_value(head, STR("Expect"), 0);
    if (str_present(expected) && !http_1_0) {
        head->expects_continue = str_eq_nocase(str_trim(expected), STR("100-continue"));
        if (!head->expects_continue || count_of(head, STR("Expect")) > 1) {
            *problem = (struct head_problem){ HTTP_BAD_EXPECTATION, NULL };
            return false;
        }
    }
    return true;
}

/* The first of several. Fields whose repetition would be ambiguous cannot be repeated
 * (find_singles()). */
struct str
http_header(const struct http_request *request, const char *name)
{
    const struct head *head = request->headers;
    struct str wanted = str_of(name);
    for (size_t i = 0; i < head->count; i++)
        if (is_named(head->fields[i].name, wanted))
            return str_trim(head->fields[i].value);
    return STR_NONE;
}

size_t
http_header_count(const struct http_request *request, const char *name)
{
    return count_of(request->headers, str_of(name));
}
