/* tokenizer_merge.h - how many tokens one piece of text is: byte pair encoding.
 *
 * A piece begins as single bytes. Of all neighbours that together are a token, those with the
 * lowest rank become one, the leftmost first, until no neighbours are a token any more. */
#ifndef HINT_TOKENIZER_MERGE_H
#define HINT_TOKENIZER_MERGE_H

#include <stddef.h>

size_t tokenizer_merge_count(const unsigned char *piece, size_t length);

/* The same by another way, whose time grows with the length and not with its square. Slower for
 * anything shorter than a thousand bytes. */
size_t tokenizer_merge_count_long(const unsigned char *piece, size_t length);

#endif
