#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "text/png.h"

#include <stdlib.h>

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define FILE_MAX ((size_t)64 * 1024)

/* A chunk with its checksum, computed here from the definition and not by the code under test. */
static void
add_number(struct buf *out, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_add_char(out, (char)(number >> shift & 0xff));
}

static uint32_t
checksum(const char *bytes, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            uint32_t flip = ((crc ^ ((uint8_t)bytes[i] >> bit)) & 1) != 0 ? 0xedb88320u : 0;
            crc = crc >> 1 ^ flip;
        }
    return crc ^ 0xffffffffu;
}

static void
add_chunk(struct buf *out, const char *type, struct str data)
{
    size_t start = out->len + 4;
    add_number(out, (uint32_t)data.len);
    buf_add_c(out, type);
    buf_add(out, data);
    add_number(out, checksum(buf_str(out).ptr + start, 4 + data.len));
}

struct header {
    uint32_t width, height;
    uint8_t depth, color, compression, filter, interlace;
};

static const struct header fine = { 64, 64, 8, 2, 0, 0, 0 };

static void
add_header(struct arena *mem, struct buf *out, struct header header)
{
    struct buf data = buf_in(mem, 64);
    add_number(&data, header.width);
    add_number(&data, header.height);
    buf_add_char(&data, (char)header.depth);
    buf_add_char(&data, (char)header.color);
    buf_add_char(&data, (char)header.compression);
    buf_add_char(&data, (char)header.filter);
    buf_add_char(&data, (char)header.interlace);
    add_chunk(out, "IHDR", buf_str(&data));
}

/* Types of chunks after the header, separated by spaces; each has three bytes of data, except
 * IEND. */
static struct str
file_of(struct arena *mem, struct header header, const char *chunks)
{
    struct buf out = buf_in(mem, FILE_MAX);
    struct str rest = str_of(chunks), type;
    buf_add_c(&out, SIGNATURE);
    add_header(mem, &out, header);
    while (str_cut(&rest, ' ', &type))
        if (type.len == 4)
            add_chunk(&out, str_c(mem, type), str_eq_c(type, "IEND") ? STR("") : STR("abc"));
    return buf_str(&out);
}

static void
only_chunks_that_draw_are_kept(void **state)
{
    static const struct {
        uint8_t color;
        const char *given, *kept;
    } rows[] = {
        { 2, "IDAT IEND", "IDAT IEND" },
        { 2, "IDAT IDAT IEND", "IDAT IDAT IEND" },
        { 2, "tEXt IDAT eXIf IEND", "IDAT IEND" },
        { 2, "iCCP gAMA acTL IDAT fdAT tIME IEND", "IDAT IEND" },
        { 2, "PLTE tRNS IDAT IEND", "PLTE tRNS IDAT IEND" },
        { 3, "PLTE tRNS IDAT IEND", "PLTE tRNS IDAT IEND" },
        { 2, "IDAT IEND tEXt", "IDAT IEND" }, /* whatever follows the image */
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct header header = fine;
        struct str out;
        header.color = rows[i].color;
        assert_null(png_clean(mem, file_of(mem, header, rows[i].given), &out));
        assert_str(out, file_of(mem, header, rows[i].kept), rows[i].given);
    }
    arena_free(mem);
}

static void
chunks_in_the_wrong_place_are_refused(void **state)
{
    static const struct {
        uint8_t color;
        const char *chunks;
    } rows[] = {
        { 2, "" },
        { 2, "IDAT" },                /* no end */
        { 2, "IEND" },                /* nothing to draw */
        { 2, "IDAT tEXt IDAT IEND" }, /* data must not be interrupted */
        { 2, "IDAT PLTE IEND" },
        { 2, "PLTE PLTE IDAT IEND" },
        { 2, "IDAT tRNS IEND" },
        { 3, "IDAT IEND" }, /* without its palette */
        { 3, "tRNS PLTE IDAT IEND" },
        { 0, "PLTE IDAT IEND" }, /* gray has no palette */
        { 2, "IHDR IDAT IEND" },
        { 2, "ABCD IDAT IEND" }, /* critical and unknown */
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct header header = fine;
        struct str out;
        header.color = rows[i].color;
        assert_string_equal(png_clean(mem, file_of(mem, header, rows[i].chunks), &out),
                            "The PNG image is damaged. Export it again.");
        assert_null(out.ptr);
    }
    arena_free(mem);
}

static void
the_header_bounds_what_a_browser_decodes(void **state)
{
    static const struct {
        struct header header;
        const char *problem; /* the start of it; NULL: none */
    } rows[] = {
        { { 32, 32, 8, 2, 0, 0, 0 }, NULL },
        { { 512, 512, 16, 6, 0, 0, 1 }, NULL },
        { { 64, 64, 1, 0, 0, 0, 0 }, NULL },
        { { 31, 31, 8, 2, 0, 0, 0 }, "The image must be a square" },
        { { 513, 513, 8, 2, 0, 0, 0 }, "The image must be a square" },
        { { 64, 63, 8, 2, 0, 0, 0 }, "The image must be a square" },
        { { 0xffffffffu, 0xffffffffu, 8, 2, 0, 0, 0 }, "The image must be a square" },
        { { 64, 64, 4, 2, 0, 0, 0 }, "The PNG image is damaged" },
        { { 64, 64, 3, 0, 0, 0, 0 }, "The PNG image is damaged" },
        { { 64, 64, 0, 2, 0, 0, 0 }, "The PNG image is damaged" },
        { { 64, 64, 8, 1, 0, 0, 0 }, "The PNG image is damaged" },
        { { 64, 64, 8, 7, 0, 0, 0 }, "The PNG image is damaged" },
        { { 64, 64, 8, 2, 1, 0, 0 }, "The PNG image is damaged" },
        { { 64, 64, 8, 2, 0, 1, 0 }, "The PNG image is damaged" },
        { { 64, 64, 8, 2, 0, 0, 2 }, "The PNG image is damaged" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str out;
        const char *problem = png_clean(mem, file_of(mem, rows[i].header, "IDAT IEND"), &out);
        assert_true((problem == NULL) == (rows[i].problem == NULL));
        assert_true(problem == NULL || str_starts(str_of(problem), str_of(rows[i].problem)));
    }
    arena_free(mem);
}

/* Every prefix, and every file with one byte changed, is refused or becomes a whole image. */
static void
no_cut_or_changed_file_is_passed_on(void **state)
{
    struct arena *mem = arena_new();
    struct str file = file_of(mem, fine, "tEXt IDAT IEND"), out;
    struct str clean = file_of(mem, fine, "IDAT IEND");
    (void)state;
    for (size_t length = 0; length < file.len; length++) {
        char *copy = malloc(length + 1); /* exactly this long, so that ASan sees a read past it */
        memcpy(copy, file.ptr, length);
        assert_non_null(png_clean(mem, (struct str){ copy, length }, &out));
        free(copy);
    }
    for (size_t at = 0; at < file.len; at++) {
        char *copy = malloc(file.len);
        memcpy(copy, file.ptr, file.len);
        copy[at] = (char)(copy[at] ^ 0x01);
        if (png_clean(mem, (struct str){ copy, file.len }, &out) == NULL)
            assert_str(out, clean, "a changed file");
        free(copy);
    }
    arena_free(mem);
}

static void
other_files_and_large_ones_are_refused(void **state)
{
    struct arena *mem = arena_new();
    struct buf large = buf_in(mem, FILE_MAX);
    struct str out, image = file_of(mem, fine, "IDAT IEND");
    (void)state;
    assert_string_equal(png_clean(mem, STR(""), &out), "The image must be a PNG file.");
    assert_string_equal(png_clean(mem, STR("GIF89a"), &out), "The image must be a PNG file.");
    assert_string_equal(png_clean(mem, STR("<svg/>"), &out), "The image must be a PNG file.");
    buf_add(&large, image);
    while (large.len < PNG_BYTES_MAX)
        buf_add_char(&large, 'x');
    assert_null(png_clean(mem, buf_str(&large), &out));
    assert_str(out, image, "what follows is left out");
    buf_add_char(&large, 'x');
    assert_string_equal(png_clean(mem, buf_str(&large), &out),
                        "The image must have at most 10 KiB.");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_chunks_that_draw_are_kept),
        cmocka_unit_test(chunks_in_the_wrong_place_are_refused),
        cmocka_unit_test(the_header_bounds_what_a_browser_decodes),
        cmocka_unit_test(no_cut_or_changed_file_is_passed_on),
        cmocka_unit_test(other_files_and_large_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
