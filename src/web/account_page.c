#include "web/account_page.h"

#include "text/template.h"
#include "web/asset_pages.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/reply.h"
#include "web/state.h"

enum err
account_page(struct call *call, int status, const char *page, const char *room,
             struct values *values)
{
    values_flag(values, str_format(call->mem, "at_%s", room).ptr, true);
    bool told = flash_put(call, values);
    enum err err = reply_page(call, status, page, values);
    if (err == ERR_NONE && told)
        flash_clear(call);
    return err;
}

enum err
account_page_acting(struct call *call, int status, const char *page, struct values *values)
{
    values_text(values, "act_script", assets_version(call->web->assets, "act.js"));
    enum err err = account_page(call, status, page, "preferences", values);
    if (err == ERR_NONE)
        reply_connect(call);
    return err;
}

void
account_put_field(struct call *call, struct values *values, const char *name, struct str value,
                  struct str problem)
{
    values_text(values, name, value);
    values_text(values, str_format(call->mem, "%s_problem", name).ptr, problem);
    values_text(values, str_format(call->mem, "%s_invalid", name).ptr,
                problem.len == 0 ? STR("false") : STR("true"));
}

const char *
account_place(struct call *call, struct str domain, struct str member)
{
    return str_format(call->mem, "/account/domains/%.*s#%.*s", STR_ARG(domain), STR_ARG(member))
        .ptr;
}
