/* credential.c - the checks of WebAuthn sections 7.1 (a new passkey) and 7.2 (a signature), in the
 * order from cheap to expensive: client data, authenticator data, then libfido2.
 *
 * libfido2 sees only bytes that auth_data_read() has measured. Its objects are freed before a
 * function returns; results are copied to the arena. */
#include "passkey/credential.h"

#include "crypt/digest.h"
#include "passkey/auth_data.h"
#include "passkey/client_data.h"
#include "text/base64url.h"

#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>

static const int algorithms[] = { CREDENTIAL_ES256, CREDENTIAL_EDDSA, CREDENTIAL_RS256 };

static const unsigned char *
bytes_of(struct str text)
{
    return (const unsigned char *)text.ptr;
}

struct str
credential_challenge(struct arena *mem, struct str client_data)
{
    struct client_data read;
    return client_data_read(mem, client_data, &read) == ERR_NONE ? read.challenge : STR_NONE;
}

/* The type keeps a signature for signing in from being used to add a passkey, and the other way
 * around. A page in a frame of another site is refused, since the user cannot see which site
 * asks. */
static bool
client_data_ok(struct arena *mem, const struct credential_site *site, struct str client_data,
               const char *type)
{
    struct client_data read;
    return client_data_read(mem, client_data, &read) == ERR_NONE && str_eq_c(read.type, type) &&
           str_eq(read.origin, site->origin) && !read.cross_origin;
}

/* ---- new passkeys ---- */

/* libfido2 reads a key only as the algorithm that it expects. */
static fido_cred_t *
read_key(struct str auth_data, int algorithm)
{
    fido_cred_t *cred = fido_cred_new();
    if (cred != NULL && fido_cred_set_type(cred, algorithm) == FIDO_OK &&
        fido_cred_set_authdata_raw(cred, bytes_of(auth_data), auth_data.len) == FIDO_OK &&
        fido_cred_pubkey_ptr(cred) != NULL)
        return cred;
    fido_cred_free(&cred);
    return NULL;
}

/* User verification is required, because a passkey is the only factor. */
static bool
auth_data_ok(struct arena *mem, const struct credential_site *site, const struct auth_data *data)
{
    return digest_equal(base64url_encode(mem, data->rp_id_hash), digest_text(mem, site->rp_id)) &&
           data->user_present && data->user_verified;
}

/* Attestation is not checked: which device a user has does not matter. The first algorithm whose
 * key can be read is the one of the credential. */
enum err
credential_read(struct arena *mem, const struct credential_site *site,
                const struct credential_response *response, struct credential *out)
{
    struct auth_data data;
    *out = (struct credential){ 0 };
    if (!client_data_ok(mem, site, response->client_data, "webauthn.create") ||
        auth_data_read(response->auth_data, &data) != ERR_NONE || !auth_data_ok(mem, site, &data) ||
        !str_present(data.credential_id))
        return ERR_INVALID;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        fido_cred_t *cred = read_key(response->auth_data, algorithms[i]);
        if (cred == NULL)
            continue;
        struct str key = { (const char *)fido_cred_pubkey_ptr(cred), fido_cred_pubkey_len(cred) };
        *out = (struct credential){ .id = str_copy(mem, data.credential_id),
                                    .algorithm = algorithms[i],
                                    .key = str_copy(mem, key),
                                    .counter = data.counter };
        fido_cred_free(&cred);
        return ERR_NONE;
    }
    return ERR_INVALID;
}

/* ---- signatures ---- */

/* libfido2 has a type and functions of their own for each algorithm. */
static bool
verify_with(const fido_assert_t *assertion, const struct credential *credential)
{
    const void *key = credential->key.ptr;
    size_t length = credential->key.len;
    bool ok = false;
    if (credential->algorithm == CREDENTIAL_ES256) {
        es256_pk_t *pk = es256_pk_new();
        ok = pk != NULL && es256_pk_from_ptr(pk, key, length) == FIDO_OK &&
             fido_assert_verify(assertion, 0, COSE_ES256, pk) == FIDO_OK;
        es256_pk_free(&pk);
    } else if (credential->algorithm == CREDENTIAL_EDDSA) {
        eddsa_pk_t *pk = eddsa_pk_new();
        ok = pk != NULL && eddsa_pk_from_ptr(pk, key, length) == FIDO_OK &&
             fido_assert_verify(assertion, 0, COSE_EDDSA, pk) == FIDO_OK;
        eddsa_pk_free(&pk);
    } else if (credential->algorithm == CREDENTIAL_RS256) {
        rs256_pk_t *pk = rs256_pk_new();
        ok = pk != NULL && rs256_pk_from_ptr(pk, key, length) == FIDO_OK &&
             fido_assert_verify(assertion, 0, COSE_RS256, pk) == FIDO_OK;
        rs256_pk_free(&pk);
    }
    return ok;
}

/* libfido2 checks the RP ID and both flags again, and the signature. */
static bool
signature_ok(struct arena *mem, const struct credential_site *site,
             const struct credential *credential, const struct credential_response *response)
{
    fido_assert_t *assertion = fido_assert_new();
    struct str client_data = response->client_data, auth_data = response->auth_data;
    struct str signature = response->signature;
    bool ok =
        assertion != NULL && fido_assert_set_count(assertion, 1) == FIDO_OK &&
        fido_assert_set_clientdata(assertion, bytes_of(client_data), client_data.len) == FIDO_OK &&
        fido_assert_set_rp(assertion, str_c(mem, site->rp_id)) == FIDO_OK &&
        fido_assert_set_authdata_raw(assertion, 0, bytes_of(auth_data), auth_data.len) == FIDO_OK &&
        fido_assert_set_sig(assertion, 0, bytes_of(signature), signature.len) == FIDO_OK &&
        fido_assert_set_up(assertion, FIDO_OPT_TRUE) == FIDO_OK &&
        fido_assert_set_uv(assertion, FIDO_OPT_TRUE) == FIDO_OK &&
        verify_with(assertion, credential);
    fido_assert_free(&assertion);
    return ok;
}

/* *copied: the counter did not rise, which means that two devices have the same key. */
enum err
credential_verify(struct arena *mem, const struct credential_site *site,
                  const struct credential *credential, const struct credential_response *response,
                  uint32_t *counter, bool *copied)
{
    struct auth_data data;
    *copied = false;
    if (!client_data_ok(mem, site, response->client_data, "webauthn.get") ||
        auth_data_read(response->auth_data, &data) != ERR_NONE || !auth_data_ok(mem, site, &data) ||
        response->signature.len == 0 || !signature_ok(mem, site, credential, response))
        return ERR_INVALID;
    *counter = data.counter;
    /* Section 6.1.1: passkeys that are synchronized between devices do not count and send 0. */
    bool counts = data.counter != 0 || credential->counter != 0;
    *copied = counts && data.counter <= credential->counter;
    return *copied ? ERR_INVALID : ERR_NONE;
}
