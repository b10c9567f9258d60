#include "base/arena.h"
#include "base/shard.h"
#include "crypt/digest.h"
#include "crypt/random.h"
#include "crypt/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const struct {
    enum secret_kind kind;
    const char *prefix;
} kinds[] = {
    { SECRET_ACCESS_TOKEN, "pn_at_" },
    { SECRET_REFRESH_TOKEN, "pn_rt_" },
    { SECRET_CODE, "pn_ac_" },
    { SECRET_CLIENT, "pn_cs_" },
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void
a_secret_reads_back_as_its_own_kind_and_no_other(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    for (size_t i = 0; i < KINDS; i++) {
        const struct secret *secret = secret_make(mem, kinds[i].kind, STR_NONE);
        struct str text = secret_reveal(secret);
        assert_true(str_starts(text, str_of(kinds[i].prefix)));
        assert_int_equal(text.len, SECRET_LENGTH);
        for (size_t j = 0; j < KINDS; j++) {
            const struct secret *read = secret_read(mem, text, kinds[j].kind);
            assert_int_equal(read != NULL, i == j);
            if (read != NULL)
                assert_true(str_eq(secret_reveal(read), text));
        }
    }
    arena_free(mem);
}

static void
the_hash_is_the_digest_of_the_whole_text(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct secret *secret = secret_make(mem, SECRET_CLIENT, STR_NONE);
    assert_true(str_eq(secret_hash(mem, secret), digest_text(mem, secret_reveal(secret))));
    const struct secret *other = secret_make(mem, SECRET_CLIENT, STR_NONE);
    assert_false(str_eq(secret_hash(mem, secret), secret_hash(mem, other)));
    arena_free(mem);
}

/* The shard that the text of a secret leads to; see secret.h. */
static int
shard_shown(struct str text)
{
    int first = shard_digit(text.ptr[6]) ^ shard_digit(text.ptr[46]);
    return first * 64 + (shard_digit(text.ptr[7]) ^ shard_digit(text.ptr[47]));
}

static void
secrets_of_a_user_lead_to_the_shard_and_their_hashes_begin_with_it(void **state)
{
    (void)state;
    size_t hidden = 0;
    struct arena *mem = arena_new();
    for (size_t i = 0; i < KINDS; i++) {
        const struct secret *one = secret_make(mem, kinds[i].kind, STR("x-"));
        const struct secret *two = secret_make(mem, kinds[i].kind, STR("x-"));
        struct str text = secret_reveal(one), rest = str_from(text, 8);
        if (kinds[i].kind != SECRET_CLIENT)
            assert_int_equal(shard_shown(text), shard_number(STR("x-")));
        assert_non_null(secret_read(mem, text, kinds[i].kind)); /* the checksum covers it */
        assert_false(str_eq(rest, str_from(secret_reveal(two), 8)));
        if (kinds[i].kind != SECRET_CLIENT)
            hidden += !str_eq_c(str_first(str_from(text, 6), 2), "x-");
        struct str hash = secret_hash(mem, one), digest = digest_text(mem, text);
        assert_int_equal(hash.len, digest.len);
        assert_true(str_eq(str_from(hash, 2), str_from(digest, 2)));
        assert_true(kinds[i].kind == SECRET_CLIENT ? str_eq(hash, digest)
                                                   : str_eq_c(str_first(hash, 2), "x-"));
    }
    assert_true(hidden >= KINDS - 2); /* visible by chance in one of 4,096 */
    arena_free(mem);
}

static void
a_derived_secret_stays_in_the_shard(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str group = str_from(random_id_in(mem, "fam_", STR("_9")), 4);
    const struct secret *from = secret_make_in(mem, SECRET_REFRESH_TOKEN, group, 1700000000);
    const struct secret *access = secret_derive(mem, SECRET_ACCESS_TOKEN, from, STR("seed"));
    const struct secret *refresh =
        secret_derive_in(mem, SECRET_REFRESH_TOKEN, from, STR("seed"), group, 4102444800);
    assert_int_equal(shard_shown(secret_reveal(access)), shard_number(STR("_9")));
    assert_int_equal(shard_shown(secret_reveal(refresh)), shard_number(STR("_9")));
    assert_true(str_eq(secret_group(mem, refresh), group));
    assert_int_equal(secret_time(refresh), 4102444800);
    assert_non_null(secret_read(mem, secret_reveal(access), SECRET_ACCESS_TOKEN));
    arena_free(mem);
}

static void
a_secret_names_its_group_and_time_and_the_rest_is_random(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str group = str_from(random_id(mem, "fam_"), 4);
    const struct secret *one = secret_make_in(mem, SECRET_REFRESH_TOKEN, group, 1700000000);
    const struct secret *two = secret_make_in(mem, SECRET_REFRESH_TOKEN, group, 1700000000);
    const struct secret *read = secret_read(mem, secret_reveal(one), SECRET_REFRESH_TOKEN);
    assert_non_null(read);
    assert_true(str_eq(secret_group(mem, read), group));
    assert_true(str_eq(secret_group(mem, two), group));
    assert_int_equal(secret_time(read), 1700000000);
    /* The 22nd character has bits of both halves. */
    struct str first = str_first(str_from(secret_reveal(one), 28), 21);
    struct str second = str_first(str_from(secret_reveal(two), 28), 21);
    for (size_t i = 0; i + 7 <= first.len; i += 7)
        assert_false(str_eq(str_first(str_from(first, i), 7), str_first(str_from(second, i), 7)));
    const struct secret *other = secret_make(mem, SECRET_REFRESH_TOKEN, STR_NONE);
    assert_false(str_eq(secret_group(mem, other), group));
    arena_free(mem);
}

/* A secret made by hand from known bytes: should the form ever change, every token that was handed
 * out would die. */
static void
the_form_of_a_secret_does_not_change(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str start = STR("pn_at_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
    struct str sum = str_first(digest_text(mem, start), 6);
    assert_true(str_eq_c(sum, "aAxIPe"));
    struct str text = str_format(mem, "%s%.*s", start.ptr, STR_ARG(sum));
    assert_non_null(secret_read(mem, text, SECRET_ACCESS_TOKEN));
    arena_free(mem);
}

static void
garbage_is_refused(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str good = secret_reveal(secret_make(mem, SECRET_CODE, STR_NONE));

    assert_null(secret_read(mem, STR_NONE, SECRET_CODE));
    assert_null(secret_read(mem, STR(""), SECRET_CODE));
    assert_null(secret_read(mem, STR("pn_ac_"), SECRET_CODE));
    assert_null(secret_read(mem, str_first(good, good.len - 1), SECRET_CODE));
    assert_null(secret_read(mem, str_from(good, 1), SECRET_CODE));
    assert_null(secret_read(mem, str_format(mem, "%s ", good.ptr), SECRET_CODE));
    assert_null(secret_read(mem, str_format(mem, " %s", good.ptr), SECRET_CODE));
    arena_free(mem);
}

/* Each way of spoiling one, with a checksum that is right for it: only the form can refuse. */
static void
what_is_not_base64url_of_32_bytes_is_refused_even_with_a_right_checksum(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    static const struct {
        const char *why;
        size_t at;
        char byte;
    } rows[] = {
        { "a NUL", 20, '\0' },     { "a blank", 6, ' ' },
        { "padding", 48, '=' },    { "plus", 10, '+' },
        { "slash", 10, '/' },      { "a byte of UTF-8", 10, '\xc3' },
        { "stray bits", 48, 'B' }, { "stray bits, the last", 48, '_' },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[SECRET_LENGTH + 1] = "pn_at_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
        text[rows[i].at] = rows[i].byte;
        memcpy(text + 49, digest_text(mem, (struct str){ text, 49 }).ptr, 6);
        if (secret_read(mem, (struct str){ text, SECRET_LENGTH }, SECRET_ACCESS_TOKEN) != NULL)
            fail_msg("%s", rows[i].why);
    }
    arena_free(mem);
}

static int
compare_secrets(const void *a, const void *b)
{
    return memcmp(((const struct str *)a)->ptr, ((const struct str *)b)->ptr, SECRET_LENGTH);
}

static void
a_hundred_thousand_are_well_formed_and_all_different(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct arena *mem = arena_new();
    struct arena *scrap = arena_new();
    struct str *texts = ARENA_ARRAY(mem, struct str, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        texts[i] = secret_reveal(secret_make(mem, SECRET_REFRESH_TOKEN, STR_NONE));
        assert_int_equal(strspn(texts[i].ptr, alphabet), SECRET_LENGTH);
        assert_non_null(secret_read(scrap, texts[i], SECRET_REFRESH_TOKEN));
        arena_reset(scrap);
    }
    qsort(texts, COUNT, sizeof *texts, compare_secrets);
    for (size_t i = 1; i < COUNT; i++)
        assert_false(str_eq(texts[i - 1], texts[i]));
    arena_free(scrap);
    arena_free(mem);
}

static void
any_single_character_changed_is_noticed(void **state)
{
    (void)state;
    size_t tried = 0, accepted = 0;
    struct arena *mem = arena_new();
    for (int round = 0; round < 20; round++) {
        char text[SECRET_LENGTH];
        memcpy(text, secret_reveal(secret_make(mem, SECRET_ACCESS_TOKEN, STR_NONE)).ptr,
               sizeof text);
        for (size_t at = 0; at < sizeof text; at++) {
            char was = text[at];
            for (const char *c = alphabet; *c != '\0'; c++) {
                if (*c == was)
                    continue;
                text[at] = *c;
                tried++;
                if (secret_read(mem, (struct str){ text, sizeof text }, SECRET_ACCESS_TOKEN))
                    accepted++;
            }
            text[at] = was;
        }
        assert_non_null(secret_read(mem, (struct str){ text, sizeof text }, SECRET_ACCESS_TOKEN));
        arena_reset(mem);
    }
    assert_true(tried > 60000);
    assert_true(accepted * 10000 <= tried);
    arena_free(mem);
}

int
main(void)
{
    random_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_reads_back_as_its_own_kind_and_no_other),
        cmocka_unit_test(the_hash_is_the_digest_of_the_whole_text),
        cmocka_unit_test(secrets_of_a_user_lead_to_the_shard_and_their_hashes_begin_with_it),
        cmocka_unit_test(a_derived_secret_stays_in_the_shard),
        cmocka_unit_test(a_secret_names_its_group_and_time_and_the_rest_is_random),
        cmocka_unit_test(the_form_of_a_secret_does_not_change),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(what_is_not_base64url_of_32_bytes_is_refused_even_with_a_right_checksum),
        cmocka_unit_test(a_hundred_thousand_are_well_formed_and_all_different),
        cmocka_unit_test(any_single_character_changed_is_noticed),
    };
    return cmocka_run_group_tests_name("crypt/secret", tests, NULL, NULL);
}
