/* usage.c - days are counted in UTC from 1970, so that all nodes agree on them. */
#include "model/usage.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "text/utf8.h"

#define SECONDS_PER_DAY 86400

int64_t
usage_day_of(int64_t now)
{
    return now / SECONDS_PER_DAY;
}

/* Length of a secret of this service at the start of the text, as far as its characters go. 0:
 * none.
 */
static size_t
secret_length(struct str text)
{
    static const struct str prefixes[] = { STR("pn_at_"), STR("pn_rt_"), STR("pn_ac_"),
                                           STR("pn_cs_") };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (!str_starts(text, prefixes[i]))
            continue;
        size_t end = prefixes[i].len;
        while (end < text.len && (ascii_is_alphanumeric(text.ptr[end]) || text.ptr[end] == '-' ||
                                  text.ptr[end] == '_'))
            end++;
        return end;
    }
    return 0;
}

/* The text comes from a client that made a mistake, and is shown to the developer: a secret in it
 * is cut to the prefix that names its kind, and characters that could deceive become "?". It is cut
 * between characters, never within one. */
struct str
refusal_clean(struct arena *mem, struct str text, size_t max)
{
    static const struct str more = STR("…");
    static const size_t prefix = 6; /* kept, because it names the kind of secret */
    struct buf out = buf_in(mem, max);
    max -= more.len;
    if (!utf8_valid(text))
        return STR("");
    while (text.len > 0 && out.len < max) {
        size_t secret = secret_length(text);
        if (secret > 0) {
            if (out.len + prefix + more.len > max)
                break;
            buf_add(&out, str_first(text, prefix));
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
