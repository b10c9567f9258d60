#include "text/time_text.h"

#include "base/arena.h"

#include <string.h>

#define DAY_SECONDS 86400

/* 0000-01-01 and 9999-12-31, as days from 1970-01-01. */
#define FIRST_DAY (-719528)
#define LAST_DAY 2932896

static const char form[] = "0000-00-00T00:00:00Z";

static bool
is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int
month_days(int64_t year, int64_t month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days before the first of January of a year, counted from 0000-01-01; years from 0. */
static int64_t
days_before_year(int64_t year)
{
    if (year == 0)
        return 0;
    int64_t whole = year - 1;
    return year * 365 + whole / 4 - whole / 100 + whole / 400 + 1;
}

static void
put_digits(char *text, size_t start, size_t length, int64_t value)
{
    for (size_t i = start + length; i > start; value /= 10)
        text[--i] = (char)('0' + value % 10);
}

struct str
time_write(struct arena *mem, int64_t seconds)
{
    int64_t day = seconds / DAY_SECONDS;
    int64_t second = seconds % DAY_SECONDS;
    if (second < 0) {
        second += DAY_SECONDS;
        day--;
    }
    if (day < FIRST_DAY || day > LAST_DAY)
        return STR_NONE;
    day -= FIRST_DAY;
    int64_t year = day / 366; /* never too late; the loop walks the few years that are missing */
    while (days_before_year(year + 1) <= day)
        year++;
    day -= days_before_year(year);
    int64_t month = 1;
    for (; day >= month_days(year, month); month++)
        day -= month_days(year, month);
    char *text = arena_alloc(mem, sizeof form);
    memcpy(text, form, sizeof form);
    put_digits(text, 0, 4, year);
    put_digits(text, 5, 2, month);
    put_digits(text, 8, 2, day + 1);
    put_digits(text, 11, 2, second / 3600);
    put_digits(text, 14, 2, second / 60 % 60);
    put_digits(text, 17, 2, second % 60);
    return (struct str){ text, sizeof form - 1 };
}

/* Decimal digits and nothing else; -1 if there is something else. */
static int64_t
digits(struct str text, size_t start, size_t length)
{
    int64_t value = 0;
    for (size_t i = start; i < start + length; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return -1;
        value = value * 10 + (text.ptr[i] - '0');
    }
    return value;
}

static bool
between(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

bool
time_read(struct str text, int64_t *seconds)
{
    if (text.len != sizeof form - 1)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (form[i] != '0' && form[i] != text.ptr[i])
            return false;
    int64_t year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
    int64_t hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
    if (!between(year, 0, 9999) || !between(month, 1, 12) ||
        !between(day, 1, month_days(year, month)) || !between(hour, 0, 23) ||
        !between(minute, 0, 59) || !between(second, 0, 59))
        return false;
    int64_t days = FIRST_DAY + days_before_year(year) + day - 1;
    for (int64_t before = 1; before < month; before++)
        days += month_days(year, before);
    *seconds = days * DAY_SECONDS + hour * 3600 + minute * 60 + second;
    return true;
}
