/* fork_server.c - starts the program of the tests by fork() instead of exec().
 *
 * usage: fork_server SOCKET
 *
 * Most tests start a service of their own. Starting the sanitized program takes 150 ms of CPU time,
 * most of it to load libraries, domain definitions, and pages, which are the same each time. This
 * process is the program (build/check/penchant.a) and loads them once. For each connection of
 * launch.c it forks a child, which runs main() of src/app/main.c with the arguments, environment,
 * working directory, and standard descriptors that launch.c sends. A child shares nothing with
 * other children.
 *
 * Only the built-in domain definitions and the pages are loaded in advance: the linker redirects
 * their loading functions to the __wrap_ functions below (--wrap). All else happens in the child.
 *
 * It has one thread, ends a child whose launch.c has exited, and runs until it is killed; its
 * children are killed with it. */
#include "base/arena.h"
#include "config/definitions.h"
#include "domain/domain.h"
#include "model/scope.h"
#include "web/language.h"

#include <errno.h>
#include <poll.h>
#include <sanitizer/lsan_interface.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN_MAX 1024
#define REQUEST_MAX (256 * 1024)
#define WORDS_MAX 4096

extern char **environ;
int penchant_main(int argc, char **argv); /* main() of src/app/main.c */

/* ---- what is loaded in advance ---- */

static struct arena *kept; /* never freed */
static struct domains built_in;
static struct languages languages;
static bool is_loading;

enum err __real_definitions_load(struct arena *mem, const char *folder, const char *off,
                                 struct domains *out, struct why *why);
enum err __wrap_definitions_load(struct arena *mem, const char *folder, const char *off,
                                 struct domains *out, struct why *why);
enum err __wrap_languages_load(struct arena *mem, struct languages *out, struct why *why);
enum err __real_languages_load(struct arena *mem, struct languages *out, struct why *why);
void __wrap_languages_free(struct languages *freed);

enum err
__wrap_definitions_load(struct arena *mem, const char *folder, const char *off, struct domains *out,
                        struct why *why)
{
    if (folder != NULL || off != NULL)
        return __real_definitions_load(mem, folder, off, out, why);
    *out = built_in;
    return ERR_NONE;
}

enum err
__wrap_languages_load(struct arena *mem, struct languages *out, struct why *why)
{
    (void)mem;
    (void)why;
    *out = languages;
    return ERR_NONE;
}

/* They stay loaded: a restart in place loads them again. */
void
__wrap_languages_free(struct languages *freed)
{
    (void)freed;
}

/* What is loaded comes from memory that the leak check of a child does not know: searching it took
 * half of the CPU time of a start. Nothing in it points to memory that a child allocates. */
#define LOADED_MAX ((size_t)256 * 1024 * 1024) /* of addresses; only used pages take memory */

static char *loaded, *loaded_end;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);

void *
__wrap_calloc(size_t count, size_t size)
{
    if (!is_loading)
        return __real_calloc(count, size);
    char *memory = loaded_end;
    loaded_end += (count * size + 63) / 64 * 64;
    return loaded_end <= loaded + LOADED_MAX ? memory : NULL;
}

void
__wrap_free(void *memory)
{
    if ((char *)memory < loaded || (char *)memory >= loaded_end)
        __real_free(memory);
}

static void
load(void)
{
    struct why why = { 0 };
    loaded = loaded_end = mmap(NULL, LOADED_MAX, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    is_loading = true;
    kept = arena_new();
    if (__real_definitions_load(kept, NULL, NULL, &built_in, &why) ||
        __real_languages_load(kept, &languages, &why)) {
        fprintf(stderr, "fork_server: %s\n", why.text);
        exit(2);
    }
    is_loading = false;
}

static void
fail(const char *what)
{
    fprintf(stderr, "fork_server: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---- in the child ---- */

/* The standard descriptors come with the first byte. Returns the length of the request. */
static size_t
receive(int connection, char *request)
{
    union {
        char bytes[CMSG_SPACE(3 * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec part = { request, REQUEST_MAX };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    ssize_t length = recvmsg(connection, &message, 0);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (length <= 0 || head == NULL || head->cmsg_len != CMSG_LEN(3 * sizeof(int)))
        fail("receiving a request");
    int given[3];
    memcpy(given, CMSG_DATA(head), sizeof given);
    for (int fd = 0; fd < 3; fd++)
        if (dup2(given[fd], fd) < 0)
            fail("dup2");
    return (size_t)length;
}

/* Cuts a list of strings from *at; an empty string ends it. Words of a list start with a dot, so
 * that none is empty. Returns their number. */
static int
cut_list(char **at, char *list[WORDS_MAX + 1])
{
    int count = 0;
    for (; count < WORDS_MAX && **at != '\0'; count++) {
        list[count] = *at + 1;
        *at += strlen(*at) + 1;
    }
    (*at)++;
    return count;
}

/* ---- the end of the child ---- */

/* The leak check takes longer than most commands. A command that has already been checked this many
 * times with the same words, options, and status is not checked again; a service always is. */
#define CHECKS_ENOUGH 8
#define COMMANDS_MAX 4096

static atomic_uchar *checks; /* by hash of the command; shared by all children */
static uint32_t command_hash;

static void
hash_word(const char *word)
{
    for (; *word != '\0'; word++)
        command_hash = (command_hash ^ (unsigned char)*word) * 16777619;
}

/* Of the two words of the command and its options, without their values. */
static void
hash_command(char **arguments, int count)
{
    for (int i = 1; i < count; i++)
        if (i <= 2 || strncmp(arguments[i], "--", 2) == 0)
            hash_word(arguments[i]);
}

/* Ends the process without running destructors: those of AddressSanitizer write to the memory of
 * all global variables, which the child shares with the fork server until then. */
static void
finish(int status, void *is_service)
{
    atomic_uchar *count = &checks[(command_hash ^ (uint32_t)status) % COMMANDS_MAX];
    fflush(NULL);
    if (is_service != NULL || atomic_load(count) < CHECKS_ENOUGH) {
        atomic_fetch_add(count, is_service == NULL);
        __lsan_do_leak_check();
    }
    _exit(status);
}

static _Noreturn void
run_child(int connection)
{
    static char request[REQUEST_MAX + 2];
    static char *arguments[WORDS_MAX + 1], *variables[WORDS_MAX + 1];
    pid_t self = getpid();
    char go;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);

    receive(connection, request);
    char *at = request;
    int count = cut_list(&at, arguments);
    cut_list(&at, variables);
    environ = variables;
    if (chdir(at) != 0)
        fail(at);
    if (write(connection, &self, sizeof self) != sizeof self || read(connection, &go, 1) != 1)
        fail("waiting for launch");
    close_range(STDERR_FILENO + 1, ~0U, 0);
    hash_command(arguments, count);
    on_exit(finish, count > 1 && strcmp(arguments[1], "serve") == 0 ? arguments : NULL);
    exit(penchant_main(count, arguments));
}

/* ---- in the server ---- */

static struct {
    pid_t pid;
    int connection;
} children[CHILDREN_MAX];

static struct pollfd polled[2 + CHILDREN_MAX]; /* the socket, the signals, the connections */
static nfds_t child_count;

static void
accept_one(void)
{
    int connection = accept(polled[0].fd, NULL, NULL);
    if (connection < 0 || child_count == CHILDREN_MAX)
        fail("accept");
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0)
        run_child(connection);
    children[child_count].pid = pid;
    children[child_count].connection = connection;
    polled[2 + child_count++] = (struct pollfd){ .fd = connection };
}

/* Sends the wait status of each child that has exited. */
static void
reap(void)
{
    struct signalfd_siginfo ignored;
    int status;
    pid_t pid;
    if (read(polled[1].fd, &ignored, sizeof ignored) < 0)
        fail("signalfd");
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (nfds_t i = 0; i < child_count; i++) {
            if (children[i].pid != pid)
                continue;
            send(children[i].connection, &status, sizeof status, MSG_NOSIGNAL);
            close(children[i].connection);
            children[i] = children[--child_count];
            polled[2 + i] = polled[2 + child_count];
            break;
        }
}

int
main(int argc, char **argv)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    sigset_t child;
    if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) {
        fprintf(stderr, "usage: fork_server SOCKET\n");
        return 2;
    }
    memcpy(address.sun_path, argv[1], strlen(argv[1]));
    load();
    checks = mmap(NULL, COMMANDS_MAX * sizeof *checks, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    polled[0] = (struct pollfd){ socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), POLLIN, 0 };
    polled[1] = (struct pollfd){ signalfd(-1, &child, SFD_CLOEXEC), POLLIN, 0 };
    if (polled[0].fd < 0 || polled[1].fd < 0 ||
        bind(polled[0].fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(polled[0].fd, 128) != 0)
        fail(argv[1]);
    for (;;) {
        if (poll(polled, 2 + child_count, -1) < 0)
            fail("poll");
        for (nfds_t i = 0; i < child_count; i++) /* launch has exited */
            if (polled[2 + i].revents != 0) {
                kill(children[i].pid, SIGKILL);
                polled[2 + i].fd = -1; /* until it is reaped */
            }
        if (polled[1].revents != 0)
            reap();
        if (polled[0].revents != 0)
            accept_one();
    }
}
