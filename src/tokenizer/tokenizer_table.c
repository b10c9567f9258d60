/* tokenizer_table.c - the table is made by the build (tools/tokenizer_table.c) and is a part of the
 * program, so it is shared by all processes and read only where it is used. */
#include "tokenizer/tokenizer_table.h"

/* The assembler includes the file: 3.4 MiB as a C array would take half a minute to compile. Hidden
 * visibility avoids access through the global offset table. */
__asm__(".section .rodata\n"
        ".balign 64\n"
        ".global tokenizer_table\n"
        ".hidden tokenizer_table\n"
        ".type tokenizer_table, %object\n"
        "tokenizer_table:\n"
        ".incbin \"build/tokenizer.table\"\n"
        ".size tokenizer_table, . - tokenizer_table\n"
        ".previous\n");
