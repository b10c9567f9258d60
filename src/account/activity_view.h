/* activity_view.h - lines about a user's activity, for the page of all activity and each app's
 * page.
 *
 * Results are allocated in the request's arena. Call from the thread that handles the request. */
#ifndef ACCOUNT_ACTIVITY_VIEW_H
#define ACCOUNT_ACTIVITY_VIEW_H

#include "base/err.h"
#include "model/activity.h"

struct call;
struct values;

/* The signed-in user's activity, newest first. */
enum err activity_view_load(struct call *call, struct activity **out, size_t *count);

/* The values of pages/activity_line.html. */
void activity_view_put(struct call *call, struct values *values, const struct activity *record);

/* The newest lines of one app. */
enum err activity_view_put_app(struct call *call, struct values *values, struct str app_id);

#endif
