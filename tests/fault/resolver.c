/* resolver.c - a name server that does not answer, for tests, by LD_PRELOAD.
 *
 *   RESOLVER_NAMES=n           the name n and those that end with it have the addresses 127.0.0.2,
 *                              where nothing listens, and 127.0.0.1
 *   RESOLVER_HANGS_WHILE=f     … but only after the file f has been deleted
 *
 * The program under test must not be built with a sanitizer, which must be preloaded first. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int getaddrinfo_function(const char *, const char *, const struct addrinfo *,
                                 struct addrinfo **);

static getaddrinfo_function *
real(void)
{
    union {
        void *object;
        getaddrinfo_function *function;
    } found = { dlsym(RTLD_NEXT, "getaddrinfo") };
    return found.function;
}

static bool
is_ours(const char *name)
{
    const char *end = getenv("RESOLVER_NAMES");
    size_t length = end == NULL ? 0 : strlen(end);
    return name != NULL && length > 0 && strlen(name) >= length &&
           strcmp(name + strlen(name) - length, end) == 0;
}

int
getaddrinfo(const char *restrict name, const char *restrict service,
            const struct addrinfo *restrict hints, struct addrinfo **restrict found)
{
    const char *file = getenv("RESOLVER_HANGS_WHILE");
    if (!is_ours(name))
        return real()(name, service, hints, found);
    while (file != NULL && access(file, F_OK) == 0)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    struct addrinfo *second = NULL;
    int problem = real()("127.0.0.2", service, hints, found);
    if (problem == 0 && real()("127.0.0.1", service, hints, &second) == 0)
        (*found)->ai_next = second; /* both are freed together, one block each */
    return problem;
}
