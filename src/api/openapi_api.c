/* openapi_api.c - GET /openapi.json. */
#include "api/api_routes.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

static enum err
get_openapi(struct call *call)
{
    response_file(call, "application/json", call->web->openapi_tag, call->web->openapi);
    response_header(call, "Cache-Control", "public, max-age=300");
    return ERR_NONE;
}

const struct route openapi_routes[] = {
    { GET, "/openapi.json", get_openapi, CALLER_ANYONE, .summary = "Returns the OpenAPI document.",
      .cors = true },
    { 0 },
};
