/* listen.h - the listening socket of a server: opened here or inherited from systemd.
 *
 * Opened separately from the server, so that the program knows its address before it serves. The
 * caller owns the descriptor until it passes the listener to http_server_start(). Call from the
 * main thread. */
#ifndef HTTP_LISTEN_H
#define HTTP_LISTEN_H

#include "base/err.h"
#include "http/address.h"

struct listener {
    int fd;
    char address[LISTEN_TEXT_MAX];
};

/* NULL if valid, else the problem, as the end of a sentence. */
const char *http_listen_problem(const char *listen);

/* Whether systemd passed a socket to this process. */
bool http_socket_inherited(void);

/* `setting` names the setting that holds the address, for `why`. ERR_TAKEN: another process listens
 * on this address. */
enum err listener_open(const char *setting, const char *address, struct listener *out,
                       struct why *why);
enum err listener_inherit(struct listener *out, struct why *why);

#endif
