/* notice.c - queues an email about the account; job/outbox.c sends it. */
#include "page/notice.h"

#include "base/log.h"
#include "identity/email.h"
#include "page/device.h"
#include "web/call.h"
#include "web/state.h"

/* Tells the user about a change that someone else could have made. */
void
notice_send(struct call *call, const struct user *user, enum mail_kind kind, struct str detail)
{
    /* Not to new_email: until it is confirmed, it may be the address of another person. */
    if (!call->web->settings.sends_mail || !str_present(user->email))
        return;
    struct mail mail = { .kind = kind,
                         .user_id = user->id,
                         .address = user->email,
                         .detail = detail,
                         .created_at = call->now };
    /* The change that the email is about is stored already, so the request does not fail. */
    if (email_queue(call->db, call->mem, &mail) != ERR_NONE)
        log_warn("notice_lost", log_text("user", user->id),
                 log_text("kind", str_of(mail_kind_name(kind))));
}

struct str
notice_device(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    struct str device = device_text(call, http_header(request, "User-Agent"));
    return str_format(call->mem, "%.*s, %.*s", STR_ARG(device), STR_ARG(request->client));
}
