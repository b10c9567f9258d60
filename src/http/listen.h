/* listen.h - the socket a server listens on: its own, or one handed over by systemd.
 *
 * Opened apart from the server, so that a program can know its address before it serves. */
#ifndef HTTP_LISTEN_H
#define HTTP_LISTEN_H

#include "base/err.h"
#include "http/address.h"

struct listener {
    int fd;
    char address[LISTEN_TEXT_MAX];
};

/* `setting` is what the address was given as. ERR_TAKEN: another process listens there. */
enum err listener_open(const char *setting, const char *address, struct listener *out,
                       struct why *why);
enum err listener_inherit(struct listener *out, struct why *why);

#endif
