/* head_test.c - which heads are accepted and which are rejected, by both supported versions of
 * libmicrohttpd: `make soak` runs it with 1.0.1 too. */
#include "unit/http/wire.h"

#include <microhttpd.h>

struct row {
    const char *why;
    struct str bytes;
    int status; /* 0: closed without a response */
    int strict; /* the same with libmicrohttpd 1.0.1 in strict mode */
};

#define ROW_STRICT(why, text, status, strict)           \
    {                                                   \
        why, { text, sizeof(text) - 1 }, status, strict \
    }
#define ROW(why, text, status) ROW_STRICT(why, text, status, status)

static struct world world;
static bool strict; /* the library rejects malformed heads itself */

/* Sends every row on its own connection, as a whole and then byte by byte. */
static void
check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct answer answer;
        bool answered = ask_bytes(&world, rows[i].bytes.ptr, rows[i].bytes.len, &answer);
        if ((answered ? answer.status : 0) != (strict ? rows[i].strict : rows[i].status))
            fail_msg("%s: %d %s", rows[i].why, answer.status, answer.body);
        if (answered && answer.status >= 400 && !answer.closed)
            fail_msg("%s: the connection goes on behind %d", rows[i].why, answer.status);
    }
    for (size_t i = 0; i < count; i++) {
        struct answer answer;
        int fd = wire_connect(&world);
        for (size_t at = 0; at < rows[i].bytes.len; at++)
            if (!wire_send_bytes(fd, rows[i].bytes.ptr + at, 1))
                break;
        bool answered = wire_answer(fd, &answer);
        if ((answered ? answer.status : 0) != (strict ? rows[i].strict : rows[i].status))
            fail_msg("%s, byte by byte: %d %s", rows[i].why, answer.status, answer.body);
        close(fd);
    }
}

#define CHECK(rows) check_rows(rows, sizeof rows / sizeof rows[0])
#define HOST "Host: a\r\n"
#define LINE "GET /x HTTP/1.1\r\n"
#define WIDE "GET /wide HTTP/1.1\r\n"

static void
malformed_headers_are_rejected(void **state)
{
    static const struct row rows[] = {
        ROW("well formed", LINE HOST "X-A: \tv w\t \r\nX-E:\r\n\r\n", 200),
        ROW("an empty line in front", "\r\n" LINE HOST "\r\n", 200),
        ROW_STRICT("two empty lines in front", "\r\n\r\n" LINE HOST "\r\n", 200, 0),
        ROW_STRICT("bare LF in front", "\n" LINE HOST "\r\n", 200, 0),
        ROW("bytes beyond ASCII in a value", LINE HOST "X-A: \xc3\xb6\xff\r\n\r\n", 200),
        ROW("NUL in a value", LINE HOST "X-A: v\0w\r\nX-B: z\r\n\r\n", 400),
        ROW("NUL at the end of a value", LINE HOST "X-A: v\0\r\nX-B: z\r\n\r\n", 400),
        ROW("NUL as a value", LINE HOST "X-A: \0\r\n\r\n", 400),
        ROW("NUL in the last value", LINE HOST "X-A: v\0w\r\n\r\n", 400),
        ROW("bare CR in a value", LINE HOST "X-A: v\rX-B: z\r\n\r\n", 400),
        ROW("bare LF between headers", LINE HOST "X-A: v\nX-B: z\r\n\r\n", 400),
        ROW("bare LF behind the request line", "GET /x HTTP/1.1\nHost: a\r\n\r\n", 400),
        ROW("bare LF behind the last header", LINE "Host: a\n\r\n", 400),
        ROW("bare LF as the empty line", LINE HOST "\n", 400),
        ROW("bare LF everywhere", "GET /x HTTP/1.1\nHost: a\n\n", 400),
        ROW("folded line", LINE HOST "X-A: v\r\n folded\r\nX-B: z\r\n\r\n", 400),
        ROW("line folded with a tab", LINE HOST "X-A: v\r\n\tfolded\r\n\r\n", 400),
        ROW("folded Host", LINE "Host: a\r\n b\r\n\r\n", 400),
        ROW("space before the colon", LINE HOST "X-A : v\r\n\r\n", 400),
        ROW("tab before the colon", LINE HOST "X-A\t: v\r\n\r\n", 400),
        ROW("space before the first name", LINE " X-A: v\r\n" HOST "\r\n", 400),
        ROW("empty name", LINE HOST ": v\r\n\r\n", 400),
        ROW("no colon", LINE HOST "X-A\r\n\r\n", 400),
        ROW("name beyond ASCII", LINE HOST "X\xff: v\r\n\r\n", 400),
        ROW("name with a parenthesis", LINE HOST "X(: v\r\n\r\n", 400),
        ROW("NUL in a name", LINE HOST "X\0A: v\r\n\r\n", 400),
        ROW("escape in a value", LINE HOST "X-A: \x1b[31m\r\n\r\n", 400),
        ROW("delete in a value", LINE HOST "X-A: \x7f\r\n\r\n", 400),
    };
    (void)state;
    CHECK(rows);
}

static void
malformed_request_lines_are_rejected(void **state)
{
    static const struct row rows[] = {
        ROW("two spaces", "GET  /x  HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("space in the path", "GET /x y HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW_STRICT("NUL in the path", "GET /x\0y HTTP/1.1\r\n" HOST "\r\n", 400, 0),
        ROW_STRICT("NUL in the query", "GET /x?a\0=b&c HTTP/1.1\r\n" HOST "\r\n", 400, 0),
        ROW("path beyond ASCII", "GET /\xc3\xb6 HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("control character in the path", "GET /\x01 HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("absolute form", "GET http://evil/x HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("asterisk", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("CONNECT", "CONNECT a:80 HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("CONNECT to a path", "CONNECT /x HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("no slash", "GET x HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("method of strange bytes", "G(T /x HTTP/1.1\r\n" HOST "\r\n", 400),
        ROW("HTTP/1.2", "GET /x HTTP/1.2\r\n" HOST "\r\n", 400),
        ROW("HTTP/1.1x", "GET /x HTTP/1.1x\r\n" HOST "\r\n", 400),
        ROW("HTTP/0.9", "GET /x\r\n\r\n", 400),
        ROW("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    };
    (void)state;
    CHECK(rows);
}

static void
the_host_header_is_required_once_and_validated(void **state)
{
    static const struct row rows[] = {
        ROW("none", "GET /x HTTP/1.1\r\nX: y\r\n\r\n", 400),
        ROW("no header at all", "GET /x HTTP/1.1\r\n\r\n", 400),
        ROW("two", "GET /x HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ROW("two in different case", "GET /x HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n", 400),
        ROW("user information", "GET /x HTTP/1.1\r\nHost: u@a\r\n\r\n", 400),
        ROW("a path", "GET /x HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        ROW("a list", "GET /x HTTP/1.1\r\nHost: a, b\r\n\r\n", 400),
        ROW("empty", "GET /x HTTP/1.1\r\nHost:\r\n\r\n", 400),
        ROW("with a port", "GET /x HTTP/1.1\r\nHost: a.example:8080\r\n\r\n", 200),
        ROW("IPv6", "GET /x HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", 200),
        ROW("none in HTTP/1.0", "GET /x HTTP/1.0\r\n\r\n", 200),
        ROW("two in HTTP/1.0", "GET /x HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    };
    (void)state;
    CHECK(rows);
}

#define POST "POST /x HTTP/1.1\r\n" HOST
#define CHUNKED "Transfer-Encoding: chunked\r\n"

static void
the_body_length_is_given_in_one_way(void **state)
{
    static const struct row rows[] = {
        ROW("a length", POST "Content-Length: 3\r\n\r\nabc", 200),
        ROW("chunks", POST CHUNKED "\r\n3\r\nabc\r\n0\r\n\r\n", 200),
        ROW("Chunked in capitals", POST "Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", 200),
        ROW("two lengths", POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
        ROW("the same length twice", POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
        ROW("a list of lengths", POST "Content-Length: 3, 3\r\n\r\nabc", 400),
        ROW("length with a sign", POST "Content-Length: +3\r\n\r\nabc", 400),
        ROW("negative length", POST "Content-Length: -3\r\n\r\nabc", 400),
        ROW("hexadecimal length", POST "Content-Length: 0x3\r\n\r\nabc", 400),
        ROW("leading zero", POST "Content-Length: 03\r\n\r\nabc", 400),
        ROW("empty length", POST "Content-Length:\r\n\r\nabc", 400),
        ROW("length past 64 bits", POST "Content-Length: 99999999999999999999\r\n\r\n", 413),
        ROW("length past 63 bits", POST "Content-Length: 9223372036854775808\r\n\r\n", 400),
        ROW("length and chunks", POST "Content-Length: 3\r\n" CHUNKED "\r\n0\r\n\r\n", 400),
        ROW("chunks and length", POST CHUNKED "Content-Length: 3\r\n\r\n0\r\n\r\n", 400),
        ROW("chunked twice", POST CHUNKED CHUNKED "\r\n0\r\n\r\n", 400),
        ROW("xchunked", POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400),
        ROW("chunked, identity", POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400),
        ROW("gzip, chunked", POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
        ROW("vertical tab",
            POST "Transfer-Encoding: \x0b"
                 "chunked\r\n\r\n0\r\n\r\n",
            400),
        ROW("empty encoding", POST "Transfer-Encoding:\r\n\r\n", 400),
        ROW("chunks in HTTP/1.0", "POST /x HTTP/1.0\r\n" HOST CHUNKED "\r\n0\r\n\r\n", 400),
        ROW("two Authorization headers", LINE HOST "Authorization: a\r\nAuthorization: b\r\n\r\n",
            400),
        ROW("two Content-Type headers", LINE HOST "Content-Type: a\r\nContent-Type: b\r\n\r\n",
            400),
        ROW("two of any other", LINE HOST "Accept: a\r\nAccept: b\r\n\r\n", 200),
    };
    (void)state;
    CHECK(rows);
}

static void
bad_chunks_are_rejected(void **state)
{
    static const struct row rows[] = {
        ROW("17 digits", POST CHUNKED "\r\n11111111111111111\r\nabc\r\n0\r\n\r\n", 413),
        ROW("0x", POST CHUNKED "\r\n0x3\r\nabc\r\n0\r\n\r\n", 400),
        ROW("negative", POST CHUNKED "\r\n-3\r\nabc\r\n0\r\n\r\n", 400),
        ROW("no CR LF behind the data", POST CHUNKED "\r\n3\r\nabc0\r\n\r\n", 400),
        ROW("empty size", POST CHUNKED "\r\n\r\nabc\r\n0\r\n\r\n", 400),
        ROW("bare CR", POST CHUNKED "\r\n3\rabc\r0\r\r", 400),
        ROW("no number", POST CHUNKED "\r\nxyz\r\nabc\r\n0\r\n\r\n", 400),
        ROW("bad trailer", POST CHUNKED "\r\n3\r\nabc\r\n0\r\nX T a\r\n\r\n", 400),
    };
    (void)state;
    CHECK(rows);
}

/* 0.9.75 accepts bare line feeds and any extension in chunks; 1.0.1 rejects both. A proxy may find
 * another end of the body, so nothing after a chunked body is read as a request. */
static void
bytes_after_chunks_are_not_a_request(void **state)
{
    static const struct {
        const char *text;
        int strict;
    } bodies[] = {
        { "3\r\nabc\r\n0\r\n\r\n", 200 },
        { "3\nabc\n0\n\n", 400 },
        { "3;extension=\"1\"\r\nabc\r\n0\r\n\r\n", 400 },
        { "3\r\nabc\r\n0\r\nX-Trailer: a\r\nHost: b\r\n\r\n", 200 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char text[512];
        struct answer answer;
        int before = atomic_load(&world.heads);
        snprintf(text, sizeof text, "%s%s\r\n%s%s", POST, CHUNKED, bodies[i].text,
                 GET("/smuggled"));
        assert_true(ask(&world, text, &answer));
        assert_int_equal(answer.status, strict ? bodies[i].strict : 200);
        assert_true(answer.closed);
        assert_int_equal(atomic_load(&world.heads), before + 1);
    }
}

static void
trailers_are_not_headers(void **state)
{
    struct answer answer;
    (void)state;
    assert_true(ask(
        &world, POST CHUNKED "\r\n1\r\nz\r\n0\r\nUser-Agent: trailer\r\nContent-Length: 9\r\n\r\n",
        &answer));
    assert_string_equal(answer.body, "POST /x from 127.0.0.1 agent  body z");
}

static void
garbage_is_closed_and_others_are_served(void **state)
{
    static const struct row rows[] = {
        ROW("bytes", "\xff\xfe\x00\x01\r\n\r\n", 0),
        ROW("one word", "HELLO\r\n\r\n", 0),
        ROW("TLS", "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00\r\n", 0),
    };
    struct answer answer;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int fd = wire_connect(&world);
        wire_send_bytes(fd, rows[i].bytes.ptr, rows[i].bytes.len);
        shutdown(fd, SHUT_WR);
        assert_true(wire_ends(fd));
        close(fd);
    }
    close(wire_connect(&world));
    assert_true(ask(&world, GET("/x"), &answer));
    assert_int_equal(answer.status, 200);
}

static void
a_rejection_has_the_reason(void **state)
{
    struct answer answer;
    char value[256];
    (void)state;
    assert_true(ask(&world, LINE "Host: a/b\r\n\r\n", &answer));
    assert_string_equal(answer.body, "refused: The Host header is not a host and a port.");
    assert_int_equal(strlen(answer_header(&answer, "X-Request-Id", value)), 16);
    assert_true(ask(&world, POST CHUNKED CHUNKED "\r\n", &answer));
    assert_string_equal(answer.body, "refused: There is more than one Transfer-Encoding header.");
}

/* A head of `size` bytes with this many fields, sent in two ways. */
static int
ask_with_head(size_t size, size_t fields, bool bytewise, enum http_refusal *refusal)
{
    static char head[128 * 1024];
    size_t length = (size_t)snprintf(head, sizeof head, WIDE HOST);
    size_t each = (size - length - 2) / fields;
    for (size_t i = 0; i < fields; i++) {
        size_t want = i + 1 < fields ? each : size - length - 2;
        size_t name = (size_t)snprintf(head + length, sizeof head - length, "X-%03zu: ", i);
        memset(head + length + name, 'a', want - name - 2);
        memcpy(head + length + want - 2, "\r\n", 2);
        length += want;
    }
    memcpy(head + length, "\r\n", 2);
    assert_int_equal(length + 2, size);
    struct answer answer = { 0 };
    int fd = wire_connect(&world);
    atomic_store(&world.last_refusal, -1);
    if (bytewise) {
        for (size_t i = 0; i < size && wire_send_bytes(fd, head + i, 1); i++)
            ;
    } else {
        wire_send_bytes(fd, head, size);
    }
    bool answered = wire_answer(fd, &answer);
    close(fd);
    *refusal = (enum http_refusal)atomic_load(&world.last_refusal);
    return answered ? answer.status : 0;
}

/* The largest heads leave the library memory for a response with large headers. */
static void
a_head_over_16_kib_or_100_fields_is_rejected(void **state)
{
    enum http_refusal refusal;
    (void)state;
    for (int bytewise = 0; bytewise < 2; bytewise++) {
        assert_int_equal(ask_with_head(16 * 1024, 99, bytewise, &refusal), 200);
        assert_int_equal(ask_with_head(16 * 1024, 2, bytewise, &refusal), 200);
        assert_int_equal(ask_with_head(16 * 1024 + 1, 99, bytewise, &refusal), 431);
        assert_int_equal(refusal, HTTP_HEAD_TOO_LARGE);
        assert_int_equal(ask_with_head(17 * 1024, 2, bytewise, &refusal), 431);
        assert_int_equal(refusal, HTTP_HEAD_TOO_LARGE);
        assert_int_equal(ask_with_head(17 * 1024, 99, bytewise, &refusal), 431);
        assert_int_equal(refusal, HTTP_HEAD_TOO_LARGE);
        assert_int_equal(ask_with_head(4 * 1024, 100, bytewise, &refusal), 431);
        assert_int_equal(refusal, HTTP_HEAD_TOO_LARGE);
    }
    /* So large that the library itself rejects it. */
    assert_int_equal(ask_with_head(100 * 1024, 99, false, &refusal), 431);
}

static int
ask_with_target(size_t size, bool bytewise)
{
    static char text[64 * 1024];
    struct answer answer;
    size_t length = 4;
    memcpy(text, "GET /", 5);
    memset(text + 5, 'a', size - 1);
    length += size;
    length += (size_t)snprintf(text + length, sizeof text - length, " HTTP/1.1\r\n" HOST "\r\n");
    int fd = wire_connect(&world);
    for (size_t at = 0; at < length; at += bytewise ? 1 : length)
        if (!wire_send_bytes(fd, text + at, bytewise ? 1 : length))
            break;
    bool answered = wire_answer(fd, &answer);
    close(fd);
    return answered ? answer.status : 0;
}

static void
a_target_over_8_kib_is_rejected(void **state)
{
    (void)state;
    for (int bytewise = 0; bytewise < 2; bytewise++) {
        assert_int_equal(ask_with_target(8 * 1024, bytewise), 200);
        assert_int_equal(ask_with_target(8 * 1024 + 1, bytewise), 414);
        assert_int_equal(ask_with_target(9 * 1024, bytewise), 414);
        assert_int_equal(ask_with_target(15 * 1024, bytewise), 414);
    }
    /* So large that the library itself rejects it. */
    assert_int_equal(ask_with_target(40 * 1024, false), 414);
}

static void
a_large_cookie_is_accepted(void **state)
{
    static char text[16 * 1024];
    struct answer answer;
    (void)state;
    int length = snprintf(text, sizeof text, WIDE HOST "Cookie: a=");
    memset(text + length, 'c', 12000);
    memcpy(text + length + 12000, "\r\n\r\n", 5);
    assert_true(ask(&world, text, &answer));
    assert_int_equal(answer.status, 200);
}

static void
targets_arrive_as_they_were_sent(void **state)
{
    static const char *const targets[] = {
        "/a%00b?c%00=%2e%2E&d&=&e=f=g", "//host/path", "/..;/x/%2e%2e/", "/?", "/?a+b%20c#d", "/%",
    };
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        char text[256], expected[256];
        struct answer answer;
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n" HOST "\r\n", targets[i]);
        snprintf(expected, sizeof expected, "GET %s from 127.0.0.1 agent  body ", targets[i]);
        assert_true(ask(&world, text, &answer));
        assert_string_equal(answer.body, expected);
    }
}

static void
hop_by_hop_names_remove_no_header(void **state)
{
    struct answer answer;
    (void)state;
    assert_true(
        ask(&world, LINE HOST "Connection: user-agent, host\r\nUser-Agent: me \r\n\r\n", &answer));
    assert_string_equal(answer.body, "GET /x from 127.0.0.1 agent me body ");
}

static int
start(void **state)
{
    (void)state;
    strict = strcmp(MHD_get_version(), "0.9.75") != 0;
    world_open(&world);
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    world_close(&world);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_headers_are_rejected),
        cmocka_unit_test(malformed_request_lines_are_rejected),
        cmocka_unit_test(the_host_header_is_required_once_and_validated),
        cmocka_unit_test(the_body_length_is_given_in_one_way),
        cmocka_unit_test(bad_chunks_are_rejected),
        cmocka_unit_test(bytes_after_chunks_are_not_a_request),
        cmocka_unit_test(trailers_are_not_headers),
        cmocka_unit_test(garbage_is_closed_and_others_are_served),
        cmocka_unit_test(a_rejection_has_the_reason),
        cmocka_unit_test(a_head_over_16_kib_or_100_fields_is_rejected),
        cmocka_unit_test(a_target_over_8_kib_is_rejected),
        cmocka_unit_test(a_large_cookie_is_accepted),
        cmocka_unit_test(targets_arrive_as_they_were_sent),
        cmocka_unit_test(hop_by_hop_names_remove_no_header),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
