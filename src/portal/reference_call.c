/* reference_call.c - an example request: a shell command, or a URL for a browser.
 *
 * Made from the examples of parameters and body in the OpenAPI document. $token, $client, and
 * $secret are variables of the shell, as in the guide, so that a command can be pasted. An endpoint
 * that answers with a page is shown as a URL. */
#include "base/buf.h"
#include "portal/reference_internal.h"
#include "text/json_tree.h"
#include "text/url.h"

#include <string.h>

#define CALL_MAX ((size_t)64 * 1024)
#define WIDTH 84
#define NEXT_LINE " \\\n    "

/* Parameters without an example are left out of the call. */
static void
each_parameter(struct buf *out, const struct calling *calling, const char *in,
               void (*visit)(struct buf *out, const struct calling *calling,
                             const struct json_value *parameter, size_t number))
{
    const struct json_value *const holders[] = { calling->path_item, calling->operation };
    size_t number = 0;
    for (size_t h = 0; h < sizeof holders / sizeof *holders; h++) {
        const struct json_value *list = json_member(holders[h], "parameters");
        for (size_t i = 0; list != NULL && i < list->count; i++) {
            const struct json_value *one = reference_follow(calling->reading, &list->children[i]);
            if (str_eq_c(reference_text(one, "in"), in) && json_member(one, "example") != NULL)
                visit(out, calling, one, number++);
        }
    }
}

static struct str
example_text(const struct calling *calling, const struct json_value *parameter)
{
    const struct json_value *example = json_member(parameter, "example");
    return example->type == JSON_STR
               ? example->text
               : str_format(calling->reading->mem, "%lld", (long long)example->integer);
}

static void
add_query(struct buf *out, const struct calling *calling, const struct json_value *parameter,
          size_t number)
{
    buf_add_format(out, "%s%.*s=", number == 0 ? "?" : "&",
                   STR_ARG(reference_text(parameter, "name")));
    url_encode(out, example_text(calling, parameter));
}

/* The example of a path parameter. */
static void
add_segment(struct buf *out, const struct calling *calling, const struct json_value *parameter,
            size_t number)
{
    (void)number;
    url_encode(out, example_text(calling, parameter));
}

/* For paths with at most one parameter. Some paths have a server of their own, since pages and API
 * may have different hosts. */
static void
add_url(struct buf *out, const struct calling *calling)
{
    struct str path = calling->path_item->key;
    const struct json_value *own = json_member(calling->path_item, "servers");
    const struct json_value *all = json_member(calling->reading->document, "servers");
    struct str opens = str_first(path, str_index(path, '{'));
    buf_add(out, reference_text(&(own != NULL ? own : all)->children[0], "url"));
    buf_add(out, opens);
    if (opens.len < path.len) {
        each_parameter(out, calling, "path", add_segment);
        buf_add(out, str_from(path, str_index(path, '}') + 1));
    }
    each_parameter(out, calling, "query", add_query);
}

/* Whether the text needs neither quotes nor form encoding. */
static bool
is_plain(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr(":/?&+ '\"", text.ptr[i]) != NULL)
            return false;
    return true;
}

/* Values that a shell or a URL would change are sent with --data-urlencode in quotation marks. */
static void
add_form(struct buf *out, const struct json_value *example)
{
    for (size_t i = 0; i < example->count; i++) {
        const struct json_value *field = &example->children[i];
        bool plain = is_plain(field->text);
        buf_add_format(out, NEXT_LINE "%s%.*s=%.*s%s", plain ? "-d " : "--data-urlencode \"",
                       STR_ARG(field->key), STR_ARG(field->text), plain ? "" : "\"");
    }
}

/* JSON is written in single quotation marks, a form field by field. */
static void
add_body(struct buf *out, const struct calling *calling)
{
    const struct json_value *media =
        reference_media(json_member(calling->operation, "requestBody"));
    if (calling->example == NULL)
        return;
    if (!str_eq_c(media->key, "application/json")) {
        add_form(out, calling->example);
        return;
    }
    buf_add_c(out, NEXT_LINE "-H \"Content-Type: application/json\"" NEXT_LINE "-d '");
    json_tree_format(out, calling->example, WIDTH, strlen("    -d '"));
    buf_add_c(out, "'");
}

/* By the first security scheme of the operation. */
static void
add_credentials(struct buf *out, const struct calling *calling)
{
    const struct json_value *security = json_member(calling->operation, "security");
    const struct json_value *body = calling->example;
    if (security == NULL || security->count == 0)
        return;
    if (json_member(&security->children[0], "oauth2") != NULL)
        buf_add_c(out, " -H \"Authorization: Bearer $token\"");
    else if (body == NULL || json_member(body, "client_id") == NULL)
        buf_add_c(out, " -u \"$client:$secret\"");
}

/* By its response: only pages are HTML. */
bool
reference_call_is_url(const struct calling *calling)
{
    const struct json_value *responses = json_member(calling->operation, "responses");
    const struct json_value *media = reference_media(json_member(responses, "200"));
    return media != NULL && str_eq_c(media->key, "text/html");
}

/* A command that a reader can copy, or a URL if the call is one that a browser opens. */
struct str
reference_call_text(const struct calling *calling)
{
    struct buf out = buf_in(calling->reading->mem, CALL_MAX);
    if (reference_call_is_url(calling)) {
        add_url(&out, calling);
        return buf_str(&out);
    }
    buf_add_c(&out, "curl");
    add_credentials(&out, calling);
    buf_add_c(&out, " \"");
    add_url(&out, calling);
    buf_add_c(&out, "\"");
    add_body(&out, calling);
    return buf_str(&out);
}
