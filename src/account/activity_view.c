/* activity_view.c - one sentence for each kind of activity.
 *
 * The table has a sentence for every action, with and without a subject, and for a request that was
 * denied. A record whose action this version does not know, because a newer one wrote it, is shown
 * as "other". */
#include "account/activity_view.h"

#include "dispatch/browser_session.h"
#include "domain/domain.h"
#include "job/activity.h"
#include "page/device.h"
#include "page/when.h"
#include "template/template.h"
#include "text/utf8.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

#define APP_LINES 8

enum { ABOUT, ALONE, DENIED, DENIED_ALONE, FORMS };

/* With a subject and without; done and denied. */
static const char keys[][FORMS][32] MESSAGE_KEYS = {
    [ACTIVITY_NONE] = { "activity.other", "activity.other", "activity.no.other",
                        "activity.no.other" },
    [ACTIVITY_READ] = { "activity.read", "activity.read.none", "activity.no.read",
                        "activity.no.read.any" },
    [ACTIVITY_HINTS] = { "activity.hints", "activity.hints.none", "activity.no.hints",
                         "activity.no.hints.any" },
    [ACTIVITY_EXPORT] = { "activity.export", "activity.export.none", "activity.no.export",
                          "activity.no.export" },
    [ACTIVITY_PROFILE] = { "activity.profile", "activity.profile", "activity.no.profile",
                           "activity.no.profile" },
    [ACTIVITY_WRITE] = { "activity.write", "activity.write.any", "activity.no.write",
                         "activity.no.write.any" },
    [ACTIVITY_SUPPRESS] = { "activity.suppress", "activity.suppress", "activity.no.write",
                            "activity.no.write.any" },
    [ACTIVITY_CONNECT] = { "activity.connect", "activity.connect", "activity.connect",
                           "activity.connect" },
    [ACTIVITY_CHANGE] = { "activity.change", "activity.change", "activity.change",
                          "activity.change" },
    [ACTIVITY_DISCONNECT] = { "activity.disconnect", "activity.disconnect", "activity.disconnect",
                              "activity.disconnect" },
    [ACTIVITY_EXPIRE] = { "activity.expire", "activity.expire", "activity.expire",
                          "activity.expire" },
    [ACTIVITY_REUSE] = { "activity.reuse", "activity.reuse", "activity.reuse", "activity.reuse" },
    [ACTIVITY_SIGN_IN] = { "activity.sign_in", "activity.sign_in", "activity.sign_in",
                           "activity.sign_in" },
};

enum err
activity_view_load(struct call *call, struct activity **out, size_t *count)
{
    return activity_of_user(call->db, call->mem, call->web->settings.activity,
                            call->browser->user.id, out, count);
}

/* "Food" for a domain's name; the name itself if it has no definition. */
static struct str
area_title(struct call *call, struct str name)
{
    const struct domain *domain = domains_find(call->web->settings.domains, name);
    return domain == NULL ? name : message_sentence(call, domain->title);
}

/* The subject is the name of a domain, except for a sign-in, where it is the User-Agent header of
 * the browser. */
static struct str
sentence(struct call *call, const struct activity *record)
{
    enum activity_action action = activity_named(record->action);
    bool alone = record->subject.len == 0;
    const char *key = keys[action][(record->refused ? DENIED : ABOUT) + (alone ? 1 : 0)];
    struct str what = action == ACTIVITY_SIGN_IN ? device_text(call, record->subject)
                                                 : area_title(call, record->subject);
    return message_one(call, key, "what", what);
}

/* The first character, as a placeholder for a logo. */
static struct str
initial(struct str name)
{
    struct str rest = name;
    return utf8_next(&rest) < 0 ? STR("") : str_first(name, name.len - rest.len);
}

/* A record that is not written yet may have no name of its app, and its id is shown. Records
 * without an app are about the account. */
void
activity_view_put(struct call *call, struct values *values, const struct activity *record)
{
    enum activity_action action = activity_named(record->action);
    struct str who = record->app_name.len > 0 ? record->app_name
                     : record->app_id.len > 0 ? record->app_id
                                              : message(call, KEY("activity.account"));
    bool changes = action == ACTIVITY_WRITE || action == ACTIVITY_SUPPRESS;
    values_text(values, "who", who);
    values_text(values, "initial", initial(who));
    values_text(values, "sentence", sentence(call, record));
    if (record->times > 1)
        values_text(values, "times",
                    message_count(call, KEY("activity.times.other"), KEY("activity.times.other"),
                                  record->times));
    if (record->facts > 0)
        values_text(values, "facts",
                    message_count(call, KEY("activity.facts.one"), KEY("activity.facts.other"),
                                  record->facts));
    when_put(call, values, "last", record->last_at);
    values_flag(values, "first", record->is_first);
    values_flag(values, "denied", record->refused);
    values_flag(values, "changes", changes && !record->refused);
    values_flag(values, "alert", action == ACTIVITY_REUSE);
    values_flag(values, "stands_out",
                record->is_first || record->refused || changes || action == ACTIVITY_REUSE ||
                    action == ACTIVITY_SIGN_IN);
}

/* The first APP_LINES lines of one app. */
enum err
activity_view_put_app(struct call *call, struct values *values, struct str app_id)
{
    struct activity *records = NULL;
    size_t count = 0, shown = 0;
    enum err err = activity_view_load(call, &records, &count);
    for (size_t i = 0; i < count && shown < APP_LINES && !err; i++)
        if (str_eq(records[i].app_id, app_id)) {
            activity_view_put(call, values_item(values, "lines"), &records[i]);
            shown++;
        }
    values_flag(values, "any_lines", shown > 0);
    return err;
}
