/* tls.h - loads the TLS certificate and its private key and checks that they match.
 *
 * Private to http. The caller frees what is loaded or made. Any thread may call these functions. */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include "base/err.h"

#include <stdint.h>

/* Only TLS 1.2 and 1.3, in server order, with forward secrecy and authenticated encryption: neither
 * static RSA nor CBC. X25519 is the first group because clients send a key share for it: a server
 * that prefers another group asks for a second ClientHello (RFC 8446, section 4.1.4). Finite-field
 * groups are left out: they cost many times more. */
#define TLS_PRIORITIES                                                                        \
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-CIPHER-ALL:" \
    "+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD:-GROUP-ALL:+GROUP-X25519:"   \
    "+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-SECP521R1:%SERVER_PRECEDENCE"

struct tls_files {
    char *cert; /* PEM, ends in NUL */
    char *key;
    int64_t expires_at; /* the first certificate of the chain; 0: unknown */
};

/* Release the result with tls_files_free(). `why` has the setting and the file. */
enum err tls_load(const char *cert_file, const char *key_file, struct tls_files *out,
                  struct why *why);

/* Wipes and frees both. Does nothing for files that were never loaded. */
void tls_files_free(struct tls_files *files);

/* Session resumption: a client that returns gets a short handshake, with a ticket that only this
 * process can read. The library changes the key of tickets every few hours. NULL: not possible. */
struct tls_tickets;
struct tls_tickets *tls_tickets_new(void);
void tls_tickets_free(struct tls_tickets *tickets); /* NULL is allowed */

/* `session` is a gnutls_session_t before its handshake. */
void tls_tickets_enable(const struct tls_tickets *tickets, void *session);

#endif
