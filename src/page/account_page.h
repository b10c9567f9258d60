/* account_page.h - the layout of pages for a signed-in user, and the URLs their forms return to.
 *
 * Results are allocated in the request's arena. Call from the thread that handles the request. */
#ifndef PAGE_ACCOUNT_PAGE_H
#define PAGE_ACCOUNT_PAGE_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct values;

/* Sends a page of one section of the navigation ("apps"), with the flash message if there is one.
 */
enum err account_page(struct call *call, int status, const char *page, const char *section,
                      struct values *values);

/* The same for a page whose script may submit its forms in the background. */
enum err account_page_with_script(struct call *call, int status, const char *page,
                                  struct values *values);

/* Puts one field with its error: name, name_problem, name_invalid ("true", "false"). */
void account_put_field(struct call *call, struct values *values, const char *name, struct str value,
                       struct str problem);

/* Whether the rendered page and everything it loads stay below 60 KB. A page with lists is rendered
 * again with shorter lists until it does. */
bool account_page_fits(const struct call *call);

/* Sends a file to save: the prefix, the username, and the day make its name. */
enum file_type { FILE_JSON, FILE_CSV };
void account_send_file(struct call *call, const char *prefix, enum file_type type,
                       struct str bytes);

/* ---- the page a form returns to ----
 *
 * A form carries it as a text: "overview", "waiting/2" and "wrong/1" (pages of those lists),
 * "music_preferences" (its page), "music_preferences/genres/3" (a page of one member's facts). */

/* The URL of one page of a member's facts, and the form value that returns to it. */
const char *account_member_page_url(struct call *call, struct str domain, struct str member,
                                    int64_t page);
struct str account_member_return_to(struct call *call, struct str domain, struct str member,
                                    int64_t page);

/* The URL for a form value; the overview if the value is not valid. `domain` and `member` are those
 * of the changed fact. */
const char *account_return_url(struct call *call, struct str to, struct str domain,
                               struct str member);

#endif
