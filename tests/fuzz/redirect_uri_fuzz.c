/* Two lines: a registered and a requested redirect URI. An accepted URI has nothing that a browser
 * would interpret differently, and matches only itself, or on loopback itself with another port
 * or a slash for an empty path,
 * according to a second implementation that compares strings. */
#include "fuzz.h"

#include "model/redirect_uri.h"

#include <string.h>

/* The text after a loopback origin and port; absent: another origin. */
static struct str
behind_loopback(struct str uri, struct str origin)
{
    if (!str_starts(uri, origin))
        return STR_NONE;
    struct str rest = str_from(uri, origin.len);
    if (rest.len == 0 || rest.ptr[0] == '/' || rest.ptr[0] == '?')
        return rest;
    size_t digits = 0;
    long port = 0;
    while (digits < 5 && 1 + digits < rest.len && rest.ptr[1 + digits] >= '0' &&
           rest.ptr[1 + digits] <= '9')
        port = port * 10 + (rest.ptr[1 + digits++] - '0');
    struct str next = str_from(rest, 1 + digits);
    bool ends = next.len == 0 || next.ptr[0] == '/' || next.ptr[0] == '?';
    if (rest.ptr[0] == ':' && digits > 0 && rest.ptr[1] != '0' && port <= 65535 && ends)
        return next;
    return STR_NONE;
}

static bool
ought_to_match(struct arena *mem, struct str registered, struct str asked)
{
    static const struct str origins[] = { { "http://127.0.0.1", 16 },
                                          { "http://[::1]", 12 },
                                          { "http://localhost", 16 } };
    if (str_eq(registered, asked))
        return true;
    if (str_index(asked, '\0') < asked.len)
        return false; /* str_format() would stop there */
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        struct str ours = behind_loopback(registered, origins[i]);
        if (str_present(ours)) {
            struct str theirs = behind_loopback(asked, origins[i]);
            if (ours.len == 0 || ours.ptr[0] == '?')
                ours = str_format(mem, "/%.*s", STR_ARG(ours));
            if (str_present(theirs) && (theirs.len == 0 || theirs.ptr[0] == '?'))
                theirs = str_format(mem, "/%.*s", STR_ARG(theirs));
            return str_present(theirs) && str_eq(ours, theirs);
        }
    }
    return false;
}

static void
check_registered(struct arena *mem, struct str uri)
{
    size_t colon = str_index(uri, ':');
    bool in_authority = str_starts(str_from(uri, colon), STR("://"));
    MUST(uri.len > 0 && uri.len <= REDIRECT_URI_MAX && colon < uri.len);
    for (size_t i = 0; i < uri.len; i++) {
        char c = uri.ptr[i];
        MUST(c > ' ' && c < 0x7f && strchr("\\#\"<>^`{|}*", c) == NULL);
        if (i > colon + 2 && (c == '/' || c == '?'))
            in_authority = false;
        MUST(!in_authority || c != '@');
    }
    bool https = str_starts(uri, STR("https://"));
    bool loopback = str_starts(uri, STR("http://"));
    struct str scheme = str_first(uri, colon);
    MUST(https || loopback || str_index(scheme, '.') < scheme.len);
    MUST(!loopback || str_present(behind_loopback(uri, STR("http://127.0.0.1"))) ||
         str_present(behind_loopback(uri, STR("http://[::1]"))) ||
         str_present(behind_loopback(uri, STR("http://localhost"))));
    MUST(redirect_uri_matches(uri, uri));
    MUST(redirect_uri_display(mem, uri).len > 0);

    struct str origin = redirect_uri_origin(mem, uri); /* part of a header, between spaces */
    MUST(origin.len > 1);
    for (size_t i = 0; i < origin.len; i++)
        MUST(strchr("abcdefghijklmnopqrstuvwxyz0123456789.-+:/", origin.ptr[i]) != NULL);

    struct str answered = redirect_uri_add(mem, uri, "code", STR("a&b #\r\n"));
    MUST(str_starts(answered, uri) && str_ends(answered, STR("code=a%26b%20%23%0D%0A")));
    char before = answered.ptr[answered.len - STR("code=a%26b%20%23%0D%0A").len - 1];
    MUST(before == '?' || before == '&');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str rest = fuzz_input(mem, data, size), line = STR_NONE;
    str_cut(&rest, '\n', &line);
    struct str registered = str_copy(mem, line);
    struct str asked = str_copy(mem, rest);
    if (redirect_uri_problem(registered, STR_NONE) == NULL) {
        check_registered(mem, registered);
        MUST(redirect_uri_matches(registered, asked) == ought_to_match(mem, registered, asked));
    }
    if (redirect_uri_problem(asked, STR_NONE) == NULL)
        check_registered(mem, asked);
    arena_free(mem);
    return 0;
}
