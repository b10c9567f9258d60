#include "store/place.h"

#include <string.h>

/* As base64url counts. Another character counts as none: such an id is nobody's. */
static int64_t
read_digits(struct str text, size_t from, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    int64_t number = 0;
    for (size_t i = from; i < from + count; i++) {
        const char *digit = i < text.len ? memchr(digits, text.ptr[i], sizeof digits - 1) : NULL;
        number = number * 64 + (digit == NULL ? 0 : digit - digits);
    }
    return number;
}

int64_t
place_of_person(struct str user_id)
{
    return read_digits(user_id, 4, 9) * PLACES_OF_PERSON; /* behind usr_ */
}

int64_t
place_of_hash(struct str hash)
{
    return read_digits(hash, 0, 10);
}
