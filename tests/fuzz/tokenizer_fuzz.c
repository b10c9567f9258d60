/* The count of any text is within its bounds, counts add up where a piece must end, both merge
 * algorithms agree, and so does counting a series of texts that begin alike. */
#include "fuzz.h"

#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_merge.h"
#include "text/utf8.h"

static size_t
count_with(struct arena *mem, struct str text, const char *more)
{
    return tokenizer_count(str_format(mem, "%.*s%s", STR_ARG(text), more));
}

/* Prefixes of the text in a changing order, with other ends. */
static void
count_series(struct arena *mem, struct str text)
{
    struct tokenizer_series *series = tokenizer_series_new(mem);
    for (size_t i = 0, length = 0; i < 16; i++) {
        length = (length * 5 + i + (text.len > 0 ? (unsigned char)text.ptr[i % text.len] : 0)) %
                 (text.len + 1);
        struct str changed = str_format(mem, "%.*s%s", STR_ARG(str_first(text, length)),
                                        i % 3 == 0   ? ""
                                        : i % 3 == 1 ? "\n"
                                                     : ", and 's X.");
        MUST(tokenizer_series_count(series, changed) == tokenizer_count(changed));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str text = fuzz_input(mem, data, size);
    size_t count = tokenizer_count(text); /* any bytes */
    MUST(count <= size && (count > 0) == (size > 0) && count * 128 >= size);
    MUST(tokenizer_count(text) == count);
    if (str_index(text, '\0') == size)
        count_series(mem, text);
    if (size > 0 && size <= 200)
        MUST(tokenizer_merge_count(data, size) == tokenizer_merge_count_long(data, size));
    if (utf8_valid(text) && str_index(text, '\0') == size) {
        /* After a line break, a letter, digit, or punctuation character starts a piece. */
        size_t line = count_with(mem, text, "\n");
        MUST(line > 0 && line <= size + 1);
        MUST(count_with(mem, text, "\nUser likes jazz.") ==
             line + tokenizer_count(STR("User likes jazz.")));
        MUST(count_with(mem, text, "\n- x\n") == line + tokenizer_count(STR("- x\n")));
        MUST(count_with(mem, text, "\n7") == line + 1);
    }
    arena_free(mem);
    return 0;
}
