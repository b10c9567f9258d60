/* account_page.h - the frame of the pages of somebody who is signed in. */
#ifndef WEB_ACCOUNT_PAGE_H
#define WEB_ACCOUNT_PAGE_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct values;

/* A page of one of the rooms that the navigation leads to ("apps"), with what is to be told. */
enum err account_page(struct call *call, int status, const char *page, const char *room,
                      struct values *values);

/* The same, of a page whose forms come back to it, so that its script can send them without leaving
 * it. */
enum err account_page_acting(struct call *call, int status, const char *page,
                             struct values *values);

/* One field with what is wrong with it: name, name_problem, name_invalid ("true", "false"). */
void account_put_field(struct call *call, struct values *values, const char *name, struct str value,
                       struct str problem);

/* The address of a domain's page, at the place of one of its members. */
const char *account_place(struct call *call, struct str domain, struct str member);

#endif
