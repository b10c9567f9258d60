/* fetch_test.c - which addresses are connected to. This program answers look-ups of names and
 * refuses all connections itself, so nothing leaves it. tests/api/client_documents*.test.mjs fetch
 * from a real server. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "net/fetch.h"
#include "net/net.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/socket.h>

#define ATTEMPTS_MAX 16

static struct {
    pthread_mutex_t lock;
    const char *answers[4]; /* of the first look-up, of the second …: addresses, by spaces */
    size_t lookups;
    size_t attempts;
    char connected[ATTEMPTS_MAX][INET6_ADDRSTRLEN];
    bool hang; /* look-ups wait for `open` */
    sem_t open;
} network = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- what libcurl calls ---- */

typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
            struct addrinfo **out)
{
    struct addrinfo numeric = *hints, **end = out;
    char text[200], *rest = text, *address;
    lookup *real = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    (void)node;
    if (network.hang)
        sem_wait(&network.open);
    pthread_mutex_lock(&network.lock);
    const char *answer = network.answers[network.lookups++];
    pthread_mutex_unlock(&network.lock);
    if (answer == NULL)
        return EAI_NONAME;
    snprintf(text, sizeof text, "%s", answer);
    numeric.ai_flags |= AI_NUMERICHOST;
    numeric.ai_family = AF_UNSPEC;
    *out = NULL;
    while ((address = strsep(&rest, " ")) != NULL) {
        if (real(address, service, &numeric, end) != 0)
            return EAI_NONAME;
        while (*end != NULL)
            end = &(*end)->ai_next;
    }
    return 0;
}

int
connect(int fd, const struct sockaddr *to, socklen_t length)
{
    (void)fd, (void)length;
    const void *address =
        to->sa_family == AF_INET
            ? (const void *)&((const struct sockaddr_in *)(const void *)to)->sin_addr
            : &((const struct sockaddr_in6 *)(const void *)to)->sin6_addr;
    pthread_mutex_lock(&network.lock);
    if (network.attempts < ATTEMPTS_MAX)
        inet_ntop(to->sa_family, address, network.connected[network.attempts++], INET6_ADDRSTRLEN);
    pthread_mutex_unlock(&network.lock);
    errno = ECONNREFUSED;
    return -1;
}

/* ---- a caller ---- */

static sem_t notified;

static void
notify(void *unused)
{
    (void)unused;
    sem_post(&notified);
}

static void
answer_with(const char *first, const char *second)
{
    pthread_mutex_lock(&network.lock);
    network.answers[0] = first;
    network.answers[1] = network.answers[2] = second;
    network.lookups = network.attempts = 0;
    pthread_mutex_unlock(&network.lock);
}

static enum fetch_result
get(struct fetcher *fetcher, const char *host)
{
    struct arena *mem = arena_new();
    struct fetch fetch = { .mem = mem, .host = str_of(host) };
    fetch.url = str_format(mem, "https://%s/client.json", host);
    fetcher_get(fetcher, &fetch, notify, NULL);
    sem_wait(&notified);
    enum fetch_result result = fetch.result;
    arena_free(mem);
    return result;
}

static struct fetcher *
start(const char *local_hosts)
{
    struct fetch_settings settings = { NULL, str_of(local_hosts), "test", 60000 };
    return fetcher_start(&settings);
}

/* ---- cases ---- */

static void
special_addresses_are_never_connected_to(void **state)
{
    static const char *const addresses[] = {
        "127.0.0.1",       "0.0.0.0",         "10.1.2.3",    "100.64.0.1",
        "169.254.169.254", "172.16.0.1",      "192.168.1.1", "198.18.0.1",
        "224.0.0.1",       "255.255.255.255", "::1",         "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",  "fe80::1",         "fd00::1",     "64:ff9b::7f00:1",
        "2002:7f00:1::",   "2001:db8::1",     "ff02::1",
    };
    struct fetcher *fetcher = start(NULL);
    (void)state;
    for (size_t i = 0; i < ROWS(addresses); i++) {
        answer_with(addresses[i], NULL);
        assert_row(get(fetcher, "app.example") == FETCH_FORBIDDEN, addresses[i]);
        assert_row(network.attempts == 0 && network.lookups == 1, addresses[i]);
    }
    fetcher_free(fetcher);
}

/* The host has a public address at the first look-up and a private one at every later look-up. */
static void
a_name_is_looked_up_once(void **state)
{
    struct fetcher *fetcher = start(NULL);
    (void)state;
    answer_with("1.1.1.1", "127.0.0.1");
    assert_int_equal(get(fetcher, "rebind.example"), FETCH_UNREACHABLE);
    assert_int_equal(network.lookups, 1);
    assert_int_equal(network.attempts, 1);
    assert_string_equal(network.connected[0], "1.1.1.1");
    /* Nor is the earlier answer used for another transfer. */
    assert_int_equal(get(fetcher, "rebind.example"), FETCH_FORBIDDEN);
    assert_int_equal(network.attempts, 1);
    fetcher_free(fetcher);
}

static void
of_several_addresses_only_public_ones_are_tried(void **state)
{
    struct fetcher *fetcher = start(NULL);
    (void)state;
    answer_with("10.0.0.1 1.1.1.1 127.0.0.1 2606:4700::1111 ::1 8.8.8.8", NULL);
    assert_int_equal(get(fetcher, "mixed.example"), FETCH_FORBIDDEN);
    assert_int_equal(network.attempts, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(strcmp(network.connected[i], "1.1.1.1") == 0 ||
                    strcmp(network.connected[i], "8.8.8.8") == 0 ||
                    strcmp(network.connected[i], "2606:4700::1111") == 0);
    fetcher_free(fetcher);
}

static void
listed_hosts_may_have_any_address(void **state)
{
    struct fetcher *fetcher = start("one.example two.example *.corp.example");
    (void)state;
    answer_with("10.0.0.1", NULL);
    assert_int_equal(get(fetcher, "two.example"), FETCH_UNREACHABLE);
    assert_string_equal(network.connected[0], "10.0.0.1");
    answer_with("10.0.0.1", NULL);
    assert_int_equal(get(fetcher, "a.corp.example"), FETCH_UNREACHABLE);
    static const char *const others[] = { "three.example", "two.example.com", "x.two.example",
                                          "corp.example", "two" };
    for (size_t i = 0; i < ROWS(others); i++) {
        answer_with("10.0.0.1", NULL);
        assert_row(get(fetcher, others[i]) == FETCH_FORBIDDEN, others[i]);
    }
    fetcher_free(fetcher);
}

static void
proxies_of_the_environment_are_ignored(void **state)
{
    static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" };
    struct fetcher *fetcher = start(NULL);
    (void)state;
    for (size_t i = 0; i < ROWS(names); i++)
        setenv(names[i], "http://9.9.9.9:3128", 1);
    answer_with("1.1.1.1", NULL);
    assert_int_equal(get(fetcher, "app.example"), FETCH_UNREACHABLE);
    assert_int_equal(network.attempts, 1);
    assert_string_equal(network.connected[0], "1.1.1.1");
    for (size_t i = 0; i < ROWS(names); i++)
        unsetenv(names[i]);
    fetcher_free(fetcher);
}

static void
a_name_without_an_address_is_unreachable(void **state)
{
    struct fetcher *fetcher = start(NULL);
    (void)state;
    answer_with(NULL, NULL);
    assert_int_equal(get(fetcher, "nowhere.example"), FETCH_UNREACHABLE);
    assert_int_equal(network.attempts, 0);
    fetcher_free(fetcher);
}

/* A name server that does not answer delays neither the end nor the callers. */
static void
canceling_notifies_every_caller(void **state)
{
    enum { CALLERS = FETCH_RUNNING + FETCH_QUEUE + 3 };
    struct fetch fetches[CALLERS];
    struct fetcher *fetcher = start(NULL);
    struct arena *mem = arena_new();
    (void)state;
    answer_with(NULL, NULL);
    network.hang = true;
    for (size_t i = 0; i < CALLERS; i++) {
        fetches[i] = (struct fetch){ .mem = mem,
                                     .url = STR("https://slow.example/client.json"),
                                     .host = STR("slow.example") };
        fetcher_get(fetcher, &fetches[i], notify, NULL);
    }
    assert_int_equal(sem_trywait(&notified), -1);
    fetcher_cancel(fetcher);
    for (size_t i = 0; i < CALLERS; i++)
        sem_wait(&notified);
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(fetches[i].result, FETCH_BUSY);
    assert_int_equal(get(fetcher, "app.example"), FETCH_BUSY);
    fetcher_free(fetcher);
    network.hang = false;
    for (size_t i = 0; i < CALLERS; i++)
        sem_post(&network.open);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_addresses_are_never_connected_to),
        cmocka_unit_test(a_name_is_looked_up_once),
        cmocka_unit_test(of_several_addresses_only_public_ones_are_tried),
        cmocka_unit_test(listed_hosts_may_have_any_address),
        cmocka_unit_test(proxies_of_the_environment_are_ignored),
        cmocka_unit_test(a_name_without_an_address_is_unreachable),
        cmocka_unit_test(canceling_notifies_every_caller),
    };
    sem_init(&notified, 0, 0);
    sem_init(&network.open, 0, 0);
    net_start();
    return cmocka_run_group_tests_name("net/fetch", tests, NULL, NULL);
}
