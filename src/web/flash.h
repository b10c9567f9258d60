/* flash.h - what was done, told once on the page that follows, with a way to undo it.
 *
 * It travels in a cookie of its own from the 303 to the next page, which shows it and takes it
 * away. In the address it would be a sentence that any link could make us say. What comes back is
 * nevertheless taken as what somebody sent: the words are the catalogue's, and an undo is a form
 * like any other. */
#ifndef WEB_FLASH_H
#define WEB_FLASH_H

#include "base/str.h"

struct call;
struct values;

#define FLASH_FIELDS_MAX 4

struct flash {
    const char *key;  /* of its text, one of the table in flash.c */
    struct str what;  /* its {what}; absent: none */
    struct str count; /* its {count}; absent: none */
    const char *undo; /* where its undo is sent, below /account/; NULL: it cannot be undone */
    struct flash_field {
        const char *name;
        struct str value;
    } fields[FLASH_FIELDS_MAX]; /* of the undo */
};

/* 303 to a path of ours, where this is told. */
void flash_redirect(struct call *call, const char *path, const struct flash *flash);

/* The values of pages/flash.html, if something is to be told. True: clear it after the reply. */
bool flash_put(struct call *call, struct values *values);
void flash_clear(struct call *call);

#endif
