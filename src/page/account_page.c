/* account_page.c - the frame of account pages.
 *
 * A form names the page to return to by a short text, not by a URL: account_return_url() builds the
 * URL from parts that it has checked, so a forged value can only lead to another page of the
 * account. */
#include "page/account_page.h"

#include "dispatch/browser_session.h"
#include "domain/domain.h"
#include "http/server.h"
#include "page/pager.h"
#include "template/template.h"
#include "text/time_text.h"
#include "web/assets.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define PAGE_MAX ((size_t)59 * 1000)
#define ICONS_BYTES ((size_t)4 * 1000) /* loaded by the stylesheets */

/* The flash message is cleared only if the page that shows it could be made. */
enum err
account_page(struct call *call, int status, const char *page, const char *section,
             struct values *values)
{
    values_flag(values, str_format(call->mem, "at_%s", section).ptr, true);
    bool has_flash = flash_put(call, values);
    enum err err = page_send(call, status, page, values);
    if (err == ERR_NONE && has_flash)
        flash_clear(call);
    return err;
}

/* The policy of other account pages allows scripts no requests. */
enum err
account_page_with_script(struct call *call, int status, const char *page, struct values *values)
{
    enum err err = account_page(call, status, page, "preferences", values);
    if (err == ERR_NONE)
        page_allow_connect(call);
    return err;
}

/* A page writes three values for each field: what was typed, the problem, and aria-invalid. */
void
account_put_field(struct call *call, struct values *values, const char *name, struct str value,
                  struct str problem)
{
    values_text(values, name, value);
    values_text(values, str_format(call->mem, "%s_problem", name).ptr, problem);
    values_text(values, str_format(call->mem, "%s_invalid", name).ptr,
                problem.len == 0 ? STR("false") : STR("true"));
}

/* The URL of a domain's page, scrolled to one of its members. */
static const char *
member_url(struct call *call, struct str domain, struct str member)
{
    return str_format(call->mem, "/account/domains/%.*s#%.*s", STR_ARG(domain), STR_ARG(member))
        .ptr;
}

const char *
account_member_page_url(struct call *call, struct str domain, struct str member, int64_t page)
{
    return str_format(call->mem, "/account/domains/%.*s?show=%.*s&page=%lld", STR_ARG(domain),
                      STR_ARG(member), (long long)page)
        .ptr;
}

struct str
account_member_return_to(struct call *call, struct str domain, struct str member, int64_t page)
{
    return str_format(call->mem, "%.*s/%.*s/%lld", STR_ARG(domain), STR_ARG(member),
                      (long long)page);
}

/* A list and a page number, or a domain, one of its members, and a page number. Each part is
 * checked; anything else leads to the overview. */
const char *
account_return_url(struct call *call, struct str to, struct str domain, struct str member)
{
    struct str part = STR_NONE, shown = STR_NONE;
    int64_t page;
    str_cut(&to, '/', &part);
    if ((str_eq_c(part, "waiting") || str_eq_c(part, "wrong")) &&
        str_to_int(to, 1, PAGER_PAGES_MAX, &page))
        return str_format(call->mem, "/account/%s?page=%lld",
                          str_eq_c(part, "wrong") ? "facts" : "waiting", (long long)page)
            .ptr;
    const struct domain *target = domains_find(call->web->settings.domains, part);
    if (target == NULL)
        return "/account";
    str_cut(&to, '/', &shown);
    if (domain_member(target, shown) != NULL && str_to_int(to, 1, PAGER_PAGES_MAX, &page))
        return account_member_page_url(call, target->name, shown, page);
    if (str_eq(target->name, domain))
        return member_url(call, domain, member);
    return str_format(call->mem, "/account/domains/%.*s", STR_ARG(target->name)).ptr;
}

/* Measured, not computed: the page is rendered first. */
bool
account_page_fits(const struct call *call)
{
    struct str page = call->exchange->response.body;
    return page.len + assets_loaded_by(call->web->assets, page) + ICONS_BYTES <= PAGE_MAX;
}

/* As an attachment, so that a browser saves the file and never shows it as a page of this site. */
void
account_send_file(struct call *call, const char *prefix, enum file_type type, struct str bytes)
{
    struct str day = str_first(time_write(call->mem, call->now), 10);
    response_bytes(call, 200, type == FILE_CSV ? "text/csv; charset=utf-8" : "application/json",
                   bytes);
    /* A username needs no quoting: it has only letters, digits, and . _ - */
    response_header(call, "Content-Disposition",
                    str_format(call->mem, "attachment; filename=\"%s-%.*s-%.*s.%s\"", prefix,
                               STR_ARG(call->browser->user.username), STR_ARG(day),
                               type == FILE_CSV ? "csv" : "json")
                        .ptr);
}
