/* data_pages.c - export, import, and account deletion: /account/data.
 *
 * The user reviews an import before it runs. Until then the document is stored as a draft
 * (transfer/draft.h), and the form contains its id, so the user confirms exactly what was shown. */
#include "account/account_routes.h"
#include "account/confirm.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "flow/accounts.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "text/multipart.h"
#include "text/template.h"
#include "transfer/draft.h"
#include "transfer/transfer.h"
#include "web/call.h"
#include "web/error.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define HERE "/account/data"
#define PREVIEW_FACTS 200        /* shown before an import, of all domains */
#define FORM_OVERHEAD (64 * KIB) /* the multipart form without the document */

enum { SURE };

static const struct field delete_fields[] = {
    [SURE] = { "sure", FIELD_LINE, FIELD_IN_FORM, .max = 10 },
};

enum { DRAFT };

static const struct field confirm_fields[] = {
    [DRAFT] = { "draft", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
};

static enum err
show(struct call *call, int status, struct str file_problem, struct str sure_problem)
{
    struct values *values = values_new(call->mem);
    account_put_field(call, values, "file", STR_NONE, file_problem);
    account_put_field(call, values, "sure", STR_NONE, sure_problem);
    confirm_put(call, values, HERE);
    values_flag(values, "refused", file_problem.len + sure_problem.len > 0);
    return account_page(call, status, "account_data", "data", values);
}

static enum err
get_data(struct call *call)
{
    return show(call, 200, STR_NONE, STR_NONE);
}

/* ---- export ---- */

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

/* ---- import ---- */

/* The values that an import would add, so that the user sees them and not only how many they are:
 * those that need review first, at most `most`. */
static void
put_added(struct call *call, struct values *item, const struct import_domain *domain, size_t most)
{
    size_t count = (size_t)domain->added, shown = 0;
    for (int held = 1; held >= 0; held--)
        for (size_t i = 0; i < count && shown < most; i++) {
            const struct atom *atom = &domain->atoms[i].atom;
            if ((atom->status == ATOM_HELD) != held)
                continue;
            const struct member *member = domain_member(domain->domain, atom->member);
            struct values *fact = values_item(item, "facts");
            values_text(fact, "label", facts_member_label(call, member));
            values_text(fact, "brief", facts_short(call, facts_value(call, member, atom->value)));
            values_flag(fact, "held", held);
            values_flag(fact, "suppressed", atom->status == ATOM_SUPPRESSED);
            shown++;
        }
    values_flag(item, "some", count > 0);
    if (shown < count)
        values_text(item, "more",
                    message_count(call, KEY("account.more.one"), KEY("account.more.other"),
                                  (int64_t)(count - shown)));
}

static enum err
show_preview(struct call *call, const struct import_counts *counts, struct str draft)
{
    struct values *values = values_new(call->mem);
    for (size_t i = 0; i < counts->domain_count; i++) {
        struct values *item = values_item(values, "domains");
        values_text(item, "domain", counts->domains[i].domain->name);
        values_text(item, "title", message_sentence(call, counts->domains[i].domain->title));
        values_text(item, "added", message_number(call, counts->domains[i].added));
        values_text(item, "kept", message_number(call, counts->domains[i].kept));
        put_added(call, item, &counts->domains[i], PREVIEW_FACTS / counts->domain_count);
    }
    values_text(values, "added", message_number(call, counts->added));
    values_text(values, "kept", message_number(call, counts->kept));
    values_flag(values, "something", counts->added > 0);
    values_text(values, "draft", draft);
    return account_page(call, 200, "account_import", "data", values);
}

static struct str
problem_text(struct call *call, const struct why *why)
{
    return message_one(call, KEY("data.import.problem"), "problem",
                       message_sentence(call, str_of(why->text)));
}

static enum err
post_import(struct call *call)
{
    struct multipart parts;
    struct import_counts counts;
    struct why why = { 0 };
    enum err err = browser_session_read_parts(call, &parts);
    if (err != ERR_NONE)
        return show(call, 400, message(call, KEY("data.import.unreadable")), STR_NONE);
    struct str document = multipart_find(&parts, "file");
    if (document.len == 0)
        document = multipart_find(&parts, "text");
    if (str_trim(document).len == 0)
        return show(call, 400, message(call, KEY("data.import.nothing")), STR_NONE);
    if (document.len > TRANSFER_MAX) {
        why_set(&why, "it is larger than 8 MiB, and only an administrator can import it, with "
                      "penchant import");
        return show(call, 400, problem_text(call, &why), STR_NONE);
    }
    err = transfer_preview(call->db, call->mem, call->browser->user.id, call->web->settings.domains,
                           document, call->now, &counts, &why);
    if (err == ERR_INVALID)
        return show(call, 400, problem_text(call, &why), STR_NONE);
    struct str draft = STR("");
    if (err == ERR_NONE && counts.added > 0)
        err = draft_keep(call->db, call->mem, call->browser->user.id, document, call->now, &draft);
    return err == ERR_NONE ? show_preview(call, &counts, draft) : err;
}

static enum err
post_confirm(struct call *call)
{
    struct str user_id = call->browser->user.id, document;
    struct import_counts counts;
    struct why why = { 0 };
    enum err err =
        draft_find(call->db, call->mem, user_id, call_text(call, DRAFT), call->now, &document);
    if (err == ERR_NOT_FOUND)
        return show(call, 400, message(call, KEY("data.import.expired")), STR_NONE);
    if (err != ERR_NONE)
        return err;
    err = transfer_import(call->db, call->mem, user_id, call->web->settings.domains, document,
                          call->now, &counts, &why);
    if (err == ERR_INVALID)
        return show(call, 400, problem_text(call, &why), STR_NONE);
    if (err == ERR_NONE) /* not in one transaction: importing twice adds nothing */
        err = draft_forget(call->db, call->mem, user_id);
    if (err != ERR_NONE)
        return err;
    flash_redirect(call, HERE,
                   &(struct flash){ .key = KEY("flash.imported"),
                                    .count = message_number(call, counts.added) });
    return ERR_NONE;
}

/* ---- account deletion ---- */

static enum err
post_delete(struct call *call)
{
    struct user deleted;
    if (!confirm_require(call, HERE))
        return ERR_NONE;
    if (!str_eq_c(call_text(call, SURE), "yes"))
        return show(call, 400, STR_NONE, message(call, KEY("data.delete.unsure")));
    enum err err = account_delete(call->db, call->mem, call->browser->user.id, &deleted);
    if (err != ERR_NONE)
        return err;
    response_redirect(call, "/goodbye");
    browser_session_clear_cookie(call);
    return ERR_NONE;
}

static enum err
get_goodbye(struct call *call)
{
    return page_send(call, 200, "goodbye", NULL);
}

const struct route account_data_routes[] = {
    { GET, HERE, get_data, CALLER_USER, .summary = "Shows export, import, and account deletion.",
      .page = true },
    { GET, HERE "/export", get_export, CALLER_USER,
      .summary = "Downloads the user's data as a file.", .page = true, .blocks = true },
    { POST, HERE "/import", post_import, CALLER_USER, .summary = "Previews an import.",
      .page = true, .body = BODY_FILE, .body_max = TRANSFER_MAX + FORM_OVERHEAD, .blocks = true },
    { POST, HERE "/import/confirm", post_confirm, CALLER_USER,
      .summary = "Runs a previewed import.", .page = true, ROUTE_FIELDS(confirm_fields),
      .body = BODY_FORM, .body_max = 16 * KIB, .blocks = true },
    { POST, HERE "/delete", post_delete, CALLER_USER, .summary = "Deletes the account.",
      .page = true, ROUTE_FIELDS(delete_fields), .body = BODY_FORM, .body_max = 16 * KIB,
      .blocks = true },
    { GET, "/goodbye", get_goodbye, CALLER_ANYONE,
      .summary = "Confirms that the account was deleted.", .page = true },
    { 0 },
};
