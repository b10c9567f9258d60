/* The output is UTF-8 without markup characters and decodes to the input. */
#include "fuzz.h"

#include "text/html.h"
#include "text/utf8.h"

#include <string.h>

/* Decodes the five references; any other & is an error. */
static struct str
unescape(struct arena *mem, struct str text)
{
    static const struct {
        struct str reference;
        char c;
    } table[] = { { { "&amp;", 5 }, '&' },
                  { { "&lt;", 4 }, '<' },
                  { { "&gt;", 4 }, '>' },
                  { { "&quot;", 6 }, '"' },
                  { { "&#39;", 5 }, '\'' } };
    char *plain = arena_alloc(mem, text.len + 1);
    size_t length = 0;
    while (text.len > 0) {
        size_t i = 0;
        while (text.ptr[0] == '&' && !str_starts(text, table[i].reference)) {
            i++;
            MUST(i < 5);
        }
        plain[length++] = text.ptr[0] == '&' ? table[i].c : text.ptr[0];
        text = str_from(text, text.ptr[0] == '&' ? table[i].reference.len : 1);
    }
    return (struct str){ plain, length };
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str in = fuzz_input(mem, data, size);
    struct buf out = buf_in(mem, (size_t)1 << 24);
    html_escape(&out, in);
    struct str text = buf_str(&out);
    MUST(!out.overflow && utf8_valid(text));
    for (size_t i = 0; i < text.len; i++)
        MUST(strchr("<>\"'", text.ptr[i]) == NULL);
    struct str rest = text;
    for (int32_t c; (c = utf8_next(&rest)) >= 0;)
        MUST(c >= 0x20 ? c < 0x7f || c >= 0xa0 : strchr("\t\n\f\r", (char)c) != NULL);
    if (utf8_valid(in) && str_index(in, '\0') == in.len) {
        bool controls = false;
        rest = in;
        for (int32_t c; (c = utf8_next(&rest)) >= 0;)
            controls |= (c < 0x20 || c >= 0x7f) && c < 0xa0 && strchr("\t\n\f\r", (char)c) == NULL;
        MUST(controls || str_eq(unescape(mem, text), in));
    }
    arena_free(mem);
    return 0;
}
