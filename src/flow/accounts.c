/* accounts.c - creating, changing, and deleting accounts.
 *
 * Passwords are hashed before a transaction begins: hashing takes far longer than a transaction,
 * and on SQLite all writers would wait for it. Values read before the hashing are therefore
 * checked or named by the user's id inside the transaction. Writes that revoke access run with
 * tx_write_urgent(), which also works on a full disk. */
#include "flow/accounts.h"

#include "base/clock.h"
#include "base/shard.h"
#include "crypt/password.h"
#include "crypt/random.h"
#include "store/activity_store.h"
#include "store/app_store.h"
#include "store/atom_store.h"
#include "store/draft_store.h"
#include "credential/grant_store.h"
#include "store/outbox_store.h"
#include "credential/passkey_store.h"
#include "store/image_store.h"
#include "store/record_store.h"
#include "credential/recovery_store.h"
#include "credential/session_store.h"
#include "credential/token_store.h"
#include "store/tx.h"
#include "store/undo_store.h"
#include "store/usage_store.h"
#include "store/user_store.h"

bool
account_problems_any(const struct account_problems *problems)
{
    return problems->username != NULL || problems->email != NULL || problems->name != NULL ||
           problems->password != NULL;
}

/* ---- finding ---- */

/* Invalid logins never get to the store, which must not see NUL bytes or invalid UTF-8. */
static enum err
find_login(struct db_tx *tx, struct arena *mem, struct str login, struct user *out)
{
    login = str_trim(login);
    /* An id wins over a username that looks like one. */
    if (user_id_well_formed(login))
        return user_store_find(tx, mem, login, out);
    if (str_index(login, '@') < login.len) {
        if (user_email_problem(login) != NULL)
            return ERR_NOT_FOUND;
        return user_store_find_email(tx, mem, user_fold_email(mem, login), out);
    }
    struct str username = user_fold_username(mem, login);
    if (user_username_problem(username) != NULL)
        return ERR_NOT_FOUND;
    return user_store_find_username(tx, mem, username, out);
}

enum err
account_find(struct db *db, struct arena *mem, struct str login, struct user *out)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, find_login(tx, mem, login, out));
}

enum err
account_list(struct db *db, struct arena *mem, int64_t after, int64_t limit, struct user **out,
             size_t *count)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, user_store_list(tx, mem, after, limit, out, count));
}

enum err
account_count(struct db *db, struct arena *mem, int64_t *out)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, user_store_count(tx, mem, out));
}

/* ---- creating ---- */

/* A password that contains the user's own name or address is easy to guess. */
static const char *
choice_problem(struct arena *mem, const struct user *user, struct str password)
{
    const struct str words[] = { user->username, user->email, user->name, user->new_email };
    return password_problem(mem, password, words, sizeof words / sizeof words[0]);
}

/* Normalizes the parameters; invalid fields go to `problems`. */
static struct user
read_params(struct arena *mem, const struct account_params *params, int64_t now,
            struct account_problems *problems)
{
    struct user user = {
        .username = user_fold_username(mem, str_trim(params->username)),
        .email = str_copy(mem, str_trim(params->email)),
        .language = params->language,
        .device_key = random_id(mem, "dev_"),
        .status = USER_ACTIVE,
        .created_at = now,
        .updated_at = now,
    };
    problems->username = user_username_problem(user.username);
    if (user.email.len == 0)
        user.email = STR_NONE;
    else
        problems->email = user_email_problem(user.email);
    /* Only a link sent to the address proves that it is the user's; until then it is not unique. */
    if (!params->confirmed) {
        user.new_email = user.email;
        user.email = STR_NONE;
    }
    if (params->name.len > 0) {
        user.name = user_clean_name(mem, params->name);
        problems->name = user_name_problem(user.name);
    }
    if (str_present(params->password))
        problems->password = choice_problem(mem, &user, params->password);
    return user;
}

/* `user` is complete before the transaction begins, with the hash of its password. */
struct account_creation {
    struct arena *mem;
    struct mail mail; /* id absent: none */
    struct user user;
    struct account_problems *problems;
};

/* Finds out which of the unique fields belongs to another account. */
static enum err
find_taken(struct db_tx *tx, struct account_creation *making)
{
    struct arena *mem = making->mem;
    const struct user *user = &making->user;
    struct account_problems *problems = making->problems;
    struct user other;

    *problems = (struct account_problems){ 0 };
    enum err err = user_store_find_username(tx, mem, user->username, &other);
    if (err == ERR_NONE)
        problems->username =
            str_format(mem, "The username %.*s is taken. Choose another.", STR_ARG(user->username))
                .ptr;
    else if (err != ERR_NOT_FOUND)
        return err;
    if (!str_present(user->email))
        return ERR_NONE;
    err = user_store_find_email(tx, mem, user_fold_email(mem, user->email), &other);
    if (err == ERR_NONE)
        problems->email =
            str_format(
                mem,
                "The email address %.*s already has an account. Sign in, or use another address.",
                STR_ARG(user->email))
                .ptr;
    return err == ERR_NOT_FOUND ? ERR_NONE : err;
}

/* ERR_TAKEN without a name or address that is taken is a collision of random ids: the caller may
 * try again. */
static enum err
add_account(struct db_tx *tx, void *argument)
{
    struct account_creation *making = argument;
    enum err err = user_store_add(tx, making->mem, &making->user);
    if (err == ERR_NONE && str_present(making->mail.id))
        err = outbox_store_add(tx, making->mem, &making->mail);
    if (err != ERR_TAKEN)
        return err;
    err = find_taken(tx, making);
    if (err)
        return err;
    return account_problems_any(making->problems) ? ERR_TAKEN : ERR_UNAVAILABLE;
}

/* All invalid fields are reported together. The email that confirms the address is stored in the
 * same transaction as the account, so that neither exists without the other. */
enum err
account_make(struct db *db, struct arena *mem, const struct account_params *params, int64_t now,
             struct user *out, struct account_problems *problems)
{
    *problems = (struct account_problems){ 0 };
    struct account_creation making = {
        .mem = mem,
        .user = read_params(mem, params, now, problems),
        .problems = problems,
    };
    if (account_problems_any(problems))
        return ERR_INVALID;
    if (str_present(params->password)) {
        making.user.password_hash = password_hash(mem, params->password);
        if (!str_present(making.user.password_hash))
            return ERR_UNAVAILABLE;
    }
    making.user.position = user_position(now, random_below(UINT32_MAX));
    making.user.id = str_present(params->user_id) ? params->user_id : random_id(mem, "usr_");
    if (params->send_mail && str_present(making.user.new_email))
        making.mail = (struct mail){ .id = random_id_in(mem, "mail_", shard_of(making.user.id)),
                                     .kind = MAIL_VERIFY,
                                     .user_id = making.user.id,
                                     .address = making.user.new_email,
                                     .created_at = now };
    enum err err = tx_write(db, add_account, &making);
    if (err)
        return err;
    *out = making.user;
    return ERR_NONE;
}

/* ---- changing ---- */

/* Changes of operators: a status, or a password. */
struct account_change {
    struct arena *mem;
    struct str login;
    enum user_status status;
    struct str password_hash;
    int64_t now;
    struct user *out;
};

/* The user is read again, because the change of status raises the epoch, and the caller shows the
 * new row. */
static enum err
change_status(struct db_tx *tx, void *argument)
{
    struct account_change *change = argument;
    struct user user;
    enum err err = find_login(tx, change->mem, change->login, &user);
    if (!err)
        err = user_store_put_status(tx, change->mem, user.id, change->status, change->now);
    return err ? err : user_store_find(tx, change->mem, user.id, change->out);
}

/* Urgent, because disabling an account must be possible while the disk is full. */
enum err
account_set_status(struct db *db, struct arena *mem, struct str login, enum user_status status,
                   int64_t now, struct user *out)
{
    struct account_change change = {
        .mem = mem, .login = login, .status = status, .now = now, .out = out
    };
    return tx_write_urgent(db, change_status, &change);
}

/* A link that sets a password must not work after the user has set one: an attacker may have it. */
enum err
account_put_password(struct db_tx *tx, struct arena *mem, struct str user_id,
                     struct str password_hash, int64_t now)
{
    enum err err = user_store_put_password(tx, mem, user_id, password_hash, now);
    /* An attacker who knew the old password may be signed in. */
    if (!err)
        err = session_store_end_all(tx, mem, user_id);
    return err ? err : recovery_store_end_links(tx, mem, user_id, LINK_RESET);
}

static enum err
change_password(struct db_tx *tx, void *argument)
{
    struct account_change *change = argument;
    enum err err =
        account_put_password(tx, change->mem, change->login, change->password_hash, change->now);
    return err ? err : user_store_find(tx, change->mem, change->login, change->out);
}

/* For commands of the operator: it needs no old password. */
enum err
account_set_password(struct db *db, struct arena *mem, struct str login, struct str password,
                     int64_t now, struct user *out, const char **problem)
{
    struct user user;
    *problem = NULL;
    enum err err = account_find(db, mem, login, &user);
    if (err)
        return err;
    *problem = choice_problem(mem, &user, password);
    if (*problem != NULL)
        return ERR_INVALID;
    struct account_change change = {
        .mem = mem,
        .login = user.id, /* during hashing a username may go to another account; ids never do */
        .password_hash = password_hash(mem, password),
        .now = now,
        .out = out,
    };
    if (!str_present(change.password_hash))
        return ERR_UNAVAILABLE;
    return tx_write_urgent(db, change_password, &change);
}

/* Only the owner can manage an app, so it is deleted with its owner. */
static enum err
delete_apps(struct db_tx *tx, struct arena *mem, struct str owner_id)
{
    struct app *apps = NULL;
    size_t count = 0;
    enum err err = app_store_list(tx, mem, owner_id, 0, APPS_PER_OWNER_MAX, &apps, &count);
    for (size_t i = 0; i < count && !err; i++)
        err = app_store_delete(tx, mem, apps[i].id);
    return err;
}

struct deletion {
    struct arena *mem;
    struct str login;
    struct user *out;
};

typedef enum err delete_of_user(struct db_tx *tx, struct arena *mem, struct str user_id);

/* Everything of a user, except what needs more than the user's id to be found. The account comes
 * first: it locks the user, so that concurrent changes come before or find no user. */
static enum err
delete_rows(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    static delete_of_user *const deletes[] = {
        user_store_delete,
        session_store_end_all,
        grant_store_end_all,
        family_store_end_user,
        atom_store_end_user,
        record_store_end_user,
        undo_store_end,
        draft_store_end,
        recovery_store_end_user,
        passkey_store_end_user,
        outbox_store_end_user,
        activity_store_end_user,
        delete_apps,
    };
    enum err err = ERR_NONE;
    for (size_t i = 0; i < sizeof deletes / sizeof *deletes && !err; i++)
        err = deletes[i](tx, mem, user_id);
    return err;
}

/* Everything in one transaction: an account is deleted completely or not at all. */
static enum err
delete_account(struct db_tx *tx, void *argument)
{
    struct deletion *deletion = argument;
    struct arena *mem = deletion->mem;
    enum err err = find_login(tx, mem, deletion->login, deletion->out);
    if (!err) /* finds the apps by the user's grants: before these are deleted */
        err = usage_store_forget_user(tx, mem, deletion->out->id, clock_now());
    if (!err)
        err = picture_store_end_user(tx, mem, deletion->out);
    return err ? err : delete_rows(tx, mem, deletion->out->id);
}

enum err
account_delete(struct db *db, struct arena *mem, struct str login, struct user *out)
{
    struct deletion deletion = { .mem = mem, .login = login, .out = out };
    return tx_write_urgent(db, delete_account, &deletion);
}
