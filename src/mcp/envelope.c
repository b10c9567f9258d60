/* envelope.c - JSON, then JSON-RPC, then the era, then the rules of the modern era; the first
 * problem ends it.
 *
 * The id is read as early as possible, because an error response must repeat it. A message without
 * an id, and a response to a request that this server never sends, are accepted and not answered.
 * The status of an error depends on the era: modern clients read it, while legacy ones expect 200
 * for an error within a valid message. */
#include "mcp/envelope.h"

#include "base/arena.h"
#include "base/err.h"
#include "text/base64url.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/utf8.h"

#define DEPTH_MAX 16
#define ID_MAX 256
#define ID_INTEGER_MAX ((int64_t)1 << 53) /* larger ones are not exact in JavaScript */
#define DATA_MAX 1024
#define SHOWN_MAX 64 /* bytes of a client's text in a sentence */

static bool
fail(struct mcp_problem *problem, int status, int code, struct str sentence)
{
    *problem = (struct mcp_problem){ status, code, sentence, STR_NONE };
    return false;
}

const char *
mcp_era_name(enum mcp_era era)
{
    return era == MCP_MODERN ? "modern" : "legacy";
}

/* Versions of the protocol with `initialize`, newest first. */
bool
envelope_is_legacy_version(struct str version)
{
    static const char *const versions[] = { MCP_LEGACY_VERSION, "2025-06-18", "2025-03-26",
                                            "2024-11-05" };
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (str_eq_c(version, versions[i]))
            return true;
    return false;
}

/* The modern protocol sends a value that is not plain ASCII as =?base64?…?=. Absent: it cannot be
 * decoded. */
struct str
envelope_header_value(struct arena *mem, struct str value)
{
    static const struct str prefix = STR("=?base64?"), suffix = STR("?=");
    value = str_trim(value);
    if (!str_starts(value, prefix) || !str_ends(value, suffix) ||
        value.len < prefix.len + suffix.len)
        return value;
    struct str encoded =
        str_first(str_from(value, prefix.len), value.len - prefix.len - suffix.len);
    struct str decoded = base64_decode(mem, encoded);
    return str_present(decoded) && utf8_valid(decoded) ? decoded : STR_NONE;
}

/* ---- id ---- */

/* As JSON, so that a number stays a number in the response. null is rejected: the protocol forbids
 * it. */
static bool
read_id(struct arena *mem, const struct json_value *id, struct str *out)
{
    struct buf buf = buf_in(mem, (size_t)8 * ID_MAX);
    struct json json = json_into(&buf);
    if (id->type == JSON_STR && id->text.len <= ID_MAX)
        json_str(&json, id->text);
    else if (id->type == JSON_INT && id->integer <= ID_INTEGER_MAX &&
             id->integer >= -ID_INTEGER_MAX)
        json_int(&json, id->integer);
    else
        return false;
    *out = buf_str(&buf);
    return true;
}

/* ---- eras ---- */

static const struct json_value *
member_of_type(const struct json_value *object, const char *name, enum json_type type)
{
    const struct json_value *member = object == NULL ? NULL : json_member(object, name);
    return member != NULL && member->type == type ? member : NULL;
}

/* By the message first. A version header alone also makes a message modern if no legacy revision
 * has that version: it then fails with the list of supported versions, instead of being misread. */
static bool
is_modern(const struct mcp_message *message, const struct mcp_headers *headers)
{
    struct str version = str_trim(headers->version);
    return (message->meta != NULL &&
            json_member(message->meta, MCP_META "protocolVersion") != NULL) ||
           (str_present(version) && !envelope_is_legacy_version(version));
}

/* The member of params that Mcp-Name must repeat; NULL: none for this method. */
static const char *
named_by(struct str method)
{
    if (str_eq_c(method, "tools/call") || str_eq_c(method, "prompts/get"))
        return "name";
    return str_eq_c(method, "resources/read") ? "uri" : NULL;
}

/* Proxies route by these headers, so a request whose headers differ from its body must fail, as the
 * modern revision demands. */
static bool
header_matches(struct arena *mem, const char *name, struct str sent, struct str value,
               struct mcp_problem *problem)
{
    struct str header = envelope_header_value(mem, sent);
    if (str_present(sent) && str_present(header) && str_eq(header, value))
        return true;
    return fail(problem, 400, RPC_HEADER_MISMATCH,
                str_format(mem,
                           "The header %s must be present and equal the body's value \"%.*s\".",
                           name, STR_ARG(str_first(value, SHOWN_MAX))));
}

/* Headers repeat what the body says, for proxies. If they differ, a proxy and this server would see
 * different requests. */
static bool
headers_match(struct arena *mem, const struct mcp_message *message,
              const struct mcp_headers *headers, struct str version, struct mcp_problem *problem)
{
    const char *naming = named_by(message->method);
    const struct json_value *name =
        naming == NULL ? NULL : member_of_type(message->params, naming, JSON_STR);
    return header_matches(mem, "MCP-Protocol-Version", headers->version, version, problem) &&
           header_matches(mem, "Mcp-Method", headers->method, message->method, problem) &&
           (name == NULL || header_matches(mem, "Mcp-Name", headers->name, name->text, problem));
}

/* Members before headers, headers before the version: a client of a later revision learns which
 * versions are supported only if the rest of its message is well-formed. */
static bool
check_modern(struct arena *mem, const struct mcp_message *message,
             const struct mcp_headers *headers, struct mcp_problem *problem)
{
    const struct json_value *version =
        member_of_type(message->meta, MCP_META "protocolVersion", JSON_STR);
    if (version == NULL)
        return fail(problem, 400, RPC_INVALID_PARAMS,
                    STR("params._meta must have " MCP_META "protocolVersion, a string."));
    if (member_of_type(message->meta, MCP_META "clientCapabilities", JSON_OBJECT) == NULL)
        return fail(problem, 400, RPC_INVALID_PARAMS,
                    STR("params._meta must have " MCP_META "clientCapabilities, an object."));
    if (!headers_match(mem, message, headers, version->text, problem))
        return false;
    if (str_eq_c(version->text, MCP_VERSION))
        return true;
    struct buf data = buf_in(mem, DATA_MAX);
    struct json json = json_into(&data);
    json_open_object(&json);
    json_key_array(&json, "supported");
    json_str(&json, STR(MCP_VERSION));
    json_close_array(&json);
    json_put_str(&json, "requested", str_first(version->text, SHOWN_MAX));
    json_close_object(&json);
    fail(problem, 400, RPC_UNSUPPORTED_VERSION,
         STR("This protocol version is not supported. Use " MCP_VERSION "."));
    problem->data = buf_str(&data);
    return false;
}

/* ---- the message ---- */

/* Whether a response is expected, and the id and method of a request. */
static bool
read_request(struct arena *mem, const struct json_value *body, struct mcp_message *out,
             struct mcp_problem *problem)
{
    const struct json_value *id = json_member(body, "id");
    const struct json_value *method = json_member(body, "method");
    bool is_response = method == NULL &&
                       (json_member(body, "result") != NULL || json_member(body, "error") != NULL);
    out->is_notification = id == NULL || is_response;
    if (out->is_notification)
        return true;
    if (!read_id(mem, id, &out->id))
        return fail(problem, 400, RPC_INVALID_REQUEST,
                    STR("id must be a string of at most 256 bytes, or an integer within 2^53."));
    if (method == NULL || method->type != JSON_STR)
        return fail(problem, 400, RPC_INVALID_REQUEST, STR("method must be a string."));
    out->method = method->text;
    return true;
}

/* Sets the era, which decides the status of its own error. */
static bool
read_params(const struct json_value *body, const struct mcp_headers *headers,
            struct mcp_message *out, struct mcp_problem *problem)
{
    const struct json_value *params = json_member(body, "params");
    out->params = member_of_type(body, "params", JSON_OBJECT);
    out->meta = member_of_type(out->params, "_meta", JSON_OBJECT);
    out->era = is_modern(out, headers) ? MCP_MODERN : MCP_LEGACY;
    return params == NULL || out->params != NULL ||
           fail(problem, out->era == MCP_MODERN ? 400 : 200, RPC_INVALID_PARAMS,
                STR("params must be an object."));
}

/* Batches are not supported: one message per request. */
bool
envelope_read(struct arena *mem, struct str body, const struct mcp_headers *headers,
              struct mcp_message *out, struct mcp_problem *problem)
{
    const struct json_value *document = NULL;
    struct why why = { 0 };
    *out = (struct mcp_message){ 0 };
    if (json_read(mem, body, DEPTH_MAX, &document, &why) != ERR_NONE)
        return fail(problem, 400, RPC_PARSE_ERROR,
                    str_format(mem, "The body is not JSON: %s", why.text));
    const struct json_value *version =
        document->type == JSON_OBJECT ? member_of_type(document, "jsonrpc", JSON_STR) : NULL;
    if (version == NULL || !str_eq_c(version->text, "2.0"))
        return fail(problem, 400, RPC_INVALID_REQUEST,
                    STR("Send one JSON object with \"jsonrpc\": \"2.0\"; batches are not "
                        "supported."));
    if (!read_request(mem, document, out, problem))
        return false;
    if (out->is_notification)
        return true;
    return read_params(document, headers, out, problem) &&
           (out->era == MCP_LEGACY || check_modern(mem, out, headers, problem));
}
