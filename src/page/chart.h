/* chart.h - use over time as a picture that the server draws: numbers for an SVG in a template,
 * without any style of its own, and the same numbers as text. */
#ifndef PAGE_CHART_H
#define PAGE_CHART_H

#include "model/usage.h"

struct call;
struct values;

/* `bars`, one a day: x, good_y, good_height, bad_y, bad_height in a picture of 300 by 80, and the
 * day with its numbers in words; `days` that had any, newest first; `most` of one day. */
void chart_put(struct call *call, struct values *values, const struct usage_day *days);

#endif
