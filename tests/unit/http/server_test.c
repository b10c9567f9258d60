/* server_test.c - starting, listening, TLS. */
#include "http/listen.h"
#include "unit/http/wire.h"

#include "http/tls.h"

#include <sys/stat.h>
#include <dlfcn.h>
#include <gnutls/gnutls.h>

static struct world world;
static const char *library_version; /* replaces the version that the library reports */

const char *MHD_get_version(void);

const char *
MHD_get_version(void)
{
    const char *(*real)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, "MHD_get_version");
    return library_version == NULL ? real() : library_version;
}

static void
expect_no_start(struct http_settings settings, enum err expected, const char *said)
{
    struct http_service service = { &world,         service_head,   service_identify,
                                    service_handle, service_refuse, service_done,
                                    NULL,           NULL,           NULL };
    struct http_server *server = NULL;
    struct why why = { "" };
    size_t before = open_descriptors();
    assert_int_equal(http_server_start(&settings, &service, &server, &why), expected);
    assert_null(server);
    if (strstr(why.text, said) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", said, why.text);
    assert_int_equal(open_descriptors(), before);
}

static void
invalid_settings_are_reported(void **state)
{
    struct http_settings settings = usual_settings();
    char said[128];
    (void)state;
    world_open(&world);
    settings.listen = http_server_address(world.server);
    snprintf(said, sizeof said, "listen: %s is in use by another process", settings.listen);
    expect_no_start(settings, ERR_TAKEN, said);
    settings.listen = "nonsense";
    expect_no_start(settings, ERR_INVALID, "listen: \"nonsense\" must be an address and a port");
    settings.listen = "8.8.8.8:0"; /* not an address of this machine */
    expect_no_start(settings, ERR_UNAVAILABLE, "listen: cannot listen on 8.8.8.8:0");
    settings = usual_settings();
    settings.trusted_proxies = "10.0.0.0/99";
    expect_no_start(settings, ERR_INVALID, "trusted-proxies: \"10.0.0.0/99\" must be");
    settings = usual_settings();
    settings.tls_cert_file = "/does/not/exist.pem";
    settings.tls_key_file = "/does/not/exist.key";
    expect_no_start(settings, ERR_INVALID, "tls-cert: cannot read /does/not/exist.pem: No such");
    settings.tls_cert_file = "/dev/null";
    expect_no_start(settings, ERR_INVALID, "tls-key: cannot read /does/not/exist.key: No such");
    settings.tls_key_file = NULL;
    expect_no_start(settings, ERR_INVALID, "tls-key: is missing");
    settings.tls_cert_file = NULL;
    settings.tls_key_file = "/dev/null";
    expect_no_start(settings, ERR_INVALID, "tls-cert: is missing");
    settings.tls_cert_file = "/dev/null";
    expect_no_start(settings, ERR_INVALID, "tls-cert, tls-key: /dev/null and /dev/null cannot");
    settings.tls_cert_file = "/dev/zero";
    expect_no_start(settings, ERR_INVALID, "tls-cert: /dev/zero is not a PEM file");
    settings = usual_settings();
    settings.inherited = true;
    expect_no_start(settings, ERR_INVALID, "listen: systemd passed no socket to this process");
    world_close(&world);
}

static void
an_untested_library_is_refused(void **state)
{
    static const char *const untested[] = { "0.9.74", "0.9.76", "1.0.0", "1.0.2", "1.0.10", "" };
    (void)state;
    for (size_t i = 0; i < sizeof untested / sizeof untested[0]; i++) {
        char said[64];
        library_version = untested[i];
        snprintf(said, sizeof said, "libmicrohttpd %s is not supported", untested[i]);
        expect_no_start(usual_settings(), ERR_INVALID, said);
    }
    library_version = NULL;
    world_open(&world);
    world_close(&world);
}

static void
one_thread_is_enough(void **state)
{
    struct http_settings settings = usual_settings();
    struct answer answer;
    (void)state;
    settings.threads = 1;
    world_open_with(&world, settings, 2, 10);
    for (int i = 0; i < 10; i++) {
        assert_true(ask(&world, i % 2 == 0 ? GET("/x") : GET("/block"), &answer));
        assert_int_equal(answer.status, 200);
    }
    world_close(&world);
}

static void
any_address_accepts_v4_and_v6(void **state)
{
    struct http_settings settings = usual_settings();
    struct answer answer;
    (void)state;
    settings.listen = ":0";
    world_open_with(&world, settings, 1, 1);
    assert_true(ask(&world, GET("/x"), &answer));
    assert_string_equal(answer.body, "GET /x from 127.0.0.1 agent  body "); /* not ::ffff: */

    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 to = { .sin6_family = AF_INET6,
                               .sin6_port = htons(world.port),
                               .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0) {
        assert_true(wire_send(fd, GET("/x")));
        assert_true(wire_answer(fd, &answer));
        assert_string_equal(answer.body, "GET /x from ::1 agent  body ");
    }
    if (fd >= 0)
        close(fd);
    world_close(&world);
}

/* ---- a socket from systemd ---- */

static void
an_inherited_socket_is_used_and_outlives_the_server(void **state)
{
    struct http_settings settings = usual_settings();
    struct answer answer;
    char number[32];
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int kept = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)state;
    assert_int_equal(bind(kept, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(kept, 100), 0);
    snprintf(number, sizeof number, "%d", (int)getpid());
    setenv("LISTEN_PID", number, 1);
    setenv("LISTEN_FDS", "1", 1);
    settings.inherited = true;
    settings.listen = "ignored";

    /* main() keeps descriptor 3 free. */
    assert_int_equal(dup2(open("/dev/null", O_RDONLY), 3), 3);
    expect_no_start(settings, ERR_INVALID, "not a listening TCP socket");
    for (int life = 0; life < 3; life++) {
        assert_int_equal(dup2(kept, 3), 3);
        world_open_with(&world, settings, 1, 1);
        assert_true(ask(&world, GET("/x"), &answer));
        assert_int_equal(answer.status, 200);
        world_close(&world);
        /* Between two servers a client waits and is not refused. */
        assert_int_equal(dup2(kept, 3), 3);
        int fd = wire_connect(&world);
        assert_true(wire_send(fd, GET("/x")));
        world_open_with(&world, settings, 1, 1);
        assert_true(wire_answer(fd, &answer));
        assert_int_equal(answer.status, 200);
        close(fd);
        world_close(&world);
    }
    setenv("LISTEN_PID", "1", 1); /* meant for another process */
    assert_false(http_socket_inherited());
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    close(kept);
}

/* ---- TLS ---- */

static char cert_file[] = "/tmp/penchant-http-cert-XXXXXX";
static char key_file[] = "/tmp/penchant-http-key-XXXXXX";

static void
make_certificate(void)
{
    int status;
    close(mkstemp(cert_file));
    close(mkstemp(key_file));
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        dup2(null, STDOUT_FILENO);
        execlp("openssl", "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
               "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-days", "2",
               "-keyout", key_file, "-out", cert_file, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int retries; /* hellos that a server refused for their key share */

static int
count_retry(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
            const gnutls_datum_t *message)
{
    (void)session, (void)type, (void)when, (void)incoming, (void)message;
    retries++;
    return 0;
}

/* Connects with these priorities, and a key share for the first group only, as browsers do; returns
 * the response, or NULL if the handshake failed. */
static const char *
ask_by_tls(const char *priorities, char out[1024])
{
    gnutls_session_t session;
    gnutls_certificate_credentials_t credentials;
    static const char request[] = "GET /block HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    int fd = wire_connect(&world);
    assert_int_equal(gnutls_certificate_allocate_credentials(&credentials), 0);
    assert_int_equal(gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_KEY_SHARE_TOP), 0);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_HELLO_RETRY_REQUEST,
                                       GNUTLS_HOOK_POST, count_retry);
    assert_int_equal(gnutls_priority_set_direct(session, priorities, NULL), 0);
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
    gnutls_transport_set_int(session, fd);
    gnutls_handshake_set_timeout(session, WAIT_MS);
    int code;
    do
        code = gnutls_handshake(session);
    while (code < 0 && !gnutls_error_is_fatal(code));
    if (code == 0) {
        size_t length = 0;
        ssize_t got;
        assert_int_equal(gnutls_record_send(session, request, sizeof request - 1),
                         sizeof request - 1);
        do { /* a session ticket before the response is no data yet: GNUTLS_E_AGAIN */
            got = gnutls_record_recv(session, out + length, 1023 - length);
            length += got > 0 ? (size_t)got : 0;
        } while ((got > 0 && length < 1023) || got == GNUTLS_E_AGAIN);
        out[length] = '\0';
    }
    gnutls_deinit(session);
    gnutls_certificate_free_credentials(credentials);
    close(fd);
    return code == 0 ? out : NULL;
}

#define HANDSHAKE 22 /* the type of a TLS record */

/* What answers a hello that asks for TLS 1.0 (minor version 1), 1.1 or 1.2, written by hand, since
 * no library of today asks for the old ones. */
static int
first_byte_to_hello(char minor)
{
    static const char suites[] = "\x00\x08\xc0\x2b\xc0\x09\xc0\x0a\x00\xff";
    static const char extensions[] = "\x00\x1e"
                                     "\x00\x0a\x00\x04\x00\x02\x00\x17" /* P-256 */
                                     "\x00\x0b\x00\x02\x01\x00"         /* uncompressed */
                                     "\x00\x0d\x00\x0c\x00\x0a\x04\x03\x05\x03\x06\x03\x02\x03"
                                     "\x08\x07"; /* ECDSA with SHA-2 and SHA-1, Ed25519 */
    char hello[256];
    size_t length = 0;
    char answer = 0;
#define PUT(bytes, count) (memcpy(hello + length, bytes, count), length += (count))
    PUT("\x16\x03\x01\x00", 4);
    PUT("?\x01\x00\x00?", 5);
    PUT("\x03", 1);
    PUT(&minor, 1);
    PUT("12345678901234567890123456789012", 32);
    PUT("\x00", 1);
    PUT(suites, sizeof suites - 1);
    PUT("\x01\x00", 2);
    PUT(extensions, sizeof extensions - 1);
#undef PUT
    hello[4] = (char)(length - 5);
    hello[8] = (char)(length - 9);
    int fd = wire_connect(&world);
    assert_true(wire_send_bytes(fd, hello, length));
    wire_receive(fd, &answer, 1, WAIT_MS);
    close(fd);
    return answer;
}

static void
tls_has_forward_secrecy_and_authenticated_encryption(void **state)
{
    gnutls_priority_t priorities;
    unsigned suite;
    (void)state;
    assert_int_equal(gnutls_priority_init(&priorities, TLS_PRIORITIES, NULL), 0);
    for (unsigned i = 0; gnutls_priority_get_cipher_suite_index(priorities, i, &suite) == 0; i++) {
        gnutls_protocol_t oldest;
        const char *name = gnutls_cipher_suite_info(suite, NULL, NULL, NULL, NULL, &oldest);
        assert_non_null(name);
        if (strstr(name, "CBC") != NULL ||
            (oldest < GNUTLS_TLS1_3 && strstr(name, "ECDHE") == NULL))
            fail_msg("%s", name);
    }
    gnutls_priority_deinit(priorities);
}

static int64_t
cpu_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static void
tls_is_1_2_or_1_3_and_nothing_older(void **state)
{
    struct http_settings settings = usual_settings();
    char text[1024];
    (void)state;
    make_certificate();
    settings.tls_cert_file = cert_file;
    settings.tls_key_file = cert_file;
    expect_no_start(settings, ERR_INVALID, cert_file);
    settings.tls_key_file = key_file;
    assert_int_equal(chmod(key_file, 0604), 0);
    expect_no_start(settings, ERR_INVALID, "chmod o=");
    assert_int_equal(chmod(key_file, 0640), 0); /* a group may be that of the service */
    world_open_with(&world, settings, 2, 10);
    const char *answer = ask_by_tls("NORMAL:-VERS-ALL:+VERS-TLS1.3", text);
    assert_non_null(answer);
    assert_non_null(strstr(answer, "HTTP/1.1 200"));
    assert_non_null(strstr(answer, "GET /block from 127.0.0.1"));
    retries = 0;
    assert_non_null(ask_by_tls("NORMAL:-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1", text));
    assert_int_equal(retries, 0); /* no second hello */
    assert_non_null(ask_by_tls("NORMAL:-GROUP-ALL:+GROUP-SECP256R1", text));
    assert_null(ask_by_tls("NORMAL:-VERS-ALL:+VERS-TLS1.3:-GROUP-ALL:+GROUP-FFDHE2048", text));
    answer = ask_by_tls("NORMAL:-VERS-ALL:+VERS-TLS1.2", text);
    assert_non_null(answer);
    assert_non_null(strstr(answer, "HTTP/1.1 200"));
    assert_null(ask_by_tls("NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-CBC", text));
    assert_int_equal(first_byte_to_hello(0x03), HANDSHAKE); /* the hello itself is valid */
    assert_int_not_equal(first_byte_to_hello(0x02), HANDSHAKE);
    assert_int_not_equal(first_byte_to_hello(0x01), HANDSHAKE);
    struct answer plain;
    assert_false(ask(&world, GET("/x"), &plain));

    WAIT_UNTIL(open_connections(&world) == 0);
    int fd = wire_connect(&world); /* a missing handshake is late like a head */
    assert_true(wire_send(fd, "\x16\x03\x01"));
    WAIT_UNTIL(open_connections(&world) == 1);
    int64_t before = cpu_ms(); /* waiting for the rest costs no CPU time */
    nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    assert_in_range(cpu_ms() - before, 0, 100);
    forward_ms(HTTP_HEAD_MS);
    assert_true(wire_ends(fd));
    close(fd);

    world_close(&world);
    unlink(cert_file);
    unlink(key_file);
}

static void
server_threads_block_signals(void **state)
{
    DIR *tasks;
    struct dirent *entry;
    int seen = 0;
    (void)state;
    world_open(&world);
    tasks = opendir("/proc/self/task");
    while ((entry = readdir(tasks)) != NULL) {
        char path[300], line[256];
        unsigned long long blocked = 0;
        if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = fopen(path, "re");
        while (file != NULL && fgets(line, sizeof line, file) != NULL)
            if (strncmp(line, "SigBlk:", 7) == 0)
                blocked = strtoull(line + 7, NULL, 16);
        if (file != NULL)
            fclose(file);
        assert_true((blocked >> (SIGTERM - 1) & 1) == 1 && (blocked >> (SIGINT - 1) & 1) == 1);
        seen++;
    }
    closedir(tasks);
    assert_true(seen >= 3); /* two for I/O, the reaper */
    world_close(&world);
}

int
main(void)
{
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) < 3) /* for the inherited socket */
        ;
    control_clock();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_settings_are_reported),
        cmocka_unit_test(an_untested_library_is_refused),
        cmocka_unit_test(one_thread_is_enough),
        cmocka_unit_test(any_address_accepts_v4_and_v6),
        cmocka_unit_test(an_inherited_socket_is_used_and_outlives_the_server),
        cmocka_unit_test(tls_has_forward_secrecy_and_authenticated_encryption),
        cmocka_unit_test(tls_is_1_2_or_1_3_and_nothing_older),
        cmocka_unit_test(server_threads_block_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
