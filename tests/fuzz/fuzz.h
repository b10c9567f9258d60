/* fuzz.h - shared by all fuzz targets: the entry point, and MUST() for properties. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(property)                                                                    \
    do {                                                                                  \
        if (!(property)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

/* A copy of exact size, so that reading past its end is detected. */
static inline struct str
fuzz_input(struct arena *mem, const uint8_t *data, size_t size)
{
    return str_copy(mem, (struct str){ size == 0 ? "" : (const char *)data, size });
}

#endif
