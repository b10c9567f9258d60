/* host_list.c - lists of hosts in settings: exact names, or *.NAME for everything below a name.
 * Only lower case is accepted, so that comparing bytes is enough. */
#include "model/host_list.h"

#include "base/ascii.h"

#define HOST_MAX 253
#define LABEL_MAX 63

/* In lower case only, because hosts are compared as text (RFC 1035 §2.3.4 for the length). */
static bool
label_valid(struct str label)
{
    if (label.len == 0 || label.len > LABEL_MAX || label.ptr[0] == '-' ||
        label.ptr[label.len - 1] == '-')
        return false;
    for (size_t i = 0; i < label.len; i++) {
        char c = label.ptr[i];
        if (!(ascii_is_lower(c) || ascii_is_digit(c) || c == '-'))
            return false;
    }
    return true;
}

/* A host whose last label begins with a digit may be an address: 127.1, 0x7f.1, 017700000001. No
 * top-level domain begins with a digit. */
bool
host_name_valid(struct str host)
{
    struct str rest = host, label = STR("");
    if (host.len == 0 || host.len > HOST_MAX)
        return false;
    while (str_cut(&rest, '.', &label))
        if (!label_valid(label))
            return false;
    return label.ptr[0] < '0' || label.ptr[0] > '9';
}

/* A name without a dot would be a whole top-level domain or a machine of the local network; only
 * localhost is allowed. */
const char *
host_list_problem(struct str list)
{
    struct str name;
    while (str_cut(&list, ' ', &name)) {
        struct str host = str_starts(name, STR("*.")) ? str_from(name, 2) : name;
        bool dotted = str_index(name, '.') < name.len || str_eq_c(name, "localhost");
        if (!host_name_valid(host) || !dotted)
            return "must be host names in lower case, separated by single spaces, such as "
                   "claude.ai *.example.com";
    }
    return NULL;
}

/* "*.example.com" keeps its dot in the comparison, so that "badexample.com" is not below it. */
bool
host_list_contains(struct str list, struct str host)
{
    struct str name;
    if (!str_present(list))
        return true;
    while (str_cut(&list, ' ', &name))
        if (str_starts(name, STR("*.")) ? str_ends(host, str_from(name, 1)) : str_eq(host, name))
            return true;
    return false;
}
