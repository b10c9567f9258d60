/* load.c - load over persistent connections: repeated requests, codes that work once, refresh
 * tokens that rotate, and reads mixed with writes.
 *
 * usage: load PORT CONNECTIONS STATUS FILE once
 *        load PORT CONNECTIONS STATUS FILE SECONDS [MEMBER]
 *        load PORT CONNECTIONS STATUS FILE SECONDS every COUNT FILE
 *
 * FILE contains requests, each as its length, a newline, and its bytes. They are sent in turn over
 * persistent connections, each of which waits for the response before it sends the next request:
 * every request once, or all of them repeatedly for SECONDS. With MEMBER, each connection repeats
 * one request, and that member of each response replaces the form field of the same name in the
 * next; FILE then gets the last requests, for another run to continue. With "every", each COUNT-th
 * request on any connection is the next of the second FILE instead, which must contain enough of
 * them. The program ends after the last response, so none is lost.
 *
 * Prints a line for load.mjs: NUMBERS responses microseconds p50 p99 wrong, with the percentiles in
 * microseconds; wrong counts responses with another status than STATUS, and with status 200 those
 * whose body differs from the first response to the same request. With "every", a second line
 * has the same for the second FILE: OTHERS … */
#include "base/clock.h"

#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 1024
#define ANSWER_MAX (64 * 1024)
#define QUEUE_WAIT_NS INT64_C(10000000000)

struct request {
    char *bytes;
    size_t length;
    uint64_t first; /* hash and length of the first response's body; 0: none yet */
};

/* The requests of one file, and counts of their responses. */
struct kind {
    struct request *requests;
    size_t request_count;
    size_t turn;
    uint64_t wrong;
    uint32_t *latencies; /* microseconds */
    size_t answers;
    size_t room;
};

struct connection {
    int fd;
    struct kind *kind;       /* of the request */
    struct request *request; /* NULL: has nothing more to ask */
    int64_t asked_ns;
    size_t got;
    char answer[ANSWER_MAX + 1];
};

struct load {
    struct kind usual;
    struct kind others;
    size_t every; /* so many requests, one of the others; 0: none */
    size_t asked;
    int64_t end_ns; /* 0: each request once */
    const char *member;
    int status;
    int epoll;
    size_t busy;
};

static struct connection connections[CONNECTIONS_MAX];

static long
number(const char *text, long least, long most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < least || value > most)
        errx(2, "not a number from %ld to %ld: %s", least, most, text);
    return value;
}

static void *
grow(void *memory, size_t count, size_t size)
{
    void *grown = reallocarray(memory, count, size);
    if (grown == NULL)
        errx(1, "out of memory");
    return grown;
}

/* ---- the file ---- */

static void
read_requests(struct kind *kind, const char *path)
{
    size_t length, room = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        err(1, "%s", path);
    while (fscanf(file, "%zu", &length) == 1 && fgetc(file) == '\n') {
        if (kind->request_count == room) {
            room = room == 0 ? 1024 : 2 * room;
            kind->requests = grow(kind->requests, room, sizeof *kind->requests);
        }
        struct request *request = &kind->requests[kind->request_count++];
        *request = (struct request){ grow(NULL, length + 1, 1), length, 0 };
        if (fread(request->bytes, 1, length, file) != length)
            errx(1, "%s ends inside a request", path);
        request->bytes[length] = '\0';
    }
    fclose(file);
    if (kind->request_count == 0)
        errx(1, "%s holds no request", path);
}

static void
write_requests(const struct kind *kind, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        err(1, "%s", path);
    for (size_t i = 0; i < kind->request_count; i++) {
        fprintf(file, "%zu\n", kind->requests[i].length);
        fwrite(kind->requests[i].bytes, 1, kind->requests[i].length, file);
    }
    if (fclose(file) != 0)
        err(1, "%s", path);
}

/* ---- requests ---- */

static struct request *
next_of_others(struct kind *others)
{
    if (others->turn == others->request_count)
        errx(1, "%zu requests among the others are not enough", others->request_count);
    return &others->requests[others->turn++];
}

static struct request *
next_request(struct load *load, struct connection *connection)
{
    struct kind *usual = &load->usual;
    connection->kind = usual;
    if (load->end_ns == 0)
        return usual->turn < usual->request_count ? &usual->requests[usual->turn++] : NULL;
    if (clock_ticks_ns() >= load->end_ns)
        return NULL;
    if (load->member != NULL && connection->request != NULL)
        return connection->request;
    if (load->every > 0 && ++load->asked % load->every == 0) {
        connection->kind = &load->others;
        return next_of_others(&load->others);
    }
    return &usual->requests[usual->turn++ % usual->request_count];
}

static void
ask(struct load *load, struct connection *connection)
{
    connection->request = next_request(load, connection);
    if (connection->request == NULL)
        return;
    load->busy++;
    connection->got = 0;
    connection->asked_ns = clock_ticks_ns();
    size_t length = connection->request->length;
    if (write(connection->fd, connection->request->bytes, length) != (ssize_t)length)
        err(1, "a request could not be sent");
}

static void
open_connection(struct load *load, struct connection *connection, uint16_t port)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
    int on = 1;
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0 || connect(connection->fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        fcntl(connection->fd, F_SETFL, O_NONBLOCK) != 0 ||
        epoll_ctl(load->epoll, EPOLL_CTL_ADD, connection->fd, &event) != 0)
        err(1, "a connection could not be made");
}

/* ---- responses ---- */

/* The value after `before`, up to one of `ends` or the end of the text. */
static char *
value_after(char *text, const char *before, const char *ends, size_t *length)
{
    char *at = strstr(text, before);
    if (at == NULL)
        return NULL;
    at += strlen(before);
    *length = strcspn(at, ends);
    return at;
}

static void
follow(const char *member, char *body, struct request *request)
{
    char in_answer[64], in_form[64];
    size_t new_length = 0, old_length = 0;
    snprintf(in_answer, sizeof in_answer, "\"%s\":\"", member);
    snprintf(in_form, sizeof in_form, "&%s=", member);
    const char *new = value_after(body, in_answer, "\"", &new_length);
    char *old = value_after(request->bytes, in_form, "&", &old_length);
    if (new == NULL || old == NULL || new_length != old_length)
        errx(1, "no %s of the same length in question and answer", member);
    memcpy(old, new, new_length);
}

/* Whether a repeated request got the same body again. Other statuses have a request id in it. */
static bool
same_body(const struct load *load, struct connection *connection, const char *body)
{
    if (load->end_ns == 0 || load->member != NULL || load->status != 200)
        return true;
    size_t length = connection->got - (size_t)(body - connection->answer);
    uint64_t hash = 14695981039346656037u ^ length; /* FNV-1a, eight bytes at a time */
    for (size_t i = 0; i < length; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, body + i, length - i < sizeof word ? length - i : sizeof word);
        hash = (hash ^ word) * 1099511628211u;
    }
    if (connection->request->first == 0)
        connection->request->first = hash;
    return connection->request->first == hash;
}

static void
count_answer(struct load *load, struct connection *connection, char *body)
{
    struct kind *kind = connection->kind;
    if (kind->answers == kind->room) {
        kind->room = kind->room == 0 ? 65536 : 2 * kind->room;
        kind->latencies = grow(kind->latencies, kind->room, sizeof *kind->latencies);
    }
    int64_t took_ns = clock_ticks_ns() - connection->asked_ns;
    kind->latencies[kind->answers++] = (uint32_t)(took_ns / 1000);
    load->busy--;
    /* "HTTP/1.1 200 …" */
    if (strtol(connection->answer + strlen("HTTP/1.1 "), NULL, 10) != load->status ||
        !same_body(load, connection, body)) {
        if (kind->wrong++ == 0)
            warnx("the first wrong response: %.600s", connection->answer);
    } else if (load->member != NULL)
        follow(load->member, body, connection->request);
}

/* The body, if the response is complete. */
static char *
whole_answer(struct connection *connection)
{
    connection->answer[connection->got] = '\0';
    char *head_end = strstr(connection->answer, "\r\n\r\n");
    if (head_end == NULL)
        return NULL;
    const char *length = strcasestr(connection->answer, "\r\nContent-Length:");
    if (length == NULL || length > head_end)
        errx(1, "an answer does not say how long it is");
    size_t body = strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
    size_t whole = (size_t)(head_end + 4 - connection->answer) + body;
    if (whole > ANSWER_MAX || connection->got > whole)
        errx(1, "an answer is longer than it may be");
    return connection->got == whole ? head_end + 4 : NULL;
}

static void
take(struct load *load, struct connection *connection)
{
    ssize_t got =
        read(connection->fd, connection->answer + connection->got, ANSWER_MAX - connection->got);
    if (got <= 0 || connection->request == NULL)
        errx(1, "a connection was closed after %zu answers", load->usual.answers);
    connection->got += (size_t)got;
    char *body = whole_answer(connection);
    if (body == NULL)
        return;
    count_answer(load, connection, body);
    ask(load, connection);
}

/* Never sleeps: otherwise a server would spend several microseconds per response to wake this
 * process, which clients on other machines do not cost, and a server faster than this process would
 * not. */
static void
until_all_is_answered(struct load *load)
{
    struct epoll_event events[64];
    int64_t heard_ns = clock_ticks_ns();
    while (load->busy > 0) {
        int ready = epoll_wait(load->epoll, events, 64, 0);
        if (ready < 0)
            err(1, "epoll_wait");
        for (int i = 0; i < ready; i++)
            take(load, events[i].data.ptr);
        int64_t now_ns = clock_ticks_ns();
        if (ready > 0)
            heard_ns = now_ns;
        else if (now_ns - heard_ns > QUEUE_WAIT_NS)
            errx(1, "no answer for %lld seconds", (long long)(QUEUE_WAIT_NS / 1000000000));
    }
}

/* ---- results ---- */

static int
by_size(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void
print_numbers(const char *name, struct kind *kind, int64_t took_ns)
{
    if (kind->answers == 0)
        errx(1, "%s: not one answer", name);
    qsort(kind->latencies, kind->answers, sizeof *kind->latencies, by_size);
    printf("%s %zu %lld %u %u %llu\n", name, kind->answers, (long long)(took_ns / 1000),
           kind->latencies[kind->answers / 2], kind->latencies[kind->answers * 99 / 100],
           (unsigned long long)kind->wrong);
}

/* Reads the arguments after SECONDS. */
static void
read_more_words(struct load *load, int count, char **words)
{
    if (count == 9 && strcmp(words[6], "every") == 0) {
        load->every = (size_t)number(words[7], 2, 1000000);
        read_requests(&load->others, words[8]);
    } else if (count == 7) {
        load->member = words[6];
    } else if (count != 6) {
        errx(2, "usage: load PORT CONNECTIONS STATUS FILE once|SECONDS [MEMBER|every COUNT FILE]");
    }
}

int
main(int count, char **words)
{
    struct load load = { .epoll = epoll_create1(EPOLL_CLOEXEC) };
    read_more_words(&load, count, words);
    uint16_t port = (uint16_t)number(words[1], 1, UINT16_MAX);
    size_t width = (size_t)number(words[2], 1, CONNECTIONS_MAX);
    bool once = strcmp(words[5], "once") == 0;
    load.status = (int)number(words[3], 100, 599);
    read_requests(&load.usual, words[4]);
    if (once && count > 6)
        errx(2, "once is the last word");
    if (load.member != NULL && load.usual.request_count != width)
        errx(2, "with MEMBER there must be one request for each connection");
    for (size_t i = 0; i < width; i++)
        open_connection(&load, &connections[i], port);
    int64_t began_ns = clock_ticks_ns();
    load.end_ns = once ? 0 : began_ns + number(words[5], 1, 3600) * INT64_C(1000000000);
    for (size_t i = 0; i < width; i++)
        ask(&load, &connections[i]);
    until_all_is_answered(&load);
    int64_t took_ns = clock_ticks_ns() - began_ns;
    print_numbers("NUMBERS", &load.usual, took_ns);
    if (load.every > 0)
        print_numbers("OTHERS", &load.others, took_ns);
    if (load.member != NULL)
        write_requests(&load.usual, words[4]);
    return 0;
}
