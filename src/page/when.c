/* when.c - relative times for two weeks, then dates. Days are UTC days: "yesterday" can be up to a
 * day wrong for the reader, whose time zone is unknown. */
#include "page/when.h"

#include "template/template.h"
#include "text/time_text.h"
#include "web/call.h"
#include "web/message.h"

#define MINUTE 60
#define HOUR ((int64_t)60 * MINUTE)
#define DAY ((int64_t)24 * HOUR)

static const char months[][16] MESSAGE_KEYS = { "when.month.1",  "when.month.2",  "when.month.3",
                                                "when.month.4",  "when.month.5",  "when.month.6",
                                                "when.month.7",  "when.month.8",  "when.month.9",
                                                "when.month.10", "when.month.11", "when.month.12" };

/* In the words of the language, and in UTC. */
struct str
when_date(struct call *call, int64_t seconds)
{
    struct str iso = time_write(call->mem, seconds); /* 2026-11-02T… */
    int64_t month, day;
    struct str day_text = str_first(str_from(iso, 8), 2),
               month_text = str_first(str_from(iso, 5), 2);
    /* str_to_int() takes no leading zeros, and a date has none. */
    if (day_text.len == 2 && day_text.ptr[0] == '0')
        day_text = str_from(day_text, 1);
    if (month_text.len == 2 && month_text.ptr[0] == '0')
        month_text = str_from(month_text, 1);
    if (!str_to_int(month_text, 1, 12, &month) || !str_to_int(day_text, 1, 31, &day))
        return STR("");
    const struct message_value values[] = {
        { "year", str_first(iso, 4) },
        { "month", message(call, months[month - 1]) },
        { "day", day_text },
    };
    return message_with(call, KEY("when.date"), values, sizeof values / sizeof *values);
}

/* Relative up to two weeks, then the date. */
struct str
when_text(struct call *call, int64_t seconds)
{
    int64_t ago = call->now - seconds;
    int64_t days = call->now / DAY - seconds / DAY;
    /* Clocks may differ: up to a minute in the future is "just now". */
    if (ago < -MINUTE || days >= 14)
        return when_date(call, seconds);
    if (ago < MINUTE)
        return message(call, KEY("when.now"));
    if (ago < HOUR)
        return message_count(call, KEY("when.minutes.one"), KEY("when.minutes.other"),
                             ago / MINUTE);
    if (ago < DAY)
        return message_count(call, KEY("when.hours.one"), KEY("when.hours.other"), ago / HOUR);
    return days <= 1 ? message(call, KEY("when.yesterday"))
                     : message_count(call, KEY("when.days"), KEY("when.days"), days);
}

/* 0 means that it never happened: the page then shows nothing. */
void
when_put(struct call *call, struct values *values, const char *name, int64_t seconds)
{
    if (seconds <= 0)
        return;
    values_text(values, name, when_text(call, seconds));
    values_text(values, str_format(call->mem, "%s_iso", name).ptr, time_write(call->mem, seconds));
}
