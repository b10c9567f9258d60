#include "hint/tokenizer_table.h"

/* The assembler reads the file: 3.4 MiB as numbers in C would take the compiler half a minute.
 * Hidden, so that it is found without the tables of the dynamic linker. */
__asm__(".section .rodata\n"
        ".balign 64\n"
        ".global tokenizer_table\n"
        ".hidden tokenizer_table\n"
        ".type tokenizer_table, %object\n"
        "tokenizer_table:\n"
        ".incbin \"build/tokenizer.table\"\n"
        ".size tokenizer_table, . - tokenizer_table\n"
        ".previous\n");
