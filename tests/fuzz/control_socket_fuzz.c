/* Any bytes on the control socket of a running service. A complete line gets lines of JSON, the
 * last of them with the exit status; anything else is closed without one. */
#include "fuzz_store.h"

#include "command/control.h"
#include "command/control_socket.h"
#include "base/workers.h"
#include "crypt/password.h"
#include "text/json_read.h"

#include <string.h>
#include <sys/socket.h>

static struct str path;

/* ---- replacements: hashing is slow, and a backup may write any file ---- */

struct str
password_hash(struct arena *mem, struct str password)
{
    return str_copy(mem, password.len > 0 ? STR("$fuzz") : STR_NONE);
}

enum err
db_backup(const char *address, const char *file, void (*progress)(void *context, int percent),
          void *context, struct why *why)
{
    (void)address;
    (void)progress;
    (void)context;
    why_set(why, "%s is not written", file);
    return ERR_UNAVAILABLE;
}

static void
begin(void)
{
    static struct control *control;
    static struct arena *mem;
    static struct settings settings;
    struct why why = { 0 };
    if (control != NULL)
        return;
    mem = arena_new();
    settings.store = open_store();
    add_user(mem, "ada");
    path = str_format(mem, "%s/store.db.sock", folder);
    struct control_settings with = { &settings, kit_domains(), db,
                                     workers_start("control", 1, 8, 0) };
    MUST(control_start(path.ptr, &with, &control, &why) == ERR_NONE);
}

static void
check_line(struct arena *mem, struct str line, bool *exited)
{
    const struct json_value *value = NULL;
    MUST(!*exited); /* the exit status is the last line */
    MUST(json_read(mem, line, 2, &value, NULL) == ERR_NONE && value->type == JSON_OBJECT);
    *exited = json_member(value, "exit") != NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    struct arena *mem = arena_new();
    bool complete = size > 0 && memchr(data, '\n', size) != NULL, exited = false;
    int fd = control_socket_connect(path.ptr);
    MUST(fd >= 0);
    control_write(fd, (struct str){ size == 0 ? "" : (const char *)data, size });
    shutdown(fd, SHUT_WR);
    struct control_reader reader = { .fd = fd, .max = (size_t)16 * 1024 * 1024 };
    struct str line;
    while (line = control_read_line(mem, &reader), str_present(line))
        check_line(mem, line, &exited);
    MUST(exited == complete);
    close(fd);
    arena_free(mem);
    return 0;
}
