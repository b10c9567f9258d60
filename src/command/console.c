/* console.c - standard output, errors, progress on a terminal, and passwords without echo. */
#include "command/console.h"

#include "base/arena.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#define CAPTURE_MAX ((size_t)1024 * 1024) /* a page of accounts, or the result of one import */

/* Standard error has a line of progress without a line break. It is erased before other output. */
static bool progress_shown;

static void
end_progress(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
}

static void
standard_out(struct console *console, struct str text)
{
    (void)console;
    end_progress();
    fwrite(text.ptr, 1, text.len, stdout);
}

static void
standard_err(struct console *console, struct str text)
{
    (void)console;
    end_progress();
    fflush(stdout); /* keeps the order if both go to one terminal */
    fwrite(text.ptr, 1, text.len, stderr);
}

/* Only on a terminal, where the line is overwritten. */
static void
standard_progress(struct console *console, int percent)
{
    (void)console;
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%3d %%", percent);
    fflush(stderr);
    progress_shown = true;
}

struct console *
console_standard(void)
{
    static struct console standard = { standard_out, standard_err, standard_progress };
    return &standard;
}

__attribute__((format(printf, 3, 0))) static void
print_to(struct console *console, void (*write)(struct console *, struct str), const char *format,
         va_list args)
{
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    if (length < 0)
        return;
    write(console, (struct str){ text, (size_t)length });
    free(text);
}

void
console_print(struct console *console, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_to(console, console->out, format, args);
    va_end(args);
}

void
console_error(struct console *console, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_to(console, console->err, format, args);
    va_end(args);
}

/* ---- secrets ---- */

/* The signals with which users and shells end a command. */
static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define END_SIGNALS (sizeof end_signals / sizeof end_signals[0])

/* The settings of the terminal before echo was turned off, and what each signal did. */
static struct termios visible;
static struct sigaction actions[END_SIGNALS];

/* Only functions that a signal handler may call. SA_RESETHAND has set the default action again. */
static void
restore_echo_and_end(int number)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &visible);
    tcflush(STDIN_FILENO, TCIFLUSH); /* the shell must not read half a password as a command */
    raise(number);
}

/* SIGTTOU is blocked in the handler: it would stop a command in the background there. A signal that
 * is ignored, as with nohup, stays ignored. */
static void
catch_end_signals(void)
{
    struct sigaction caught = { .sa_handler = restore_echo_and_end, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&caught.sa_mask);
    sigaddset(&caught.sa_mask, SIGTTOU);
    for (size_t i = 0; i < END_SIGNALS; i++)
        if (sigaction(end_signals[i], NULL, &actions[i]) == 0 && actions[i].sa_handler != SIG_IGN)
            sigaction(end_signals[i], &caught, NULL);
}

static void
release_end_signals(void)
{
    for (size_t i = 0; i < END_SIGNALS; i++)
        sigaction(end_signals[i], &actions[i], NULL);
}

/* False: standard input is no terminal that can be changed, so there is nothing to restore. */
static bool
disable_echo(void)
{
    struct termios hidden;
    if (tcgetattr(STDIN_FILENO, &visible) != 0)
        return false;
    catch_end_signals();
    hidden = visible;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0)
        return true;
    release_end_signals();
    return false;
}

static void
enable_echo(void)
{
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &visible);
    release_end_signals();
    fputc('\n', stderr);
}

/* At most `max` bytes: one byte more is read to notice that there are more, and is an error, since
 * a secret that is cut silently would be another one. */
static enum err
read_input(struct arena *mem, size_t max, bool one_line, struct str *out)
{
    char *text = arena_alloc(mem, max + 2); /* a line break, and one byte to notice too many */
    size_t length = 0;
    while (length < max + 2) {
        ssize_t got = read(STDIN_FILENO, text + length, max + 2 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
        if (one_line && text[length - 1] == '\n')
            break;
    }
    if (length > 0 && text[length - 1] == '\n')
        length--;
    if (length > max)
        return ERR_TOO_LARGE;
    *out = (struct str){ text, length };
    return ERR_NONE;
}

/* The prompt goes to standard error, because standard output may be a pipe. The terminal echoes
 * nothing; its settings are restored also after an error, and when a signal ends the command. */
enum err
console_read_secret(struct arena *mem, const char *prompt, size_t max, struct str *out)
{
    /* From a pipe, all of the input is the secret, also its inner line breaks. */
    if (!isatty(STDIN_FILENO))
        return read_input(mem, max, false, out);
    fputs(prompt, stderr);
    fflush(stderr);
    bool hidden = disable_echo();
    enum err err = read_input(mem, max, true, out);
    if (hidden)
        enable_echo();
    return err;
}

/* ---- capture ---- */

/* Passes output on if the capture has another console, and keeps it otherwise. */
static void
capture_out(struct console *console, struct str text)
{
    struct console_capture *capture = (struct console_capture *)console;
    if (capture->pass_on != NULL)
        capture->pass_on->out(capture->pass_on, text);
    else
        buf_add(&capture->out, text);
}

static void
capture_err(struct console *console, struct str text)
{
    buf_add(&((struct console_capture *)console)->err, text);
}

static void
ignore_progress(struct console *console, int percent)
{
    (void)console;
    (void)percent;
}

struct console_capture
console_capture(struct arena *mem, struct console *pass_on)
{
    return (struct console_capture){ { capture_out, capture_err, ignore_progress },
                                     pass_on,
                                     buf_in(mem, CAPTURE_MAX),
                                     buf_in(mem, CAPTURE_MAX) };
}
