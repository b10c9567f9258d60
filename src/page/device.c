/* device.c - recognizes browsers and systems by fixed parts of the User-Agent header. The header is
 * the client's claim, so nothing depends on it but what the user reads. */
#include "page/device.h"

#include "web/message.h"

#include <stddef.h>

struct pattern {
    const char *text;
    const char *name;
    bool is_phone;
};

/* Order matters: Edge also claims to be Chrome, and Chrome to be Safari. */
static const struct pattern browsers[] = {
    { "Edg", "Edge", false },
    { "OPR/", "Opera", false },
    { "SamsungBrowser/", "Samsung Internet", false },
    { "Vivaldi/", "Vivaldi", false },
    { "FxiOS/", "Firefox", false },
    { "Firefox/", "Firefox", false },
    { "CriOS/", "Chrome", false },
    { "Chromium/", "Chromium", false },
    { "HeadlessChrome/", "Chrome", false },
    { "Chrome/", "Chrome", false },
    { "Safari/", "Safari", false },
    { "curl/", "curl", false },
};

static const struct pattern systems[] = {
    { "iPhone", "iPhone", true },   { "iPad", "iPad", true },
    { "Android", "Android", true }, { "Windows", "Windows", false },
    { "Mac OS X", "Mac", false },   { "Macintosh", "Mac", false },
    { "CrOS", "ChromeOS", false },  { "FreeBSD", "FreeBSD", false },
    { "Linux", "Linux", false },
};

/* Patterns are tried in their order, each at every position: the first pattern wins, not the first
 * position. */
static const struct pattern *
find(struct str text, const struct pattern *patterns, size_t count)
{
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < text.len; i++)
            if (str_starts(str_from(text, i), str_of(patterns[p].text)))
                return &patterns[p];
    return NULL;
}

/* The tables are searched in order: a browser's User-Agent also names the browsers that it wants to
 * be compatible with. */
struct device
device_read(struct str user_agent)
{
    const struct pattern *browser = find(user_agent, browsers, sizeof browsers / sizeof *browsers);
    const struct pattern *os = find(user_agent, systems, sizeof systems / sizeof *systems);
    return (struct device){ .browser = browser == NULL ? NULL : browser->name,
                            .os = os == NULL ? NULL : os->name,
                            .is_phone = os != NULL && os->is_phone };
}

/* Shows the half that is known if the other is not. */
struct str
device_text(struct call *call, struct str user_agent)
{
    struct device device = device_read(user_agent);
    if (device.browser == NULL || device.os == NULL)
        return device.browser != NULL ? str_of(device.browser)
               : device.os != NULL    ? str_of(device.os)
                                      : message(call, KEY("security.device.unknown"));
    const struct message_value values[] = { { "browser", str_of(device.browser) },
                                            { "system", str_of(device.os) } };
    return message_with(call, KEY("security.device"), values, 2);
}
