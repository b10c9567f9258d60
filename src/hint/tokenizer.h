/* tokenizer.h - how many tokens a text is, in o200k_base.
 *
 * Exact: the count is what OpenAI's tiktoken finds, and npm's gpt-tokenizer but for three
 * characters that the two treat differently, where this is tiktoken's: U+0085 is white space,
 * U+FEFF is not, and U+017F (long s) makes a contraction behind an apostrophe. Letters, marks,
 * numbers and white space are those of Unicode 17.0. Special tokens are not known here:
 * "<|endoftext|>" is seven tokens of ordinary text.
 *
 * Takes no memory and needs no set-up; any thread may call it at any time. The time it takes is
 * that of one look-up in a table for most words, and in proportion to the length of the text
 * whatever is in it. */
#ifndef HINT_TOKENIZER_H
#define HINT_TOKENIZER_H

#include "base/str.h"

size_t tokenizer_count(struct str text); /* of valid UTF-8; 0 only if it is empty */

#endif
