/* A pool whose connections are all in use: waiters are served in the order in which they came, fail
 * after five seconds, and fail at once if 512 others wait. Needs PENCHANT_TEST_POSTGRES. */
#include "unit/store_kit.h"

#include "base/clock.h"
#include "postgres/postgres.h"

#include <pthread.h>

#define WAIT_MS 5000
#define WAITERS_MAX 512
#define STACK_BYTES (256 * 1024)

static struct db *
open_pool(size_t connections)
{
    struct why why = { 0 };
    struct db *db = NULL;
    struct db_settings settings = { .address = getenv("PENCHANT_TEST_POSTGRES"),
                                    .connections = connections,
                                    .prepare_lazily = true };
    if (db_open(&settings, &db, &why))
        fail_msg("%s", why.text);
    return db;
}

static struct postgres_connection *
borrow(struct db *db)
{
    struct postgres_connection *connection = NULL;
    assert_int_equal(postgres_borrow((struct postgres_store *)db, &connection), ERR_NONE);
    return connection;
}

static void
give_back(struct db *db, struct postgres_connection *connection)
{
    postgres_give_back((struct postgres_store *)db, connection);
}

/* Lets transactions that begin to wait from now on wait as long as a busy machine needs. */
static void
wait_longer(struct db *db)
{
    ((struct postgres_store *)db)->borrow_ms = 600 * 1000;
}

static size_t
count_waiting(struct db *db)
{
    struct postgres_store *store = (struct postgres_store *)db;
    pthread_mutex_lock(&store->lock);
    size_t waiting = store->waiting;
    pthread_mutex_unlock(&store->lock);
    return waiting;
}

/* The order in which waiters got the connection. They share one, so only one adds at a time; the
 * lock is for the sanitizers. */
struct served {
    pthread_mutex_t lock;
    size_t order[WAITERS_MAX];
    size_t count;
};

struct waiter {
    struct db *db;
    struct served *served;
    size_t number;
    enum err err;
    int64_t waited_ms;
    pthread_t thread;
};

static void *
wait_in_line(void *argument)
{
    struct waiter *waiter = argument;
    struct postgres_store *store = (struct postgres_store *)waiter->db;
    struct postgres_connection *connection = NULL;
    int64_t began = clock_ticks_ns();
    waiter->err = postgres_borrow(store, &connection);
    waiter->waited_ms = (clock_ticks_ns() - began) / 1000000;
    if (waiter->err)
        return NULL;
    pthread_mutex_lock(&waiter->served->lock);
    waiter->served->order[waiter->served->count++] = waiter->number;
    pthread_mutex_unlock(&waiter->served->lock);
    postgres_give_back(store, connection);
    return NULL;
}

/* Starts a waiter and returns when it waits. */
static void
enqueue(struct waiter *waiter, struct db *db, struct served *served, size_t number)
{
    size_t before = count_waiting(db);
    pthread_attr_t attributes;
    *waiter = (struct waiter){ .db = db, .served = served, .number = number };
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    assert_int_equal(pthread_create(&waiter->thread, &attributes, wait_in_line, waiter), 0);
    pthread_attr_destroy(&attributes);
    while (count_waiting(db) == before)
        usleep(200);
}

static void
waiters_are_served_in_the_order_in_which_they_came(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    struct db *db = open_pool(2);
    struct served served = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct waiter waiters[COUNT];
    struct postgres_connection *returned = borrow(db), *kept = borrow(db);
    wait_longer(db);
    for (size_t i = 0; i < COUNT; i++)
        enqueue(&waiters[i], db, &served, i);
    give_back(db, returned);
    for (size_t i = 0; i < COUNT; i++) {
        pthread_join(waiters[i].thread, NULL);
        assert_int_equal(waiters[i].err, ERR_NONE);
        assert_int_equal(served.order[i], i);
    }
    assert_int_equal(count_waiting(db), 0);
    give_back(db, kept);
    db_close(db);
}

/* Those that came later keep their order. */
static void
a_waiter_fails_after_five_seconds(void **state)
{
    (void)state;
    struct db *db = open_pool(1);
    struct served served = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct waiter first, later[3];
    struct postgres_connection *connection = borrow(db);
    enqueue(&first, db, &served, 0);
    wait_longer(db);
    for (size_t i = 0; i < KIT_COUNT(later); i++)
        enqueue(&later[i], db, &served, i + 1);
    pthread_join(first.thread, NULL);
    assert_int_equal(first.err, ERR_UNAVAILABLE);
    assert_in_range(first.waited_ms, WAIT_MS - 100, 4 * WAIT_MS);
    give_back(db, connection);
    for (size_t i = 0; i < KIT_COUNT(later); i++) {
        pthread_join(later[i].thread, NULL);
        assert_int_equal(later[i].err, ERR_NONE);
        assert_int_equal(served.order[i], i + 1);
    }
    connection = borrow(db); /* the queue became empty and is used again */
    enqueue(&first, db, &served, 4);
    give_back(db, connection);
    pthread_join(first.thread, NULL);
    assert_int_equal(first.err, ERR_NONE);
    db_close(db);
}

static void
beyond_512_waiters_a_borrower_fails_at_once(void **state)
{
    (void)state;
    static struct waiter waiters[WAITERS_MAX];
    static struct served served = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct db *db = open_pool(1);
    struct postgres_connection *connection = borrow(db), *none = NULL;
    wait_longer(db);
    for (size_t i = 0; i < WAITERS_MAX; i++)
        enqueue(&waiters[i], db, &served, i);
    int64_t began = clock_ticks_ns();
    ((struct postgres_store *)db)->borrow_ms = 4 * WAIT_MS;
    assert_int_equal(postgres_borrow((struct postgres_store *)db, &none), ERR_UNAVAILABLE);
    assert_in_range(clock_ticks_ns() - began, 0, 4 * WAIT_MS * 1000000LL - 1);
    assert_int_equal(count_waiting(db), WAITERS_MAX);
    give_back(db, connection);
    for (size_t i = 0; i < WAITERS_MAX; i++) {
        pthread_join(waiters[i].thread, NULL);
        assert_int_equal(waiters[i].err, ERR_NONE);
        assert_int_equal(served.order[i], i);
    }
    db_close(db);
}

/* Also one that only reads use, which do not fail: otherwise it would stay in the pool after a
 * failover. */
static void
a_connection_that_became_read_only_is_replaced(void **state)
{
    (void)state;
    struct db *db = open_pool(1);
    struct postgres_store *store = (struct postgres_store *)db;
    struct postgres_connection *connection = borrow(db);
    uint64_t opened = store->reconnects;
    assert_true(postgres_command(connection, "SET default_transaction_read_only = on"));
    give_back(db, connection);
    while (postgres_borrow(store, &connection) != ERR_NONE)
        usleep(10000); /* the only server gets a pause */
    assert_int_equal(store->reconnects, opened + 1);
    assert_true(postgres_command(connection, "CREATE TEMPORARY TABLE unit_written (n BIGINT)"));
    give_back(db, connection);
    db_close(db);
}

static void
an_address_with_too_many_hosts_is_refused(void **state)
{
    (void)state;
    struct db_settings settings = {
        .address = "postgresql://penchant@a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q/penchant"
    };
    struct why why = { 0 };
    struct db *db = NULL;
    assert_int_equal(db_open(&settings, &db, &why), ERR_INVALID);
    assert_non_null(strstr(why.text, "more than 16 hosts"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiters_are_served_in_the_order_in_which_they_came),
        cmocka_unit_test(a_waiter_fails_after_five_seconds),
        cmocka_unit_test(beyond_512_waiters_a_borrower_fails_at_once),
        cmocka_unit_test(a_connection_that_became_read_only_is_replaced),
        cmocka_unit_test(an_address_with_too_many_hosts_is_refused),
    };
    signal(SIGPIPE, SIG_IGN);
    random_start();
    log_setup(LOG_AS_TEXT, LOG_SILENT);
    if (getenv("PENCHANT_TEST_POSTGRES") == NULL)
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
