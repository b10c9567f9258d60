#include "spread/placement.h"

#include "base/shard.h"
#include "db/driver.h"

#include <stdlib.h>
#include <string.h>

/* Every table of the schema: tests/unit/app/shards_test.c fails for a new one that is not listed.
 * `key` is the column that names the shard of a user's row, or the lookup key. */
const struct spread_table spread_tables[] = {
    { "user_account", SPREAD_OF_USER, "user_id" },
    { "user_picture", SPREAD_OF_USER, "picture_id" },
    { "session", SPREAD_OF_USER, "session_hash" },
    { "passkey", SPREAD_OF_USER, "user_id" },
    { "recovery_code", SPREAD_OF_USER, "user_id" },
    { "one_time_link", SPREAD_OF_USER, "link_hash" },
    { "outbox", SPREAD_OF_USER, "mail_id" },
    { "user_atoms", SPREAD_OF_USER, "row_key" },
    { "user_record", SPREAD_OF_USER, "row_key" },
    { "undo", SPREAD_OF_USER, "user_id" },
    { "import_draft", SPREAD_OF_USER, "user_id" },
    { "auth_request", SPREAD_OF_USER, "request_hash" },
    { "app_grant", SPREAD_OF_USER, "grant_id" },
    { "token_family", SPREAD_OF_USER, "family_id" },
    { "auth_code", SPREAD_OF_USER, "code_hash" },
    { "access_token", SPREAD_OF_USER, "row_key" },
    { "refresh_token", SPREAD_OF_USER, "row_key" },
    { "user_usage", SPREAD_OF_USER, "user_key" },
    { "usage_revocation", SPREAD_OF_USER, "user_id" },
    { "activity", SPREAD_OF_USER, "user_id" },
    { "activity_day", SPREAD_OF_USER, "user_id" },
    { "activity_chain", SPREAD_OF_USER, "user_id" },
    { "activity_first", SPREAD_OF_USER, "user_id" },
    { "username_lookup", SPREAD_LOOKUP, "username" },
    { "email_lookup", SPREAD_LOOKUP, "email_key" },
    { "passkey_lookup", SPREAD_LOOKUP, "credential_id" },
    { "lookup_claim", SPREAD_LOOKUP, "lookup_key" },
    { "used_challenge", SPREAD_LOOKUP, "challenge_hash" },
    { "attempt", SPREAD_LOOKUP, "attempt_key" },
    { "api_rate", SPREAD_LOOKUP, "rate_key" },
    { "app", SPREAD_SHARED, "app_id" },
    { "app_logo", SPREAD_SHARED, "app_id" },
    { "deleted_app", SPREAD_SHARED, "app_id" },
    { "challenge_key", SPREAD_SHARED, "id" },
    { "app_usage", SPREAD_LOCAL, "app_id" },
    { "app_refusal", SPREAD_LOCAL, "app_id" },
    { "clock_state", SPREAD_LOCAL, "id" },
    { "store_part", SPREAD_LOCAL, "id" },
    { "lost_writes", SPREAD_LOCAL, "timeline" },
    { "store_change", SPREAD_LOCAL, "xid" },
    { "schema_step", SPREAD_LOCAL, "version" },
};
const size_t spread_table_count = sizeof spread_tables / sizeof spread_tables[0];

/* Columns that begin with the shard. The key of a row comes before what it refers to: a request of
 * one session may be continued by another. */
static const struct {
    const char *name;
    enum placement_form form;
} shard_columns[] = {
    { "user_id", BY_ID },        { "family_id", BY_ID },      { "grant_id", BY_ID },
    { "picture_id", BY_ID },     { "mail_id", BY_ID },        { "request_hash", BY_HASH },
    { "link_hash", BY_HASH },    { "code_hash", BY_HASH },    { "token_hash", BY_HASH },
    { "session_hash", BY_HASH }, { "user_key", BY_USER_KEY },
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Properties that the text does not show. Parameters are counted from 0. */
static const struct {
    const char *name;
    struct placement placement;
} exceptions[] = {
    { "user_count", { .where = PLACEMENT_SUM } },
    { "usage_count_users", { .where = PLACEMENT_SUM } },
    { "usage_count_connected", { .where = PLACEMENT_SUM } },
    { "outbox_count", { .where = PLACEMENT_SUM } },
    { "outbox_count_address", { .where = PLACEMENT_SUM } },
    { "user_list", { .where = PLACEMENT_MERGE, .by = 6, .limit = 1 } },
    /* Each database has the counts that were written there (job/usage.c): readers add them. */
    { "usage_add_app", { .where = PLACEMENT_USER, .by = 0 } },
    { "refusal_add", { .where = PLACEMENT_USER, .by = 0 } },
    { "usage_find_app", { .where = PLACEMENT_EACH } },
    { "usage_sum_owner", { .where = PLACEMENT_EACH } },
    { "refusal_list", { .where = PLACEMENT_EACH } },
    /* Select their rows from a table, so that the parameters have no position among VALUES. */
    { "family_add", { .where = PLACEMENT_USER, .by = 0 } },
    { "header_add", { .where = PLACEMENT_USER, .by = 0 } },
    { "atom_list_add", { .where = PLACEMENT_USER, .by = 0 } },
    { "record_add", { .where = PLACEMENT_USER, .by = 0 } },
    /* An email may belong to no user. */
    { "outbox_add", { .where = PLACEMENT_USER, .by = 0 } },
    { "username_claim", { .where = PLACEMENT_CLAIM, .user = 0, .by = 1, .kind = "username" } },
    { "email_claim", { .where = PLACEMENT_CLAIM, .user = 0, .by = 1, .kind = "email" } },
    { "passkey_claim", { .where = PLACEMENT_CLAIM, .user = 1, .by = 0, .kind = "passkey" } },
    { "username_release", { .where = PLACEMENT_RELEASE, .user = 0, .by = 1, .kind = "username" } },
    { "email_release", { .where = PLACEMENT_RELEASE, .user = 0, .by = 1, .kind = "email" } },
    { "passkey_release", { .where = PLACEMENT_RELEASE, .user = 1, .by = 0, .kind = "passkey" } },
    /* Postpones the end of an app that is used, once per day: a database that is down misses it. */
    { "app_put_expiry", { .where = PLACEMENT_EACH } },
    { "clock_put", { .where = PLACEMENT_EACH } },
};

/* ---- reading statements ---- */

static bool
is_word_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Whether a table of this kind is named; `out` is the first one. */
static bool
names_table(const char *text, enum spread_kind kind, const struct spread_table **out)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        while (is_word_letter(at[length]))
            length++;
        for (size_t i = 0; length > 0 && i < spread_table_count; i++) {
            const struct spread_table *table = &spread_tables[i];
            if (table->kind == kind && strlen(table->name) == length &&
                strncmp(table->name, at, length) == 0) {
                *out = table;
                return true;
            }
        }
        at += length == 0 ? 1 : length;
    }
    return false;
}

/* The number of the parameter that the column is compared with. */
static bool
compared_with(const char *text, const char *column, size_t *out)
{
    size_t length = strlen(column);
    for (const char *at = text; (at = strstr(at, column)) != NULL; at += length) {
        if ((at > text && is_word_letter(at[-1])) || strncmp(at + length, " = $", 4) != 0)
            continue;
        *out = strtoul(at + length + 4, NULL, 10) - 1;
        return true;
    }
    return false;
}

/* The number of the parameter in VALUES at the column's position. */
static bool
inserted_as(const char *text, const char *column, size_t *out)
{
    const char *names = strchr(text, '('), *values = strstr(text, " VALUES (");
    if (strncmp(text, "INSERT", 6) != 0 || names == NULL || values == NULL)
        return false;
    names++;
    values += strlen(" VALUES (");
    for (;;) {
        while (*names == ' ')
            names++;
        while (*values == ' ')
            values++;
        size_t length = strcspn(names, ",)");
        bool found = strlen(column) == length && strncmp(names, column, length) == 0;
        if (found && *values == '$') {
            *out = strtoul(values + 1, NULL, 10) - 1;
            return true;
        }
        const char *value_end = values + strcspn(values, ",)");
        if (found || names[length] != ',' || *value_end != ',')
            return false;
        names += length + 1;
        values = value_end + 1;
    }
}

static bool
named_by(const char *text, const char *column, size_t *out)
{
    return compared_with(text, column, out) || inserted_as(text, column, out);
}

/* The first column of shard_columns that a parameter sets or is compared with. A statement that
 * names no user, such as one of housekeeping, runs in each database. So does a statement whose
 * parameter is not found here; a new one needs a row in `exceptions`. */
static struct placement
placement_of_user_rows(const char *text)
{
    size_t by = 0;
    for (size_t i = 0; i < COUNT(shard_columns); i++)
        if (named_by(text, shard_columns[i].name, &by))
            return (struct placement){ .where = PLACEMENT_USER,
                                       .by = by,
                                       .form = shard_columns[i].form };
    return (struct placement){ .where = PLACEMENT_EACH };
}

/* Without the key, as in deleting expired rows, it runs in each database. Counts of failed sign-ins
 * and of requests may move to another database, because losing them is better than an outage. */
static struct placement
placement_of_lookup(const char *text, const struct spread_table *table)
{
    struct placement placement = { .where = PLACEMENT_EACH };
    bool counts = strcmp(table->name, "attempt") == 0 || strcmp(table->name, "api_rate") == 0;
    if (named_by(text, table->key, &placement.by))
        placement.where = counts ? PLACEMENT_ELSEWHERE : PLACEMENT_LOOKUP;
    return placement;
}

/* The order of the tests matters. A statement that names tables of several kinds runs where the
 * rows of its user are: it also finds there what every database has, such as the app of a token. */
struct placement
placement_of(const struct sql *sql)
{
    const struct spread_table *table = NULL;
    for (size_t i = 0; i < COUNT(exceptions); i++)
        if (strcmp(sql->name, exceptions[i].name) == 0)
            return exceptions[i].placement;
    if (names_table(sql->text, SPREAD_OF_USER, &table))
        return placement_of_user_rows(sql->text);
    if (names_table(sql->text, SPREAD_LOOKUP, &table))
        return placement_of_lookup(sql->text, table);
    if (names_table(sql->text, SPREAD_SHARED, &table))
        return (struct placement){ .where = sql_writes(sql->text) ? PLACEMENT_ALL : PLACEMENT_ANY };
    if (names_table(sql->text, SPREAD_LOCAL, &table))
        return (struct placement){ .where =
                                       sql_writes(sql->text) ? PLACEMENT_EACH : PLACEMENT_ANY };
    return (struct placement){ .where = PLACEMENT_UNKNOWN };
}

/* ---- values ---- */

/* The inverse of the first shard of database i, which is 4096 i / n rounded down. */
size_t
placement_of_shard(int shard, size_t databases)
{
    return (((size_t)shard + 1) * databases - 1) / SHARD_COUNT;
}

/* Simple enough for an expression in SQL, with which rows are moved: see docs/SCALE.md. */
int
placement_lookup_shard(const struct db_value *value)
{
    struct str key = value->text;
    uint64_t sum = 0;
    if (value->type == DB_INT)
        return (int)((uint64_t)value->number % SHARD_COUNT); /* a hash */
    for (size_t i = 0; i < key.len; i++)
        sum += (unsigned char)key.ptr[i] * (uint64_t)(i + 1) * (i + 17);
    /* 40503 is 65,536 divided by the golden ratio: products with it spread over all 65,536 values.
     * The upper 12 bits are the shard. Rows are where this formula has put them, so a change of it
     * needs all lookup rows to be moved. */
    return (int)(sum * 40503 % 65536 / 16);
}

/* The first two of ten digits, each from '-' to 'z': see store/usage_store.c. */
static int
shard_of_user_key(int64_t key)
{
    static const int64_t base = 'z' - '-' + 1;
    for (int i = 0; i < 8; i++)
        key /= base;
    char digits[] = { (char)('-' + key / base % base), (char)('-' + key % base) };
    return shard_number((struct str){ digits, 2 });
}

int
placement_shard(const struct placement *placement, const struct db_value *value)
{
    switch (placement->form) {
    case BY_ID:
        return shard_number(shard_of(value->text));
    case BY_HASH:
        return shard_number(shard_at_start(value->text));
    case BY_USER_KEY:
        return shard_of_user_key(value->number);
    }
    return 0;
}
