/* user.h - a person with an account: what a good name, email address and display name are.
 *
 * Pure rules. A *_problem function returns NULL if fine, else a whole sentence that says what is
 * wrong and what would be right. */
#ifndef MODEL_USER_H
#define MODEL_USER_H

#include "base/str.h"

enum user_status { USER_ACTIVE, USER_DISABLED };

struct user {
    struct str id;            /* usr_… */
    struct str username;      /* folded */
    struct str email;         /* as given; absent: none */
    struct str name;          /* as shown; absent: none */
    struct str password_hash; /* absent: cannot sign in */
    enum user_status status;
    int64_t position; /* order of creation, unique: see user_position */
    int64_t epoch;    /* rises when the account is disabled: what began before is over */
    int64_t created_at;
    int64_t updated_at;
};

/* Whether it has the form of an id: usr_ and 22 base64url characters. */
bool user_id_well_formed(struct str text);

/* User names are 3 to 32 of a-z 0-9 . _ -, starting with a letter; upper case is folded.
 * None has the form of an id, so that one text never means two people. */
struct str user_fold_username(struct arena *mem, struct str username);
const char *user_username_problem(struct str folded);

/* One at sign, no blanks or controls, at most 254 bytes. Two addresses are the same when their
 * folded forms are. Folding knows ASCII letters only, as mail servers do: it must not make one
 * address of two people's. */
const char *user_email_problem(struct str email);
struct str user_fold_email(struct arena *mem, struct str email);

/* A single line of 1 to 80 characters without invisible ones; made NFC and trimmed. Cleaning what
 * is not UTF-8 gives an absent name, which has a problem. */
struct str user_clean_name(struct arena *mem, struct str name);
const char *user_name_problem(struct str cleaned);

const char *user_status_name(enum user_status status);
bool user_status_read(struct str text, enum user_status *out);

/* A number that orders users by the second of their creation and, within it, by chance: unique
 * without a sequence, the same order on every store. */
int64_t user_position(int64_t now, uint32_t chance);

#endif
