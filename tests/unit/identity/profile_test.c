#include "unit/assert_str.h"
#include "unit/flow/world.h"

#include "identity/profile.h"

static enum err
change(struct kit *kit, const char *login, struct profile_params params, struct user *out,
       struct profile_problems *problems)
{
    params.now = T0 + 1;
    return profile_change(kit->db, kit->mem, str_of(login), &params, out, problems);
}

static void
absent_members_stay_and_empty_ones_are_removed(struct kit *kit)
{
    struct profile_problems problems;
    struct user user;
    world_user(kit, "ada");
    assert_int_equal(change(kit, "ada",
                            (struct profile_params){ .name = STR("  Ada L "),
                                                     .language = STR(" de-AT "),
                                                     .time_zone = STR("Europe/Vienna") },
                            &user, &problems),
                     ERR_NONE);
    assert_str(user.name, STR("Ada L"), "trimmed");
    assert_int_equal(change(kit, "ada", (struct profile_params){ .username = STR("Countess") },
                            &user, &problems),
                     ERR_NONE);
    assert_str(user.username, STR("countess"), "folded");
    assert_str(user.name, STR("Ada L"), "unchanged");
    assert_str(user.language, STR("de-AT"), "unchanged");
    assert_int_equal(change(kit, "countess",
                            (struct profile_params){ .name = STR(""), .language = STR("") }, &user,
                            &problems),
                     ERR_NONE);
    assert_str(user.name, STR_NONE, "removed");
    assert_str(user.language, STR_NONE, "removed");
    assert_str(user.time_zone, STR("Europe/Vienna"), "unchanged");
    assert_int_equal(user.updated_at, T0 + 1);
}

static void
invalid_values_change_nothing_and_are_named(struct kit *kit)
{
    static const struct {
        const char *why;
        struct profile_params params;
        size_t problem; /* offset of the member that must be set */
    } rows[] = {
        { "username", { .username = STR("a b") }, offsetof(struct profile_problems, username) },
        { "no username", { .username = STR("") }, offsetof(struct profile_problems, username) },
        { "name", { .name = STR("a\xe2\x80\xae") }, offsetof(struct profile_problems, name) },
        { "language", { .language = STR("german!") }, offsetof(struct profile_problems, language) },
        { "time zone",
          { .time_zone = STR("../etc/passwd") },
          offsetof(struct profile_problems, time_zone) },
        { "email", { .email = STR("a@b@c") }, offsetof(struct profile_problems, email) },
    };
    world_user(kit, "ada");
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct profile_problems problems;
        struct user user;
        struct profile_params params = rows[i].params;
        if (!str_present(params.name))
            params.name = STR("Other");
        assert_row(change(kit, "ada", params, &user, &problems) == ERR_INVALID, rows[i].why);
        const char *const *problem = (const void *)((const char *)&problems + rows[i].problem);
        assert_row(*problem != NULL, rows[i].why);
        assert_int_equal(account_find(kit->db, kit->mem, STR("ada"), &user), ERR_NONE);
        assert_str(user.name, STR_NONE, rows[i].why);
    }
}

static void
a_taken_username_or_address_changes_nothing(struct kit *kit)
{
    struct profile_problems problems;
    struct user user;
    world_user(kit, "ada");
    world_user(kit, "eve");
    assert_int_equal(change(kit, "ada", (struct profile_params){ .email = STR("a@example.org") },
                            &user, &problems),
                     ERR_NONE);
    assert_str(user.email, STR("a@example.org"), "an operator's address counts as confirmed");
    assert_int_equal(change(kit, "eve",
                            (struct profile_params){ .name = STR("Eve"), .username = STR("ADA") },
                            &user, &problems),
                     ERR_TAKEN);
    assert_non_null(problems.username);
    assert_int_equal(
        change(kit, "eve",
               (struct profile_params){ .name = STR("Eve"), .email = STR("A@example.org") }, &user,
               &problems),
        ERR_TAKEN);
    assert_non_null(problems.email);
    assert_int_equal(account_find(kit->db, kit->mem, STR("eve"), &user), ERR_NONE);
    assert_str(user.name, STR_NONE, "rolled back");
    assert_int_equal(change(kit, "nobody", (struct profile_params){ 0 }, &user, &problems),
                     ERR_NOT_FOUND);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(absent_members_stay_and_empty_ones_are_removed),
        KIT_CASE(invalid_values_change_nothing_and_are_named),
        KIT_CASE(a_taken_username_or_address_changes_nothing),
    };
    return KIT_RUN("profile", cases, LOG_ERROR);
}
