/* data_pages.c - export and account deletion: /account/data. Imports are in import_pages.c. */
#include "account/account_routes.h"
#include "account/confirm.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "flow/accounts.h"
#include "page/account_page.h"
#include "template/template.h"
#include "transfer/transfer.h"
#include "web/call.h"
#include "web/error.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define HERE "/account/data"

enum { SURE };

static const struct field delete_fields[] = {
    [SURE] = { "sure", FIELD_LINE, FIELD_IN_FORM, .max = 10 },
};

/* The page has the export, the import, and the deletion of the account. */
static enum err
show(struct call *call, int status, struct str sure_problem)
{
    struct values *values = values_new(call->mem);
    account_put_field(call, values, "sure", STR_NONE, sure_problem);
    confirm_put(call, values, HERE);
    values_flag(values, "refused", sure_problem.len > 0);
    return account_page(call, status, "account_data", "data", values);
}

static enum err
get_data(struct call *call)
{
    return show(call, 200, STR_NONE);
}

/* ---- export ---- */

/* Everything of the user, also what no app sees. */
static enum err
get_export(struct call *call)
{
    struct buf out = buf_in(call->mem, TRANSFER_OWN_MAX);
    const struct user *user = &call->browser->user;
    struct export_params params = { .view = view_whole(user->id),
                                    .domains = call->web->settings.domains,
                                    .now = call->now };
    enum err err = transfer_export(call->db, call->mem, &params, &out);
    if (err == ERR_TOO_LARGE) {
        error_send(call, 413,
                   STR("Your data is larger than 64 MiB, the limit for one file. Delete what an "
                       "app added, on that app's page, and try again."));
        return ERR_NONE;
    }
    if (err != ERR_NONE)
        return err;
    account_send_file(call, "penchant", FILE_JSON, buf_str(&out));
    return ERR_NONE;
}

/* ---- account deletion ---- */

/* A recent confirmation alone would make deletion one click: it needs the checked box as well. */
static enum err
post_delete(struct call *call)
{
    struct user deleted;
    if (!confirm_require(call, HERE))
        return ERR_NONE;
    if (!str_eq_c(call_text(call, SURE), "yes"))
        return show(call, 400, message(call, KEY("data.delete.unsure")));
    enum err err = account_delete(call->db, call->mem, call->browser->user.id, &deleted);
    if (err != ERR_NONE)
        return err;
    response_redirect(call, "/account-deleted");
    browser_session_clear_cookie(call);
    return ERR_NONE;
}

static enum err
get_deleted(struct call *call)
{
    return page_send(call, 200, "account_deleted", NULL);
}

const struct route account_data_routes[] = {
    { GET, HERE, get_data, CALLER_USER, .summary = "Shows export, import, and account deletion.",
      .page = true },
    { GET, HERE "/export", get_export, CALLER_USER,
      .summary = "Downloads the user's data as a file.", .page = true, .blocks = true },
    { POST, HERE "/delete", post_delete, CALLER_USER, .summary = "Deletes the account.",
      .page = true, ROUTE_FIELDS(delete_fields), .body = BODY_FORM, .body_max = 16 * KIB,
      .blocks = true },
    { GET, "/account-deleted", get_deleted, CALLER_ANYONE,
      .summary = "Confirms that the account was deleted.", .page = true },
    { 0 },
};
