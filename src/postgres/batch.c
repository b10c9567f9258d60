/* batch.c - the requests of several callers in one round trip.
 *
 * Requests with the same statement become one statement over arrays, with an element per caller,
 * sorted by the first parameter, so that transactions of several nodes lock rows in the same order.
 */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 80
#define PARAMETERS_MAX 32
#define BATCH_BYTES ((size_t)1024 * 1024) /* of parameters; a larger batch is divided */

struct postgres_batch {
    const struct sql *sql;
    struct postgres_request *requests[POSTGRES_GROUP_MAX];
    size_t count;
    size_t bytes;
    bool prepares; /* the statement is prepared in the same round trip */
    struct postgres_batch *next;
};

/* ---- making batches ---- */

static size_t
bytes_of(const struct postgres_request *request)
{
    size_t bytes = 0;
    for (size_t i = 0; i < request->count; i++)
        bytes += request->values[i].type == DB_TEXT ? request->values[i].text.len : 8;
    return bytes;
}

static int
compare_requests(const void *a, const void *b)
{
    const struct postgres_request *const *one = a, *const *two = b;
    const struct db_value *x = &(*one)->values[0], *y = &(*two)->values[0];
    if (x->type == DB_TEXT && y->type == DB_TEXT)
        return str_order(x->text, y->text);
    return (x->number > y->number) - (x->number < y->number);
}

/* The batch among `layer` that the request can join; NULL: none. */
static struct postgres_batch *
find_batch(struct postgres_batch *layer, const struct postgres_request *request, size_t bytes)
{
    for (; layer != NULL; layer = layer->next)
        if (layer->sql == request->sql && request->sql->many != NULL &&
            layer->bytes + bytes <= BATCH_BYTES)
            return layer;
    return NULL;
}

void
postgres_batch_add(struct arena *mem, struct postgres_batch **list,
                   struct postgres_request **requests, size_t count)
{
    struct postgres_batch **layer = list;
    while (*layer != NULL)
        layer = &(*layer)->next;
    struct postgres_batch **end = layer;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = bytes_of(requests[i]);
        struct postgres_batch *batch = find_batch(*layer, requests[i], bytes);
        if (batch == NULL) {
            batch = *end = ARENA_NEW(mem, struct postgres_batch);
            *batch = (struct postgres_batch){ .sql = requests[i]->sql };
            end = &batch->next;
        }
        batch->requests[batch->count++] = requests[i];
        batch->bytes += bytes;
    }
    for (struct postgres_batch *batch = *layer; batch != NULL; batch = batch->next)
        if (batch->requests[0]->count > 0)
            qsort(batch->requests, batch->count, sizeof batch->requests[0], compare_requests);
}

/* ---- sending ---- */

struct str
postgres_many_text(struct arena *mem, const struct sql *sql)
{
    struct buf text = buf_in(mem, SIZE_MAX);
    size_t count = strlen(sql->types);
    buf_add_c(&text, "WITH m AS (SELECT * FROM unnest(");
    for (size_t i = 0; i < count; i++)
        buf_add_format(&text, "%sCAST($%zu AS %s[])", i == 0 ? "" : ", ", i + 1,
                       sql->types[i] == 'i' ? "BIGINT" : "TEXT");
    buf_add_c(&text, ") WITH ORDINALITY AS m (");
    for (size_t i = 0; i < count; i++)
        buf_add_format(&text, "p%zu, ", i + 1);
    buf_add_format(&text, "n))%s%s", sql->many[0] == ',' ? "" : " ", sql->many);
    buf_add_char(&text, '\0');
    return buf_str(&text);
}

struct str
postgres_many_name(struct arena *mem, const struct sql *sql)
{
    return str_format(mem, "%s_many", sql->name);
}

static bool
send_one(struct postgres_connection *connection, struct arena *mem,
         const struct postgres_request *request)
{
    const struct postgres_statement statement = { request->sql->name, request->sql->text };
    const char *texts[PARAMETERS_MAX];
    if (request->count > PARAMETERS_MAX)
        return false;
    postgres_values_to_text(mem, request->values, request->count, texts);
    return postgres_send(connection, &statement, texts, NULL, NULL, request->count);
}

static bool
send_many(struct postgres_connection *connection, struct arena *mem,
          const struct postgres_batch *batch)
{
    const struct postgres_statement statement = {
        postgres_many_name(mem, batch->sql).ptr,
        connection->pooled ? postgres_many_text(mem, batch->sql).ptr : NULL,
    };
    const char *values[PARAMETERS_MAX];
    int lengths[PARAMETERS_MAX], formats[PARAMETERS_MAX];
    size_t count = strlen(batch->sql->types);
    for (size_t i = 0; i < count; i++) {
        struct buf array = buf_in(mem, SIZE_MAX);
        postgres_array_start(&array, batch->sql->types[i], batch->count);
        for (size_t j = 0; j < batch->count; j++)
            postgres_array_add(&array, &batch->requests[j]->values[i]);
        values[i] = array.ptr;
        lengths[i] = (int)array.len;
        formats[i] = 1;
    }
    return postgres_send(connection, &statement, values, lengths, formats, count);
}

static bool
send_batch(struct postgres_connection *connection, struct arena *mem, struct postgres_batch *batch,
           struct touched *touched)
{
    bool many = batch->sql->many != NULL;
    batch->prepares = postgres_must_prepare(connection, batch->sql, many);
    if (batch->prepares && !postgres_send_prepare(connection, mem, batch->sql, many))
        return false;
    if (!batch->sql->untracked && sql_writes(many ? batch->sql->many : batch->sql->text))
        for (size_t i = 0; i < batch->count; i++)
            touched_add_values(touched, batch->requests[i]->values, batch->requests[i]->count);
    return many ? send_many(connection, mem, batch) : send_one(connection, mem, batch->requests[0]);
}

/* ---- results ---- */

static size_t
caller_of(const PGresult *result, int row)
{
    return (size_t)strtoull(PQgetvalue(result, row, 0), NULL, 10) - 1;
}

/* Gives each caller its rows, without the column that names it. */
static bool
distribute(const PGresult *result, const struct postgres_batch *batch)
{
    struct db_value *cells[POSTGRES_GROUP_MAX];
    size_t counts[POSTGRES_GROUP_MAX] = { 0 }, columns = (size_t)PQnfields(result) - 1;
    int rows = PQntuples(result);
    for (int row = 0; row < rows; row++) {
        if (caller_of(result, row) >= batch->count)
            return false;
        counts[caller_of(result, row)]++;
    }
    for (size_t i = 0; i < batch->count; i++) {
        cells[i] = ARENA_ARRAY(batch->requests[i]->mem, struct db_value, counts[i] * columns);
        batch->requests[i]->rows = (struct db_rows){ counts[i], columns, cells[i] };
    }
    for (int row = 0; row < rows; row++) {
        size_t i = caller_of(result, row);
        if (postgres_copy_row(result, row, 1, batch->requests[i]->mem, cells[i]))
            return false;
        cells[i] += columns;
    }
    return true;
}

/* With fewer rows than callers the result does not show which of them changed none, so all fail. */
static bool
changed_all(PGresult *result, size_t count)
{
    return strtoull(PQcmdTuples(result), NULL, 10) == count;
}

static bool
take_rows(PGresult *result, const struct postgres_batch *batch)
{
    struct postgres_request *first = batch->requests[0];
    bool good = PQresultStatus(result) == PGRES_TUPLES_OK;
    if (first->must_change)
        good = (good || PQresultStatus(result) == PGRES_COMMAND_OK) &&
               changed_all(result, batch->count);
    else if (batch->sql->many != NULL)
        good = good && distribute(result, batch);
    else if (good)
        good = postgres_copy_rows(result, first->mem, &first->rows) == ERR_NONE;
    else
        good = PQresultStatus(result) == PGRES_COMMAND_OK;
    for (size_t i = 0; i < batch->count; i++)
        batch->requests[i]->done = good;
    return good;
}

static bool
take_prepare(struct postgres_connection *connection, const struct postgres_batch *batch,
             int64_t until)
{
    bool many = batch->sql->many != NULL;
    PGresult *result = postgres_take_prepare(connection, batch->sql, many, until);
    bool good = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    return good;
}

static bool
is_lock_timeout(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state != NULL && strcmp(state, "55P03") == 0;
}

bool
postgres_batch_run(struct postgres_connection *connection, struct arena *mem,
                   struct postgres_batch *list, bool begin, struct touched *touched)
{
    PGconn *handle = connection->handle;
    int64_t until = postgres_until(connection->deadline_ms);
    bool good = PQenterPipelineMode(handle) == 1;
    connection->blocked = false;
    if (good && begin)
        good = postgres_begin_send(connection);
    for (struct postgres_batch *batch = list; batch != NULL && good; batch = batch->next)
        good = send_batch(connection, mem, batch, touched);
    if (!good || !PQpipelineSync(handle)) {
        connection->lost = true;
        return false;
    }
    if (begin)
        good = postgres_begin_take(connection, until);
    for (const struct postgres_batch *batch = list; batch != NULL; batch = batch->next) {
        if (batch->prepares)
            good = take_prepare(connection, batch, until) && good;
        PGresult *result = postgres_take(connection, until);
        connection->blocked = connection->blocked || is_lock_timeout(result);
        good = good && take_rows(result, batch);
        PQclear(result);
    }
    PGresult *synced = connection->lost ? NULL : postgres_next_result(connection, until);
    if (PQresultStatus(synced) != PGRES_PIPELINE_SYNC || !PQexitPipelineMode(handle))
        connection->lost = true;
    PQclear(synced);
    return good && !connection->lost;
}
