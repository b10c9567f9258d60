/* people.c - fills a store with users as it would look after two years, quickly.
 *
 * usage: people STORE COUNT TOKENS FILE
 *
 * Creates COUNT users with 20 to 60 atoms each, the first with 40, on an empty STORE (sqlite:… or
 * postgresql://…). Users are created in cohorts. Each domain is written in two writes, and between
 * two writes of one user, every other user of the cohort writes once, so that a user's rows are as
 * scattered as in production. TOKENS users, the first and then evenly spread, have a password and a
 * connected app; FILE gets a line with the app's ID, its secret, and the password, then one line
 * per user: username, access token, refresh token.
 *
 * The program's own flows write everything, so the store contains exactly what the service would
 * write. Differences, all for speed: writes and reads run inside one large transaction, and SQLite
 * has no journal; all users have the same password, hashed once, and sessions are inserted
 * directly; after the first ORIGINALS, users have copies of the rows of earlier users.
 *
 * Prints {"people":…,"atoms":…,"seconds":…}; on a terminal also the progress. */
#include "people_facts.h"

#include "config/definitions.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/shard.h"
#include "crypt/digest.h"
#include "crypt/password.h"
#include "crypt/random.h"
#include "crypt/secret.h"
#include "db/db.h"
#include "sqlite/sqlite.h"
#include "domain/domain.h"
#include "model/scope.h"
#include "flow/accounts.h"
#include "flow/apps.h"
#include "flow/authorize.h"
#include "preference/preferences.h"
#include "flow/sessions.h"
#include "flow/tokens.h"
#include "store/atom_store.h"
#include "store/record_store.h"
#include "credential/session_store.h"
#include "store/tx.h"
#include "store/user_store.h"
#include "text/json_read.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH 20000     /* steps in one transaction */
#define COHORT 50000    /* people whose writes take turns */
#define ORIGINALS 10000 /* people whose facts are their own */
#define DAY ((int64_t)24 * 3600)
#define PASSWORD STR("seven grey herons over the weir")
#define CALLBACK STR("http://127.0.0.1/callback")
#define SCOPES                                                                        \
    STR("preferences:read preferences:write agent_hints profile:read coding_profile " \
        "food_profile music_preferences travel_profile")

struct person {
    struct str id; /* in the arena of the whole run */
    char access[SECRET_LENGTH + 1];
    char refresh[SECRET_LENGTH + 1];
};

struct town {
    struct db *db;
    struct domains domains;
    struct arena *lasting;
    struct arena *mem; /* of one step */
    struct app reader; /* the app that tokens are made for */
    struct app writers[2];
    struct str verifier, challenge, password_hash;
    struct person *people;
    size_t count, tokens;
    int64_t now;
    int64_t atoms;
};

/* ---- one large transaction: replaces store/tx.c ---- */

static struct db_tx *open_tx; /* NULL: none, each work has its own */

enum err
tx_write(struct db *db, tx_work *work, void *argument)
{
    return open_tx != NULL ? work(open_tx, argument) : db_write(db, work, argument);
}

enum err
tx_write_shared(struct db *db, struct str key, tx_work *work, void *argument)
{
    (void)key;
    return tx_write(db, work, argument);
}

struct db_tx *
tx_begin_read(struct db *db)
{
    return open_tx != NULL ? open_tx : db_begin_read(db);
}

enum err
tx_end_read(struct db_tx *tx, enum err result)
{
    return tx == open_tx ? result : db_end_read(tx, result);
}

/* ---- steps, each like one request ---- */

typedef enum err step_work(struct town *town, size_t person, size_t which);

static enum err
move_in(struct town *town, size_t person, size_t which)
{
    (void)which;
    struct user user;
    struct account_problems problems = { 0 };
    struct str username = str_format(town->mem, "person%zu", person);
    struct account_params params = {
        .username = username,
        .email = str_format(town->mem, "%s@example.org", username.ptr),
        .name = str_format(town->mem, "Person %zu", person),
    };
    int64_t since = town->now - 730 * DAY + (int64_t)(person * 40) % (200 * DAY);
    enum err err = account_make(town->db, town->mem, &params, since, &user, &problems);
    if (!err)
        town->people[person].id = str_copy(town->lasting, user.id);
    return err;
}

/* Every third write is the user's own; the others come from two apps. */
static struct str
source_of(const struct town *town, size_t person, size_t which)
{
    uint32_t login = dice(person, 1000 + which) % 3;
    return login == 2 ? SOURCE_USER : town->writers[login].id;
}

static enum err
write_some(struct town *town, size_t person, size_t which)
{
    struct preference_counts counts;
    struct preference_problems problems;
    struct record record;
    size_t domains = town->domains.count;
    size_t domain = (which + person) % domains, visit = which / domains;
    struct preference_write params = {
        .user_id = town->people[person].id,
        .domain = &town->domains.list[domain],
        .source = source_of(town, person, which),
        .preferences = facts_of_visit(town->mem, &town->domains, person, domain, visit),
        .now = town->now - (int64_t)(domains * VISITS - which) * 60 * DAY,
    };
    enum err err = preferences_write(town->db, town->mem, &params, &counts, &record, &problems);
    if (err == ERR_INVALID && problems.count > 0)
        errx(1, "%.*s %.*s", STR_ARG(problems.list[0].at), STR_ARG(problems.list[0].problem));
    town->atoms += err ? 0 : counts.added;
    return err;
}

/* The record of one domain with its hint set. */
static enum err
find_record(struct town *town, struct str user_id, struct str domain, struct record *out)
{
    struct record *found = NULL;
    size_t count = 0;
    enum err err = record_store_list(open_tx, town->mem, user_id, domain, &found, &count);
    if (err || count == 0)
        return err ? err : ERR_NOT_FOUND;
    *out = found[0];
    err = record_store_hints(open_tx, town->mem, user_id, &found, &count);
    for (size_t i = 0; i < count && !err; i++)
        if (str_eq(found[i].domain, domain))
            out->hints = found[i].hints;
    return err;
}

/* Copies one domain of an original to a later user. */
static enum err
copy_some(struct town *town, size_t person, size_t which)
{
    struct str twin = town->people[person].id, original = town->people[person % ORIGINALS].id;
    struct str domain = town->domains.list[(which + person) % town->domains.count].name;
    struct sourced_atom *atoms = NULL;
    struct record record = { 0 };
    size_t count = 0;
    enum err err = find_record(town, original, domain, &record);
    if (!err)
        err = atom_store_read(open_tx, town->mem, original, domain, STR_NONE, &atoms, &count);
    if (!err)
        err = atom_store_save(open_tx, town->mem, twin, domain, atoms, count, false);
    if (!err)
        err = record_store_put(open_tx, town->mem, twin, &record);
    if (!err)
        err = record_store_release(open_tx, town->mem, twin, ATOMS_PER_DOMAIN_MAX);
    town->atoms += (int64_t)count;
    return err;
}

/* Inserts a session without the password check of a sign-in. */
static enum err
sign_in(struct town *town, const struct user *user, struct session *session)
{
    *session = (struct session){
        .hash = session_hash(town->mem, session_make_key(town->mem, shard_of(user->id))),
        .user_id = user->id,
        .user_epoch = user->epoch,
        .device = STR("Firefox on Linux"),
        .address = STR("127.0.0.1"),
        .created_at = town->now,
        .expires_at = town->now + SESSION_SECONDS,
    };
    return session_store_add(open_tx, town->mem, session);
}

static enum err
get_code(struct town *town, const struct user *user, const struct session *session,
         const struct secret **code)
{
    struct authorize_checked checked;
    struct authorize_begun begun;
    struct auth_request request;
    struct authorize_params params = {
        .client_id = town->reader.id,
        .redirect_uri = CALLBACK,
        .response_type = STR("code"),
        .scope = SCOPES,
        .challenge = town->challenge,
        .challenge_method = STR("S256"),
    };
    enum err err = authorize_check(town->db, town->mem, &params, &checked);
    if (!err && checked.stop != AUTHORIZE_OK)
        errx(1, "%s", checked.description);
    if (!err)
        err = authorize_begin(town->db, town->mem, &checked, session, user, town->now, &begun);
    struct consent_params consent = { .request_id = begun.request_id,
                                      .allow = true,
                                      .selected = checked.scopes,
                                      .term = TERM_UNTIL_REVOKED,
                                      .now = town->now };
    return err ? err : consent_decide(town->db, town->mem, session, user, &consent, &request, code);
}

/* Whether this user gets a token; such users are evenly spread. */
static bool
has_token(const struct town *town, size_t person)
{
    return person * town->tokens % town->count < town->tokens;
}

static enum err
let_app_in(struct town *town, size_t person, size_t which)
{
    (void)which;
    if (!has_token(town, person))
        return ERR_NONE;
    struct user user;
    struct session session;
    struct token_set set;
    const struct secret *code = NULL;
    const char *problem = NULL;
    struct str id = town->people[person].id;
    enum err err = user_store_put_password(open_tx, town->mem, id, town->password_hash, town->now);
    if (!err)
        err = account_find(town->db, town->mem, id, &user);
    if (!err)
        err = sign_in(town, &user, &session);
    if (!err)
        err = get_code(town, &user, &session, &code);
    if (err)
        return err;
    struct exchange params = { .app = &town->reader,
                               .code = secret_reveal(code),
                               .redirect_uri = CALLBACK,
                               .verifier = town->verifier,
                               .now = town->now };
    err = token_exchange(town->db, town->mem, &params, &set, &problem);
    if (err)
        return err;
    memcpy(town->people[person].access, secret_reveal(set.access).ptr, SECRET_LENGTH);
    memcpy(town->people[person].refresh, secret_reveal(set.refresh).ptr, SECRET_LENGTH);
    return ERR_NONE;
}

/* ---- many steps ---- */

struct batch {
    struct town *town;
    step_work *step;
    size_t which, from, to, stride;
    size_t first, people; /* of the cohort */
};

static enum err
run_batch(struct db_tx *tx, void *argument)
{
    struct batch *batch = argument;
    enum err err = ERR_NONE;
    open_tx = tx;
    for (size_t i = batch->from; i < batch->to && !err; i++) {
        arena_reset(batch->town->mem);
        err = batch->step(batch->town, batch->first + i * batch->stride % batch->people,
                          batch->which);
    }
    open_tx = NULL;
    return err;
}

static void
show_progress(const char *what, size_t done, size_t all)
{
    if (!isatty(STDERR_FILENO))
        return;
    int filled = (int)(30 * done / all);
    fprintf(stderr, "\r  %-20s [%.*s%*s] %3zu %%%s", what, filled, "##############################",
            30 - filled, "", 100 * done / all, done == all ? "\n" : "");
}

/* The users of a cohort, in an order unrelated to their creation. */
static void
everybody(struct town *town, const char *what, step_work *step, size_t first, size_t people,
          size_t rounds)
{
    size_t stride = 7919; /* a prime, so that everybody has a turn unless it divides */
    while (people % stride == 0)
        stride += 2;
    for (size_t which = 0; which < rounds; which++) {
        struct batch batch = { town, step, which, 0, 0, stride, first, people };
        for (; batch.from < people; batch.from = batch.to) {
            batch.to = people - batch.from < BATCH ? people : batch.from + BATCH;
            int64_t atoms = town->atoms;
            enum err err = db_write(town->db, run_batch, &batch);
            if (err)
                errx(1, "%s: %s (after %lld atoms)", what, err_name(err), (long long)atoms);
        }
    }
}

static size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Runs the steps cohort by cohort; the first cohort ends with the originals. */
static void
fill(struct town *town)
{
    size_t domains = town->domains.count, first = 0, people;
    for (; first < town->count; first += people) {
        bool original = first < ORIGINALS;
        people = smaller(original ? ORIGINALS : COHORT, town->count - first);
        everybody(town, "people", move_in, first, people, 1);
        if (original)
            everybody(town, "preferences", write_some, first, people, domains * VISITS);
        else
            everybody(town, "preferences", copy_some, first, people, domains);
        everybody(town, "tokens", let_app_in, first, people, 1);
        show_progress("people", first + people, town->count);
    }
}

static void
add_owner(struct town *town)
{
    struct user user;
    struct account_problems problems = { 0 };
    struct account_params params = { .username = STR("developer") };
    enum err err = account_make(town->db, town->mem, &params, town->now, &user, &problems);
    if (err)
        errx(1, "developer: %s", err_name(err));
}

static const struct secret *
add_app(struct town *town, const char *name, struct app *out)
{
    const struct secret *secret = NULL;
    struct str uri = CALLBACK;
    struct app_problems problems = { 0 };
    struct app_params params = { .owner = STR("developer"),
                                 .name = str_of(name),
                                 .redirect_uris = &uri,
                                 .redirect_uri_count = 1,
                                 .scopes = SCOPES };
    enum err err =
        app_register(town->db, town->lasting, &params, town->now, out, &secret, &problems);
    if (err)
        errx(1, "app %s: %s", name, err_name(err));
    return secret;
}

static void
write_file(const struct town *town, const char *path, const struct secret *secret)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        err(1, "%s", path);
    fprintf(file, "%.*s %.*s %.*s\n", STR_ARG(town->reader.id), STR_ARG(secret_reveal(secret)),
            STR_ARG(PASSWORD));
    for (size_t i = 0; i < town->count; i++)
        if (has_token(town, i))
            fprintf(file, "person%zu %s %s\n", i, town->people[i].access, town->people[i].refresh);
    if (fclose(file) != 0)
        err(1, "%s", path);
}

/* An interrupted fill starts again from the beginning, so nothing needs to be durable before its
 * end. Afterwards the store is as a service leaves it. */
static void
hurry(struct town *town, const char *store, const char *pragmas)
{
    struct sqlite_store *file = (struct sqlite_store *)town->db;
    if (db_address_is_sqlite(store) && sqlite_execute(file->writer_connection.handle, pragmas))
        errx(1, "%s: %s", pragmas, sqlite3_errmsg(file->writer_connection.handle));
}

static void
open_town(struct town *town, const char *store, size_t count, size_t tokens)
{
    struct db_settings settings = { .address = store, .connections = 1 };
    struct why why = { 0 };
    town->lasting = arena_new();
    town->mem = arena_new();
    town->now = clock_now();
    town->count = count;
    town->tokens = tokens;
    town->people = memory_alloc(count, sizeof *town->people);
    town->verifier = STR("a-verifier-of-at-least-forty-three-characters");
    town->password_hash = password_hash(town->lasting, PASSWORD);
    town->challenge = digest_text(town->lasting, town->verifier);
    if (definitions_load(town->lasting, NULL, NULL, &town->domains, &why) ||
        db_open(&settings, &town->db, &why))
        errx(1, "%s", why.text);
    scopes_setup(&town->domains);
    if (db_address_is_sqlite(store)) /* without a log, what a reader keeps would keep us waiting */
        sqlite_pause_snapshots((struct sqlite_store *)town->db);
    hurry(town, store,
          "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000");
}

int
main(int argc, char **argv)
{
    int64_t count, tokens;
    if (argc != 5 || !str_to_int(str_of(argv[2]), 1, 10000000, &count) ||
        !str_to_int(str_of(argv[3]), 0, count, &tokens))
        errx(2, "usage: people STORE COUNT TOKENS FILE");
    log_setup(LOG_AS_TEXT, LOG_WARN);
    random_start();
    struct town town = { 0 };
    int64_t began_ns = clock_ticks_ns();
    open_town(&town, argv[1], (size_t)count, (size_t)tokens);
    add_owner(&town);
    const struct secret *secret = add_app(&town, "Reader", &town.reader);
    add_app(&town, "Kitchen helper", &town.writers[0]);
    add_app(&town, "Travel desk", &town.writers[1]);
    fill(&town);
    hurry(&town, argv[1], "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL");
    write_file(&town, argv[4], secret);
    db_close(town.db);
    printf("{\"people\":%zu,\"atoms\":%lld,\"seconds\":%.1f}\n", town.count, (long long)town.atoms,
           (double)(clock_ticks_ns() - began_ns) / 1e9);
    return 0;
}
