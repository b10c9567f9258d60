/* auth_data.c - takes the fields one after the other from the start of the bytes, each with its
 * length checked.
 *
 * Everything must be used up at the end: bytes that remain are an error. Public key and extensions
 * are CBOR; they are only measured here, and libfido2 decodes the key. */
#include "passkey/auth_data.h"

#define RP_ID_HASH_BYTES 32
#define AAGUID_BYTES 16

#define USER_PRESENT 0x01
#define USER_VERIFIED 0x04
#define ATTESTED 0x40 /* a new passkey follows */
#define EXTENSIONS 0x80

/* Removes `length` bytes from the start of *rest. False: there are fewer. */
static bool
take(struct str *rest, size_t length, struct str *out)
{
    if (rest->len < length)
        return false;
    *out = str_first(*rest, length);
    *rest = str_from(*rest, length);
    return true;
}

static uint32_t
big_endian(struct str bytes)
{
    uint32_t number = 0;
    for (size_t i = 0; i < bytes.len; i++)
        number = number << 8 | (unsigned char)bytes.ptr[i];
    return number;
}

/* ---- CBOR ---- */

#define CBOR_DEPTH_MAX 4 /* a COSE key has one level */

enum { CBOR_BYTES = 2, CBOR_TEXT = 3, CBOR_ARRAY = 4, CBOR_MAP = 5, CBOR_TAG = 6 };

/* The first byte of an item, and the number that follows it. Indefinite lengths are refused, as in
 * CTAP2. */
static bool
take_cbor_head(struct str *rest, unsigned *kind, uint64_t *number)
{
    struct str first, more;
    if (!take(rest, 1, &first))
        return false;
    unsigned byte = big_endian(first), size = byte & 0x1f;
    *kind = byte >> 5;
    *number = size;
    if (size < 24)
        return true;
    if (size > 27 || !take(rest, (size_t)1 << (size - 24), &more))
        return false;
    *number = 0;
    for (size_t i = 0; i < more.len; i++)
        *number = *number << 8 | (unsigned char)more.ptr[i];
    return true;
}

/* Takes one item. False: it declares more than there is. libfido2's decoder allocates what a map
 * declares before it reads the entries, up to gigabytes for a few bytes, so this is checked before
 * it is called. */
static bool
take_cbor(struct str *rest, unsigned depth)
{
    unsigned kind;
    uint64_t number;
    struct str content;
    if (depth > CBOR_DEPTH_MAX || !take_cbor_head(rest, &kind, &number))
        return false;
    if (kind == CBOR_BYTES || kind == CBOR_TEXT)
        return number <= rest->len && take(rest, (size_t)number, &content);
    if (kind != CBOR_ARRAY && kind != CBOR_MAP && kind != CBOR_TAG)
        return true;
    /* Each item has at least one byte. This also keeps 2 * number below from overflowing. */
    if (number > rest->len && kind != CBOR_TAG)
        return false;
    uint64_t items = kind == CBOR_TAG ? 1 : kind == CBOR_MAP ? 2 * number : number;
    for (; items > 0; items--)
        if (!take_cbor(rest, depth + 1))
            return false;
    return true;
}

/* Whether the bytes are exactly this many items. */
static bool
is_cbor(struct str bytes, unsigned items)
{
    for (; items > 0; items--)
        if (!take_cbor(&bytes, 0))
            return false;
    return bytes.len == 0;
}

/* ---- authenticator data ---- */

/* The AAGUID names the model of the authenticator; any model is accepted, so it is not used. */
static bool
read_new_passkey(struct str *rest, struct auth_data *out)
{
    struct str aaguid, length;
    if (!take(rest, AAGUID_BYTES, &aaguid) || !take(rest, 2, &length))
        return false;
    size_t id_length = big_endian(length);
    if (id_length == 0 || id_length > CREDENTIAL_ID_MAX ||
        !take(rest, id_length, &out->credential_id) || !is_cbor(*rest, out->has_extensions ? 2 : 1))
        return false;
    out->key = *rest;
    return true;
}

/* WebAuthn §6.1: a fixed part, then, depending on its flags, a credential and extensions. Every
 * byte must belong to one of them. */
enum err
auth_data_read(struct str bytes, struct auth_data *out)
{
    struct str rest = bytes, flags, counter;
    *out = (struct auth_data){ 0 };
    if (bytes.len > AUTH_DATA_MAX || !take(&rest, RP_ID_HASH_BYTES, &out->rp_id_hash) ||
        !take(&rest, 1, &flags) || !take(&rest, 4, &counter))
        return ERR_INVALID;
    uint32_t bits = big_endian(flags);
    out->user_present = (bits & USER_PRESENT) != 0;
    out->user_verified = (bits & USER_VERIFIED) != 0;
    out->has_extensions = (bits & EXTENSIONS) != 0;
    out->counter = big_endian(counter);
    if ((bits & ATTESTED) != 0)
        return read_new_passkey(&rest, out) ? ERR_NONE : ERR_INVALID;
    return is_cbor(rest, out->has_extensions ? 1 : 0) ? ERR_NONE : ERR_INVALID;
}
