/* password.c - Argon2id of libsodium for hashes, zxcvbn for the strength of new passwords.
 *
 * The parameters are those that OWASP recommends for 19 MiB. Hashes contain their parameters, so
 * that they can be changed: password_outdated() then finds the hashes to replace at the next
 * sign-in. A semaphore with one slot per core bounds the memory, whichever threads call.
 *
 * Timing must not reveal whether a user exists. Therefore a missing or damaged hash is replaced by
 * one whose password is unknown, and the password is hashed all the same. */
#include "crypt/password.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/fault_injection.h"
#include "base/utf8_decode.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sodium.h>
#include <unistd.h>
#include <zxcvbn.h>

/* ---- hashing ---- */

#define PASSES 2
#define MEMORY_BYTES ((size_t)19456 * 1024)

/* The hash of 32 random bytes that were not kept, with the parameters above. The password of an
 * unknown user is compared with it, so that it takes as long as that of a known one. */
static const char unknown_user_hash[] = "$argon2id$v=19$m=19456,t=2,p=1$fV4k5oaaKQ1e6NyCDwTOMg"
                                        "$AoVRDos6kP8HlZVxufegXFF+vBgK4oC7cbwyjbB3OQM";

static unsigned long long
passes(void)
{
    return fault_injection_hashes_cheaply() ? crypto_pwhash_argon2id_OPSLIMIT_MIN : PASSES;
}

static size_t
memory_bytes(void)
{
    return fault_injection_hashes_cheaply() ? crypto_pwhash_argon2id_MEMLIMIT_MIN : MEMORY_BYTES;
}

static sem_t free_slots;
static pthread_once_t free_slots_once = PTHREAD_ONCE_INIT;

/* One slot per core: more hashes at once would be no faster and need more memory. */
static void
init_slots(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (sem_init(&free_slots, 0, cores > 0 ? (unsigned)cores : 1) != 0)
        abort(); /* hashing without a bound on memory is not an option */
}

/* Blocks until fewer than one hash per core is being computed. */
static void
acquire_hash_slot(void)
{
    pthread_once(&free_slots_once, init_slots);
    while (sem_wait(&free_slots) != 0 && errno == EINTR)
        ;
}

static void
release_hash_slot(void)
{
    sem_post(&free_slots);
}

/* Waits for a slot: each hash needs much memory, so few run at once. Absent: no password, too long,
 * or no memory. */
struct str
password_hash(struct arena *mem, struct str password)
{
    if (!str_present(password) || password.len > PASSWORD_BYTES_MAX)
        return STR_NONE;
    char *hash = arena_alloc(mem, crypto_pwhash_STRBYTES);
    acquire_hash_slot();
    int failed = crypto_pwhash_str_alg(hash, password.ptr, password.len, passes(), memory_bytes(),
                                       crypto_pwhash_ALG_ARGON2ID13);
    release_hash_slot();
    return failed ? STR_NONE : str_of(hash);
}

/* Copies the hash to `encoded`, as libsodium expects it. If it is absent or not a hash, copies
 * unknown_user_hash and returns false, so that a damaged row takes no less time. */
static bool
encode_hash(struct str hash, char encoded[crypto_pwhash_STRBYTES])
{
    memset(encoded, 0, crypto_pwhash_STRBYTES);
    if (str_present(hash) && hash.len < crypto_pwhash_STRBYTES) {
        memcpy(encoded, hash.ptr, hash.len);
        if (crypto_pwhash_str_needs_rehash(encoded, passes(), memory_bytes()) >= 0)
            return true;
    }
    memcpy(encoded, unknown_user_hash, sizeof unknown_user_hash);
    return false;
}

/* An absent hash is compared as well, with that of an unknown user, so that the time does not
 * reveal which users exist. */
bool
password_matches(struct str hash, struct str password)
{
    /* Fast, but for every user alike, so the time reveals nothing about this one. */
    if (!str_present(password) || password.len > PASSWORD_BYTES_MAX)
        return false;
    char encoded[crypto_pwhash_STRBYTES];
    /* `known`, because unknown_user_hash must let no one in, even if its password were found. */
    bool known = encode_hash(hash, encoded);
    acquire_hash_slot();
    bool same = crypto_pwhash_str_verify(encoded, password.ptr, password.len) == 0;
    release_hash_slot();
    return known && same;
}

/* True if the parameters have been raised since. The next sign-in then stores a new hash. */
bool
password_outdated(struct str hash)
{
    char encoded[crypto_pwhash_STRBYTES];
    return encode_hash(hash, encoded) &&
           (!str_starts(hash, STR(crypto_pwhash_STRPREFIX)) ||
            crypto_pwhash_str_needs_rehash(encoded, passes(), memory_bytes()) != 0);
}

/* ---- strength ---- */

#define CHARACTERS_MIN 10
#define STRENGTH_BITS_MIN 29.9 /* 10^9 guesses */

/* zxcvbn's time grows faster than the length, so only this many bytes are rated. More bytes do not
 * make a strong password weaker. */
#define STRENGTH_BYTES_MAX 32

#define WORD_BYTES_MIN 3
#define WORD_BYTES_MAX 64
#define WORDS_MAX 48

#define AS_TEXT(number) AS_TEXT_(number)
#define AS_TEXT_(number) #number

#define HELP " Four or more unrelated words in a row are hard to guess and easy to remember."

/* The checks that do not rate the strength: the encoding, control characters, which users
 * cannot type reliably, and the length in characters. */
static const char *
form_problem(struct str password)
{
    size_t characters = 0;
    while (password.len > 0) {
        int32_t character;
        size_t length = utf8_decode(password.ptr, password.len, &character);
        if (length == 0)
            return "This password is not valid UTF-8 text. Type it, or paste plain text.";
        if (character < 0x20 || (character >= 0x7f && character < 0xa0))
            return "This password contains a control character, such as a tab or a line break. "
                   "Remove it.";
        password = str_from(password, length);
        characters++;
    }
    if (characters < CHARACTERS_MIN)
        return "A password needs at least " AS_TEXT(CHARACTERS_MIN) " characters." HELP;
    return NULL;
}

static bool
part_of_a_word(char c)
{
    return ascii_is_alphanumeric(c) || (unsigned char)c >= 0x80;
}

static void
add_word(struct arena *mem, struct str word, const char **list, size_t *count)
{
    if (word.len >= WORD_BYTES_MIN && *count < WORDS_MAX)
        list[(*count)++] = str_c(mem, str_first(word, WORD_BYTES_MAX));
}

/* The user's words for zxcvbn, each as a whole and in parts (ada.lovelace@example.org also as ada,
 * lovelace, example, org); ends with NULL. A NUL in a word only shortens it. */
static const char **
list_words(struct arena *mem, const struct str *words, size_t word_count)
{
    const char **list = ARENA_ARRAY(mem, const char *, WORDS_MAX + 1);
    size_t count = 0;
    add_word(mem, STR("penchant"), list, &count);
    for (size_t i = 0; i < word_count; i++) {
        struct str rest = str_first(words[i], PASSWORD_BYTES_MAX);
        add_word(mem, rest, list, &count);
        while (rest.len > 0) {
            size_t length = 0;
            while (length < rest.len && part_of_a_word(rest.ptr[length]))
                length++;
            if (length < words[i].len)
                add_word(mem, str_first(rest, length), list, &count);
            rest = str_from(rest, length + 1);
        }
    }
    return list;
}

/* The reason for the user, from the kind of the part that zxcvbn recognized. */
static const char *
sentence_for(unsigned type)
{
    if (type & MULTIPLE_MATCH)
        type = REPEATS_MATCH;
    switch (type) {
    case USER_MATCH:
    case USER_LEET_MATCH:
        return "This password is based on your own name or address, or on the name of this "
               "service. Attackers try these first." HELP;
    case DICTIONARY_MATCH:
        return "This password is based on a word or password that many people use." HELP;
    case DICT_LEET_MATCH:
        return "This password is a common word with letters replaced by similar characters. "
               "Attackers try these early." HELP;
    case REPEATS_MATCH:
        return "This password repeats itself, which makes it easy to guess." HELP;
    case SEQUENCE_MATCH:
        return "This password is a sequence of letters or numbers, which is easy to guess." HELP;
    case SPATIAL_MATCH:
        return "This password follows the keys of a keyboard, which is easy to guess." HELP;
    case DATE_MATCH:
    case YEAR_MATCH:
        return "This password is based on a date or a year, which is easy to guess." HELP;
    default:
        return "This password is too easy to guess." HELP;
    }
}

/* zxcvbn's words are the user's own: a part of the password that matches one adds almost
 * nothing. */
static const char *
strength_problem(struct arena *mem, struct str password, const char **words)
{
    ZxcMatch_t *parts = NULL;
    const char *start = str_c(mem, str_first(password, STRENGTH_BYTES_MAX));
    double bits = ZxcvbnMatch(start, words, &parts);

    /* The sentence is about the longest part that is not random. */
    unsigned type = BRUTE_MATCH;
    int longest = 0;
    for (const ZxcMatch_t *part = parts; part != NULL; part = part->Next)
        if (part->Type != BRUTE_MATCH && part->Length > longest) {
            longest = part->Length;
            type = part->Type;
        }
    ZxcvbnFreeInfo(parts);
    return bits < STRENGTH_BITS_MIN ? sentence_for(type) : NULL;
}

/* `words` are the user's own names, which a password must not consist of. */
const char *
password_problem(struct arena *mem, struct str password, const struct str *words, size_t word_count)
{
    if (password.len > PASSWORD_BYTES_MAX)
        return "A password may have at most " AS_TEXT(PASSWORD_BYTES_MAX) " bytes. Choose a "
                                                                          "shorter one.";
    const char *problem = form_problem(password);
    if (problem != NULL)
        return problem;
    return strength_problem(mem, password, list_words(mem, words, word_count));
}
