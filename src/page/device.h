/* device.h - browser and operating system from a User-Agent header, for display only. device_read()
 * is pure, and any thread may call them; call device_text() from the thread that handles the
 * request. */
#ifndef PAGE_DEVICE_H
#define PAGE_DEVICE_H

#include "base/str.h"

struct device {
    const char *browser; /* "Firefox"; NULL: unknown */
    const char *os;      /* "Linux"; NULL: unknown */
    bool is_phone;       /* or a tablet */
};

struct device device_read(struct str user_agent);

/* "Firefox on Linux", in the language of the request. */
struct call;
struct str device_text(struct call *call, struct str user_agent);

#endif
