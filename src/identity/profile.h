/* profile.h - changes username, display name, language, and time zone of a user. Results are
 * allocated from `mem`. Any thread may call it. */
#ifndef IDENTITY_PROFILE_H
#define IDENTITY_PROFILE_H

#include "base/err.h"
#include "model/user.h"

struct arena;
struct db;

/* An absent member keeps its value; an empty one removes it, except the username. */
struct profile_params {
    struct str username;
    struct str name;
    struct str language;
    struct str time_zone;
    struct str email; /* only for operators: it counts as confirmed. Users: see email.h */
    int64_t now;
};

/* One sentence per invalid field; NULL: the field is valid. */
struct profile_problems {
    const char *username;
    const char *name;
    const char *language;
    const char *time_zone;
    const char *email;
};

/* One transaction; see account_find() for `login`. ERR_INVALID or ERR_TAKEN: `problems` names the
 * fields, and nothing has changed. *out is the user afterwards. */
enum err profile_change(struct db *db, struct arena *mem, struct str login,
                        const struct profile_params *params, struct user *out,
                        struct profile_problems *problems);

#endif
