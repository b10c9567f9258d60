/* flash.h - shows a one-time message on the page after a redirect, optionally with an undo button.
 *
 * The message travels in its own cookie from the 303 to the next page, which shows it and deletes
 * the cookie. It is not in the URL, where any link could put text on our pages. The cookie is still
 * untrusted: it only selects a message of the catalog, and an undo id works only for its own user.
 * Call from the thread that handles the request. */
#ifndef WEB_FLASH_H
#define WEB_FLASH_H

#include "base/str.h"

struct call;
struct values;

struct flash {
    const char *key;  /* message key, begins with "flash." */
    struct str what;  /* its {what}; absent: none */
    struct str count; /* its {count}; absent: none */
    struct str undo;  /* id for undo_run(); absent: no undo */
    struct str to;    /* path to return to after undo; absent: the overview */
};

/* Sends 303 to a path of this service; the page there shows the message. */
void flash_redirect(struct call *call, const char *path, const struct flash *flash);

/* Adds the values of pages/flash.html, if the cookie has a message. True: call flash_clear() after
 * the response is built. */
bool flash_put(struct call *call, struct values *values);
void flash_clear(struct call *call);

#endif
