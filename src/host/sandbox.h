/* sandbox.h - confines this process to the files and system calls that a running service needs.
 *
 * Collect the paths with sandbox_allow(), then call sandbox_enter() once, in the first thread,
 * before other threads exist: they inherit the rules, and nothing lifts them again. From then on
 * the process cannot run a program, open other files (Landlock), or use other system calls
 * (seccomp). Files that are open already stay usable.
 *
 * Paths are not copied and must stay valid. Not for threads. */
#ifndef HOST_SANDBOX_H
#define HOST_SANDBOX_H

#include "base/err.h"
#include "base/str.h"

#define SANDBOX_PATHS_MAX 64

enum sandbox_right {
    SANDBOX_READ,          /* read a file, or every file of a folder and its subfolders */
    SANDBOX_WRITE,         /* also create, change, and delete files there */
    SANDBOX_REMOVE_FOLDER, /* delete empty subfolders, and nothing else */
};

struct sandbox {
    struct sandbox_path {
        const char *path;
        enum sandbox_right right;
    } paths[SANDBOX_PATHS_MAX];
    size_t count;
};

/* Adds the files that the C library and other libraries read: name resolution, certificates, time
 * zones. A file of /etc that is replaced later can no longer be read. */
void sandbox_allow_system(struct sandbox *sandbox);

/* A path that does not exist is left out by sandbox_enter(). NULL is ignored. */
void sandbox_allow(struct sandbox *sandbox, const char *path, enum sandbox_right right);

/* Whether the rules cover a file or folder, after symbolic links. True if it does not exist. */
bool sandbox_covers(const struct sandbox *sandbox, const char *path, enum sandbox_right right);

/* ERR_UNAVAILABLE: the kernel lacks a part; `why` says which, and the other part is in effect. */
enum err sandbox_enter(const struct sandbox *sandbox, struct why *why);

/* The second part of sandbox_enter(). ERR_UNAVAILABLE: no filter is in effect. */
enum err sandbox_filter_calls(struct why *why);

#endif
