/* tokenizer_merge.h - counts the tokens of one piece of text by byte pair encoding.
 *
 * A piece starts as single bytes. Of all adjacent pairs that form a token, the one with the lowest
 * rank is merged, the leftmost first, until no pair forms a token. Allocates no heap memory; any
 * thread may call it. */
#ifndef TOKENIZER_TOKENIZER_MERGE_H
#define TOKENIZER_TOKENIZER_MERGE_H

#include <stddef.h>

size_t tokenizer_merge_count(const unsigned char *piece, size_t length);

/* The same result in linear instead of quadratic time. Slower below about a thousand bytes. */
size_t tokenizer_merge_count_long(const unsigned char *piece, size_t length);

#endif
