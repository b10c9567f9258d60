/* app_form.c - one form registers and changes an app, so its fields, its input, and its problems
 * are handled here for both.
 *
 * A rejected form is shown again with all input. The rules are those of flow/apps.h; this file only
 * names the field, and for several redirect URIs the line, that a problem belongs to. */
#include "portal/app_form.h"

#include "base/arena.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "model/logo.h"
#include "page/account_page.h"
#include "page/when.h"
#include "text/form.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"

/* Looser than the rules of app_register(), whose error messages are better. */
const struct field developer_app_fields[APP_FIELDS] = {
    [APP_NAME] = { "name", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [APP_REDIRECT_URIS] = { "redirect_uris", FIELD_TEXT, FIELD_IN_FORM, .max = 12 * 1024 },
    [APP_HOMEPAGE] = { "homepage", FIELD_LINE, FIELD_IN_FORM, .max = 2000 },
    [APP_PRIVACY_LINK] = { "privacy_link", FIELD_LINE, FIELD_IN_FORM, .max = 2000 },
    [APP_PURPOSE] = { "purpose", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [APP_KIND] = { "kind", FIELD_LINE, FIELD_IN_FORM, .max = 20 },
    [APP_ONCE] = { "once", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
};

/* More than an app may have, so that app_register() sees that there are too many and reports it. */
#define LINES_MAX 64
#define PROBLEMS_MAX ((size_t)16 * 1024)

/* An app of another user looks like one that does not exist, so that ids cannot be guessed. */
enum err
developer_app_find_id(struct call *call, struct str id, struct app *out)
{
    enum err err = app_find(call->db, call->mem, id, out);
    if (err == ERR_NONE && !str_eq(out->owner_id, call->browser->user.id))
        return ERR_NOT_FOUND;
    return err;
}

enum err
developer_app_find(struct call *call, struct app *out)
{
    return developer_app_find_id(call, call_param(call, 0), out);
}

const char *
developer_app_settings_path(struct call *call, const struct app *app)
{
    return str_format(call->mem, "/developer/apps/%.*s/settings", STR_ARG(app->id)).ptr;
}

/* The frame of all pages about one app: its name, its tabs, and which of them is selected. */
enum err
developer_app_page(struct call *call, int status, const char *page, const char *tab,
                   const struct app *app, struct values *values)
{
    values_text(values, "app", app->name);
    values_text(values, "client_id", app->id);
    values_text(values, "logo", logo_path(call->mem, app));
    values_flag(values, "public", app->is_public);
    values_flag(values, "disabled", app->status == APP_DISABLED);
    values_flag(values, str_format(call->mem, "on_%s", tab).ptr, true);
    return account_page(call, status, page, "developer", values);
}

/* ---- the form ---- */

/* One URI per line; ignores surrounding spaces and empty lines. */
static size_t
read_lines(struct str text, struct str *lines)
{
    struct str line;
    size_t count = 0;
    while (str_cut(&text, '\n', &line)) {
        if (line.len > 0 && line.ptr[line.len - 1] == '\r')
            line = str_first(line, line.len - 1);
        line = str_trim(line);
        if (line.len > 0 && count < LINES_MAX)
            lines[count++] = line;
    }
    return count;
}

/* The selected scopes, separated by spaces. As text: app_register() reads it and reports scopes
 * that it does not know. */
static struct str
read_scopes(struct call *call)
{
    const struct form *form = call_form(call);
    struct buf out = buf_in(call->mem, 16 * 1024);
    for (size_t i = 0; form != NULL && i < form->count; i++) {
        if (!str_eq(form->fields[i].name, STR("scope")))
            continue;
        if (out.len > 0)
            buf_add_char(&out, ' ');
        buf_add(&out, form->fields[i].value);
    }
    return out.len == 0 ? STR("") : buf_str(&out);
}

/* What was typed, unchecked: app_register() and app_change() report the problems. An absent name
 * becomes empty, so that it is reported as missing. */
struct app_params
developer_app_params(struct call *call)
{
    struct str *lines = ARENA_ARRAY(call->mem, struct str, LINES_MAX);
    struct str name = call_text(call, APP_NAME);
    return (struct app_params){
        .name = str_present(name) ? name : STR(""),
        .redirect_uris = lines,
        .redirect_uri_count = read_lines(call_text(call, APP_REDIRECT_URIS), lines),
        .scopes = read_scopes(call),
        .homepage = call_text(call, APP_HOMEPAGE),
        .privacy_link = call_text(call, APP_PRIVACY_LINK),
        .purpose = call_text(call, APP_PURPOSE),
        .is_public = str_eq(call_text(call, APP_KIND), STR("public")),
    };
}

/* The lines of the text field. */
static struct str
redirect_uris_as_lines(struct arena *mem, const struct app_params *params)
{
    struct buf out = buf_in(mem, 64 * 1024);
    for (size_t i = 0; i < params->redirect_uri_count; i++) {
        buf_add(&out, params->redirect_uris[i]);
        buf_add_char(&out, '\n');
    }
    return out.len == 0 ? STR("") : buf_str(&out);
}

/* Of several lines, names each that is invalid, with its own problem. */
static struct str
uris_problem(struct call *call, const struct app_params *params, const char *problem)
{
    struct str sentence = message_sentence(call, str_of(problem));
    size_t count = params->redirect_uri_count;
    if (problem == NULL || count <= 1 || count > APP_REDIRECT_URIS_MAX)
        return sentence;
    struct buf out = buf_in(call->mem, PROBLEMS_MAX);
    for (size_t i = 0; i < count; i++) {
        const char *one = NULL;
        if (str_present(app_join_uris(call->mem, &params->redirect_uris[i], 1, &one)))
            continue;
        const struct message_value values[] = {
            { "line", str_format(call->mem, "%zu", i + 1) },
            { "problem", message_sentence(call, str_of(one)) },
        };
        buf_add_c(&out, out.len == 0 ? "" : "\n");
        buf_add(&out, message_with(call, KEY("developer.redirect_uris.lines"), values, 2));
    }
    return out.len == 0 ? sentence : buf_str(&out);
}

/* Domains first, because the developer should select the least that the app needs. */
static void
put_scopes(struct call *call, struct values *values, struct str selected)
{
    size_t count = scope_count(), first = (size_t)__builtin_ctzll(SCOPE_FIRST_DOMAIN);
    for (size_t n = 0; n < count; n++) {
        const struct scope_row *row = scope_row((n + first) % count);
        struct values *item = values_item(values, "scopes");
        values_text(item, "scope", str_of(row->name));
        values_text(item, "title", message_sentence(call, str_of(row->title)));
        values_text(item, "sentence", message_sentence(call, str_of(row->sentence)));
        values_flag(item, "selected", str_has_word(selected, str_of(row->name)));
    }
}

/* Sentences come in English from the flow and are translated here. */
void
developer_app_put_form(struct call *call, struct values *values, const struct app_params *params,
                       const struct app_problems *problems)
{
    const struct {
        const char *name;
        struct str value;
        struct str problem;
    } fields[] = {
        { "name", params->name, message_sentence(call, str_of(problems->name)) },
        { "redirect_uris", redirect_uris_as_lines(call->mem, params),
          uris_problem(call, params, problems->redirect_uris) },
        { "homepage", params->homepage, message_sentence(call, str_of(problems->homepage)) },
        { "privacy_link", params->privacy_link,
          message_sentence(call, str_of(problems->privacy_link)) },
        { "purpose", params->purpose, message_sentence(call, str_of(problems->purpose)) },
        { "scope", STR_NONE, message_sentence(call, str_of(problems->scopes)) },
        { "owner", STR_NONE, message_sentence(call, str_of(problems->owner)) },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        account_put_field(call, values, fields[i].name, fields[i].value, fields[i].problem);
    values_flag(values, "kind_public", params->is_public);
    put_scopes(call, values, params->scopes);
}

/* The only page that contains the secret. An old one may stay valid for a while, so that a
 * developer can replace it without an interruption. */
enum err
developer_app_show_secret(struct call *call, const struct app *app, struct str secret,
                          bool is_new_app)
{
    struct values *values = values_new(call->mem);
    values_text(values, "secret", secret);
    values_flag(values, "new_app", is_new_app);
    values_flag(values, "old_valid", app->old_secret_expires_at > call->now);
    when_put(call, values, "old_expires", app->old_secret_expires_at);
    return developer_app_page(call, 200, "developer_secret", "settings", app, values);
}
