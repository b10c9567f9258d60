/* banned.h - functions that this house does not use, as compile errors.
 *
 * Included before every source file by the compiler's -include. The headers that declare the
 * banned names come first, so that only our own use of them fails. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(name) banned_function_##name##_see_base_banned_h

/* No bound on what is written. */
#undef strcpy
#define strcpy(...) BANNED(strcpy)
#undef strcat
#define strcat(...) BANNED(strcat)
#undef strncpy
#define strncpy(...) BANNED(strncpy)
#undef strncat
#define strncat(...) BANNED(strncat)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)

/* State shared between threads, or no way to tell an error from a zero. */
#undef strtok
#define strtok(...) BANNED(strtok)
#undef atoi
#define atoi(...) BANNED(atoi)
#undef atol
#define atol(...) BANNED(atol)
#undef atoll
#define atoll(...) BANNED(atoll)
#undef gmtime
#define gmtime(...) BANNED(gmtime)
#undef localtime
#define localtime(...) BANNED(localtime)
#undef rand
#define rand(...) BANNED(rand)
#undef random
#define random(...) BANNED(random)

/* A shell is not a way to start a program. */
#undef system
#define system(...) BANNED(system)
#undef popen
#define popen(...) BANNED(popen)

#endif
