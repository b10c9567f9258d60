#include "job/outbox_message.h"

#include "base/arena.h"
#include "crypt/secret.h"
#include "flow/accounts.h"
#include "identity/email.h"
#include "identity/recovery.h"
#include "template/catalog.h"
#include "text/mime.h"

#define MESSAGE_BYTES_MAX (64 * 1024)

/* For MAIL_RESET, the address was typed by someone who may be a stranger: an unknown one is
 * ERR_NOT_FOUND, and nothing is sent. Other emails name their user. */
static enum err
find_user(struct arena *mem, const struct message_params *params, const struct mail *mail,
          struct user *out)
{
    struct str login = mail->kind == MAIL_RESET ? mail->address : mail->user_id;
    enum err err = account_find(params->db, mem, login, out);
    if (err)
        return err;
    if (out->status != USER_ACTIVE ||
        (mail->kind == MAIL_VERIFY && !str_eq(out->new_email, mail->address)))
        return ERR_NOT_FOUND;
    return ERR_NONE;
}

/* *link: a one-time link for MAIL_RESET and MAIL_VERIFY; for notices, the page that they point to.
 */
static enum err
make_link(struct arena *mem, const struct message_params *params, const struct mail *mail,
          const struct user *user, struct str *link)
{
    const struct secret *secret = NULL;
    const char *page = mail->kind == MAIL_APP ? "/account/apps" : "/account/security";
    struct user found;
    enum err err = ERR_NONE;
    if (mail->kind == MAIL_RESET) {
        page = "/reset?token=";
        err = recovery_make_link(params->db, mem, user->id, params->now, RECOVERY_LINK_SECONDS,
                                 &secret, &found);
    } else if (mail->kind == MAIL_VERIFY) {
        page = "/verify?token=";
        err = email_make_link(params->db, mem, user->id, mail->address, params->now, &secret);
    }
    *link = str_format(mem, "%.*s%s%.*s", STR_ARG(params->auth_url), page,
                       STR_ARG(secret == NULL ? STR("") : secret_reveal(secret)));
    return err;
}

/* The text is written when it is sent, not when it is queued: links and names are current then, and
 * the outbox contains no secrets. ERR_NOT_FOUND: the user, the address, or the reason no longer
 * exists, so the email must not be sent. */
enum err
outbox_message(struct arena *mem, const struct message_params *params, const struct mail *mail,
               struct str *to, struct str *message)
{
    struct user user;
    struct str link;
    enum err err = find_user(mem, params, mail, &user);
    if (!err)
        err = make_link(mem, params, mail, &user, &link);
    if (err)
        return err;
    *to = mail->kind == MAIL_RESET ? user.email : mail->address;
    const struct message_value values[] = {
        { "username", user.username },
        { "detail", mail->detail },
    };
    const struct catalog *catalog = catalog_pick(params->catalogs, user.language);
    struct str texts[EMAIL_TEXTS];
    for (size_t i = 0; i < EMAIL_TEXTS; i++)
        texts[i] = catalog_format(catalog, mem, email_text_key(mail->kind, i), values, 2);
    struct mime_message mime = {
        /* Each try has an id of its own, because it may contain another link than the one
         * before. */
        .id = str_format(mem, "%.*s.%lld", STR_ARG(mail->id), (long long)mail->tries),
        .from = params->from,
        .from_name = STR("Penchant"),
        .to = *to,
        .subject = texts[0],
        .language = catalog_find(catalog, STR("page.lang")),
        .date = params->now,
        .link = link,
        .paragraphs = { texts[1], texts[2] },
        .paragraph_count = 2,
    };
    struct buf out = buf_in(mem, MESSAGE_BYTES_MAX);
    mime_write(&out, &mime);
    *message = buf_str(&out);
    return out.overflow ? ERR_TOO_LARGE : ERR_NONE;
}
