/* routes.h - every route of the service.
 *
 * The list of route tables, one per feature, as dispatch/web.h takes it. A new table of handlers is
 * declared in its module's <module>_routes.h and added to the list in routes.c. Constants, and text
 * appended to the caller's buffer: any thread may use them. */
#ifndef APP_ROUTES_H
#define APP_ROUTES_H

struct buf;
struct json;
struct route;

/* Lists end with NULL. */
extern const struct route *const routes_public[];  /* served on `listen` */
extern const struct route *const routes_private[]; /* served on `metrics-listen` */

/* Every route as text for a terminal, or as JSON for a program. */
void routes_describe(struct buf *out);
void routes_write(struct json *out);

#endif
