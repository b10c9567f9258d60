/* challenge.c - a challenge is the base64url encoding of NONCE.SECONDS.MAC.
 *
 * The MAC covers everything that the challenge is bound to: purpose, user, browser, nonce, and end.
 * The browser's part is not in the challenge itself but in a cookie, so a challenge that leaks is
 * useless in another browser. Checking needs one read for the key; the hash of a challenge is
 * written only with the change that it allows, in the same transaction (challenge_use()). */
#include "identity/challenge.h"

#include "crypt/digest.h"
#include "crypt/random.h"
#include "credential/passkey_store.h"
#include "store/tx.h"
#include "text/base64url.h"

#define RANDOM_BYTES 32
#define NONCE_LENGTH BASE64URL_LENGTH(RANDOM_BYTES)

static const char *const purposes[] = {
    [CHALLENGE_SIGN_IN] = "sign_in",
    [CHALLENGE_SIGN_UP] = "sign_up",
    [CHALLENGE_ADD] = "add",
    [CHALLENGE_CONFIRM] = "confirm",
};

static struct str
make_random(struct arena *mem)
{
    char bytes[RANDOM_BYTES];
    random_bytes(bytes, sizeof bytes);
    return base64url_encode(mem, (struct str){ bytes, sizeof bytes });
}

static bool
random_well_formed(struct str text)
{
    return text.len == NONCE_LENGTH && base64url_only(text);
}

struct str
challenge_make_browser(struct arena *mem)
{
    return make_random(mem);
}

bool
challenge_browser_ok(struct str value)
{
    return random_well_formed(value);
}

/* ---- the key ---- */

struct keeping {
    struct arena *mem;
    struct str key;
};

static enum err
find_key(struct db *db, struct arena *mem, struct str *out)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, challenge_store_find_key(tx, mem, out));
}

/* Another process may have stored one in the meantime: that one counts. */
static enum err
keep_key(struct db_tx *tx, void *argument)
{
    struct keeping *keeping = argument;
    enum err err = challenge_store_add_key(tx, keeping->mem, keeping->key);
    return err ? err : challenge_store_find_key(tx, keeping->mem, &keeping->key);
}

/* Two processes may make a key at the same time: keep_key() keeps the first one and returns it to
 * both. */
static enum err
find_or_make_key(struct db *db, struct arena *mem, struct str *out)
{
    enum err err = find_key(db, mem, out);
    if (err != ERR_NOT_FOUND)
        return err;
    struct keeping keeping = { mem, make_random(mem) };
    err = tx_write(db, keep_key, &keeping);
    *out = keeping.key;
    return err;
}

/* ---- challenges: NONCE.SECONDS.MAC ---- */

/* The fields contain no blanks, so two different scopes never give the same data. */
static struct str
mac_of(struct arena *mem, struct str key, const struct challenge_scope *scope, struct str nonce,
       int64_t expires_at)
{
    struct str data = str_format(mem, "passkey %s %.*s %.*s %.*s %lld", purposes[scope->purpose],
                                 STR_ARG(scope->user_id), STR_ARG(scope->browser), STR_ARG(nonce),
                                 (long long)expires_at);
    return digest_mac(mem, key, data);
}

/* Nothing is stored for a challenge: it carries its expiry and a MAC over its scope, so requests of
 * strangers cost no rows. Only a used challenge is stored, so that it cannot be used again. */
enum err
challenge_make(struct db *db, struct arena *mem, const struct challenge_scope *scope, int64_t now,
               struct str *out)
{
    struct str key, nonce = make_random(mem);
    int64_t expires_at = now + CHALLENGE_SECONDS;
    enum err err = find_or_make_key(db, mem, &key);
    if (err)
        return err;
    struct str mac = mac_of(mem, key, scope, nonce, expires_at);
    *out = base64url_encode(mem, str_format(mem, "%.*s.%lld.%.*s", STR_ARG(nonce),
                                            (long long)expires_at, STR_ARG(mac)));
    return ERR_NONE;
}

/* The format is checked before the database is read, so that garbage costs nothing. */
enum err
challenge_check(struct db *db, struct arena *mem, const struct challenge_scope *scope,
                struct str challenge, int64_t now, int64_t *expires_at)
{
    struct str rest = base64url_decode(mem, challenge), nonce, seconds, key;
    if (!str_cut(&rest, '.', &nonce) || !str_cut(&rest, '.', &seconds) ||
        !random_well_formed(nonce) || !random_well_formed(scope->browser) ||
        !str_to_int(seconds, 0, INT64_MAX, expires_at))
        return ERR_INVALID;
    if (*expires_at <= now || *expires_at > now + CHALLENGE_SECONDS)
        return ERR_INVALID; /* too late, or from before the clock was set back */
    enum err err = find_key(db, mem, &key);
    if (err)
        return err == ERR_NOT_FOUND ? ERR_INVALID : err;
    return digest_equal(rest, mac_of(mem, key, scope, nonce, *expires_at)) ? ERR_NONE : ERR_INVALID;
}

enum err
challenge_use(struct db_tx *tx, struct arena *mem, struct str challenge, int64_t expires_at)
{
    enum err err = challenge_store_use(tx, mem, digest_text(mem, challenge), expires_at);
    return err == ERR_TAKEN ? ERR_INVALID : err;
}
