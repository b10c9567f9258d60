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

static bool
read_new_passkey(struct str *rest, struct auth_data *out)
{
    struct str aaguid, length;
    if (!take(rest, AAGUID_BYTES, &aaguid) || !take(rest, 2, &length))
        return false;
    size_t id_length = big_endian(length);
    if (id_length == 0 || id_length > CREDENTIAL_ID_MAX ||
        !take(rest, id_length, &out->credential_id) || rest->len == 0)
        return false;
    out->key = *rest;
    return true;
}

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
    return (rest.len > 0) == out->has_extensions ? ERR_NONE : ERR_INVALID;
}
