#include "unit/assert_str.h"

#include "passkey/auth_data.h"

#include <string.h>

#define HASH "0123456789abcdef0123456789abcdef"
#define AAGUID "AAAAAAAAAAAAAAAA"
#define NEW HASH "\x45\0\0\0\1" AAGUID "\0\2id"
#define KEY "\xa1\x01\x02" /* a map with one entry */

static void
lengths_and_flags_decide(void **state)
{
    static const struct {
        const char *why;
        struct str bytes;
        bool valid;
    } rows[] = {
        { "no new passkey", { HASH "\x05\0\0\0\1", 37 }, true },
        { "one byte short", { HASH "\x05\0\0\0", 36 }, false },
        { "nothing", { "", 0 }, false },
        { "bytes left over", { HASH "\x05\0\0\0\1x", 38 }, false },
        { "extensions", { HASH "\x85\0\0\0\1\xa0", 38 }, true },
        { "extensions announced and absent", { HASH "\x85\0\0\0\1", 37 }, false },
        { "a new passkey", { HASH "\x45\0\0\0\1" AAGUID "\0\2id" KEY, 60 }, true },
        { "no key", { HASH "\x45\0\0\0\1" AAGUID "\0\2id", 57 }, false },
        { "an id longer than the data", { HASH "\x45\0\0\0\1" AAGUID "\0\6id" KEY, 60 }, false },
        { "an empty id", { HASH "\x45\0\0\0\1" AAGUID "\0\0id" KEY, 60 }, false },
        { "no id", { HASH "\x45\0\0\0\1" AAGUID "\0", 54 }, false },
        { "a key and extensions", { HASH "\xc5\0\0\0\1" AAGUID "\0\2id" KEY "\xa0", 61 }, true },
        { "extensions absent", { HASH "\xc5\0\0\0\1" AAGUID "\0\2id" KEY, 60 }, false },
        { "bytes after the key", { NEW KEY "\xa0", 61 }, false },
        { "a map of 2^32 - 1 entries", { NEW "\xba\xff\xff\xff\xff\1\2", 64 }, false },
        { "an array of 2^64 - 1 items",
          { NEW "\x9b\xff\xff\xff\xff\xff\xff\xff\xff\1", 67 },
          false },
        { "a text longer than the data", { NEW "\xa1\1\x63xy", 62 }, false },
        { "a number cut off", { NEW "\xa1\1\x19\1", 61 }, false },
        { "an indefinite length", { NEW "\xbf\1\2\xff", 61 }, false },
        { "four levels", { NEW "\x81\x81\x81\x81\1", 62 }, true },
        { "five levels", { NEW "\x81\x81\x81\x81\x81\1", 63 }, false },
        { "a tag on nothing", { NEW "\xc1", 58 }, false },
        { "no AAGUID", { HASH "\x45\0\0\0\1AAAA", 41 }, false },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct auth_data data;
        bool valid = auth_data_read(rows[i].bytes, &data) == ERR_NONE;
        assert_string_equal(valid == rows[i].valid ? "" : rows[i].why, "");
    }
}

static void
parts_are_read(void **state)
{
    struct auth_data data;
    (void)state;
    struct str bytes = { HASH "\x45\x01\x02\x03\x04" AAGUID "\0\2id" KEY, 60 };
    assert_int_equal(auth_data_read(bytes, &data), ERR_NONE);
    assert_str(data.rp_id_hash, STR(HASH), "hash");
    assert_str(data.credential_id, STR("id"), "id");
    assert_str(data.key, STR(KEY), "key");
    assert_int_equal(data.counter, 0x01020304);
    assert_true(data.user_present && data.user_verified && !data.has_extensions);
    assert_int_equal(auth_data_read((struct str){ HASH "\x01\0\0\0\0", 37 }, &data), ERR_NONE);
    assert_true(data.user_present && !data.user_verified);
    assert_int_equal(auth_data_read((struct str){ HASH "\x04\0\0\0\0", 37 }, &data), ERR_NONE);
    assert_true(!data.user_present && data.user_verified);
}

static void
long_data_and_ids_are_rejected(void **state)
{
    static char bytes[AUTH_DATA_MAX + 1];
    struct auth_data data;
    (void)state;
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, HASH "\x45\0\0\0\1" AAGUID "\x03\xff", 55);
    memcpy(bytes + 55 + CREDENTIAL_ID_MAX, "\x59\x0b\xc7",
           3); /* a byte string of the other 3,015 bytes */
    assert_int_equal(auth_data_read((struct str){ bytes, AUTH_DATA_MAX }, &data), ERR_NONE);
    assert_int_equal(data.credential_id.len, CREDENTIAL_ID_MAX);
    assert_int_equal(auth_data_read((struct str){ bytes, sizeof bytes }, &data), ERR_INVALID);
    memcpy(bytes + 53, "\x04\x00", 2);
    assert_int_equal(auth_data_read((struct str){ bytes, AUTH_DATA_MAX }, &data), ERR_INVALID);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_and_flags_decide),
        cmocka_unit_test(parts_are_read),
        cmocka_unit_test(long_data_and_ids_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
