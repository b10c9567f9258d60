/* device.h - browser and operating system from a User-Agent header, for display only. */
#ifndef ACCOUNT_DEVICE_H
#define ACCOUNT_DEVICE_H

#include "base/str.h"

struct device {
    const char *browser; /* "Firefox"; NULL: unknown */
    const char *os;      /* "Linux"; NULL: unknown */
    bool is_phone;       /* or a tablet */
};

struct device device_read(struct str user_agent);

#endif
