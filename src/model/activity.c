/* activity.c - the text of a user's activity: as it is hashed, verified, and exported.
 *
 * The hash of a day covers a text of its own, not the rows: docs/ACTIVITY.md specifies it, so that
 * users can verify their export with another program. The format is therefore fixed; its name is in
 * the first line of the text. Records of a day have no order in the database. They are sorted by
 * the bytes of their lines, which every program can repeat. */
#include "model/activity.h"

#include "base/arena.h"
#include "base/buf.h"
#include "crypt/digest.h"
#include "text/json_write.h"
#include "text/time_text.h"

#include <string.h>

#define SECONDS_PER_DAY 86400
#define DATE_LENGTH 10
#define DAY_TEXT_MAX ((size_t)256 * 1024 * 1024)

/* ---- actions ---- */

static const struct {
    struct str name;
    bool reads;
} actions[] = {
    /* `reads`: see activity_reads(). The names are stored and exported. */
    [ACTIVITY_NONE] = { STR(""), false },
    [ACTIVITY_READ] = { STR("read"), true },
    [ACTIVITY_HINTS] = { STR("hints"), true },
    [ACTIVITY_EXPORT] = { STR("export"), true },
    [ACTIVITY_PROFILE] = { STR("profile"), false },
    [ACTIVITY_WRITE] = { STR("write"), false },
    [ACTIVITY_SUPPRESS] = { STR("suppress"), false },
    [ACTIVITY_CONNECT] = { STR("connect"), false },
    [ACTIVITY_CHANGE] = { STR("change"), false },
    [ACTIVITY_DISCONNECT] = { STR("disconnect"), false },
    [ACTIVITY_EXPIRE] = { STR("expire"), false },
    [ACTIVITY_REUSE] = { STR("reuse"), false },
    [ACTIVITY_SIGN_IN] = { STR("sign_in"), false },
};

#define ACTIONS (sizeof actions / sizeof *actions)

struct str
activity_name(enum activity_action action)
{
    return action < ACTIONS ? actions[action].name : STR("");
}

/* ACTIVITY_NONE: no action of this version has this name. */
enum activity_action
activity_named(struct str name)
{
    for (size_t i = 1; i < ACTIONS; i++)
        if (str_eq(actions[i].name, name))
            return (enum activity_action)i;
    return ACTIVITY_NONE;
}

bool
activity_reads(enum activity_action action)
{
    return action < ACTIONS && actions[action].reads;
}

/* A tab or line feed in a device's name would end a field of the hashed text, and so make two
 * different records look the same. */
struct str
activity_clean(struct arena *mem, struct str text)
{
    struct str clean = str_copy(mem, text);
    char *at = (char *)(uintptr_t)clean.ptr;
    for (size_t i = 0; i < clean.len; i++)
        if ((unsigned char)at[i] < ' ' || at[i] == 0x7f)
            at[i] = ' ';
    return clean;
}

/* ---- hashing ---- */

struct str
activity_date(struct arena *mem, int64_t day)
{
    return str_first(time_write(mem, day * SECONDS_PER_DAY), DATE_LENGTH);
}

/* The line of a record in the hashed text, without its day, which is in the line before them. */
static struct str
line_of(struct arena *mem, const struct activity *record)
{
    return str_format(mem, "%.*s\t%.*s\t%.*s\t%d\t%.*s\t%lld\t%lld\t%.*s\t%.*s\t%d\n",
                      STR_ARG(record->app_id), STR_ARG(record->app_name), STR_ARG(record->action),
                      record->refused, STR_ARG(record->subject), (long long)record->times,
                      (long long)record->facts, STR_ARG(time_write(mem, record->first_at)),
                      STR_ARG(time_write(mem, record->last_at)), record->is_first);
}

/* A record with the line that is hashed for it. */
struct sorted {
    struct str line;
    struct activity record;
};

/* By day, then by the bytes of the hashed line, so that every program that verifies a chain sorts
 * the records in the same way. */
static int
compare(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;
    if (a->record.day != b->record.day)
        return a->record.day < b->record.day ? -1 : 1;
    size_t shorter = a->line.len < b->line.len ? a->line.len : b->line.len;
    /* Bytes, not a collation: the order must be the same everywhere. */
    int order = memcmp(a->line.ptr, b->line.ptr, shorter);
    return order != 0 ? order : (a->line.len > b->line.len) - (a->line.len < b->line.len);
}

/* Each line is written once before sorting, not in each comparison. */
void
activity_sort(struct arena *mem, struct activity *records, size_t count)
{
    struct sorted *sorted = ARENA_ARRAY(mem, struct sorted, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted){ line_of(mem, &records[i]), records[i] };
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < count; i++)
        records[i] = sorted[i].record;
}

/* The text that is hashed is a public format (docs/ACTIVITY.md): users verify their exports with
 * it. A change of one byte would make every earlier chain wrong. */
struct str
activity_hash(struct arena *mem, struct str user_id, int64_t day, struct str previous,
              const struct activity *records, size_t count)
{
    struct buf text = buf_in(mem, DAY_TEXT_MAX);
    buf_add_format(&text, "penchant-activity-1\n%.*s\t%.*s\t%.*s\n", STR_ARG(user_id),
                   STR_ARG(activity_date(mem, day)), STR_ARG(previous));
    for (size_t i = 0; i < count; i++)
        buf_add(&text, line_of(mem, &records[i]));
    return digest_text(mem, buf_str(&text));
}

/* ---- verifying ---- */

/* The number of leading records of this day. */
static size_t
length_of_day(const struct activity *records, size_t count, int64_t day)
{
    size_t length = 0;
    while (length < count && records[length].day == day)
        length++;
    return length;
}

/* Follows the chain from the hash of the newest deleted day to the hash that is stored apart from
 * the days. A removed day breaks the link to its predecessor; removed days at the end are noticed
 * by the stored hash. Open days come last and have no hash yet. */
const char *
activity_problem(struct arena *mem, struct activity_log *log, int64_t *day)
{
    struct str previous = log->chain.deleted_hash;
    const struct activity *records = log->records;
    size_t left = log->record_count;
    bool open = false;
    *day = log->chain.deleted_day;
    activity_sort(mem, log->records, log->record_count);
    for (size_t i = 0; i < log->day_count; i++) {
        const struct activity_day *one = &log->days[i];
        /* Both lists are sorted by day: a record before the next day has no day. */
        if (left > 0 && records->day < one->day) {
            *day = records->day;
            return "has records that do not belong to a day of the chain";
        }
        size_t count = length_of_day(records, left, one->day);
        *day = one->day;
        if (count == 0)
            return "has no records";
        /* Days are closed in their order, or the chain would leave one out. */
        if (one->closed && open)
            return "is closed, but a day before it is not";
        if (one->closed && !str_eq(one->previous, previous))
            return "does not follow the day before it: a day was removed, added, or changed";
        if (one->closed && !str_eq(one->hash, activity_hash(mem, log->user_id, one->day, previous,
                                                            records, count)))
            return "does not match its hash: a record was removed, added, or changed";
        open = open || !one->closed;
        previous = one->closed ? one->hash : previous;
        records += count;
        left -= count;
    }
    if (left > 0) {
        *day = records->day;
        return "has records that do not belong to a day of the chain";
    }
    if (!str_eq(previous, str_present(log->chain.hash) ? log->chain.hash : STR("")))
        return "is not the last day of the chain: a later day was removed";
    return NULL;
}

/* ---- as JSON ---- */

/* The names of the members are part of the public format of exports. */
static void
write_record(struct json *out, const struct activity *record)
{
    json_open_object(out);
    json_put_str(out, "app_id", record->app_id);
    json_put_str(out, "app", record->app_name);
    json_put_str(out, "action", record->action);
    json_put_bool(out, "refused", record->refused);
    json_put_str(out, "subject", record->subject);
    json_put_int(out, "times", record->times);
    json_put_int(out, "facts", record->facts);
    json_put_time(out, "first_at", record->first_at);
    json_put_time(out, "last_at", record->last_at);
    json_put_bool(out, "first", record->is_first);
    json_close_object(out);
}

/* Records are sorted by day, so those of one day are together. An open day has no hash yet, and
 * only closed ones are in the chain. */
void
activity_write_log(struct json *out, struct arena *mem, const struct activity_log *log)
{
    const struct activity *records = log->records;
    size_t left = log->record_count;
    json_open_object(out);
    json_put_str(out, "format", STR("penchant-activity-1"));
    json_put_str(out, "user_id", log->user_id);
    json_put_str(out, "deleted_through",
                 log->chain.deleted_hash.len == 0 ? STR_NONE
                                                  : activity_date(mem, log->chain.deleted_day));
    json_put_str(out, "deleted_hash", log->chain.deleted_hash);
    json_put_str(out, "hash", log->chain.hash);
    json_key_array(out, "days");
    for (size_t i = 0; i < log->day_count; i++) {
        size_t count = length_of_day(records, left, log->days[i].day);
        json_open_object(out);
        json_put_str(out, "day", activity_date(mem, log->days[i].day));
        json_put_bool(out, "closed", log->days[i].closed);
        if (log->days[i].closed) {
            json_put_str(out, "previous", log->days[i].previous);
            json_put_str(out, "hash", log->days[i].hash);
        }
        json_key_array(out, "records");
        for (size_t n = 0; n < count; n++)
            write_record(out, &records[n]);
        json_close_array(out);
        json_close_object(out);
        records += count;
        left -= count;
    }
    json_close_array(out);
    json_close_object(out);
}

/* ---- as a table ---- */

/* A text that a spreadsheet would take for a formula gets an apostrophe, which spreadsheets do not
 * show: names of apps come from others. */
static void
add_cell(struct buf *out, struct str text)
{
    buf_add_c(out, "\"");
    if (text.len > 0 && strchr("=+-@\t\r", text.ptr[0]) != NULL)
        buf_add_char(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            buf_add_char(out, '"');
        buf_add_char(out, text.ptr[i]);
    }
    buf_add_c(out, "\",");
}

/* CSV with CRLF (RFC 4180), one line per record. It has no hashes; only the JSON can be
 * verified. */
void
activity_write_table(struct buf *out, struct arena *mem, const struct activity_log *log)
{
    buf_add_c(out, "day,app_id,app,action,refused,subject,times,facts,first_at,last_at,first\r\n");
    for (size_t i = 0; i < log->record_count; i++) {
        const struct activity *record = &log->records[i];
        add_cell(out, activity_date(mem, record->day));
        add_cell(out, record->app_id);
        add_cell(out, record->app_name);
        add_cell(out, record->action);
        buf_add_c(out, record->refused ? "true," : "false,");
        add_cell(out, record->subject);
        buf_add_format(out, "%lld,%lld,", (long long)record->times, (long long)record->facts);
        add_cell(out, time_write(mem, record->first_at));
        add_cell(out, time_write(mem, record->last_at));
        buf_add_c(out, record->is_first ? "true\r\n" : "false\r\n");
    }
}
