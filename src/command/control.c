/* control.c - the service's end of the control socket. One thread accepts connections and reads
 * requests; a complete one is passed to a worker, which then owns the connection. */
#include "command/control.h"

#include "command/control_socket.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fault_injection.h"
#include "base/log.h"
#include "base/workers.h"
#include "host/sandbox_probe.h"
#include "text/json_read.h"
#include "text/json_write.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 64
#define REQUEST_TIMEOUT_MS 10000 /* from accept to a complete request */
/* The precision of REQUEST_TIMEOUT_MS, and the pause after a failed accept. */
#define POLL_MS 200
#define ALIVE_MS FAULT_INJECTION_INTERVAL(5000) /* far below CONTROL_SILENCE_MS */
#define CONNECTIONS_MAX 256
#define CHUNK_BYTES ((size_t)1024 * 1024)
#define LINE_MAX_BYTES (8 * CHUNK_BYTES) /* a byte takes at most 6 in a JSON string */

struct connection;

/* The listening socket, and connections whose request has not arrived completely. */
struct control {
    int fd;
    int stop_fd;
    char *path;
    pthread_t thread;
    bool drains; /* the thread is drain_thread() */
    struct control_settings with;
    /* Only the thread uses these three. */
    struct connection *waiting[CONNECTIONS_MAX]; /* accepted, request not complete yet */
    size_t waiting_count;
    int64_t alive_at;           /* when send_alive() is due */
    _Atomic size_t submitted;   /* to the workers, and not ended yet */
    pthread_mutex_t lock;       /* protects the list */
    struct connection *running; /* and queued ones */
};

/* Belongs to control_thread() until the request is complete, then to the worker that runs it. */
struct connection {
    struct control *control;
    int fd;
    struct arena *mem;
    struct control_reader reader;
    size_t line_length;
    int64_t deadline_ms;
    pthread_mutex_t sending; /* a line */
    struct connection *next; /* in the list of running and queued ones */
};

/* A console whose other end is the socket. */
struct remote_console {
    /* First, because its functions cast the console to this struct. */
    struct console console;
    struct connection *connection;
};

/* ---- output ---- */

/* One JSON object per line, either with a text or with a number (the exit status). */
static void
send_line(struct remote_console *remote, const char *key, struct str text, int64_t number)
{
    struct connection *connection = remote->connection;
    struct buf out = buf_in(connection->mem, LINE_MAX_BYTES);
    struct json json = json_into(&out);
    json_open_object(&json);
    if (str_present(text))
        json_put_str(&json, key, text);
    else
        json_put_int(&json, key, number);
    json_close_object(&json);
    buf_add_char(&out, '\n');
    /* A client that has disconnected does not stop its command, so a write is never half done for
     * that reason. */
    pthread_mutex_lock(&connection->sending);
    control_write(connection->fd, buf_str(&out));
    pthread_mutex_unlock(&connection->sending);
}

/* Splits large output between characters, since each piece is sent as a JSON string. */
static void
remote_out(struct console *console, struct str text)
{
    while (text.len > CHUNK_BYTES) {
        size_t chunk = CHUNK_BYTES;
        while (chunk > 1 && ((unsigned char)text.ptr[chunk] & 0xc0) == 0x80)
            chunk--;
        send_line((struct remote_console *)console, "out", str_first(text, chunk), 0);
        text = str_from(text, chunk);
    }
    send_line((struct remote_console *)console, "out", text, 0);
}

static void
remote_err(struct console *console, struct str text)
{
    send_line((struct remote_console *)console, "err", text, 0);
}

static void
remote_progress(struct console *console, int percent)
{
    send_line((struct remote_console *)console, "progress", STR_NONE, percent);
}

/* ---- one request ---- */

/* Everything is checked before the command is parsed, since any process of the same user can
 * connect. */
enum err
control_read_request(struct arena *mem, struct str line, struct str *words, size_t words_max,
                     size_t *count, struct str *input, struct why *why)
{
    const struct json_value *request = NULL;
    enum err err = json_read(mem, line, 4, &request, why);
    if (err)
        return err;
    const struct json_value *args = json_member(request, "args");
    const struct json_value *stdin_text = json_member(request, "stdin");
    bool fits = args != NULL && args->type == JSON_ARRAY && args->count <= words_max &&
                (stdin_text == NULL || stdin_text->type == JSON_STR);
    for (size_t i = 0; fits && i < args->count; i++) {
        fits = args->children[i].type == JSON_STR;
        words[i] = args->children[i].text;
    }
    if (!fits) {
        why_set(why, "a request must be an object with args, an array of strings, and optionally "
                     "stdin, a string");
        return ERR_INVALID;
    }
    *count = args->count;
    *input = stdin_text == NULL ? STR_NONE : stdin_text->text;
    return ERR_NONE;
}

/* Runs on a worker thread, with the database and the settings of the service. Only commands on the
 * store are allowed; others, such as `serve`, would act on the process itself. */
static int
run_request(struct control *control, struct remote_console *remote, struct str line)
{
    struct arena *mem = remote->connection->mem;
    struct str words[WORDS_MAX];
    struct str input = STR_NONE;
    size_t count = 0;
    struct why why = { 0 }, probed = { 0 };
    struct command_line *parsed = ARENA_NEW(mem, struct command_line);
    enum err err = control_read_request(mem, line, words, WORDS_MAX, &count, &input, &why);
    if (!err && sandbox_probe(words, count, &probed)) { /* tests only */
        console_print(&remote->console, "%s", probed.text);
        return 0;
    }
    if (!err)
        err = command_parse(mem, words, count, parsed, &why);
    enum command_mode mode = err ? COMMAND_WITHOUT_STORE : command_mode(&parsed->call);
    bool on_store = !err && (mode == COMMAND_ON_STORE || mode == COMMAND_IN_STEPS);
    /* Settings in a request are rejected: the service runs with its own, and --store could name
     * another store. */
    if (!err && (!on_store || parsed->flag_count > 0)) {
        why_set(&why, "this command cannot run inside the running service");
        err = ERR_INVALID;
    }
    if (err) {
        console_error(&remote->console, "penchant: %s\n", why.text);
        return 2;
    }
    struct command_call *call = &parsed->call;
    call->console = &remote->console;
    call->settings = control->with.settings;
    call->domains = control->with.domains;
    call->db = control->with.db;
    call->input = command_wants_input(call) ? input : STR_NONE;
    log_info("command", log_text("command", str_of(parsed->command->words)));
    return parsed->command->run(call);
}

static void
close_connection(struct connection *connection)
{
    close(connection->fd);
    pthread_mutex_destroy(&connection->sending);
    arena_free(connection->mem);
    free(connection);
}

/* The same user or root, in addition to the permissions of the socket. */
static bool
peer_is_allowed(int fd)
{
    struct ucred peer = { 0 };
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return false;
    return peer.uid == geteuid() || peer.uid == 0;
}

static void
list_running(struct connection *connection)
{
    struct control *control = connection->control;
    control->submitted++;
    pthread_mutex_lock(&control->lock);
    connection->next = control->running;
    control->running = connection;
    pthread_mutex_unlock(&control->lock);
}

static void
unlist_running(struct connection *connection)
{
    struct control *control = connection->control;
    struct connection **at = &control->running;
    pthread_mutex_lock(&control->lock);
    while (*at != connection)
        at = &(*at)->next;
    *at = connection->next;
    pthread_mutex_unlock(&control->lock);
    control->submitted--;
}

/* Runs on a worker. The request is complete, so a slow client cannot block the worker. */
static void
serve_connection(void *argument)
{
    struct connection *connection = argument;
    struct timeval send_timeout = { .tv_sec = REQUEST_TIMEOUT_MS / 1000 };
    /* A client that does not read, such as a stopped pager, would keep the worker. */
    setsockopt(connection->fd, SOL_SOCKET, SO_SNDTIMEO, &send_timeout, sizeof send_timeout);
    struct remote_console remote = { { remote_out, remote_err, remote_progress }, connection };
    struct str line = { connection->reader.bytes, connection->line_length };
    send_line(&remote, "exit", STR_NONE, run_request(connection->control, &remote, line));
    unlist_running(connection);
    close_connection(connection);
}

/* The response is in the form of a command's, so the client prints it. */
static void
reject_connection(struct connection *connection)
{
    struct remote_console remote = { { remote_out, remote_err, remote_progress }, connection };
    console_error(&remote.console, "penchant: the service is overloaded; try again\n");
    send_line(&remote, "exit", STR_NONE, 1);
    close_connection(connection);
}

/* ---- one thread accepts connections and reads their requests ---- */

/* False: it failed, usually because no descriptor is free. */
static bool
accept_connection(struct control *control)
{
    int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return false;
    if (!peer_is_allowed(fd)) {
        log_warn("control_peer_rejected");
        close(fd);
        return true;
    }
    struct connection *connection = memory_alloc(1, sizeof *connection);
    connection->control = control;
    connection->fd = fd;
    connection->mem = arena_new();
    pthread_mutex_init(&connection->sending, NULL);
    connection->reader = (struct control_reader){ .fd = fd, .max = CONTROL_REQUEST_MAX };
    connection->deadline_ms = clock_steady_ms() + REQUEST_TIMEOUT_MS;
    control->waiting[control->waiting_count++] = connection;
    return true;
}

/* Reads available bytes. True: the connection was passed to a worker or closed. */
static bool
read_connection(struct control *control, struct connection *connection)
{
    switch (control_read_some(connection->mem, &connection->reader, &connection->line_length)) {
    case CONTROL_MORE:
        return false;
    case CONTROL_CLOSED:
        close_connection(connection);
        return true;
    case CONTROL_LINE:
        break;
    }
    list_running(connection); /* first, because a worker may end it at once */
    if (!workers_submit(control->with.workers, serve_connection, connection)) {
        unlist_running(connection);
        reject_connection(connection);
    }
    return true;
}

/* Connections whose request is complete are removed from the list by read_connection(); those that
 * are too slow are closed, so that they cannot fill the table. */
static void
read_connections(struct control *control, const struct pollfd *fds, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < control->waiting_count; i++) {
        struct connection *connection = control->waiting[i];
        bool is_ready = i < count && fds[i].revents != 0;
        if (is_ready && read_connection(control, connection))
            continue;
        if (clock_steady_ms() >= connection->deadline_ms) {
            close_connection(connection);
            continue;
        }
        control->waiting[kept++] = connection;
    }
    control->waiting_count = kept;
}

/* Sends {} to clients of queued and running commands. Never blocks: skips a client while a worker
 * writes to it. */
static void
send_alive(struct control *control)
{
    if (clock_steady_ms() < control->alive_at)
        return;
    control->alive_at = clock_steady_ms() + ALIVE_MS;
    pthread_mutex_lock(&control->lock);
    for (struct connection *connection = control->running; connection != NULL;
         connection = connection->next) {
        if (pthread_mutex_trylock(&connection->sending) != 0)
            continue;
        send(connection->fd, "{}\n", 3, MSG_NOSIGNAL | MSG_DONTWAIT); /* all of it, or nothing */
        pthread_mutex_unlock(&connection->sending);
    }
    pthread_mutex_unlock(&control->lock);
}

/* One thread reads the requests of all connections; commands run on workers (serve_connection()).
 */
static void *
control_thread(void *argument)
{
    struct control *control = argument;
    struct pollfd fds[CONNECTIONS_MAX + 2];
    bool pause = false; /* after a failed accept: poll() would return at once again */
    for (;;) {
        size_t count = control->waiting_count;
        for (size_t i = 0; i < count; i++)
            fds[i] = (struct pollfd){ control->waiting[i]->fd, POLLIN, 0 };
        /* When the table is full, new connections wait in the listen backlog. */
        fds[count] =
            (struct pollfd){ count < CONNECTIONS_MAX && !pause ? control->fd : -1, POLLIN, 0 };
        fds[count + 1] = (struct pollfd){ control->stop_fd, POLLIN, 0 };
        /* After EINTR all revents are 0, so that this round only looks for deadlines. */
        int wait_ms = count > 0 || pause ? POLL_MS : control->submitted > 0 ? ALIVE_MS : -1;
        if (poll(fds, count + 2, wait_ms) < 0 && errno != EINTR) {
            log_error("control_stopped", log_text("reason", str_of(strerror(errno))));
            break;
        }
        if (fds[count + 1].revents != 0)
            break;
        send_alive(control);
        read_connections(control, fds, count);
        pause = fds[count].revents != 0 && !accept_connection(control);
    }
    for (size_t i = 0; i < control->waiting_count; i++)
        close_connection(control->waiting[i]);
    return NULL;
}

/* Also when control_start() has failed halfway. */
static void
close_control(struct control *control)
{
    if (control->fd >= 0) {
        unlink(control->path); /* the store is locked, so no other service uses the path */
        close(control->fd);
    }
    if (control->stop_fd >= 0)
        close(control->stop_fd);
    control_free(control);
}

/* The thread starts last, so that everything it reads exists. */
enum err
control_start(const char *path, const struct control_settings *settings, struct control **out,
              struct why *why)
{
    struct control *control = memory_alloc(1, sizeof *control);
    control->with = *settings;
    control->fd = control_socket_bind(path);
    control->stop_fd = eventfd(0, EFD_CLOEXEC);
    control->path = strdup(path);
    pthread_mutex_init(&control->lock, NULL);
    if (control->fd < 0 || control->stop_fd < 0) {
        why_set(why, "cannot listen on %s: %s", path, strerror(errno));
        close_control(control);
        return ERR_UNAVAILABLE;
    }
    if (pthread_create(&control->thread, NULL, control_thread, control) != 0) {
        why_set(why, "cannot start a thread");
        close_control(control);
        return ERR_UNAVAILABLE;
    }
    *out = control;
    return ERR_NONE;
}

/* For clients of commands that still run on the workers. */
static void *
drain_thread(void *argument)
{
    struct control *control = argument;
    while (control->submitted > 0) {
        send_alive(control);
        nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000 }, NULL);
    }
    return NULL;
}

void
control_stop(struct control *control)
{
    if (control == NULL)
        return;
    eventfd_write(control->stop_fd, 1);
    pthread_join(control->thread, NULL);
    control->drains = control->submitted > 0 &&
                      pthread_create(&control->thread, NULL, drain_thread, control) == 0;
    unlink(control->path); /* the store is still locked, so no other service uses the path */
    close(control->fd);
    close(control->stop_fd);
}

void
control_free(struct control *control)
{
    if (control == NULL)
        return;
    if (control->drains)
        pthread_join(control->thread, NULL);
    pthread_mutex_destroy(&control->lock);
    free(control->path);
    free(control);
}
