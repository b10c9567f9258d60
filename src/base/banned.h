/* banned.h - functions that this project does not allow, as compile errors.
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

/* These write without a bound. */
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

/* These share state between threads or cannot report an error. */
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

/* These run a shell. */
#undef system
#define system(...) BANNED(system)
#undef popen
#define popen(...) BANNED(popen)

#endif
