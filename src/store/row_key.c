#include "store/row_key.h"

/* The value of a base64url digit. Other characters do not occur in valid ids and count as 0. */
static int64_t
digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : 0;
}

static int64_t
read_digits(struct str text, size_t from, size_t count)
{
    int64_t number = 0;
    for (size_t i = from; i < from + count; i++)
        number = number * 64 + (i < text.len ? digit(text.ptr[i]) : 0);
    return number;
}

int64_t
row_key_of_user(struct str user_id)
{
    return read_digits(user_id, 4, 9) * ROW_KEYS_PER_USER; /* after "usr_" */
}

int64_t
row_key_of_hash(struct str hash)
{
    return read_digits(hash, 0, 10);
}
