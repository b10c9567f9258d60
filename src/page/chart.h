/* chart.h - template values for an SVG bar chart of an app's usage per day, and the same numbers as
 * text. Results are in the request's arena. Call from the thread that handles the request. */
#ifndef PAGE_CHART_H
#define PAGE_CHART_H

#include "model/usage.h"

struct call;
struct values;

/* `bars`, one per day: x, good_y, good_height, bad_y, bad_height in an image of 300 by 80, and a
 * title; `days` with any requests, newest first; `most`, the highest count of one day. */
void chart_put(struct call *call, struct values *values, const struct usage_day *days);

#endif
