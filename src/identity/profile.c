/* profile.c - all problems of a form are found in one pass, so that the user corrects them
 * together. */
#include "identity/profile.h"

#include "flow/accounts.h"
#include "credential/recovery_store.h"
#include "store/tx.h"
#include "store/user_store.h"

/* Values are checked before the transaction; whether the username is free is decided in it. */
struct profile_change {
    struct arena *mem;
    struct str user_id;
    const struct profile_params *params;
    struct profile_problems *problems;
    struct user *out;
};

/* Replaces *value unless `given` is absent; an empty text removes it. */
static void
take(struct str *value, struct str given)
{
    if (str_present(given))
        *value = given.len == 0 ? STR_NONE : given;
}

static const char *
check(struct str given, const char *(*problem)(struct str text))
{
    return given.len == 0 ? NULL : problem(given);
}

/* Only for operators: the address counts as confirmed, so links that were sent for another one
 * end. */
static enum err
change_email(struct db_tx *tx, struct profile_change *changing, int64_t now)
{
    struct arena *mem = changing->mem;
    struct str email = changing->params->email;
    enum err err =
        user_store_put_email(tx, mem, changing->user_id, email.len == 0 ? STR_NONE : email, now);
    if (err == ERR_TAKEN)
        changing->problems->email = "Another account has this email address. Choose another.";
    return err ? err : recovery_store_end_links(tx, mem, changing->user_id, LINK_VERIFY);
}

/* May run again if the database asks for a retry, so it resets the problems and reads the user each
 * time. */
static enum err
change(struct db_tx *tx, void *argument)
{
    struct profile_change *changing = argument;
    const struct profile_params *params = changing->params;
    struct arena *mem = changing->mem;
    struct user *user = changing->out;
    *changing->problems = (struct profile_problems){ 0 };
    enum err err = user_store_lock(tx, mem, changing->user_id);
    if (!err)
        err = user_store_find(tx, mem, changing->user_id, user);
    if (err)
        return err;
    take(&user->username, params->username);
    take(&user->name, params->name);
    take(&user->language, params->language);
    take(&user->time_zone, params->time_zone);
    user->updated_at = params->now;
    err = user_store_put_profile(tx, mem, user);
    if (err == ERR_TAKEN)
        changing->problems->username = "This username is taken. Choose another.";
    if (!err && str_present(params->email))
        err = change_email(tx, changing, params->now);
    return err ? err : user_store_find(tx, mem, changing->user_id, user);
}

/* Everything is checked before the transaction; only whether a name is taken is found out
 * inside. */
enum err
profile_change(struct db *db, struct arena *mem, struct str login,
               const struct profile_params *params, struct user *out,
               struct profile_problems *problems)
{
    struct profile_params clean = {
        .username = str_present(params->username)
                        ? user_fold_username(mem, str_trim(params->username))
                        : STR_NONE,
        .name = user_clean_name(mem, params->name),
        .language = str_trim(params->language),
        .time_zone = str_trim(params->time_zone),
        .email = str_trim(params->email),
        .now = params->now,
    };
    *problems = (struct profile_problems){
        .username = str_present(clean.username) ? user_username_problem(clean.username) : NULL,
        .name = str_present(params->name) && params->name.len > 0 ? user_name_problem(clean.name)
                                                                  : NULL,
        .language = check(clean.language, user_language_problem),
        .time_zone = check(clean.time_zone, user_time_zone_problem),
        .email = check(clean.email, user_email_problem),
    };
    if (problems->username != NULL || problems->name != NULL || problems->language != NULL ||
        problems->time_zone != NULL || problems->email != NULL)
        return ERR_INVALID;
    enum err err = account_find(db, mem, login, out);
    if (err)
        return err;
    struct profile_change changing = { mem, out->id, &clean, problems, out };
    return tx_write(db, change, &changing);
}
