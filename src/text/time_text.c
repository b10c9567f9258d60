/* time_text.c - the calendar in integers, without the C library: its functions take locks and read
 * the time zone, and lists of facts write two times per fact. */
#include "text/time_text.h"

#include <string.h>

#define DAY_SECONDS 86400

/* 0000-01-01 and 9999-12-31, as days from 1970-01-01. */
#define FIRST_DAY (-719528)
#define LAST_DAY 2932896

static const char form[] = "0000-00-00T00:00:00Z";

_Static_assert(sizeof form - 1 == TIME_TEXT_LENGTH, "matches time_text.h");

/* Days are counted in 32 bits from 0000-01-01: division by a constant is then one multiplication.
 */

/* The days of a year before the start of a month, counted from 0. */
static const uint16_t *
months_of(uint32_t year)
{
    static const uint16_t before[2][13] = {
        { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 },
        { 0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366 },
    };
    return before[year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)];
}

/* Days from the start of year 0 of the proleptic Gregorian calendar. */
static uint32_t
days_before_year(uint32_t year)
{
    if (year == 0)
        return 0;
    uint32_t whole = year - 1;
    return year * 365 + whole / 4 - whole / 100 + whole / 400 + 1;
}

static void
put_two(char *text, uint32_t value)
{
    text[0] = (char)('0' + value / 10);
    text[1] = (char)('0' + value % 10);
}

static void
put_date(char *text, uint32_t day)
{
    /* 400 years have 146,097 days. Taken a day and a half earlier, the year is never one too late,
     * and too early by one at most; so is the month. */
    uint32_t year = day < 2 ? 0 : (day * 400 - 600) / 146097;
    year += day >= days_before_year(year + 1);
    day -= days_before_year(year);
    const uint16_t *before = months_of(year);
    uint32_t month = day / 32;
    month += day >= before[month + 1];
    put_two(text, year / 100);
    put_two(text + 2, year % 100);
    put_two(text + 5, month + 1);
    put_two(text + 8, day - before[month] + 1);
}

/* Division rounds toward zero; times before 1970 need the day before. */
bool
time_put(char out[TIME_TEXT_LENGTH], int64_t seconds)
{
    int64_t day = seconds / DAY_SECONDS;
    int64_t rest = seconds % DAY_SECONDS;
    if (rest < 0) {
        rest += DAY_SECONDS;
        day--;
    }
    if (day < FIRST_DAY || day > LAST_DAY)
        return false;
    uint32_t second = (uint32_t)rest;
    memcpy(out, form, TIME_TEXT_LENGTH);
    put_date(out, (uint32_t)(day - FIRST_DAY));
    put_two(out + 11, second / 3600);
    put_two(out + 14, second / 60 % 60);
    put_two(out + 17, second % 60);
    return true;
}

/* Absent: the time is outside of years 0 to 9999. */
struct str
time_write(struct arena *mem, int64_t seconds)
{
    char text[TIME_TEXT_LENGTH];
    if (!time_put(text, seconds))
        return STR_NONE;
    return str_copy(mem, (struct str){ text, sizeof text });
}

/* Only decimal digits; UINT32_MAX otherwise. */
static uint32_t
digits(struct str text, size_t start, size_t length)
{
    uint32_t value = 0;
    for (size_t i = start; i < start + length; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return UINT32_MAX;
        value = value * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    return value;
}

/* Only the form that this service writes, in UTC. A leap second (60) is rejected, since it has no
 * number in Unix time. */
bool
time_read(struct str text, int64_t *seconds)
{
    if (text.len != sizeof form - 1)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (form[i] != '0' && form[i] != text.ptr[i])
            return false;
    uint32_t year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
    uint32_t hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
    if (year > 9999 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59)
        return false;
    const uint16_t *before = &months_of(year)[month - 1];
    if (day < 1 || day > (uint32_t)before[1] - before[0])
        return false;
    int64_t days = FIRST_DAY + (int64_t)days_before_year(year) + before[0] + day - 1;
    *seconds = days * DAY_SECONDS + hour * 3600 + minute * 60 + second;
    return true;
}
