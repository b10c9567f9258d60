/* start_pages.c - what this is and where to go. */
#include "text/template.h"
#include "web/call.h"
#include "web/reply.h"
#include "web/routes.h"
#include "web/state.h"

static enum err
get_start(struct call *call)
{
    struct values *values = values_new(call->mem);
    values_flag(values, "registration", call->web->settings.registration_open);
    return reply_page(call, 200, "start", values);
}

const struct route start_routes[] = {
    { GET, "/", get_start, WHO_ANYONE, .says = "What this is and where to go.", .page = true },
    { 0 },
};
