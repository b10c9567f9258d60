/* user.h - user accounts: their data and the rules for usernames, email addresses and display
 * names.
 *
 * Pure; any thread may call it. A *_problem function returns NULL if the value is valid, else a
 * whole sentence with the problem and its solution. */
#ifndef MODEL_USER_H
#define MODEL_USER_H

#include "base/str.h"

enum user_status { USER_ACTIVE, USER_DISABLED };

struct user {
    struct str id;            /* usr_… */
    struct str username;      /* folded */
    struct str email;         /* as given, confirmed, unique; absent: none */
    struct str new_email;     /* as given, not confirmed; absent: none */
    struct str name;          /* as shown; absent: none */
    struct str language;      /* "de", "en-US"; absent: none */
    struct str time_zone;     /* "Europe/Berlin"; absent: none */
    struct str picture;       /* id, pic_…; absent: none. Set by image_store.h */
    struct str password_hash; /* absent: cannot sign in */
    struct str device_key;    /* secret, for session_make_device(); absent: none */
    enum user_status status;
    int64_t position; /* order of creation, unique: see user_position */
    int64_t
        epoch; /* increases when the account is disabled; older sessions and tokens are invalid */
    int64_t created_at;
    int64_t updated_at;
};

/* Whether it has the form of an id: usr_ and 22 base64url characters. */
bool user_id_well_formed(struct str text);

/* Usernames are 3 to 32 of a-z 0-9 . _ -, starting with a letter; upper case is folded. A username
 * never has the form of an id, so that a string cannot identify two users. */
struct str user_fold_username(struct arena *mem, struct str username);
const char *user_username_problem(struct str folded);

/* One at sign, no spaces, control characters, or characters that separate addresses in an email
 * header, at most 254 bytes. Two addresses are equal if their
 * folded forms are. Folding applies NFC and lowers ASCII letters only, as mail servers do: it must
 * not merge the addresses of two users. */
const char *user_email_problem(struct str email);
struct str user_fold_email(struct arena *mem, struct str email);

/* A name is one line of 1 to 80 visible characters, NFC and trimmed. Cleaning invalid UTF-8 gives
 * an absent name, which user_name_problem() rejects. */
struct str user_clean_name(struct arena *mem, struct str name);
const char *user_name_problem(struct str cleaned);

/* A language tag of a language, optionally a script and a region: "de", "en-US", "zh-Hant-TW". */
const char *user_language_problem(struct str language);

/* A name of the IANA time zone database, by its form: "Europe/Berlin", "UTC". */
const char *user_time_zone_problem(struct str zone);

const char *user_status_name(enum user_status status);
bool user_status_read(struct str text, enum user_status *out);

/* A number that sorts users by second of creation, and randomly within it: unique without a
 * database sequence, and the same order in every database. */
int64_t user_position(int64_t now, uint32_t chance);

#endif
