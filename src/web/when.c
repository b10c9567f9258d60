#include "web/when.h"

#include "text/template.h"
#include "text/time_text.h"
#include "web/call.h"
#include "web/say.h"

#define MINUTE 60
#define HOUR ((int64_t)60 * MINUTE)
#define DAY ((int64_t)24 * HOUR)

WORD(now, "when.now");
WORD(minutes_one, "when.minutes.one");
WORD(minutes_other, "when.minutes.other");
WORD(hours_one, "when.hours.one");
WORD(hours_other, "when.hours.other");
WORD(yesterday, "when.yesterday");
WORD(days_other, "when.days");
WORD(date, "when.date");
WORD(january, "when.month.1");
WORD(february, "when.month.2");
WORD(march, "when.month.3");
WORD(april, "when.month.4");
WORD(may, "when.month.5");
WORD(june, "when.month.6");
WORD(july, "when.month.7");
WORD(august, "when.month.8");
WORD(september, "when.month.9");
WORD(october, "when.month.10");
WORD(november, "when.month.11");
WORD(december, "when.month.12");

static const char *const months[] = { january, february, march,     april,   may,      june,
                                      july,    august,   september, october, november, december };

struct str
when_date(struct call *call, int64_t seconds)
{
    struct str iso = time_write(call->mem, seconds); /* 2026-11-02T… */
    int64_t month, day;
    struct str day_text = str_first(str_from(iso, 8), 2),
               month_text = str_first(str_from(iso, 5), 2);
    if (day_text.len == 2 && day_text.ptr[0] == '0')
        day_text = str_from(day_text, 1);
    if (month_text.len == 2 && month_text.ptr[0] == '0')
        month_text = str_from(month_text, 1);
    if (!str_to_int(month_text, 1, 12, &month) || !str_to_int(day_text, 1, 31, &day))
        return STR("");
    const struct word_value values[] = {
        { "year", str_first(iso, 4) },
        { "month", say(call, months[month - 1]) },
        { "day", day_text },
    };
    return say_with(call, date, values, sizeof values / sizeof *values);
}

struct str
when_said(struct call *call, int64_t seconds)
{
    int64_t ago = call->now - seconds;
    int64_t days = call->now / DAY - seconds / DAY;
    if (ago < -MINUTE || days >= 14)
        return when_date(call, seconds);
    if (ago < MINUTE)
        return say(call, now);
    if (ago < HOUR)
        return say_count(call, minutes_one, minutes_other, ago / MINUTE);
    if (ago < DAY)
        return say_count(call, hours_one, hours_other, ago / HOUR);
    return days <= 1 ? say(call, yesterday) : say_count(call, days_other, days_other, days);
}

void
when_put(struct call *call, struct values *values, const char *name, int64_t seconds)
{
    if (seconds <= 0)
        return;
    values_text(values, name, when_said(call, seconds));
    values_text(values, str_format(call->mem, "%s_iso", name).ptr, time_write(call->mem, seconds));
}
