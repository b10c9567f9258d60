/* account_page.h - the frame of the pages of somebody who is signed in. */
#ifndef PAGE_ACCOUNT_PAGE_H
#define PAGE_ACCOUNT_PAGE_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct values;

/* A page of one of the rooms that the navigation leads to ("apps"), with what is to be told. */
enum err account_page(struct call *call, int status, const char *page, const char *section,
                      struct values *values);

/* The same, of a page whose forms come back to it, so that its script can send them without leaving
 * it. */
enum err account_page_with_script(struct call *call, int status, const char *page,
                                  struct values *values);

/* One field with what is wrong with it: name, name_problem, name_invalid ("true", "false"). */
void account_put_field(struct call *call, struct values *values, const char *name, struct str value,
                       struct str problem);

/* Whether the page that was just made leaves room, under 60 KB, for what it loads: a page with
 * lists is made anew with less of each until it does. */
bool account_page_fits(const struct call *call);

/* ---- where something was done, so that one comes back to it ----
 *
 * In a form a place is a text: "overview", "waiting/2" and "wrong/1" (pages of those lists),
 * "music_preferences" (its page), "music_preferences/genres/3" (a page of one member's facts). */

/* The address of a domain's page, at the place of one of its members. */
const char *account_member_url(struct call *call, struct str domain, struct str member);

/* The address of a page of all the facts of one member, and the place as a text. */
const char *account_member_page_url(struct call *call, struct str domain, struct str member,
                                    int64_t page);
struct str account_member_return_to(struct call *call, struct str domain, struct str member,
                                    int64_t page);

/* The address a text means, the overview's if it means nothing. `domain` and `member` are what it
 * was done to. */
const char *account_return_url(struct call *call, struct str to, struct str domain,
                               struct str member);

#endif
