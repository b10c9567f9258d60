#include "unit/assert_str.h"
#include "unit/flow/world.h"

#include "base/embedded.h"
#include "identity/email.h"
#include "identity/profile.h"
#include "identity/recovery.h"
#include "job/outbox_message.h"
#include "template/catalog.h"

static const char german[] = "page.lang = de\n"
                             "mail.password.subject = Passwort neu\n"
                             "mail.password.first = Konto {username}:\n"
                             "mail.password.last = Ende.\n";

/* English, and a small catalog of another language. */
static const struct catalog *const *
catalogs(struct kit *kit)
{
    static const struct catalog *list[3];
    struct catalog *one = NULL, *other = NULL;
    assert_int_equal(catalog_read(kit->mem, "en", embedded_find("pages/en.strings"), &one, NULL),
                     ERR_NONE);
    assert_int_equal(catalog_read(kit->mem, "de", str_of(german), &other, NULL), ERR_NONE);
    list[0] = one;
    list[1] = other;
    return list;
}

static enum err
make(struct kit *kit, struct mail mail, struct str *to, const char **text)
{
    struct message_params params = {
        .db = kit->db,
        .catalogs = catalogs(kit),
        .auth_url = STR("https://id.example"),
        .from = STR("penchant@mail.test"),
        .now = T0,
    };
    struct str message = STR("");
    mail.id = STR("mail_1");
    enum err err = outbox_message(kit->mem, &params, &mail, to, &message);
    *text = err ? "" : str_c(kit->mem, message);
    return err;
}

static struct user
with_address(struct kit *kit, const char *name, const char *address)
{
    struct profile_problems problems;
    struct user user = world_user(kit, name);
    assert_int_equal(profile_change(kit->db, kit->mem, user.id,
                                    &(struct profile_params){ .email = str_of(address), .now = T0 },
                                    &user, &problems),
                     ERR_NONE);
    return user;
}

static void
a_reset_goes_to_the_confirmed_address_and_its_link_works(struct kit *kit)
{
    struct user ada = with_address(kit, "ada", "ada@example.org"), found;
    struct str to;
    const char *text;
    assert_int_equal(make(kit,
                          (struct mail){ .kind = MAIL_RESET, .address = STR("ADA@example.org") },
                          &to, &text),
                     ERR_NONE);
    assert_str(to, STR("ada@example.org"), "as confirmed, not as typed");
    const char *link = strstr(text, "https://id.example/reset?token=");
    assert_non_null(link);
    link = strchr(link, '=') + 1;
    struct str token = { link, strcspn(link, "\r\n") };
    assert_int_equal(recovery_find_link(kit->db, kit->mem, token, T0, &found), ERR_NONE);
    assert_str(found.id, ada.id, "the link's user");
    assert_int_equal(
        recovery_find_link(kit->db, kit->mem, token, T0 + RECOVERY_LINK_SECONDS, &found),
        ERR_NOT_FOUND);
}

static void
nothing_is_sent_where_no_active_account_has_the_address(struct kit *kit)
{
    struct user ada = with_address(kit, "ada", "ada@example.org");
    struct user eve = world_user(kit, "eve");
    struct str to;
    const char *text;
    assert_int_equal(email_change(kit->db, kit->mem, eve.id, STR("eve@example.org"), false, T0),
                     ERR_NONE);
    const struct mail none[] = {
        { .kind = MAIL_RESET, .address = STR("nobody@example.org") },
        { .kind = MAIL_RESET, .address = STR("eve@example.org") }, /* not confirmed */
        { .kind = MAIL_VERIFY, .user_id = eve.id, .address = STR("old@example.org") },
        { .kind = MAIL_PASSWORD, .user_id = STR("usr_nobody"), .address = STR("x@example.org") },
    };
    for (size_t i = 0; i < ROWS(none); i++)
        assert_int_equal(make(kit, none[i], &to, &text), ERR_NOT_FOUND);
    struct user out;
    assert_int_equal(account_set_status(kit->db, kit->mem, ada.id, USER_DISABLED, T0, &out),
                     ERR_NONE);
    assert_int_equal(make(kit,
                          (struct mail){ .kind = MAIL_RESET, .address = STR("ada@example.org") },
                          &to, &text),
                     ERR_NOT_FOUND);
}

static void
a_message_is_in_the_language_of_its_user(struct kit *kit)
{
    static const struct {
        const char *language;
        const char *subject;
        const char *html;
    } rows[] = {
        { "", "Subject: Your password was changed\r\n", "<html lang=\"en\">" },
        { "de", "Subject: Passwort neu\r\n", "<html lang=\"de\">" },
        { "de-AT", "Subject: Passwort neu\r\n", "<html lang=\"de\">" },
        { "den", "Subject: Your password was changed\r\n", "<html lang=\"en\">" },
        { "fr", "Subject: Your password was changed\r\n", "<html lang=\"en\">" },
    };
    struct user ada = with_address(kit, "ada", "ada@example.org");
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct profile_problems problems;
        struct user user;
        struct str to;
        const char *text;
        struct profile_params params = { .language = str_of(rows[i].language), .now = T0 };
        assert_int_equal(profile_change(kit->db, kit->mem, ada.id, &params, &user, &problems),
                         ERR_NONE);
        assert_int_equal(
            make(kit,
                 (struct mail){ .kind = MAIL_PASSWORD, .user_id = ada.id, .address = user.email },
                 &to, &text),
            ERR_NONE);
        assert_row(strstr(text, rows[i].subject) != NULL, rows[i].language);
        assert_row(strstr(text, rows[i].html) != NULL, rows[i].language);
    }
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_reset_goes_to_the_confirmed_address_and_its_link_works),
        KIT_CASE(nothing_is_sent_where_no_active_account_has_the_address),
        KIT_CASE(a_message_is_in_the_language_of_its_user),
    };
    return KIT_RUN("outbox_message", cases, LOG_ERROR);
}
