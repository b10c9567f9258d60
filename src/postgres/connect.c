/* connect.c - hosts and new connections. libpq moves on to the next host of an address
 * only in its blocking functions, so the hosts are tried one by one here. */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/clock.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 64
#define SLICE_MS 20     /* between two checks of the other hosts */
#define COMPARE_MS 1000 /* for each further host, after one accepted */

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
    if (store->host_count > POSTGRES_HOSTS_MAX) {
        store->host_count = 0;
        return false;
    }
    for (size_t i = 0; i < store->host_count; i++) {
        store->hosts[i].name = list_element(names, i);
        store->hosts[i].address = list_element(addresses, i);
        store->hosts[i].port = list_element(option(store, "port"), i);
        store->hosts[i].canceller = postgres_canceller_new();
    }
    return true;
}

void
postgres_free_hosts(struct postgres_store *store)
{
    for (size_t i = 0; i < store->host_count; i++) {
        postgres_resolve_stop(&store->hosts[i]);
        postgres_canceller_stop(store->hosts[i].canceller);
        free(store->hosts[i].name);
        free(store->hosts[i].address);
        free(store->hosts[i].port);
    }
    PQconninfoFree(store->options);
}

/* Those that did not fail since they were reached, in the order of the address, then by the time of
 * the last failure. */
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

/* Whether another thread has connected to another host since `began`. After a promotion, the old
 * primary may neither accept nor refuse connections. */
static bool
other_host_reached(const struct postgres_store *store, const struct postgres_host *host,
                   int64_t began)
{
    for (size_t i = 0; i < store->host_count; i++)
        if (&store->hosts[i] != host && store->hosts[i].reached_at > began)
            return true;
    return false;
}

/* False: not before `until`, or not worth waiting for. */
static bool
wait_for_host(const struct postgres_store *store, const struct postgres_host *host, PGconn *handle,
              short events, int64_t until)
{
    int64_t began = clock_ticks_ns();
    for (;;) {
        int64_t slice = store->host_count == 1 ? until : postgres_until(SLICE_MS);
        if (slice > until)
            slice = until;
        if (postgres_wait(store, handle, events, slice))
            return true;
        bool interrupted = clock_ticks_ns() < slice;
        if (slice == until || interrupted || other_host_reached(store, host, began))
            return false;
    }
}

static bool
finish(const struct postgres_store *store, const struct postgres_host *host, PGconn *handle,
       int64_t until, bool *late)
{
    PostgresPollingStatusType status = PGRES_POLLING_WRITING; /* see PQconnectPoll() */
    while (PQstatus(handle) != CONNECTION_BAD && status != PGRES_POLLING_FAILED) {
        if (status == PGRES_POLLING_OK)
            return PQsetnonblocking(handle, 1) == 0;
        short events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!wait_for_host(store, host, handle, events, until)) {
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
    if (handle != NULL) /* before the server can send one: libpq would print it */
        PQsetNoticeReceiver(handle, ignore_notice, NULL);
    if (handle != NULL && finish(store, host, handle, until, &late))
        return handle;
    host->failed_at = clock_ticks_ns();
    char problem[200];
    snprintf(problem, sizeof problem, "at \"%s\", port %s failed: no answer in time",
             host->name != NULL ? host->name : host->address, PQport(handle));
    add_reasons(late ? problem : PQerrorMessage(handle), reasons, size);
    PQfinish(handle);
    return NULL;
}

/* Whether the server answers and is not an old primary. */
static bool
check_server(struct postgres_connection *connection, int64_t until, struct why *why)
{
    struct postgres_host *host = connection->host;
    const char *name = host->name != NULL ? host->name : host->address;
    int64_t left_ms = (until - clock_ticks_ns()) / 1000000;
    connection->deadline_ms = left_ms > 0 ? left_ms : 1;
    bool answered = postgres_find_pooler(connection);
    connection->deadline_ms = connection->store->deadline_ms;
    if (answered && postgres_sync_may_use(connection)) {
        host->reached_at = clock_ticks_ns();
        host->failed_at = 0;
        return true;
    }
    host->failed_at = clock_ticks_ns();
    if (answered)
        why_set(why, "at \"%s\", port %s refused: " POSTGRES_OLD_PRIMARY, name,
                PQport(connection->handle));
    else if (connection->late)
        why_set(why,
                "at \"%s\", port %s failed: it accepts connections, but did not answer in time; if "
                "a connection pooler is in between, its pool may be too small for this service",
                name, PQport(connection->handle));
    else
        why_set(why, "%s", PQerrorMessage(connection->handle));
    return false;
}

static struct postgres_connection *
try_host(struct postgres_store *store, struct postgres_host *host, int64_t until, char *reasons,
         size_t size)
{
    struct why why = { 0 };
    PGconn *handle = connect_host(store, host, until, reasons, size);
    if (handle == NULL)
        return NULL;
    struct postgres_connection *connection = memory_alloc(1, sizeof *connection);
    *connection = (struct postgres_connection){ .handle = handle, .store = store, .host = host };
    if (check_server(connection, until, &why))
        return connection;
    add_reasons(why.text, reasons, size);
    postgres_disconnect(connection);
    return NULL;
}

/* Keeps the connection to the server with the higher timeline, or the first one. */
static struct postgres_connection *
choose(struct postgres_connection *first, struct postgres_connection *next)
{
    if (next == NULL)
        return first;
    bool is_first = first != NULL && postgres_sync_may_use(first);
    struct postgres_connection *left = is_first ? next : first;
    if (first != NULL && !is_first)
        first->host->failed_at = clock_ticks_ns();
    postgres_disconnect(left);
    return is_first ? first : next;
}

/* Tries each host until one accepts. The first connection of a process compares all hosts: after a
 * failover, the old primary may accept writes, too. NULL: none accepted. */
static struct postgres_connection *
try_hosts(struct postgres_store *store, int64_t until, char *reasons, size_t size)
{
    struct postgres_host *hosts[POSTGRES_HOSTS_MAX];
    struct postgres_connection *found = NULL;
    int64_t now = clock_ticks_ns();
    sort_hosts(store, hosts);
    for (size_t i = 0; i < store->host_count && (found == NULL || !store->compared); i++) {
        /* Each may use its share of the rest. */
        int64_t share = now + (until - now) / (int64_t)(store->host_count - i);
        if (found != NULL)
            share = clock_earlier(share, postgres_until(COMPARE_MS));
        found = choose(found, try_host(store, hosts[i], share, reasons, size));
        now = clock_ticks_ns();
    }
    store->compared = store->compared || found != NULL;
    return found;
}

struct postgres_connection *
postgres_connect(struct postgres_store *store, int64_t within_ms, struct why *why)
{
    int64_t began, until = postgres_until(within_ms);
    char reasons[sizeof why->text];
    do { /* again if another thread reached a host meanwhile, for example because it was promoted */
        began = clock_ticks_ns();
        reasons[0] = '\0';
        struct postgres_connection *connection = try_hosts(store, until, reasons, sizeof reasons);
        if (connection != NULL)
            return connection;
    } while (other_host_reached(store, NULL, began) && clock_ticks_ns() < until);
    why_set(why, "store: cannot connect to PostgreSQL: %s", reasons);
    return NULL;
}

void
postgres_look_at_other_host(struct postgres_store *store, int64_t within_ms)
{
    char reasons[sizeof((struct why *)NULL)->text] = "";
    struct postgres_host *host = &store->hosts[store->looks++ % store->host_count];
    if (host->failed_at != 0 && store->wants_writable)
        postgres_disconnect(
            try_host(store, host, postgres_until(within_ms), reasons, sizeof reasons));
}

void
postgres_disconnect(struct postgres_connection *connection)
{
    if (connection == NULL)
        return;
    if (connection->late && connection->pooled)
        postgres_close_cancelled(connection->host->canceller, connection->handle);
    else
        PQfinish(connection->handle);
    free(connection->prepared);
    free(connection);
}
