/* email.c - the way of an address: new_email (typed), a link sent to it, email (confirmed).
 *
 * A new address replaces new_email and ends the links that were sent before, so that only the
 * newest one confirms. Confirming compares the link's address with new_email again, inside the
 * transaction: the user may have changed it since. All changes lock the row of the user first, so
 * that two of them cannot mix. Email is queued in the transaction of its change, and the link is
 * made when it is sent (job/outbox_message.c). */
#include "identity/email.h"

#include "base/arena.h"
#include "base/shard.h"
#include "crypt/random.h"
#include "identity/link.h"
#include "store/outbox_store.h"
#include "store/tx.h"
#include "store/user_store.h"
#include "template/catalog.h"

/* Subject, text before the link, text after it. */
static const char keys[MAIL_KINDS][EMAIL_TEXTS][32] MESSAGE_KEYS = {
    [MAIL_RESET] = { "mail.reset.subject", "mail.reset.first", "mail.reset.last" },
    [MAIL_VERIFY] = { "mail.verify.subject", "mail.verify.first", "mail.verify.last" },
    [MAIL_SIGN_IN] = { "mail.signin.subject", "mail.signin.first", "mail.signin.last" },
    [MAIL_PASSWORD] = { "mail.password.subject", "mail.password.first", "mail.password.last" },
    [MAIL_APP] = { "mail.app.subject", "mail.app.first", "mail.app.last" },
    [MAIL_PASSKEY] = { "mail.passkey.subject", "mail.passkey.first", "mail.passkey.last" },
    [MAIL_EMAIL_CHANGED] = { "mail.email.subject", "mail.email.first", "mail.email.last" },
};

const char *
email_text_key(enum mail_kind kind, size_t text)
{
    return keys[kind][text];
}

struct queueing {
    struct arena *mem;
    struct mail mail;
};

static enum err
add_mail(struct db_tx *tx, void *argument)
{
    struct queueing *queueing = argument;
    return outbox_store_add(tx, queueing->mem, &queueing->mail);
}

/* The id begins with the user's shard, so that the row is in the user's database. An email for a
 * typed address belongs to no user. */
enum err
email_queue(struct db *db, struct arena *mem, const struct mail *mail)
{
    struct queueing queueing = { mem, *mail };
    queueing.mail.id = str_present(mail->user_id)
                           ? random_id_in(mem, "mail_", shard_of(mail->user_id))
                           : random_id(mem, "mail_");
    return tx_write(db, add_mail, &queueing);
}

/* ---- changing the address ---- */

/* `link_hash` is set when a new address is confirmed, `address` when one is entered. */
struct email_change {
    struct arena *mem;
    struct str user_id;
    struct str address;
    struct str link_hash;
    struct str mail_id; /* absent: send nothing */
    int64_t now;
};

/* Removing the address also removes one that waits to be confirmed: both are written as absent. */
static enum err
change(struct db_tx *tx, void *argument)
{
    struct email_change *changing = argument;
    struct arena *mem = changing->mem;
    enum err err = user_store_lock(tx, mem, changing->user_id);
    if (!err && !str_present(changing->address))
        err = user_store_put_email(tx, mem, changing->user_id, STR_NONE, changing->now);
    if (!err)
        err = user_store_put_new_email(tx, mem, changing->user_id, changing->address);
    if (!err)
        err = recovery_store_end_links(tx, mem, changing->user_id, LINK_VERIFY);
    if (err || !str_present(changing->mail_id))
        return err;
    return outbox_store_add(tx, mem,
                            &(struct mail){ .id = changing->mail_id,
                                            .kind = MAIL_VERIFY,
                                            .user_id = changing->user_id,
                                            .address = changing->address,
                                            .created_at = changing->now });
}

/* An absent address removes the email. The new address counts only after it was confirmed; until
 * then, email goes to the old one. */
enum err
email_change(struct db *db, struct arena *mem, struct str user_id, struct str address, bool send,
             int64_t now)
{
    struct email_change changing = {
        .mem = mem,
        .user_id = user_id,
        .address = address,
        .mail_id =
            send && str_present(address) ? random_id_in(mem, "mail_", shard_of(user_id)) : STR_NONE,
        .now = now,
    };
    return tx_write(db, change, &changing);
}

/* ---- links ---- */

/* The address is stored with the link, so that a link confirms the address to which it was sent,
 * even if the user has entered another one since. */
enum err
email_make_link(struct db *db, struct arena *mem, struct str user_id, struct str address,
                int64_t now, const struct secret **out)
{
    return link_make(db, mem,
                     (struct one_time_link){ .user_id = user_id,
                                             .purpose = LINK_VERIFY,
                                             .address = address,
                                             .expires_at = now + EMAIL_LINK_SECONDS },
                     out);
}

/* Whether this link still confirms the user's new address. */
static enum err
check_link(struct db_tx *tx, struct arena *mem, const struct one_time_link *link,
           struct str user_id, struct user *user)
{
    if (!str_eq(link->user_id, user_id))
        return ERR_NOT_FOUND;
    enum err err = user_store_find(tx, mem, user_id, user);
    return !err && !str_eq(link->address, user->new_email) ? ERR_NOT_FOUND : err;
}

/* Changes nothing, because mail programs open links on their own. The user confirms with a
 * button. */
enum err
email_find_link(struct db *db, struct arena *mem, struct str user_id, struct str link, int64_t now,
                struct str *address)
{
    struct one_time_link found;
    struct user user;
    struct str hash = link_hash(mem, link);
    if (!str_present(hash))
        return ERR_NOT_FOUND;
    struct db_tx *tx = tx_begin_read(db);
    enum err err = recovery_store_find_link(tx, mem, hash, LINK_VERIFY, now, &found);
    if (!err)
        err = check_link(tx, mem, &found, user_id, &user);
    *address = err ? STR_NONE : found.address;
    return tx_end_read(tx, err);
}

/* An error also undoes the use of the link. user.email is still the previous address here: it gets
 * the notice, since an attacker may have changed the address. */
static enum err
confirm(struct db_tx *tx, void *argument)
{
    struct email_change *changing = argument;
    struct arena *mem = changing->mem;
    struct one_time_link link = { 0 };
    struct user user = { 0 };
    enum err err = user_store_lock(tx, mem, changing->user_id);
    if (!err)
        err = recovery_store_take_link(tx, mem, changing->link_hash, LINK_VERIFY, changing->now,
                                       &link);
    if (!err)
        err = check_link(tx, mem, &link, changing->user_id, &user);
    if (!err)
        err = user_store_put_email(tx, mem, user.id, link.address, changing->now);
    if (err || !str_present(changing->mail_id) || !str_present(user.email))
        return err;
    return outbox_store_add(tx, mem,
                            &(struct mail){ .id = changing->mail_id,
                                            .kind = MAIL_EMAIL_CHANGED,
                                            .user_id = user.id,
                                            .address = user.email,
                                            .created_at = changing->now });
}

/* The old address gets a notice if the service can send email. */
enum err
email_confirm(struct db *db, struct arena *mem, struct str user_id, struct str link, bool send,
              int64_t now)
{
    struct email_change changing = {
        .mem = mem,
        .user_id = user_id,
        .link_hash = link_hash(mem, link),
        .mail_id = send ? random_id_in(mem, "mail_", shard_of(user_id)) : STR_NONE,
        .now = now,
    };
    return str_present(changing.link_hash) ? tx_write(db, confirm, &changing) : ERR_NOT_FOUND;
}
