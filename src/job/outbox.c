/* outbox.c - takes one email at a time: claim it, write and send it, then delete it or set the time
 * of the next try.
 *
 * Claiming is a transaction of its own, which raises the number of tries and sets the next try, so
 * that several processes never send the same email at the same time, and a process that is killed
 * while sending leaves the email for later. The transaction ends before the mail server is
 * contacted. The outbox is looked at twice a second; when one email was sent, the next one follows
 * at once. */
#include "job/outbox.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/clock.h"
#include "base/fault_injection.h"
#include "base/log.h"
#include "base/metric.h"
#include "job/outbox_message.h"
#include "store/outbox_store.h"
#include "store/tx.h"

#include <stdatomic.h>
#include <stdlib.h>

#define POLL_MS FAULT_INJECTION_INTERVAL(500) /* between two checks of the outbox */
#define COUNT_MS 10000                        /* between two counts for the metrics */

/* The counters are read by other threads for metrics; everything else belongs to the outbox's
 * thread. */
struct outbox {
    struct outbox_settings settings;
    struct background background;
    int64_t counted_ms;
    _Atomic int64_t waiting, oldest; /* as last counted */
    _Atomic uint64_t sent, failed, given_up;
};

/* One claimed email. */
struct mail_attempt {
    struct arena *mem;
    struct mail mail;
    int64_t now;
    int64_t next_try_at; /* 0: delete it */
};

/* Another process may have claimed it since the look: then ERR_NOT_FOUND. */
static enum err
claim(struct db_tx *tx, void *argument)
{
    struct mail_attempt *work = argument;
    return outbox_store_claim(tx, work->mem, work->now, &work->mail);
}

/* The claim has set a time already (outbox_store.c), so an email is never sent twice at once, even
 * if this transaction fails. */
static enum err
finish(struct db_tx *tx, void *argument)
{
    struct mail_attempt *work = argument;
    return work->next_try_at == 0
               ? outbox_store_delete(tx, work->mem, work->mail.id)
               : outbox_store_put_next_try(tx, work->mem, work->mail.id, work->next_try_at);
}

/* Asked by the SMTP client during a transfer, so that a slow server does not delay the end of the
 * process. */
static bool
is_stopping(void *context)
{
    struct outbox *outbox = context;
    return background_is_stopping(&outbox->background);
}

/* Without address and subject: more people can read logs than email. */
static void
log_result(const struct mail_attempt *work, const char *event, const struct why *why)
{
    log_warn(event, log_text("mail", work->mail.id),
             log_text("kind", str_of(mail_kind_name(work->mail.kind))),
             log_number("attempts", work->mail.tries), log_text("reason", str_of(why->text)));
}

/* Sets work->next_try_at, which finish() stores. An error of the database counts as a failed
 * try. */
static void
send_mail(struct outbox *outbox, struct mail_attempt *work)
{
    struct message_params params = {
        .db = outbox->settings.db,
        .catalogs = outbox->settings.catalogs,
        .auth_url = outbox->settings.auth_url,
        .from = str_of(outbox->settings.smtp.from),
        .now = work->now,
    };
    struct why why = { 0 };
    struct str to, message;
    enum smtp_result result = SMTP_RETRY;
    enum err err = outbox_message(work->mem, &params, &work->mail, &to, &message);
    if (err == ERR_NONE)
        result = smtp_send(&outbox->settings.smtp, to, message, is_stopping, outbox, &why);
    else
        why_set(&why, "the message cannot be written (%s)", err_name(err));
    /* The claim has already counted this try. */
    int64_t next = work->now + mail_retry_seconds(work->mail.tries - 1);
    /* The pause before the next try would exceed the limit: give up now, so that the log shows it
     * in time. */
    bool late = next > work->mail.created_at + MAIL_GIVE_UP_SECONDS;
    bool nothing_to_send = err == ERR_NOT_FOUND;
    bool over = nothing_to_send || result == SMTP_SENT || result == SMTP_REFUSED || late;
    work->next_try_at = over ? 0 : next;
    if (nothing_to_send)
        return;
    atomic_fetch_add(result == SMTP_SENT ? &outbox->sent
                     : over              ? &outbox->given_up
                                         : &outbox->failed,
                     1);
    if (result == SMTP_SENT)
        log_info("mail_sent", log_text("mail", work->mail.id),
                 log_text("kind", str_of(mail_kind_name(work->mail.kind))));
    else
        log_result(work, over ? "mail_given_up" : "mail_failed", &why);
}

/* True if there may be more to send in this database. */
static bool
step_in(struct outbox *outbox, struct db *db, struct arena *mem)
{
    struct mail_attempt work = { .mem = mem, .now = clock_now() };
    bool due = false;
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, outbox_store_due(tx, mem, work.now, &due));
    if (err || !due || tx_write(db, claim, &work) != ERR_NONE)
        return false;
    send_mail(outbox, &work);
    return tx_write(db, finish, &work) ==
           ERR_NONE; /* else it is sent again, after its claim ends */
}

/* One email of each database, so that one that cannot be used does not keep those of the others. */
static bool
step(struct outbox *outbox, struct arena *mem)
{
    struct db *db = outbox->settings.db;
    bool more = false;
    for (size_t i = 0; i < store_database_count(db); i++) {
        struct db *database = store_database(db, i);
        if (database != NULL && !background_is_stopping(&outbox->background))
            more = step_in(outbox, database, mem) || more;
        arena_reset(mem);
    }
    return more;
}

/* ---- metrics ---- */

/* Not when the metrics are read: the page must not wait for a remote database. */
static void
count_waiting(struct outbox *outbox, struct arena *mem)
{
    int64_t count = 0, oldest = 0, now_ms = clock_steady_ms();
    if (outbox->counted_ms != 0 && now_ms - outbox->counted_ms < COUNT_MS)
        return;
    struct db_tx *tx = tx_begin_read(outbox->settings.db);
    if (tx_end_read(tx, outbox_store_count(tx, mem, &count, &oldest)) != ERR_NONE)
        return;
    outbox->counted_ms = now_ms;
    atomic_store(&outbox->waiting, count);
    atomic_store(&outbox->oldest, oldest);
}

/* From counters in memory; the number of waiting emails is as old as the last look at the
 * outbox. */
static void
write_metrics(struct buf *page, void *context)
{
    struct outbox *outbox = context;
    int64_t oldest = atomic_load(&outbox->oldest);
    metric_put(page, "penchant_mail_waiting", "gauge",
               "Emails in the outbox, counted every ten seconds.", atomic_load(&outbox->waiting));
    metric_put(page, "penchant_mail_oldest_seconds", "gauge",
               "Age of the oldest email in the outbox.", oldest == 0 ? 0 : clock_now() - oldest);
    metric_family(page, "penchant_mail_attempts_total", "counter",
                  "Tries to send an email, by result.");
    metric_value(page, "penchant_mail_attempts_total", "result=\"sent\"",
                 (int64_t)atomic_load(&outbox->sent));
    metric_value(page, "penchant_mail_attempts_total", "result=\"failed\"",
                 (int64_t)atomic_load(&outbox->failed));
    metric_value(page, "penchant_mail_attempts_total", "result=\"given_up\"",
                 (int64_t)atomic_load(&outbox->given_up));
}

/* ---- the thread ---- */

/* The thread of the outbox. While there is more to send, it does not pause. */
static void *
run(void *argument)
{
    struct outbox *outbox = argument;
    struct arena *mem = arena_new();
    for (bool more = true; !background_wait(&outbox->background, more ? 0 : POLL_MS);) {
        count_waiting(outbox, mem);
        more = step(outbox, mem);
    }
    arena_free(mem);
    return NULL;
}

/* NULL: email stays in the outbox, and another node may send it. */
struct outbox *
outbox_start(const struct outbox_settings *settings)
{
    struct outbox *outbox = memory_alloc(1, sizeof *outbox);
    outbox->settings = *settings;
    if (background_start(&outbox->background, run, outbox)) {
        metric_register(write_metrics, outbox);
        return outbox;
    }
    log_warn("outbox_not_started");
    free(outbox);
    return NULL;
}

/* Waits until the email that is being sent was sent or given back. */
void
outbox_stop(struct outbox *outbox)
{
    if (outbox == NULL)
        return;
    metric_unregister(outbox);
    background_stop(&outbox->background);
    free(outbox);
}
