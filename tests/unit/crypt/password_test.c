#include "base/arena.h"
#include "crypt/password.h"
#include "crypt/random.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- hashing ---- */

static void
a_hash_matches_its_password_and_no_other(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str hash = password_hash(mem, STR("five yellow tractors hum"));
    assert_true(str_starts(hash, STR("$argon2id$v=19$m=19456,t=2,p=1$")));
    assert_true(password_matches(hash, STR("five yellow tractors hum")));
    assert_false(password_matches(hash, STR("five yellow tractors hun")));
    assert_false(password_matches(hash, STR("five yellow tractors hum ")));
    assert_false(password_matches(hash, STR("")));
    assert_false(password_matches(hash, STR_NONE));

    struct str again = password_hash(mem, STR("five yellow tractors hum"));
    assert_false(str_eq(hash, again)); /* salted */
    assert_true(password_matches(again, STR("five yellow tractors hum")));
    arena_free(mem);
}

static void
what_stands_behind_a_nul_counts(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str hash = password_hash(mem, STR("before\0after"));
    assert_true(password_matches(hash, STR("before\0after")));
    assert_false(password_matches(hash, STR("before\0other")));
    assert_false(password_matches(hash, STR("before")));
    arena_free(mem);
}

static void
the_last_byte_of_a_long_password_counts(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    char longest[PASSWORD_BYTES_MAX];
    memset(longest, 'x', sizeof longest);
    struct str hash = password_hash(mem, (struct str){ longest, sizeof longest });
    assert_true(str_present(hash));
    longest[sizeof longest - 1] = 'y';
    assert_false(password_matches(hash, (struct str){ longest, sizeof longest }));
    longest[sizeof longest - 1] = 'x';
    assert_true(password_matches(hash, (struct str){ longest, sizeof longest }));
    arena_free(mem);
}

static double
cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double
cost_of_matching(struct str hash, struct str password)
{
    double start = cpu_seconds();
    for (int i = 0; i < 5; i++)
        assert_false(password_matches(hash, password));
    return cpu_seconds() - start;
}

static void
a_mebibyte_is_refused_without_hashing_it(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str huge = { arena_alloc(mem, 1 << 20), 1 << 20 };
    memset((char *)(uintptr_t)huge.ptr, 'x', huge.len);
    struct str hash = password_hash(mem, STR("five yellow tractors hum"));
    double hashing = cost_of_matching(hash, STR("wrong"));

    double start = cpu_seconds();
    assert_non_null(strstr(password_problem(mem, huge, NULL, 0), "at most 1024 bytes"));
    assert_false(str_present(password_hash(mem, huge)));
    assert_false(password_matches(hash, huge));
    assert_false(password_matches(STR_NONE, huge));
    assert_true(cpu_seconds() - start < hashing / 10);
    arena_free(mem);
}

/* An unknown user must cost what a known one with a wrong password costs. */
static void
an_absent_or_damaged_hash_costs_as_much_as_a_sound_one(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str hash = password_hash(mem, STR("five yellow tractors hum"));
    double known = cost_of_matching(hash, STR("wrong"));
    static const struct {
        const char *why;
        struct str hash;
    } rows[] = {
        { "absent", STR_NONE },
        { "empty", STR("") },
        { "no hash", STR("five yellow tractors hum") },
        { "cut short", STR("$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ") },
        { "of another kind", STR("$2b$12$abcdefghijklmnopqrstuv") },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double unknown = cost_of_matching(rows[i].hash, STR("wrong"));
        print_message("%s: %.2f of a sound one's time\n", rows[i].why, unknown / known);
        if (unknown < known / 2 || unknown > known * 2)
            fail_msg("%s", rows[i].why);
    }
    arena_free(mem);
}

static long
peak_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    assert_non_null(status);
    while (fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    fclose(status);
    assert_true(kib > 0);
    return kib;
}

static void *
hash_once(void *argument)
{
    struct arena *mem = arena_new();
    *(bool *)argument = str_present(password_hash(mem, STR("five yellow tractors hum")));
    arena_free(mem);
    return NULL;
}

static void
sixty_four_at_once_take_the_memory_of_as_many_as_there_are_cores(void **state)
{
    (void)state;
    /* The slack is for what sanitizers keep for each thread; unbounded it would be 1.2 GiB. */
    enum { THREADS = 64, SLACK_KIB = 256 * 1024 };
    pthread_t threads[THREADS];
    bool hashed[THREADS] = { false };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores > THREADS / 2)
        skip(); /* then the bound is not below what 64 take anyway */

    long before = peak_kib();
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hash_once, &hashed[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(hashed[i]);
    }
    long grown = peak_kib() - before;
    print_message("%ld MiB more at the peak, %ld cores\n", grown / 1024, cores);
    assert_true(grown <= cores * 19456 + SLACK_KIB);
}

/* ---- strength ---- */

static const struct str adas_words[] = {
    { "ada.lovelace", 12 },
    { "countess@example.org", 20 },
    { "Ada Byron King", 14 },
};

static void
a_weak_password_is_rejected_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        struct str password;
        const char *expected;
    } rows[] = {
        { STR(""), "at least 10 characters" },
        { STR("kX9#mPq2v"), "at least 10 characters" },
        { STR("\xc3\xa9\xc3\xa8\xc3\xaa\xc3\xab\xc3\xa0\xc3\xb9"), "at least 10 characters" },
        { STR("password123"), "a word or password that many people use" },
        { STR("qwertyuiop"), "a word or password that many people use" },
        { STR("iloveyouforever"), "a word or password that many people use" },
        { STR("P@ssw0rd!!"), "replaced by similar characters" },
        { STR("asdfghjkl;'"), "follows the keys of a keyboard" },
        { STR("aaaaaaaaaaaa"), "repeats itself" },
        { STR("monkeymonkey"), "repeats itself" },
        { STR("abcdefghijkl"), "a sequence of letters" },
        { STR("9876543210"), "a sequence of letters or numbers" },
        { STR("12/11/1998."), "a date or a year" },
        { STR("2024-01-01!"), "a date or a year" },
        { STR("lovelace1815"), "your own name or address" },
        { STR("Countess!!!!"), "your own name or address" },
        { STR("Ada Byron King"), "your own name or address" },
        { STR("countess@example.org"), "your own name or address" },
        { STR("Penchant1234"), "the name of this service" },
        { STR("\xff\xfe kX9#mPq2vL"), "not valid UTF-8" },
        { STR("overlong \xc0\xaf kX9#mPq2vL"), "not valid UTF-8" },
        { STR("surrogate \xed\xa0\x80 kX9#mPq2vL"), "not valid UTF-8" },
        { STR("too high \xf4\x90\x80\x80 kX9#mPq2vL"), "not valid UTF-8" },
        { STR("cut kX9#mPq2vL\xe2\x82"), "not valid UTF-8" },
        { STR("kX9#mPq2vL\0rest"), "a control character" },
        { STR("kX9#mPq2vL\n"), "a control character" },
        { STR("kX9#mPq2vL\x7f"), "a control character" },
        { STR("kX9#mPq2vL\xc2\x85"), "a control character" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *problem =
            password_problem(mem, rows[i].password, adas_words, COUNT(adas_words));
        if (problem == NULL)
            fail_msg("%s was good enough", rows[i].password.ptr);
        if (strstr(problem, rows[i].expected) == NULL)
            fail_msg("%s: %s", rows[i].password.ptr, problem);
        if (strchr(problem, '.') == NULL || problem[strlen(problem) - 1] != '.')
            fail_msg("not a sentence: %s", problem);
    }
    arena_free(mem);
}

static void
a_strong_password_is_let_through(void **state)
{
    (void)state;
    static const struct str rows[] = {
        STR("kX9#mPq2vL"),
        STR("a long passphrase"),
        STR("correct horse battery staple"),
        STR("my dog eats red shoes"),
        STR("five yellow tractors hum"),
        STR("\xd1\x81\xd0\xb8\xd0\xbd\xd0\xb8\xd0\xb9 \xd0\xba\xd0\xb8\xd1\x82 \xd0\xb8 "
            "\xd1\x81\xd0\xbe\xd0\xbb\xd1\x8c"),
        STR("\xf0\x9f\x90\xb3 seven violet umbrellas"),
        STR("ada paints seven violet umbrellas"), /* one own word among others is no harm */
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *problem = password_problem(mem, rows[i], adas_words, COUNT(adas_words));
        if (problem != NULL)
            fail_msg("%s: %s", rows[i].ptr, problem);
    }
    arena_free(mem);
}

static void
own_words_weaken_only_their_owners_password(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    static const struct str words[] = { { "zkqvxwjy", 8 } };
    assert_null(password_problem(mem, STR("zkqvxwjy-31"), NULL, 0));
    assert_non_null(password_problem(mem, STR("zkqvxwjy-31"), words, 1));
    assert_non_null(password_problem(mem, STR("YJWXVQKZ-31"), words, 1)); /* backwards */
    arena_free(mem);
}

static double
cost_of_judging(struct arena *mem, struct str password, const struct str *words, size_t count)
{
    double least = 1e9;
    for (int i = 0; i < 3; i++) {
        double start = cpu_seconds();
        password_problem(mem, password, words, count);
        double took = cpu_seconds() - start;
        least = took < least ? took : least;
    }
    return least;
}

/* zxcvbn's time grows faster than the length of what it is given. */
static void
past_a_length_a_password_costs_no_more_to_judge(void **state)
{
    (void)state;
    static const char *const patterns[] = { "a", "ab1", "passw0rd", "qwe", "1", "@$0!|" };
    struct arena *mem = arena_new();
    char wordy[8192], password[PASSWORD_BYTES_MAX];
    for (size_t i = 0; i < sizeof wordy; i++)
        wordy[i] = i % 4 == 3 ? ' ' : 'a';
    const struct str words[] = { { wordy, sizeof wordy }, STR_NONE, STR("x\0y") };
    for (size_t i = 0; i < COUNT(patterns); i++) {
        size_t length = strlen(patterns[i]);
        for (size_t j = 0; j < sizeof password; j++)
            password[j] = patterns[i][j % length];
        struct str longest = { password, sizeof password };
        double part = cost_of_judging(mem, str_first(longest, 32), words, COUNT(words));
        double whole = cost_of_judging(mem, longest, words, COUNT(words));
        print_message("%s…: %.1f ms, of 32 bytes %.1f ms\n", patterns[i], whole * 1e3, part * 1e3);
        assert_true(whole < part * 2);
        assert_true(whole < 0.5);
        arena_reset(mem);
    }
    arena_free(mem);
}

static void
a_hash_made_with_other_settings_is_outdated_and_still_matches(void **state)
{
    static const struct {
        const char *why, *hash;
        bool outdated, matches;
    } rows[] = {
        { "less memory and one pass",
          "$argon2id$v=19$m=8192,t=1,p=1$CBKln8TMZTao3hVm+FAwew$"
          "kSWgK5rWLFReUFKSDUDx662UgkjR1S6I2vzVdoX"
          "flYQ",
          true, true },
        { "another kind of Argon2",
          "$argon2i$v=19$m=8192,t=3,p=1$lf9Eu6lZ7ZT65CNk/nIdcA$OoXIanvtk3u8+zRdQIJQry+/"
          "wc5rOoClrf4vVwi4"
          "JgY",
          true, true },
        { "no hash", "nonsense", false, false },
        { "nothing", NULL, false, false },
    };
    struct arena *mem = arena_new();
    struct str password = STR("violet kettle sings at dawn 47");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(password_outdated(str_of(rows[i].hash)), rows[i].outdated);
        assert_int_equal(password_matches(str_of(rows[i].hash), password), rows[i].matches);
    }
    assert_false(password_outdated(password_hash(mem, password)));
    arena_free(mem);
}

int
main(void)
{
    random_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_matches_its_password_and_no_other),
        cmocka_unit_test(what_stands_behind_a_nul_counts),
        cmocka_unit_test(the_last_byte_of_a_long_password_counts),
        cmocka_unit_test(a_mebibyte_is_refused_without_hashing_it),
        cmocka_unit_test(an_absent_or_damaged_hash_costs_as_much_as_a_sound_one),
        cmocka_unit_test(sixty_four_at_once_take_the_memory_of_as_many_as_there_are_cores),
        cmocka_unit_test(a_weak_password_is_rejected_with_the_reason),
        cmocka_unit_test(a_strong_password_is_let_through),
        cmocka_unit_test(own_words_weaken_only_their_owners_password),
        cmocka_unit_test(past_a_length_a_password_costs_no_more_to_judge),
        cmocka_unit_test(a_hash_made_with_other_settings_is_outdated_and_still_matches),
    };
    return cmocka_run_group_tests_name("crypt/password", tests, NULL, NULL);
}
