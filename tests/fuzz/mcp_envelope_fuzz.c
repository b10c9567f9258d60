/* The first three lines are headers, the rest is the body of an MCP request: it is read or refused
 * with a status and a sentence, and a modern message repeats its method in the header. */
#include "mcp/envelope.h"
#include "text/json_read.h"
#include "text/utf8.h"

#include "fuzz.h"

static struct str
next_line(struct str *rest)
{
    struct str line = STR_NONE;
    str_cut(rest, '\n', &line);
    return line.len == 0 ? STR_NONE : line;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str rest = fuzz_input(mem, data, size);
    struct mcp_headers headers;
    headers.version = next_line(&rest);
    headers.method = next_line(&rest);
    headers.name = next_line(&rest);
    struct mcp_message message;
    struct mcp_problem problem = { 0 };
    bool ok = envelope_read(mem, str_present(rest) ? rest : STR(""), &headers, &message, &problem);
    MUST(ok || problem.status == 400 ||
         (problem.status == 200 && problem.code == RPC_INVALID_PARAMS));
    MUST(ok || (problem.code < 0 && problem.sentence.len > 0));
    MUST(!str_present(problem.data) || utf8_valid(problem.data));
    if (str_present(message.id)) {
        const struct json_value *id = NULL;
        MUST(json_read(mem, message.id, 1, &id, NULL) == ERR_NONE);
        MUST(id->type == JSON_STR || id->type == JSON_INT);
    }
    if (ok && !message.is_notification) {
        MUST(str_present(message.id) && str_present(message.method));
        MUST(message.params == NULL || message.params->type == JSON_OBJECT);
        if (message.era == MCP_MODERN)
            MUST(message.meta != NULL &&
                 str_eq(envelope_header_value(mem, headers.method), message.method));
    }
    arena_free(mem);
    return 0;
}
