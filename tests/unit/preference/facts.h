/* facts.h - a user, two apps, and their writes, for tests of preferences. */
#ifndef UNIT_PREFERENCE_FACTS_H
#define UNIT_PREFERENCE_FACTS_H

#include "unit/store_kit.h"

#include "base/buf.h"
#include "flow/accounts.h"
#include "preference/corrections.h"
#include "preference/preferences.h"
#include "text/json_read.h"

#define T0 ((int64_t)1794648600)
#define DAY ((int64_t)24 * 3600)

#define FINDER STR("app_AAAAAAAAAAAAAAAAAAAAAA")
#define PLAYER STR("app_BBBBBBBBBBBBBBBBBBBBBB")

#define FOOD "food_profile"
#define MUSIC "music_preferences"

static inline struct str
facts_user(struct kit *kit, const char *name)
{
    struct account_params params = { .username = str_of(name) };
    struct account_problems problems;
    struct user user;
    assert_int_equal(account_make(kit->db, kit->mem, &params, T0, &user, &problems), ERR_NONE);
    return user.id;
}

SQL(test_generation, "SELECT generation FROM user_record WHERE user_id = $1 AND domain = ''");

struct facts_generation {
    struct kit *kit;
    struct str user_id;
    int64_t found;
};

static inline enum err
facts_find_generation(struct db_tx *tx, void *argument)
{
    struct facts_generation *asked = argument;
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, asked->kit->mem, &test_generation, &rows, db_text(asked->user_id));
    assert_int_equal(rows.count, 1);
    asked->found = db_cell_int(&rows, 0, 0);
    return err;
}

static inline int64_t
facts_generation(struct kit *kit, struct str user_id)
{
    struct facts_generation asked = { kit, user_id, 0 };
    assert_int_equal(kit_read(kit->db, facts_find_generation, &asked), ERR_NONE);
    return asked.found;
}

static inline const struct json_value *
facts_json(struct kit *kit, const char *text)
{
    const struct json_value *value = NULL;
    struct why why = { 0 };
    if (json_read(kit->mem, str_of(text), 8, &value, &why))
        fail_msg("%s: %s", text, why.text);
    return value;
}

static inline enum err
facts_try(struct kit *kit, struct str user_id, struct str source, const char *domain,
          const char *preferences, int64_t now, struct preference_counts *counts,
          struct preference_problems *problems)
{
    struct record record;
    struct preference_write params = {
        .user_id = user_id,
        .domain = domains_find(kit_domains(), str_of(domain)),
        .source = source,
        .preferences = facts_json(kit, preferences),
        .now = now,
    };
    return preferences_write(kit->db, kit->mem, &params, counts, &record, problems);
}

static inline struct preference_counts
facts_write(struct kit *kit, struct str user_id, struct str source, const char *domain,
            const char *preferences, int64_t now)
{
    struct preference_counts counts = { 0 };
    struct preference_problems problems;
    enum err err = facts_try(kit, user_id, source, domain, preferences, now, &counts, &problems);
    if (err)
        fail_msg("%s: %s", preferences, problems.count > 0 ? problems.list[0].problem.ptr : "");
    return counts;
}

/* The counts as text: added updated unchanged suppressed held. */
#define assert_counts(counts, a, u, n, s, h)         \
    do {                                             \
        struct preference_counts counted = (counts); \
        assert_int_equal(counted.added, (a));        \
        assert_int_equal(counted.updated, (u));      \
        assert_int_equal(counted.unchanged, (n));    \
        assert_int_equal(counted.suppressed, (s));   \
        assert_int_equal(counted.held, (h));         \
    } while (0)

static inline struct str
facts_record(struct kit *kit, struct str user_id, const char *domain)
{
    struct record record;
    struct view view = view_whole(user_id);
    assert_int_equal(preferences_read(kit->db, kit->mem, &view, str_of(domain), &record), ERR_NONE);
    return str_copy(kit->mem, record.json);
}

/* The fact with this value, as JSON; NULL if there is none. */
static inline const struct sourced_atom *
facts_find(struct kit *kit, struct str user_id, const char *value)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    assert_int_equal(corrections_list(kit->db, kit->mem, user_id, STR_NONE, &atoms, &count),
                     ERR_NONE);
    for (size_t i = 0; i < count; i++)
        if (str_eq_c(atoms[i].atom.value, value))
            return &atoms[i];
    return NULL;
}

static inline struct correction
facts_correction(struct kit *kit, struct str user_id, const char *value, int64_t now)
{
    const struct sourced_atom *atom = facts_find(kit, user_id, value);
    if (atom == NULL)
        fail_msg("no fact has the value %s", value);
    return (struct correction){ user_id, atom->atom.id, kit_domains(), now };
}

#endif
