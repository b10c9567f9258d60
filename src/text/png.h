/* png.h - accepts small PNG images (ISO 15948), for logos and pictures that others send.
 *
 * The file is read chunk by chunk, and a new one is written from the chunks that draw the picture:
 * text, dates, color profiles, animation, and whatever follows the image are left out. The
 * compressed data itself is not decoded; the size in pixels bounds what a browser decodes. Pure;
 * any thread may call it. */
#ifndef TEXT_PNG_H
#define TEXT_PNG_H

#include "base/str.h"

struct arena;

#define PNG_BYTES_MAX ((size_t)10 * 1024)
#define PNG_SIDE_MIN 32
#define PNG_SIDE_MAX 512

/* NULL: *out is the cleaned image, in `mem`. Otherwise a sentence says what is wrong. */
const char *png_clean(struct arena *mem, struct str file, struct str *out);

#endif
