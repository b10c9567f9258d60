/* surface.h - what the MCP server offers: tools, prompts, resource templates, and its description.
 *
 * Read from api/mcp_surface.json at startup and written once for both eras, because clients list it
 * at the start of every conversation. Read-only afterwards; safe from any thread. */
#ifndef MCP_SURFACE_H
#define MCP_SURFACE_H

#include "base/err.h"
#include "mcp/envelope.h"

struct arena;
struct domains;
struct json_value;

struct mcp_surface {
    struct str discover;              /* complete results, as JSON */
    struct str tools[MCP_MODERN + 1]; /* by era */
    struct str prompts[MCP_MODERN + 1];
    struct str templates[MCP_MODERN + 1];
    struct str server;              /* members of the result of initialize after protocolVersion */
    struct str meta;                /* the member _meta of every modern result */
    const struct json_value *texts; /* prompts by name */
    const struct json_value *list_prompts; /* their definitions */
    const struct json_value *fixtures;     /* see fixtures.h; NULL: none */
};

/* `fixtures` is NULL or from fixtures_read(). ERR_INVALID: the file is malformed; `why` says where.
 */
enum err surface_make(struct arena *mem, struct str base_url, const struct domains *domains,
                      const struct json_value *fixtures, const struct mcp_surface **out,
                      struct why *why);

#endif
