/* tokenizer.h - counts the tokens of a text in the o200k_base encoding.
 *
 * The count equals that of OpenAI's tiktoken. npm's gpt-tokenizer differs for three characters:
 * here, as in tiktoken, U+0085 is white space, U+FEFF is not, and U+017F (long s) forms a
 * contraction after an apostrophe. Character classes are those of Unicode 17.0. Special tokens are
 * not recognized: "<|endoftext|>" is seven tokens of ordinary text.
 *
 * tokenizer_count() allocates nothing and needs no setup; any thread may call it at any time. Most
 * words take one table lookup, and the time is proportional to the length of the text for any
 * input. */
#ifndef TOKENIZER_TOKENIZER_H
#define TOKENIZER_TOKENIZER_H

#include "base/str.h"

struct arena;

size_t tokenizer_count(struct str text); /* of valid UTF-8; 0 only if it is empty */

/* Whether it begins and ends with a letter or digit. White space and ASCII punctuation around it,
 * except an apostrophe after it, then share no token with it but one space before it. */
bool tokenizer_is_separate(struct str text);

/* Counts a text that begins with a space before a letter or digit. *bare: without the space. */
size_t tokenizer_count_spaced(struct str text, size_t *bare);

/* Counts texts of which each begins like the one before: the lengths of a list. Only the end that
 * differs is counted again. The memory lives in the arena; one thread at a time may use it. */
struct tokenizer_series;
struct tokenizer_series *tokenizer_series_new(struct arena *mem);
size_t tokenizer_series_count(struct tokenizer_series *series, struct str text);

#endif
