/* usage.c - days are counted in UTC from 1970, so that all nodes agree on them. */
#include "model/usage.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "text/utf8.h"
#include "crypt/secret.h"

#define SECONDS_PER_DAY 86400

int64_t
usage_day_of(int64_t now)
{
    return now / SECONDS_PER_DAY;
}

/* Length of a secret at the start of the text, as far as its characters go. 0: none. */
static size_t
secret_length(struct str text)
{
    size_t end = secret_begins(text) ? SECRET_PREFIX_LENGTH : 0;
    while (end > 0 && end < text.len &&
           (ascii_is_alphanumeric(text.ptr[end]) || text.ptr[end] == '-' || text.ptr[end] == '_'))
        end++;
    return end;
}

/* The text comes from a client that made a mistake, and is shown to the developer: a secret in it
 * is cut to the prefix that names its kind, and characters that could deceive become "?". It is cut
 * between characters, never within one. */
struct str
refusal_clean(struct arena *mem, struct str text, size_t max)
{
    static const struct str more = STR("…");
    struct buf out = buf_in(mem, max);
    max -= more.len;
    if (!utf8_valid(text))
        return STR("");
    while (text.len > 0 && out.len < max) {
        size_t secret = secret_length(text);
        if (secret > 0) {
            if (out.len + SECRET_PREFIX_LENGTH + more.len > max)
                break;
            buf_add(&out, str_first(text, SECRET_PREFIX_LENGTH));
            buf_add(&out, more);
            text = str_from(text, secret);
            continue;
        }
        struct str rest = text;
        int32_t point = utf8_next(&rest);
        struct str one = str_first(text, text.len - rest.len);
        bool shown = point >= 0x20 && utf8_forbidden(one) < 0;
        if (out.len + (shown ? one.len : 1) > max)
            break;
        buf_add(&out, shown ? one : STR("?"));
        text = rest;
    }
    if (text.len > 0)
        buf_add(&out, more);
    return out.len == 0 ? STR("") : buf_str(&out);
}
