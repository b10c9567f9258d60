/* flash.h - what was done, told once on the page that follows, with a way to undo it.
 *
 * It travels in a cookie of its own from the 303 to the next page, which shows it and takes it
 * away. In the address it would be a sentence that any link could make us say. What comes back is
 * nevertheless taken as what somebody sent: the words are the catalogue's, and an undo is only a
 * name for what the store has noted about this person. */
#ifndef WEB_FLASH_H
#define WEB_FLASH_H

#include "base/str.h"

struct call;
struct values;

struct flash {
    const char *key;  /* of its text, one of the table in flash.c */
    struct str what;  /* its {what}; absent: none */
    struct str count; /* its {count}; absent: none */
    struct str undo;  /* by what it is undone: see undo_pages.c; absent: it cannot be */
    struct str to;    /* where its undo comes back to; absent: to the overview */
};

/* 303 to a path of ours, where this is told. */
void flash_redirect(struct call *call, const char *path, const struct flash *flash);

/* The values of pages/flash.html, if something is to be told. True: clear it after the reply. */
bool flash_put(struct call *call, struct values *values);
void flash_clear(struct call *call);

#endif
