/* png.c - copies the chunks that draw a picture, and checks their order and checksums.
 *
 * Images that others send are served from the origin of this service, so that nothing else may be
 * in them: a file that is also a script or an archive, text, or a location. Browsers decode what is
 * left; the size in pixels and bytes is limited. */
#include "text/png.h"

#include "base/buf.h"

#include <string.h>

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define HEADER_LENGTH 13
#define AROUND 12 /* bytes of a chunk besides its data: length, type, checksum */

static const char not_png[] = "The image must be a PNG file.";
static const char damaged[] = "The PNG image is damaged. Export it again.";

/* What was read so far; chunks must come in a certain order (PNG §5.6). */
struct png {
    struct str rest;
    struct buf out;
    uint8_t color; /* color type */
    bool palette, data, data_ended;
};

static uint32_t
number_at(struct str text, size_t at)
{
    const uint8_t *bytes = (const uint8_t *)text.ptr + at;
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* CRC-32 of ISO 3309, bit by bit: a logo is small. */
static uint32_t
checksum(struct str bytes)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < bytes.len; i++) {
        crc ^= (uint8_t)bytes.ptr[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

/* The next chunk from its length to its checksum. False: it is cut, or its checksum is wrong. */
static bool
next_chunk(struct png *png, struct str *whole, struct str *type, struct str *data)
{
    if (png->rest.len < AROUND || number_at(png->rest, 0) > png->rest.len - AROUND)
        return false;
    size_t length = number_at(png->rest, 0);
    *whole = str_first(png->rest, length + AROUND);
    *type = (struct str){ png->rest.ptr + 4, 4 };
    *data = (struct str){ png->rest.ptr + 8, length };
    png->rest = str_from(png->rest, length + AROUND);
    return checksum((struct str){ type->ptr, 4 + length }) == number_at(*whole, length + 8);
}

/* ISO 15948 §11.2.2: depths that each color type may have, as bits. */
static bool
depth_fits(uint8_t color, uint8_t depth)
{
    static const uint8_t depths[] = {
        1 | 2 | 4 | 8 | 16, 0, 8 | 16, 1 | 2 | 4 | 8, 8 | 16, 0, 8 | 16
    };
    return color < sizeof depths && depth != 0 && (depth & (depth - 1)) == 0 &&
           (depths[color] & depth) != 0;
}

/* IHDR must be the first chunk (PNG §5.6). The size decides how much memory a browser needs for the
 * image. */
static const char *
read_header(struct png *png)
{
    struct str whole, type, data;
    if (!next_chunk(png, &whole, &type, &data) || !str_eq_c(type, "IHDR") ||
        data.len != HEADER_LENGTH)
        return damaged;
    const uint8_t *bytes = (const uint8_t *)data.ptr;
    uint32_t width = number_at(data, 0), height = number_at(data, 4);
    if (width != height || width < PNG_SIDE_MIN || width > PNG_SIDE_MAX)
        return "The image must be a square of 32 to 512 pixels.";
    png->color = bytes[9];
    if (!depth_fits(bytes[9], bytes[8]) || bytes[10] != 0 || bytes[11] != 0 || bytes[12] > 1)
        return damaged;
    buf_add(&png->out, whole);
    return NULL;
}

/* Whether a chunk that draws the picture may come here. */
static bool
fits(struct png *png, struct str type, struct str data)
{
    if (str_eq_c(type, "PLTE")) {
        bool first = !png->palette && !png->data;
        png->palette = true;
        return first && data.len % 3 == 0 && data.len > 0 && data.len <= 768 && png->color != 0 &&
               png->color != 4;
    }
    if (str_eq_c(type, "tRNS"))
        return !png->data && data.len > 0 && data.len <= 256 && (png->color != 3 || png->palette);
    bool fine = !png->data_ended && (png->color != 3 || png->palette); /* IDAT */
    png->data = true;
    return fine;
}

/* Chunks that draw nothing are left out; a critical chunk that is unknown makes the file unreadable
 * for everyone, so it is rejected. IDAT chunks must follow each other. */
const char *
png_clean(struct arena *mem, struct str file, struct str *out)
{
    struct png png = { .out = buf_in(mem, PNG_BYTES_MAX) };
    struct str signature = STR(SIGNATURE), whole, type, data;
    *out = STR_NONE;
    if (!str_starts(file, signature))
        return not_png;
    if (file.len > PNG_BYTES_MAX)
        return "The image must have at most 10 KiB.";
    png.rest = str_from(file, signature.len);
    buf_add(&png.out, signature);
    const char *problem = read_header(&png);
    while (problem == NULL) {
        if (!next_chunk(&png, &whole, &type, &data))
            return damaged;
        if (str_eq_c(type, "IEND"))
            break;
        bool draws = str_eq_c(type, "PLTE") || str_eq_c(type, "tRNS") || str_eq_c(type, "IDAT");
        /* The case of the first letter says whether a decoder may skip an unknown chunk. */
        if (!draws && (type.ptr[0] & 0x20) == 0)
            return damaged; /* a critical chunk that does not exist, or a second IHDR */
        if (png.data && !str_eq_c(type, "IDAT"))
            png.data_ended = true;
        if (draws && !fits(&png, type, data))
            return damaged;
        if (draws)
            buf_add(&png.out, whole);
    }
    if (problem != NULL)
        return problem;
    if (!png.data || data.len != 0)
        return damaged;
    buf_add(&png.out, whole);
    *out = buf_str(&png.out);
    return NULL;
}
