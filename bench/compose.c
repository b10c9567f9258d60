/* compose.c - composes hints repeatedly, for callgrind to count.
 *
 * usage: compose STORE USER TIMES
 *
 * Starts with the stored hint sets of USER as text and ends with the response body: a cold request
 * without HTTP, token, and SQL. For each combination of parameters, compose_hints() is called once
 * and composes TIMES times; instructions.mjs lets callgrind record the cost of each call.
 *
 * Prints a line of JSON per combination,
 * {"format":…,"context":…,"max_tokens":…,"tokens":…,"bytes":…}; the last has neither format nor
 * context: it only reads the hint sets. */
#include "config/definitions.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "db/db.h"
#include "flow/accounts.h"
#include "model/scope.h"
#include "preference/hints.h"
#include "model/user.h"
#include "store/record_store.h"
#include "text/json_write.h"

#include <err.h>
#include <stdio.h>

#define ROWS(list) (sizeof(list) / sizeof((list)[0]))
#define BODY_MAX ((size_t)64 * 1024)
#define EVERYTHING (~(uint64_t)0)

static const char *const formats[] = { "text", "bullets", "json" };

/* No context; the name of a context; a label matched by keywords; a label that matches no domain.
 */
static const char *const contexts[] = { NULL, "restaurant_search", "find me a table for tonight",
                                        "tax return" };
static const int budgets[] = { 50, 100, 200, 500 };

struct desk {
    struct domains domains;
    struct arena *lasting;
    struct arena *mem; /* of one answer */
    struct str user_id;
    struct record *records; /* as the store gave them */
    size_t record_count;
};

/* ---- counted work ---- */

static void
read_sets(const struct desk *desk, struct hint_set *out)
{
    for (size_t i = 0; i < desk->record_count; i++) {
        const struct record *record = &desk->records[i];
        const struct domain *domain = domains_find(&desk->domains, record->domain);
        if (domain == NULL || !hint_set_read(desk->mem, domain, record->hints, &out[i]))
            errx(1, "the hint set of %.*s has another version", STR_ARG(record->domain));
    }
}

/* Returns the size of the body; with params NULL, only reads the hint sets. Resets the arena first,
 * as between two requests. */
static size_t
compose(const struct desk *desk, const struct hints_params *params, struct hints *hints)
{
    struct hint_set hint_sets[DOMAINS_MAX];
    arena_reset(desk->mem);
    read_sets(desk, hint_sets);
    if (params == NULL)
        return 0;
    struct buf body = buf_in(desk->mem, BODY_MAX);
    struct json json = json_into(&body);
    hints_from_sets(desk->mem, params, hint_sets, desk->record_count, hints);
    hints_write(&json, params, hints);
    return body.len;
}

__attribute__((noinline)) static void
compose_hints(const struct desk *desk, const struct hints_params *params, int64_t times,
              struct hints *hints)
{
    for (int64_t i = 0; i < times; i++)
        compose(desk, params, hints);
}

/* ---- parameters ---- */

static void
answer(const struct desk *desk, const char *format, const char *context, int budget, int64_t times)
{
    struct hints_params params = {
        .domains = &desk->domains,
        .allowed = EVERYTHING,
        .sensitive = EVERYTHING,
        .context = context != NULL ? str_of(context) : STR_NONE,
        .max_tokens = budget,
    };
    struct hints hints = { 0 };
    if (format != NULL && !hint_format_read(str_of(format), &params.format))
        errx(1, "there is no format %s", format);
    const struct hints_params *asked = format != NULL ? &params : NULL;
    size_t bytes = compose(desk, asked, &hints); /* the arena has grown to its size */
    compose_hints(desk, asked, times, &hints);
    struct buf line = buf_in(desk->mem, BODY_MAX);
    struct json json = json_into(&line);
    json_open_object(&json);
    json_put_str(&json, "format", format != NULL ? str_of(format) : STR_NONE);
    json_put_str(&json, "context", params.context);
    json_put_int(&json, "max_tokens", budget);
    json_put_int(&json, "tokens", hints.answer.tokens);
    json_put_int(&json, "bytes", (int64_t)bytes);
    json_close_object(&json);
    printf("%.*s\n", STR_ARG(buf_str(&line)));
}

static void
answer_all(const struct desk *desk, int64_t times)
{
    for (size_t f = 0; f < ROWS(formats); f++)
        for (size_t c = 0; c < ROWS(contexts); c++)
            for (size_t b = 0; b < ROWS(budgets); b++)
                answer(desk, formats[f], contexts[c], budgets[b], times);
    answer(desk, NULL, NULL, 0, times);
}

/* ---- what is answered from ---- */

static void
open_desk(struct desk *desk, const char *store, const char *username)
{
    struct db_settings settings = { .address = store, .connections = 1 };
    struct db *db = NULL;
    struct user user;
    struct why why = { 0 };
    desk->lasting = arena_new();
    desk->mem = arena_new();
    if (definitions_load(desk->lasting, NULL, NULL, &desk->domains, &why) ||
        db_open(&settings, &db, &why))
        errx(1, "%s", why.text);
    scopes_setup(&desk->domains);
    enum err err = account_find(db, desk->lasting, str_of(username), &user);
    desk->user_id = user.id;
    struct db_tx *tx = db_begin_read(db);
    if (!err)
        err = record_store_hints(tx, desk->lasting, desk->user_id, &desk->records,
                                 &desk->record_count);
    err = db_end_read(tx, err);
    db_close(db);
    if (err || desk->record_count == 0)
        errx(1, "nothing is known about %s: %s", username, err_name(err));
}

int
main(int argc, char **argv)
{
    int64_t times;
    if (argc != 4 || !str_to_int(str_of(argv[3]), 1, 1000000, &times))
        errx(2, "usage: compose STORE USER TIMES");
    log_setup(LOG_AS_TEXT, LOG_WARN);
    struct desk desk = { 0 };
    open_desk(&desk, argv[1], argv[2]);
    answer_all(&desk, times);
    return 0;
}
