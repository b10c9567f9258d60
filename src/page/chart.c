/* chart.c - heights and positions of the bars are computed here, so that the template needs no
 * arithmetic and the page no script. A bar is served calls, with refused and failed ones on top. */
#include "page/chart.h"

#include "page/when.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"

#define STEP 10   /* from one bar to the next */
#define HEIGHT 80 /* of the chart */
#define SECONDS_A_DAY 86400

static int64_t
served(const struct usage_day *day)
{
    return day->counts[USAGE_CALL]; /* as users see them; tokens are in the table */
}

static int64_t
not_served(const struct usage_day *day)
{
    return day->counts[USAGE_REFUSED] + day->counts[USAGE_FAILED];
}

/* For attributes of SVG, without separators: messages use message_number(). */
static struct str
number(struct call *call, int64_t value)
{
    return str_format(call->mem, "%lld", (long long)value);
}

/* Any count above 0 is visible. */
static int64_t
height_of(int64_t count, int64_t most)
{
    if (count == 0)
        return 0;
    int64_t height = count * (HEIGHT - 4) / most;
    return height < 2 ? 2 : height;
}

/* Screen readers read it aloud; browsers show it while a pointer is over the bar. */
static struct str
bar_title(struct call *call, const struct usage_day *day)
{
    const struct message_value values[] = {
        { "day", when_date(call, day->day * SECONDS_A_DAY) },
        { "served", message_number(call, served(day)) },
        { "refused", message_number(call, not_served(day)) },
    };
    return message_with(call, KEY("developer.chart.bar"), values, sizeof values / sizeof *values);
}

/* Rounding up both parts can exceed the height by some units: the lower part gives way. */
static void
put_bar(struct call *call, struct values *bar, const struct usage_day *day, size_t index,
        int64_t most)
{
    int64_t good = height_of(served(day), most), bad = height_of(not_served(day), most);
    if (good + bad > HEIGHT)
        good = HEIGHT - bad;
    values_text(bar, "x", number(call, (int64_t)index * STEP + 1));
    values_text(bar, "good_y", number(call, HEIGHT - good));
    values_text(bar, "good_height", number(call, good));
    values_text(bar, "bad_y", number(call, HEIGHT - good - bad));
    values_text(bar, "bad_height", number(call, bad));
    values_text(bar, "title", bar_title(call, day));
}

/* The chart has a bar for every day; the table lists only days with requests. */
void
chart_put(struct call *call, struct values *values, const struct usage_day *days)
{
    /* Not 0: heights are divided by it. */
    int64_t most = 1;
    for (size_t i = 0; i < USAGE_DAYS; i++)
        if (served(&days[i]) + not_served(&days[i]) > most)
            most = served(&days[i]) + not_served(&days[i]);
    for (size_t i = 0; i < USAGE_DAYS; i++)
        put_bar(call, values_item(values, "bars"), &days[i], i, most);
    for (size_t i = USAGE_DAYS; i-- > 0;) {
        if (served(&days[i]) + not_served(&days[i]) == 0)
            continue;
        struct values *item = values_item(values, "days");
        values_text(item, "day", when_date(call, days[i].day * SECONDS_A_DAY));
        values_text(item, "calls", message_number(call, days[i].counts[USAGE_CALL]));
        values_text(item, "tokens", message_number(call, days[i].counts[USAGE_TOKENS]));
        values_text(item, "refused", message_number(call, days[i].counts[USAGE_REFUSED]));
        values_text(item, "failed", message_number(call, days[i].counts[USAGE_FAILED]));
    }
    values_text(values, "most", message_number(call, most));
    values_text(values, "first_day", when_date(call, days[0].day * SECONDS_A_DAY));
}
