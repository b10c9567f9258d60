/* recovery.c - both ways end in set_password(): one transaction uses up the code or the link and
 * stores the new hash.
 *
 * The password is checked and hashed before, outside the transaction, so that a rejected password
 * does not use up the code or link, and no lock is held during the hashing. A code is searched
 * among those of the given user; a link identifies its user.
 *
 * Time must not reveal whether a username exists. For an unknown user, a code is hashed and looked
 * for under the empty id, and the password is hashed all the same. */
#include "identity/recovery.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "crypt/digest.h"
#include "crypt/password.h"
#include "crypt/random.h"
#include "flow/accounts.h"
#include "identity/link.h"
#include "store/tx.h"
#include "store/user_store.h"

/* ---- codes ---- */

/* Case, hyphens, and blanks do not matter: people copy codes from paper. A fast hash is enough: a
 * code has too many bits to be guessed from it. */
static struct str
hash_code(struct arena *mem, struct str code)
{
    char *text = arena_alloc(mem, RANDOM_GROUPS_CHARACTERS + 1);
    size_t length = 0;
    for (size_t i = 0; i < code.len; i++) {
        char c = code.ptr[i];
        if (c == '-' || c == ' ')
            continue;
        if (length == RANDOM_GROUPS_CHARACTERS)
            return digest_text(mem, STR("")); /* too long for any code */
        text[length++] = ascii_to_lower(c);
    }
    return digest_text(mem, (struct str){ text, length });
}

struct recovery_creation {
    struct arena *mem;
    struct str user_id;
    const struct str *codes;
};

/* Under the lock of the user, so that two requests do not leave twenty codes. */
static enum err
replace_codes(struct db_tx *tx, void *argument)
{
    struct recovery_creation *making = argument;
    struct arena *mem = making->mem;
    enum err err = user_store_lock(tx, mem, making->user_id);
    if (!err)
        err = recovery_store_end_codes(tx, mem, making->user_id);
    for (size_t i = 0; i < RECOVERY_CODES && !err; i++)
        err = recovery_store_add_code(tx, mem, making->user_id, hash_code(mem, making->codes[i]));
    return err;
}

enum err
recovery_make_codes(struct db *db, struct arena *mem, struct str user_id,
                    struct str out[RECOVERY_CODES])
{
    for (size_t i = 0; i < RECOVERY_CODES; i++)
        out[i] = random_groups(mem);
    return tx_write(db, replace_codes, &(struct recovery_creation){ mem, user_id, out });
}

enum err
recovery_count_codes(struct db *db, struct arena *mem, struct str user_id, int64_t *out)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, recovery_store_count_codes(tx, mem, user_id, out));
}

/* ---- setting the password ---- */

/* A new password, with a recovery code or with a link. One of the hashes is absent. */
struct setting {
    struct arena *mem;
    struct str user_id;
    struct str code_hash; /* absent: with a link */
    struct str link_hash;
    struct str password_hash;
    int64_t now;
    struct user *user;
};

/* ERR_NOT_FOUND: code or link are not valid. */
static enum err
set_password(struct db_tx *tx, void *argument)
{
    struct setting *setting = argument;
    struct arena *mem = setting->mem;
    struct one_time_link link;
    /* First, so that an unknown user and a wrong code take the same time. */
    enum err err = str_present(setting->code_hash)
                       ? recovery_store_take_code(tx, mem, setting->user_id, setting->code_hash)
                       : recovery_store_take_link(tx, mem, setting->link_hash, LINK_RESET,
                                                  setting->now, &link);
    if (!err)
        err = user_store_lock(tx, mem, setting->user_id);
    if (!err)
        err = user_store_find(tx, mem, setting->user_id, setting->user);
    if (!err && setting->user->status != USER_ACTIVE)
        err = ERR_NOT_FOUND;
    return err ? err
               : account_put_password(tx, mem, setting->user_id, setting->password_hash,
                                      setting->now);
}

/* The new password is hashed before the code is checked, also for an unknown user, so that the time
 * reveals neither. A wrong code and an unknown user give the same error. */
enum err
recovery_use_code(struct db *db, struct arena *mem, const struct code_params *params,
                  const char **problem)
{
    /* The user's other words are not compared: the answer would reveal them. */
    *problem = password_problem(mem, params->password, &params->login, 1);
    if (*problem != NULL)
        return ERR_INVALID;
    struct user user;
    struct setting setting = {
        .mem = mem,
        .user_id = str_present(params->user_id) ? params->user_id : STR(""),
        .code_hash = hash_code(mem, params->code),
        .password_hash = password_hash(mem, params->password), /* also for an unknown user */
        .now = params->now,
        .user = &user,
    };
    if (!str_present(setting.password_hash))
        return ERR_UNAVAILABLE;
    enum err err = tx_write_urgent(db, set_password, &setting);
    return err == ERR_NOT_FOUND ? ERR_UNAUTHENTICATED : err;
}

/* ---- links ---- */

/* Only the hash of the link is stored, so it can be sent only now. */
enum err
recovery_make_link(struct db *db, struct arena *mem, struct str login, int64_t now, int64_t seconds,
                   const struct secret **out, struct user *user)
{
    enum err err = account_find(db, mem, login, user);
    if (err)
        return err;
    return link_make(db, mem,
                     (struct one_time_link){
                         .user_id = user->id, .purpose = LINK_RESET, .expires_at = now + seconds },
                     out);
}

/* Changes nothing: opening the page must not use up the link. */
enum err
recovery_find_link(struct db *db, struct arena *mem, struct str link, int64_t now, struct user *out)
{
    struct one_time_link found;
    struct str hash = link_hash(mem, link);
    if (!str_present(hash))
        return ERR_NOT_FOUND;
    struct db_tx *tx = tx_begin_read(db);
    enum err err = recovery_store_find_link(tx, mem, hash, LINK_RESET, now, &found);
    if (!err)
        err = user_store_find(tx, mem, found.user_id, out);
    if (!err && out->status != USER_ACTIVE)
        err = ERR_NOT_FOUND;
    return tx_end_read(tx, err);
}

/* The link is looked for twice: first for the user's words, which do not make a password stronger,
 * then in the transaction that uses it up. */
enum err
recovery_use_link(struct db *db, struct arena *mem, struct str link, struct str password,
                  int64_t now, struct user *out, const char **problem)
{
    *problem = NULL;
    enum err err = recovery_find_link(db, mem, link, now, out);
    if (err)
        return err;
    const struct str words[] = { out->username, out->email, out->name };
    *problem = password_problem(mem, password, words, sizeof words / sizeof words[0]);
    if (*problem != NULL)
        return ERR_INVALID;
    struct setting setting = {
        .mem = mem,
        .user_id = out->id,
        .link_hash = link_hash(mem, link),
        .password_hash = password_hash(mem, password),
        .now = now,
        .user = out,
    };
    return str_present(setting.password_hash) ? tx_write_urgent(db, set_password, &setting)
                                              : ERR_UNAVAILABLE;
}
