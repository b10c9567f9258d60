#include "command/control.h"

#include "command/control_socket.h"
#include "base/buf.h"
#include "text/json_read.h"
#include "text/json_write.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESPONSE_LINE_MAX ((size_t)16 * 1024 * 1024) /* above LINE_MAX_BYTES of control.c */

/* Absent: the request is longer than the service accepts. */
static struct str
write_request(struct arena *mem, const struct str *words, size_t count, struct str input)
{
    struct buf out = buf_in(mem, CONTROL_REQUEST_MAX);
    struct json json = json_into(&out);
    json_open_object(&json);
    json_key_array(&json, "args");
    for (size_t i = 0; i < count; i++)
        json_str(&json, words[i]);
    json_close_array(&json);
    if (str_present(input))
        json_put_str(&json, "stdin", input);
    json_close_object(&json);
    buf_add_char(&out, '\n');
    return out.overflow ? STR_NONE : buf_str(&out);
}

/* Prints one response line. True for the last line, which has the exit status. */
static bool
print_line(struct arena *mem, struct str line, struct console *console, int *exit_status)
{
    const struct json_value *message = NULL;
    if (json_read(mem, line, 4, &message, NULL))
        return false;
    const struct json_value *out = json_member(message, "out");
    const struct json_value *err = json_member(message, "err");
    const struct json_value *progress = json_member(message, "progress");
    const struct json_value *last = json_member(message, "exit");
    if (out != NULL)
        console->out(console, out->text);
    if (err != NULL)
        console->err(console, err->text);
    if (progress != NULL)
        console->progress(console, (int)progress->integer);
    if (last != NULL)
        *exit_status = (int)last->integer;
    return last != NULL;
}

/* True if the listener runs as this user, as root, or as the owner of the store. Anyone who can
 * write to the folder could have put another socket there, and commands contain passwords. */
static bool
listener_is_trusted(struct arena *mem, int fd, const char *path)
{
    struct ucred peer = { 0 };
    socklen_t size = sizeof peer;
    struct stat store;
    struct str file = str_first(str_of(path), strlen(path) - strlen(".sock"));
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return false;
    return peer.uid == 0 || peer.uid == geteuid() ||
           (stat(str_c(mem, file), &store) == 0 && peer.uid == store.st_uid);
}

/* The listener is checked before anything is sent: words and input may contain a password. */
enum err
control_send(const char *path, struct arena *mem, const struct str *words, size_t count,
             struct str input, struct console *console, int *exit_status, struct why *why)
{
    struct str request = write_request(mem, words, count, input);
    if (!str_present(request)) {
        why_set(why, "the command is too long to send to the service");
        return ERR_TOO_LARGE;
    }
    int fd = control_socket_connect(path);
    if (fd < 0 && errno == EAGAIN) {
        why_set(why,
                "the service has not responded for %d seconds; nothing was sent to it; see its log",
                CONTROL_SILENCE_MS / 1000);
        return ERR_UNAVAILABLE;
    }
    if (fd < 0) {
        why_set(why, "the store is in use, and its service cannot be reached on %s: %s", path,
                strerror(errno));
        return ERR_UNAVAILABLE;
    }
    if (!listener_is_trusted(mem, fd, path)) {
        close(fd);
        why_set(why,
                "%s belongs to another user's process, so nothing was sent to it; stop that "
                "process and restart the service",
                path);
        return ERR_UNAVAILABLE;
    }
    /* Without the last line, the outcome is unknown: the service may have been killed after the
     * commit. */
    struct control_reader reader = { .fd = fd,
                                     .max = RESPONSE_LINE_MAX,
                                     .silence_ms = CONTROL_SILENCE_MS };
    struct str line;
    bool ended = false, sent = control_write(fd, request);
    bool silent = !sent && errno == EAGAIN;
    while (sent && !ended && str_present(line = control_read_line(mem, &reader)))
        ended = print_line(mem, line, console, exit_status);
    close(fd);
    if (ended)
        return ERR_NONE;
    if (silent || reader.silent)
        why_set(why,
                "the service has not responded for %d seconds, so the outcome is unknown; see its "
                "log, and check whether the command took effect",
                CONTROL_SILENCE_MS / 1000);
    else
        why_set(why,
                "the service stopped before it responded; check whether the command took effect");
    return ERR_UNAVAILABLE;
}
