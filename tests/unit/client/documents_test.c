/* documents_test.c - when a document is fetched, what is stored of it, and what a failure means.
 * The fetcher is replaced, so that each response is exactly what a test says. */
#include "unit/assert_str.h"
#include "unit/store_kit.h"

#include "client/documents.h"
#include "model/app.h"
#include "net/fetch.h"
#include "store/app_store.h"
#include "store/tx.h"

#define NOW ((int64_t)1800000000)
#define URL "https://a.example/c"
#define LOGO "https://a.example/logo.png"
#define BACK "https://a.example/back"
#define DOCUMENT(name, more)                                                             \
    "{\"client_id\":\"" URL "\",\"client_name\":\"" name "\",\"redirect_uris\":[\"" BACK \
    "\"]" more "}"
#define WITH_LOGO(url) DOCUMENT("A", ",\"logo_uri\":\"" url "\"")

/* ---- the fetcher ---- */

static struct {
    enum fetch_result result;
    int status;
    const char *body;
    enum fetch_result logo_result;
    int logo_status;
    struct str logo;
    size_t fetched, logos;
} host;

struct fetcher *
fetcher_start(const struct fetch_settings *settings)
{
    (void)settings;
    return (struct fetcher *)(uintptr_t)&host;
}

void
fetcher_cancel(struct fetcher *fetcher)
{
    (void)fetcher;
}

void
fetcher_free(struct fetcher *fetcher)
{
    (void)fetcher;
}

void
fetcher_write_metrics(struct buf *page, void *context)
{
    (void)page;
    (void)context;
}

void
fetcher_get(struct fetcher *fetcher, struct fetch *fetch, void (*ready)(void *context),
            void *context)
{
    bool logo = str_eq_c(fetch->url, LOGO);
    (void)fetcher;
    *(logo ? &host.logos : &host.fetched) += 1;
    fetch->result = logo ? host.logo_result : host.result;
    fetch->status = logo ? host.logo_status : host.status;
    fetch->type = STR("application/json");
    fetch->cache_control = STR("max-age=600");
    fetch->body = logo ? host.logo : str_of(host.body);
    ready(context);
}

/* ---- one authorization ---- */

static struct documents *documents;
static struct str problem;

static void
on_resume(void *argument)
{
    ++*(int *)argument;
}

static enum document_state
authorize(struct kit *kit, int64_t now)
{
    enum document_state state;
    int resumed = 0;
    problem = STR_NONE;
    assert_int_equal(
        documents_check(documents, kit->db, kit->mem, STR(URL), STR(BACK), now, &state, &problem),
        ERR_NONE);
    if (state != DOCUMENT_NEEDED)
        return state;
    struct document_wait *wait = documents_wait_new(documents, kit->mem, STR(URL));
    documents_wait(wait, on_resume, &resumed);
    assert_int_equal(resumed, 1);
    assert_int_equal(documents_finish(wait, kit->db, now, &state, &problem), ERR_NONE);
    return state;
}

static struct app
stored(struct kit *kit)
{
    struct app app = { 0 };
    struct db_tx *tx = tx_begin_read(kit->db);
    enum err err = app_store_find(tx, kit->mem, app_id_of_client(kit->mem, STR(URL)), &app);
    tx_end_read(tx, err);
    return err == ERR_NONE ? app : (struct app){ 0 };
}

static void
begin(const char *body)
{
    static const struct documents_settings settings = { .user_agent = "x", .seconds = 5 };
    memset(&host, 0, sizeof host);
    host.status = 200;
    host.body = body;
    documents = documents_start(&settings);
}

static void
a_document_is_stored_and_used_while_it_is_fresh(struct kit *kit)
{
    begin(DOCUMENT("A", ""));
    assert_int_equal(authorize(kit, NOW), DOCUMENT_READY);
    assert_int_equal(authorize(kit, NOW + 599), DOCUMENT_READY);
    assert_int_equal(host.fetched, 1);
    host.body = DOCUMENT("B", "");
    assert_int_equal(authorize(kit, NOW + 600), DOCUMENT_READY);
    assert_int_equal(host.fetched, 2);
    assert_str(stored(kit).name, STR("B"), "the new name");
    /* A clock that was set back must not keep it forever. */
    assert_int_equal(authorize(kit, NOW - 10), DOCUMENT_READY);
    assert_int_equal(host.fetched, 3);
    documents_free(documents);
}

static void
a_host_that_is_down_does_not_matter_for_a_week(struct kit *kit)
{
    begin(DOCUMENT("A", ""));
    host.result = FETCH_TIMEOUT;
    assert_int_equal(authorize(kit, NOW), DOCUMENT_REFUSED);
    assert_true(problem.len > 0);
    assert_int_equal(authorize(kit, NOW + 29), DOCUMENT_REFUSED);
    assert_int_equal(host.fetched, 1); /* a failure is remembered */
    host.result = FETCH_DONE;
    assert_int_equal(authorize(kit, NOW + 30), DOCUMENT_READY);
    host.result = FETCH_UNREACHABLE;
    int64_t until = NOW + 30 + 600 + DOCUMENT_STALE_SECONDS;
    assert_int_equal(authorize(kit, until - 1), DOCUMENT_READY);
    assert_int_equal(authorize(kit, until), DOCUMENT_REFUSED);
    documents_free(documents);
}

static void
a_document_that_is_withdrawn_or_wrong_is_refused_at_once(struct kit *kit)
{
    begin(DOCUMENT("A", ""));
    assert_int_equal(authorize(kit, NOW), DOCUMENT_READY);
    host.status = 404;
    assert_int_equal(authorize(kit, NOW + 1000), DOCUMENT_REFUSED);
    host.status = 200;
    host.body = "{}";
    assert_int_equal(authorize(kit, NOW + 2000), DOCUMENT_REFUSED);
    host.result = FETCH_TOO_LARGE;
    assert_int_equal(authorize(kit, NOW + 3000), DOCUMENT_REFUSED);
    host.result = FETCH_BUSY;
    assert_int_equal(authorize(kit, NOW + 4000), DOCUMENT_BUSY);
    documents_free(documents);
}

/* ---- logos ---- */

/* A PNG of 32 by 32 pixels: header, palette of one color, data, end. */
static const unsigned char image[] = {
    0x89, 'P',  'N',  'G', '\r', '\n', 0x1a, '\n', 0,   0,    0,    13,   'I',  'H', 'D',
    'R',  0,    0,    0,   32,   0,    0,    0,    32,  8,    2,    0,    0,    0,   0xfc,
    0x18, 0xed, 0xa3, 0,   0,    0,    1,    'I',  'D', 'A',  'T',  'x',  0,    0,   0,
    0,    0,    0,    0,   0,    'I',  'E',  'N',  'D', 0xae, 0x42, 0x60, 0x82,
};

static uint32_t
checksum(const unsigned char *bytes, size_t length)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

/* The checksums of the first two chunks are filled in here. */
static struct str
good_logo(struct arena *mem)
{
    static const struct {
        size_t at, length;
    } chunks[] = { { 12, 17 }, { 37, 5 } };
    char *bytes = arena_alloc(mem, sizeof image);
    memcpy(bytes, image, sizeof image);
    for (size_t i = 0; i < ROWS(chunks); i++) {
        uint32_t sum = checksum((unsigned char *)bytes + chunks[i].at, chunks[i].length);
        for (size_t k = 0; k < 4; k++)
            bytes[chunks[i].at + chunks[i].length + k] = (char)(sum >> (24 - 8 * k));
    }
    return (struct str){ bytes, sizeof image };
}

static void
a_logo_of_the_documents_host_is_stored(struct kit *kit)
{
    begin(WITH_LOGO(LOGO));
    host.logo_status = 200;
    host.logo = good_logo(kit->mem);
    assert_int_equal(authorize(kit, NOW), DOCUMENT_READY);
    struct str mark = stored(kit).logo;
    assert_true(str_present(mark));

    static const struct {
        enum fetch_result result;
        int status;
        bool good, kept;
    } rows[] = {
        { FETCH_TIMEOUT, 0, false, true }, { FETCH_BUSY, 0, false, true },
        { FETCH_DONE, 503, false, true },  { FETCH_DONE, 200, false, false },
        { FETCH_DONE, 200, true, true },   { FETCH_DONE, 404, true, false },
        { FETCH_DONE, 200, true, true },   { FETCH_DONE, 302, true, false },
        { FETCH_DONE, 200, true, true },   { FETCH_TOO_LARGE, 0, true, false },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        host.logo_result = rows[i].result;
        host.logo_status = rows[i].status;
        host.logo = rows[i].good ? good_logo(kit->mem) : STR("<svg/>");
        assert_int_equal(authorize(kit, NOW + 1000 * (int64_t)(i + 1)), DOCUMENT_READY);
        assert_int_equal(host.logos, i + 2);
        assert_int_equal(str_present(stored(kit).logo), rows[i].kept);
    }
    documents_free(documents);
}

static void
a_logo_elsewhere_is_not_fetched(struct kit *kit)
{
    static const char *const bodies[] = {
        WITH_LOGO("https://b.example/logo.png"),
        WITH_LOGO("http://a.example/logo.png"),
        WITH_LOGO("https://127.0.0.1/logo.png"),
        WITH_LOGO("data:image/png,x"),
        WITH_LOGO(""),
        DOCUMENT("A", ",\"logo_uri\":7"),
        DOCUMENT("A", ""),
    };
    begin(NULL);
    for (size_t i = 0; i < ROWS(bodies); i++) {
        host.body = bodies[i];
        assert_int_equal(authorize(kit, NOW + 1000 * (int64_t)i), DOCUMENT_READY);
        assert_int_equal(host.fetched, i + 1);
    }
    assert_int_equal(host.logos, 0);
    documents_free(documents);
}

int
main(void)
{
    const struct kit_case cases[] = {
        KIT_CASE(a_document_is_stored_and_used_while_it_is_fresh),
        KIT_CASE(a_host_that_is_down_does_not_matter_for_a_week),
        KIT_CASE(a_document_that_is_withdrawn_or_wrong_is_refused_at_once),
        KIT_CASE(a_logo_of_the_documents_host_is_stored),
        KIT_CASE(a_logo_elsewhere_is_not_fetched),
    };
    return KIT_RUN("documents", cases, LOG_ERROR);
}
