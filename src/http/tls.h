/* tls.h - the certificate and its key, as texts that are known to belong together.
 *
 * Private to this room. */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include "base/err.h"

/* TLS 1.2 and 1.3, nothing older, in the order we prefer. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

struct tls_files {
    char *cert; /* PEM, ends in NUL */
    char *key;
};

/* `why` names the setting and the file. */
enum err tls_load(const char *cert_file, const char *key_file, struct tls_files *out,
                  struct why *why);

/* Overwrites the key. Fine on what was never loaded. */
void tls_files_free(struct tls_files *files);

#endif
