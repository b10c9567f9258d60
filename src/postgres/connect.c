/* connect.c - hosts and new connections. libpq moves on to the next host of an address
 * only in its blocking functions, so the hosts are tried one by one here. */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/clock.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 64
#define OFF(setting) ", set_config('" setting "', 'off', false)"
#define INDEXES OFF("enable_seqscan") OFF("enable_bitmapscan")
#define LOOPS OFF("enable_hashjoin") OFF("enable_mergejoin")
#define GENERIC ", set_config('plan_cache_mode', 'force_generic_plan', false)"
#define PLANNER INDEXES LOOPS OFF("jit") GENERIC
#define COMPRESSION /* of texts; PostgreSQL's own takes longer than the rest of a write */ \
    ", (SELECT set_config(name, 'lz4', false) FROM pg_settings"                            \
    " WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals))"
#define IDLE_IN_TRANSACTION_MS 30000 /* a node that froze must not hold its locks for good */

static void
ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* ---- hosts ---- */

static const char *
option(const struct postgres_store *store, const char *keyword)
{
    for (const PQconninfoOption *at = store->options; at->keyword != NULL; at++)
        if (strcmp(at->keyword, keyword) == 0)
            return at->val;
    return NULL;
}

/* The n-th element of a list separated by commas, or the only one; NULL if it is empty. */
static char *
list_element(const char *list, size_t n)
{
    struct str element = STR_NONE, rest = str_of(list == NULL ? "" : list);
    size_t count = 0;
    while (count <= n && str_cut(&rest, ',', &element))
        count++;
    return element.len == 0 || (count <= n && count != 1) ? NULL
                                                          : strndup(element.ptr, element.len);
}

static size_t
list_count(const char *list)
{
    size_t count = 1;
    for (const char *at = list; at != NULL && *at != '\0'; at++)
        count += *at == ',';
    return count;
}

bool
postgres_read_hosts(struct postgres_store *store)
{
    store->options = PQconninfoParse(store->address, NULL);
    if (store->options == NULL)
        return false;
    const char *names = option(store, "host"), *addresses = option(store, "hostaddr");
    const char *attributes = option(store, "target_session_attrs");
    store->wants_writable = attributes == NULL || strcmp(attributes, "read-write") == 0 ||
                            strcmp(attributes, "primary") == 0;
    store->host_count = list_count(addresses != NULL ? addresses : names);
    if (store->host_count > POSTGRES_HOSTS_MAX)
        return false;
    for (size_t i = 0; i < store->host_count; i++) {
        store->hosts[i].name = list_element(names, i);
        store->hosts[i].address = list_element(addresses, i);
        store->hosts[i].port = list_element(option(store, "port"), i);
    }
    return true;
}

void
postgres_free_hosts(struct postgres_store *store)
{
    for (size_t i = 0; i < store->host_count; i++) {
        postgres_resolve_stop(&store->hosts[i]);
        free(store->hosts[i].name);
        free(store->hosts[i].address);
        free(store->hosts[i].port);
    }
    PQconninfoFree(store->options);
}

/* Those that never failed in the order of the address, then by the time of their last failure. */
static void
sort_hosts(struct postgres_store *store, struct postgres_host **sorted)
{
    for (size_t i = 0; i < store->host_count; i++) {
        size_t at = i;
        for (; at > 0 && sorted[at - 1]->failed_at > store->hosts[i].failed_at; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &store->hosts[i];
    }
}

/* ---- one connection ---- */

/* libpq writes one line per address that it tried, and hints that begin with a tab. Appends the
 * reasons without the hints. */
static void
add_reasons(const char *message, char *reasons, size_t size)
{
    static const struct str prefix = STR("connection to server ");
    struct str line, rest = str_of(message);
    size_t length = strlen(reasons);
    while (str_cut(&rest, '\n', &line) && length < size) {
        if (line.len == 0 || line.ptr[0] == '\t')
            continue;
        if (str_starts(line, prefix))
            line = str_from(line, prefix.len);
        length += (size_t)snprintf(reasons + length, size - length, "%s%.*s",
                                   length == 0 ? "" : "; ", STR_ARG(line));
    }
}

struct parameters {
    const char *keywords[OPTIONS_MAX + 1];
    const char *values[OPTIONS_MAX + 1];
    size_t count;
};

static void
add(struct parameters *parameters, const char *keyword, const char *value)
{
    if (value == NULL || parameters->count == OPTIONS_MAX)
        return;
    parameters->keywords[parameters->count] = keyword;
    parameters->values[parameters->count++] = value;
}

/* libpq wants a name for each address; it verifies certificates and finds passwords with it. */
static char *
repeat(const char *name, size_t count)
{
    if (name == NULL)
        return NULL;
    size_t length = strlen(name) + 1;
    char *names = memory_alloc(count, length);
    for (size_t i = 0; i < count; i++) {
        memcpy(names + i * length, name, length);
        names[(i + 1) * length - 1] = i + 1 < count ? ',' : '\0';
    }
    return names;
}

/* Defaults that the address may override, the address, then settings it may not override; of two
 * equal keywords libpq uses the last. target_session_attrs avoids a server that was demoted. */
static PGconn *
start(const struct postgres_store *store, const struct postgres_host *host, const char *addresses)
{
    struct parameters all = { 0 };
    char *names = repeat(host->name, list_count(addresses));
    add(&all, "tcp_user_timeout", "10000");
    add(&all, "keepalives_idle", "30");
    add(&all, "target_session_attrs", "read-write");
    add(&all, "application_name", "penchant");
    for (const PQconninfoOption *at = store->options; at->keyword != NULL; at++)
        if (strcmp(at->keyword, "host") != 0 && strcmp(at->keyword, "hostaddr") != 0 &&
            strcmp(at->keyword, "port") != 0)
            add(&all, at->keyword, at->val);
    add(&all, "host", names);
    add(&all, "hostaddr", addresses != NULL ? addresses : host->address);
    add(&all, "port", host->port);
    add(&all, "client_encoding", "UTF8");
    PGconn *handle = PQconnectStartParams(all.keywords, all.values, 0);
    free(names);
    return handle;
}

static bool
finish(const struct postgres_store *store, PGconn *handle, int64_t until, bool *late)
{
    PostgresPollingStatusType status = PGRES_POLLING_WRITING; /* see PQconnectPoll() */
    while (PQstatus(handle) != CONNECTION_BAD && status != PGRES_POLLING_FAILED) {
        if (status == PGRES_POLLING_OK)
            return PQsetnonblocking(handle, 1) == 0;
        short events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!postgres_wait(store, handle, events, until)) {
            *late = true;
            return false;
        }
        status = PQconnectPoll(handle);
    }
    return false;
}

static PGconn *
connect_host(struct postgres_store *store, struct postgres_host *host, int64_t until, char *reasons,
             size_t size)
{
    struct why unresolved = { 0 };
    char *addresses = NULL;
    if (!postgres_resolve(store, host, until, &addresses, &unresolved)) {
        host->failed_at = clock_ticks_ns();
        add_reasons(unresolved.text, reasons, size);
        return NULL;
    }
    PGconn *handle = start(store, host, addresses);
    bool late = false;
    free(addresses);
    if (handle != NULL && finish(store, handle, until, &late)) {
        PQsetNoticeReceiver(handle, ignore_notice, NULL);
        return handle;
    }
    host->failed_at = clock_ticks_ns();
    char problem[200];
    snprintf(problem, sizeof problem, "at \"%s\", port %s failed: no answer in time",
             host->name != NULL ? host->name : host->address, PQport(handle));
    add_reasons(late ? problem : PQerrorMessage(handle), reasons, size);
    PQfinish(handle);
    return NULL;
}

struct postgres_connection *
postgres_connect(struct postgres_store *store, int64_t within_ms, struct why *why)
{
    struct postgres_host *hosts[POSTGRES_HOSTS_MAX];
    int64_t now = clock_ticks_ns(), until = postgres_until(within_ms);
    char reasons[sizeof why->text] = "";
    sort_hosts(store, hosts);
    for (size_t i = 0; i < store->host_count; i++) { /* each may use its share of the rest */
        int64_t share = now + (until - now) / (int64_t)(store->host_count - i);
        PGconn *handle = connect_host(store, hosts[i], share, reasons, sizeof reasons);
        if (handle != NULL) {
            struct postgres_connection *connection = memory_alloc(1, sizeof *connection);
            *connection = (struct postgres_connection){ .handle = handle,
                                                        .store = store,
                                                        .host = hosts[i],
                                                        .deadline_ms = store->deadline_ms };
            return connection;
        }
        now = clock_ticks_ns();
    }
    why_set(why, "store: cannot connect to PostgreSQL: %s", reasons);
    return NULL;
}

void
postgres_disconnect(struct postgres_connection *connection)
{
    if (connection == NULL)
        return;
    PQfinish(connection->handle);
    free(connection);
}

/* The server cancels a statement before the client gives up on it, so that the connection can be
 * used again, and ends a transaction whose client froze. Statements use indexes whatever the
 * planner's statistics say: a plan that was made for a small table is kept while it grows. */
static bool
send_limits(struct postgres_connection *connection)
{
    char statement[32], idle[32];
    const char *values[] = { statement, idle };
    snprintf(statement, sizeof statement, "%lld", (long long)connection->deadline_ms * 9 / 10);
    snprintf(idle, sizeof idle, "%d", IDLE_IN_TRANSACTION_MS);
    return PQsendQueryParams(connection->handle,
                             "SELECT set_config('statement_timeout', $1, false),"
                             " set_config('idle_in_transaction_session_timeout', $2, "
                             "false)" PLANNER COMPRESSION,
                             2, NULL, values, NULL, NULL, 0) == 1;
}

static enum err
take_result(struct postgres_connection *connection, ExecStatusType expected, int64_t until,
            const char *what, struct why *why)
{
    PGresult *result = postgres_next_result(connection, until);
    bool good = PQresultStatus(result) == expected;
    if (!good) {
        const char *problem = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        why_set(why, "store: cannot prepare statement %s: %s", what,
                problem == NULL ? "connection lost" : problem);
    }
    PQclear(result);
    if (good && expected != PGRES_PIPELINE_SYNC)
        PQclear(postgres_next_result(connection, until)); /* the NULL after each result */
    return good ? ERR_NONE : connection->lost ? ERR_UNAVAILABLE : ERR_INTERNAL;
}

static bool
send_prepare(PGconn *handle, struct arena *mem, const struct sql *sql)
{
    if (!PQsendPrepare(handle, sql->name, sql->text, 0, NULL))
        return false;
    return sql->many == NULL || PQsendPrepare(handle, postgres_many_name(mem, sql).ptr,
                                              postgres_many_text(mem, sql).ptr, 0, NULL);
}

static enum err
take_prepared(struct postgres_connection *connection, const struct sql *sql, int64_t until,
              struct why *why)
{
    enum err err = take_result(connection, PGRES_COMMAND_OK, until, sql->name, why);
    if (!err && sql->many != NULL)
        err = take_result(connection, PGRES_COMMAND_OK, until, sql->name, why);
    return err;
}

/* A pooler hands out process ids of its own. */
bool
postgres_find_pooler(struct postgres_connection *connection)
{
    PGresult *result = postgres_run(connection, "SELECT pg_backend_pid()," POSTGRES_INCARNATION);
    bool answered = PQresultStatus(result) == PGRES_TUPLES_OK;
    if (answered) {
        connection->pooled =
            strtol(PQgetvalue(result, 0, 0), NULL, 10) != PQbackendPID(connection->handle);
        snprintf(connection->incarnation, sizeof connection->incarnation, "%s",
                 PQgetvalue(result, 0, 1));
    }
    PQclear(result);
    return answered;
}

/* Uses pipeline mode, so that it does not need a round trip per statement. */
enum err
postgres_prepare_all(struct postgres_connection *connection, int64_t within_ms, struct why *why)
{
    PGconn *handle = connection->handle;
    size_t count = db_statement_count();
    int64_t until = postgres_until(within_ms);
    if (!postgres_find_pooler(connection))
        return ERR_UNAVAILABLE;
    if (connection->pooled)
        return ERR_NONE;
    struct arena *mem = arena_new();
    bool sent = PQenterPipelineMode(handle) && send_limits(connection);
    for (size_t i = 0; i < count && sent; i++)
        sent = send_prepare(handle, mem, db_statement(i));
    arena_free(mem);
    if (!sent || !PQpipelineSync(handle))
        return ERR_UNAVAILABLE; /* the caller closes the connection */
    enum err err = take_result(connection, PGRES_TUPLES_OK, until, "set_config", why);
    for (size_t i = 0; i < count && !err; i++)
        err = take_prepared(connection, db_statement(i), until, why);
    if (!err)
        err = take_result(connection, PGRES_PIPELINE_SYNC, until, "sync", why);
    return err || PQexitPipelineMode(handle) ? err : ERR_UNAVAILABLE;
}
