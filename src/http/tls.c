/* tls.c - reads the PEM files and checks them before the server starts.
 *
 * The key is kept in memory as short as possible and wiped wherever it is freed: the library loads
 * its own copy when it starts. */
#include "http/tls.h"

#include "base/arena.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PEM_MAX ((size_t)1024 * 1024)

/* Only the rights of other users count, not those of the group, and only of regular files. */
static bool
others_may_read(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) != 0 ||
           (S_ISREG(status.st_mode) && (status.st_mode & S_IRWXO) != 0);
}

/* The result has PEM_MAX + 1 bytes and is zeroed after the text, so it ends in NUL. */
static enum err
load_pem(const char *setting, const char *path, bool secret, char **out, struct why *why)
{
    if (path == NULL) {
        why_set(why, "%s: is missing; TLS needs both tls-cert and tls-key", setting);
        return ERR_INVALID;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        why_set(why, "%s: cannot read %s: %s", setting, path, strerror(errno));
        return ERR_INVALID;
    }
    if (secret && others_may_read(file)) {
        why_set(why, "%s: %s is open to every user of this machine; run chmod o= %s", setting, path,
                path);
        fclose(file);
        return ERR_INVALID;
    }
    setvbuf(file, NULL, _IONBF,
            0); /* avoids a second copy of the key in a buffer that is not wiped */
    char *text = memory_alloc(1, PEM_MAX + 1);
    size_t length = fread(text, 1, PEM_MAX + 1, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (!failed && length <= PEM_MAX && memchr(text, '\0', length) == NULL) {
        *out = text;
        return ERR_NONE;
    }
    why_set(why, "%s: %s %s", setting, path, failed ? "cannot be read" : "is not a PEM file");
    explicit_bzero(text, PEM_MAX + 1);
    free(text);
    return ERR_INVALID;
}

/* Of the first certificate in the file; 0: unknown. */
static int64_t
expiry(const gnutls_datum_t *pem)
{
    gnutls_x509_crt_t cert;
    time_t expires_at = -1;
    if (gnutls_x509_crt_init(&cert) < 0)
        return 0;
    if (gnutls_x509_crt_import(cert, pem, GNUTLS_X509_FMT_PEM) >= 0)
        expires_at = gnutls_x509_crt_get_expiration_time(cert);
    gnutls_x509_crt_deinit(cert);
    return expires_at < 0 ? 0 : (int64_t)expires_at;
}

/* Checked here, because the library would only report that it could not start. */
static enum err
check_pair(struct tls_files *files, const char *cert_file, const char *key_file, struct why *why)
{
    gnutls_certificate_credentials_t credentials;
    if (gnutls_certificate_allocate_credentials(&credentials) < 0)
        return ERR_INTERNAL;
    gnutls_datum_t cert = { (unsigned char *)files->cert, (unsigned)strlen(files->cert) };
    gnutls_datum_t key = { (unsigned char *)files->key, (unsigned)strlen(files->key) };
    int code = gnutls_certificate_set_x509_key_mem(credentials, &cert, &key, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
    files->expires_at = expiry(&cert);
    if (code >= 0)
        return ERR_NONE;
    why_set(why, "tls-cert, tls-key: %s and %s cannot be used: %s", cert_file, key_file,
            gnutls_strerror(code));
    return ERR_INVALID;
}

/* Certificate and key are checked as a pair here, so that a wrong file is reported at the start or
 * at a reload, not with the first connection. */
enum err
tls_load(const char *cert_file, const char *key_file, struct tls_files *out, struct why *why)
{
    *out = (struct tls_files){ 0 };
    enum err err = load_pem("tls-cert", cert_file, false, &out->cert, why);
    if (!err)
        err = load_pem("tls-key", key_file, true, &out->key, why);
    if (!err)
        err = check_pair(out, cert_file, key_file, why);
    if (err)
        tls_files_free(out);
    return err;
}

/* The key is overwritten before its memory can be reused. */
void
tls_files_free(struct tls_files *files)
{
    free(files->cert);
    if (files->key != NULL)
        explicit_bzero(files->key, PEM_MAX + 1);
    free(files->key);
    *files = (struct tls_files){ 0 };
}

/* ---- resumption ---- */

/* The key lives as long as the server, so tickets are valid until a restart or a reload. */
struct tls_tickets {
    gnutls_datum_t key;
};

/* NULL: without tickets, each connection makes a full handshake, which is no reason to stop. */
struct tls_tickets *
tls_tickets_new(void)
{
    struct tls_tickets *tickets = memory_alloc(1, sizeof *tickets);
    if (gnutls_session_ticket_key_generate(&tickets->key) >= 0)
        return tickets;
    free(tickets);
    return NULL;
}

void
tls_tickets_enable(const struct tls_tickets *tickets, void *session)
{
    if (tickets != NULL && session != NULL)
        gnutls_session_ticket_enable_server(session, &tickets->key);
}

/* The key can decrypt recorded sessions that were resumed with its tickets, so it is overwritten.
 */
void
tls_tickets_free(struct tls_tickets *tickets)
{
    if (tickets == NULL)
        return;
    explicit_bzero(tickets->key.data, tickets->key.size);
    gnutls_free(tickets->key.data);
    free(tickets);
}
