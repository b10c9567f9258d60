/* Counts the tokens of texts that come in on stdin, each with its length in four bytes before it,
 * least significant first. Prints a number a line. */
#include "base/str.h"
#include "tokenizer/tokenizer.h"

int
main(void)
{
    size_t room = 0;
    char *text = NULL;
    for (unsigned char head[4]; fread(head, 1, sizeof head, stdin) == sizeof head;) {
        size_t length =
            (size_t)head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        if (length != room) { /* of exactly its size, so that a step past its end is seen */
            free(text);
            text = malloc(length + (length == 0));
            room = length;
        }
        if (text == NULL || fread(text, 1, length, stdin) != length)
            return 1;
        printf("%zu\n", tokenizer_count((struct str){ text, length }));
    }
    free(text);
    return 0;
}
