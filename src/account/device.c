#include "account/device.h"

#include <stddef.h>

struct mark {
    const char *text;
    const char *means;
    bool is_phone;
};

/* Browsers name their ancestors, too: the youngest comes first. */
static const struct mark browsers[] = {
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

static const struct mark systems[] = {
    { "iPhone", "iPhone", true },   { "iPad", "iPad", true },
    { "Android", "Android", true }, { "Windows", "Windows", false },
    { "Mac OS X", "Mac", false },   { "Macintosh", "Mac", false },
    { "CrOS", "ChromeOS", false },  { "FreeBSD", "FreeBSD", false },
    { "Linux", "Linux", false },
};

static const struct mark *
find(struct str text, const struct mark *marks, size_t count)
{
    for (size_t m = 0; m < count; m++)
        for (size_t i = 0; i < text.len; i++)
            if (str_starts(str_from(text, i), str_of(marks[m].text)))
                return &marks[m];
    return NULL;
}

struct device
device_read(struct str user_agent)
{
    const struct mark *browser = find(user_agent, browsers, sizeof browsers / sizeof *browsers);
    const struct mark *runs_on = find(user_agent, systems, sizeof systems / sizeof *systems);
    return (struct device){ .browser = browser == NULL ? NULL : browser->means,
                            .runs_on = runs_on == NULL ? NULL : runs_on->means,
                            .is_phone = runs_on != NULL && runs_on->is_phone };
}
