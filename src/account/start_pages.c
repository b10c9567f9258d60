/* start_pages.c - the start page. */
#include "account/account_routes.h"
#include "template/template.h"
#include "web/call.h"
#include "web/page.h"
#include "web/state.h"

static enum err
get_start(struct call *call)
{
    struct values *values = values_new(call->mem);
    values_flag(values, "registration", call->web->settings.registration_open);
    return page_send(call, 200, "start", values);
}

const struct route start_routes[] = {
    { GET, "/", get_start, CALLER_ANYONE, .summary = "Shows the start page.", .page = true },
    { 0 },
};
