/* envelope.h - reads one JSON-RPC message of the Model Context Protocol.
 *
 * Two eras of the protocol share one URL. A modern message (2026-07-28) names its version in
 * params._meta and repeats version, method, and name in headers. A legacy message (2024-11-05 to
 * 2025-11-25) has none of that; its session begins with `initialize`. The era is determined for
 * each message. Pure: results are allocated from `mem` and point into the body. Any thread may call
 * them. */
#ifndef MCP_ENVELOPE_H
#define MCP_ENVELOPE_H

#include "base/str.h"

struct arena;
struct json_value;

#define MCP_VERSION "2026-07-28"
#define MCP_LEGACY_VERSION "2025-11-25" /* for clients that request an unknown version */
#define MCP_META "io.modelcontextprotocol/"

/* JSON-RPC 2.0 §5.1, then codes of the protocol. */
enum rpc_code {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_RESOURCE_NOT_FOUND = -32002, /* legacy */
    RPC_HEADER_MISMATCH = -32020,
    RPC_UNSUPPORTED_VERSION = -32022,
};

enum mcp_era { MCP_LEGACY, MCP_MODERN, MCP_ERAS };

const char *mcp_era_name(enum mcp_era era);

/* As sent; absent: no such header. */
struct mcp_headers {
    struct str version; /* MCP-Protocol-Version */
    struct str method;  /* Mcp-Method */
    struct str name;    /* Mcp-Name */
};

struct mcp_message {
    enum mcp_era era;
    bool is_notification; /* or a response: neither gets one */
    struct str id;        /* as JSON */
    struct str method;
    const struct json_value *params; /* an object, or NULL */
    const struct json_value *meta;   /* params._meta if it is an object, or NULL */
};

struct mcp_problem {
    int status;
    int code;
    struct str sentence;
    struct str data; /* JSON; absent: none */
};

/* False: `problem` is set, and message->id if it could be read. */
bool envelope_read(struct arena *mem, struct str body, const struct mcp_headers *headers,
                   struct mcp_message *out, struct mcp_problem *problem);

/* True for the versions of the legacy era. */
bool envelope_is_legacy_version(struct str version);

/* A header value without blanks around it; "=?base64?…?=" is decoded, because a header cannot carry
 * every name. Absent: the encoding is malformed, or not UTF-8. */
struct str envelope_header_value(struct arena *mem, struct str value);

#endif
