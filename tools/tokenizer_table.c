/* tokenizer_table.c - writes the lookup table that tokenizer/tokenizer_table.h describes.
 *
 * Run by the build: tokenizer_table TOKENS CLASSES > TABLE
 * data/README.md describes the two files. An error in one of them stops the build with one line. */
#include "tokenizer/tokenizer_table.h"

#include <stdarg.h>
#include <stdbool.h>

#define POINTS 0x110000
#define PAGES_MAX 256

static unsigned char table[TOKENIZER_PAGES_AT + PAGES_MAX * 256];
static unsigned char classes[POINTS];

__attribute__((noreturn, format(printf, 1, 2))) static void
stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("tokenizer_table: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void
store32(unsigned char *at, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(number >> 8 * i);
}

/* ---- vocabulary ---- */

static bool
is_token(size_t at, const unsigned char *bytes, size_t length)
{
    const unsigned char *record = table + TOKENIZER_RECORDS_AT + at;
    return record[0] == length && memcmp(record + TOKENIZER_RECORD_HEAD, bytes, length) == 0;
}

static void
add_token(size_t at, uint32_t rank, const unsigned char *bytes, size_t length)
{
    uint64_t hash = tokenizer_hash(bytes, length);
    size_t slot = tokenizer_slot_of(hash);
    for (;;) {
        uint32_t entry = tokenizer_load32(table + slot * 4);
        if (entry == TOKENIZER_SLOT_FREE)
            break;
        if (is_token(entry >> TOKENIZER_TAG_BITS, bytes, length))
            stop("token %u exists twice", rank);
        slot = (slot + 1) % TOKENIZER_SLOTS;
    }
    store32(table + slot * 4, (uint32_t)at << TOKENIZER_TAG_BITS | tokenizer_tag_of(hash));
    unsigned char *record = table + TOKENIZER_RECORDS_AT + at;
    store32(record, rank << 8 | (uint32_t)length);
    memcpy(record + TOKENIZER_RECORD_HEAD, bytes, length);
}

/* Tokens in order of rank, each as one byte with its length and then its bytes. */
static void
read_tokens(FILE *file)
{
    _Static_assert(TOKENIZER_INDEX_AT - TOKENIZER_RECORDS_AT < 1 << (32 - TOKENIZER_TAG_BITS),
                   "a slot has enough bits for the position of every record");
    memset(table, 0xff, TOKENIZER_RECORDS_AT);
    bool single[256] = { false };
    size_t at = 0;
    uint32_t rank = 0;
    for (int length; (length = getc(file)) != EOF; rank++) {
        unsigned char bytes[TOKENIZER_TOKEN_MAX];
        size_t size = (size_t)length;
        if (size < 1 || size > sizeof bytes || fread(bytes, 1, size, file) != size)
            stop("token %u is damaged", rank);
        if (at + TOKENIZER_RECORD_HEAD + size > TOKENIZER_INDEX_AT - TOKENIZER_RECORDS_AT)
            stop("more tokens than there are in o200k_base");
        add_token(at, rank, bytes, size);
        at += TOKENIZER_RECORD_HEAD + size;
        if (size == 1)
            single[bytes[0]] = true;
    }
    if (rank != TOKENIZER_TOKENS || at != TOKENIZER_INDEX_AT - TOKENIZER_RECORDS_AT)
        stop("%u tokens; o200k_base has %d", rank, TOKENIZER_TOKENS);
    for (int i = 0; i < 256; i++) /* otherwise some texts have no encoding */
        if (!single[i])
            stop("byte %d is not a token", i);
}

/* ---- character classes ---- */

static unsigned char
class_of(char letter)
{
    switch (letter) {
    case 'U':
        return TOKENIZER_UPPER | TOKENIZER_LETTER;
    case 'W':
        return TOKENIZER_LOWER | TOKENIZER_LETTER;
    case 'O':
        return TOKENIZER_BOTH | TOKENIZER_LETTER;
    case 'M':
        return TOKENIZER_BOTH;
    case 'N':
        return TOKENIZER_NUMBER;
    case 'S':
        return TOKENIZER_SPACE;
    case 'R':
        return TOKENIZER_SPACE | TOKENIZER_BREAK;
    default:
        stop("unknown class %c", letter);
    }
}

static void
read_classes(FILE *file)
{
    char line[256];
    long next = 0;
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        if (line[0] == '#')
            continue;
        char *rest;
        long first = strtol(line, &rest, 16);
        long last = strtol(rest, &rest, 16);
        if (first < next || last < first || last >= POINTS || rest[0] != ' ' || rest[2] != '\n')
            stop("classes, line %d: expected FIRST LAST CLASS, in ascending order", number);
        memset(classes + first, class_of(rest[1]), (size_t)(last - first + 1));
        next = last + 1;
    }
    if (next < 0x20000)
        stop("the classes end too early, at U+%04lX", next);
}

/* Stores equal pages once. Returns the number of different pages. */
static size_t
make_pages(void)
{
    size_t count = 0;
    for (size_t i = 0; i < TOKENIZER_INDEX_BYTES; i++) {
        size_t page = 0;
        while (page < count &&
               memcmp(table + TOKENIZER_PAGES_AT + page * 256, classes + i * 256, 256) != 0)
            page++;
        if (page == PAGES_MAX)
            stop("more than %d different pages of classes", PAGES_MAX);
        if (page == count)
            memcpy(table + TOKENIZER_PAGES_AT + count++ * 256, classes + i * 256, 256);
        table[TOKENIZER_INDEX_AT + i] = (unsigned char)page;
    }
    return count;
}

static void
read_file(const char *name, void read(FILE *))
{
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        stop("cannot read %s", name);
    read(file);
    if (ferror(file) != 0)
        stop("cannot read %s", name);
    fclose(file);
}

int
main(int count, char **arguments)
{
    if (count != 3)
        stop("usage: tokenizer_table TOKENS CLASSES > TABLE");
    read_file(arguments[1], read_tokens);
    read_file(arguments[2], read_classes);
    size_t size = TOKENIZER_PAGES_AT + make_pages() * 256;
    if (fwrite(table, 1, size, stdout) != size || fflush(stdout) != 0)
        stop("cannot write the table");
    return 0;
}
