/* openapi_api.c - the interface describes itself. */
#include "web/call.h"
#include "web/reply.h"
#include "web/routes.h"
#include "web/state.h"

static enum err
get_openapi(struct call *call)
{
    reply_file(call, "application/json", call->web->openapi_tag, call->web->openapi);
    reply_header(call, "Cache-Control", "public, max-age=300");
    return ERR_NONE;
}

const struct route openapi_routes[] = {
    { GET, "/openapi.json", get_openapi, WHO_ANYONE,
      .says = "Describes the interface for programs.", .cors = true },
    { 0 },
};
