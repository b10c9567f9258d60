#include "unit/assert_str.h"
#include "unit/flow/world.h"

#include "identity/email.h"
#include "store/outbox_store.h"

SQL(count_outbox, "SELECT COUNT(*) FROM outbox WHERE kind = $1");

struct counting {
    struct arena *mem;
    enum mail_kind kind;
    int64_t count;
};

static enum err
count_mails(struct db_tx *tx, void *argument)
{
    struct counting *counting = argument;
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, counting->mem, &count_outbox, &rows,
                            db_text(str_of(mail_kind_name(counting->kind))));
    counting->count = db_cell_int(&rows, 0, 0);
    return err;
}

static int64_t
waiting(struct kit *kit, enum mail_kind kind)
{
    struct counting counting = { kit->mem, kind, -1 };
    assert_int_equal(kit_read(kit->db, count_mails, &counting), ERR_NONE);
    return counting.count;
}

static struct user
reread(struct kit *kit, const struct user *user)
{
    struct user found;
    assert_int_equal(account_find(kit->db, kit->mem, user->id, &found), ERR_NONE);
    return found;
}

static void
ask_for(struct kit *kit, const struct user *user, const char *address, bool send)
{
    assert_int_equal(email_change(kit->db, kit->mem, user->id, str_of(address), send, T0),
                     ERR_NONE);
}

static struct str
link_for(struct kit *kit, const struct user *user, const char *address)
{
    const struct secret *secret;
    assert_int_equal(email_make_link(kit->db, kit->mem, user->id, str_of(address), T0, &secret),
                     ERR_NONE);
    return secret_reveal(secret);
}

static enum err
confirm(struct kit *kit, const struct user *user, struct str link, int64_t now)
{
    return email_confirm(kit->db, kit->mem, user->id, link, true, now);
}

static void
an_address_is_the_users_only_after_its_link(struct kit *kit)
{
    struct user ada = world_user(kit, "ada"), eve = world_user(kit, "eve");
    struct str address;
    ask_for(kit, &ada, "ada@example.org", true);
    assert_int_equal(waiting(kit, MAIL_VERIFY), 1);
    assert_str(reread(kit, &ada).email, STR_NONE, "not confirmed");
    struct str link = link_for(kit, &ada, "ada@example.org");
    assert_int_equal(email_find_link(kit->db, kit->mem, ada.id, link, T0, &address), ERR_NONE);
    assert_str(address, STR("ada@example.org"), "what the link confirms");
    assert_int_equal(email_find_link(kit->db, kit->mem, eve.id, link, T0, &address), ERR_NOT_FOUND);
    assert_int_equal(confirm(kit, &eve, link, T0), ERR_NOT_FOUND);
    assert_int_equal(confirm(kit, &ada, link, T0), ERR_NONE);
    assert_str(reread(kit, &ada).email, STR("ada@example.org"), "confirmed");
    assert_str(reread(kit, &ada).new_email, STR_NONE, "nothing left to confirm");
    assert_int_equal(confirm(kit, &ada, link, T0), ERR_NOT_FOUND);
}

static void
a_link_expires_and_ends_when_another_address_is_chosen(struct kit *kit)
{
    struct user ada = world_user(kit, "ada");
    ask_for(kit, &ada, "ada@example.org", false);
    struct str late = link_for(kit, &ada, "ada@example.org");
    assert_int_equal(confirm(kit, &ada, late, T0 + EMAIL_LINK_SECONDS), ERR_NOT_FOUND);
    ask_for(kit, &ada, "other@example.org", false);
    assert_int_equal(confirm(kit, &ada, late, T0), ERR_NOT_FOUND);
    assert_int_equal(confirm(kit, &ada, STR("pn_li_nonsense"), T0), ERR_NOT_FOUND);
    assert_int_equal(waiting(kit, MAIL_VERIFY), 0);
}

static void
the_first_of_two_accounts_gets_the_address(struct kit *kit)
{
    struct user ada = world_user(kit, "ada"), eve = world_user(kit, "eve");
    ask_for(kit, &ada, "both@example.org", false);
    ask_for(kit, &eve, "BOTH@example.org", false);
    struct str one = link_for(kit, &ada, "both@example.org");
    struct str other = link_for(kit, &eve, "BOTH@example.org");
    assert_int_equal(confirm(kit, &eve, other, T0), ERR_NONE);
    assert_int_equal(confirm(kit, &ada, one, T0), ERR_TAKEN);
    assert_str(reread(kit, &ada).email, STR_NONE, "taken by another account");
}

static void
the_previous_address_gets_a_notice_and_an_empty_one_removes_it(struct kit *kit)
{
    struct user ada = world_user(kit, "ada");
    ask_for(kit, &ada, "one@example.org", false);
    assert_int_equal(confirm(kit, &ada, link_for(kit, &ada, "one@example.org"), T0), ERR_NONE);
    assert_int_equal(waiting(kit, MAIL_EMAIL_CHANGED), 0);
    ask_for(kit, &ada, "two@example.org", false);
    assert_str(reread(kit, &ada).email, STR("one@example.org"), "the previous one stays");
    assert_int_equal(confirm(kit, &ada, link_for(kit, &ada, "two@example.org"), T0), ERR_NONE);
    assert_int_equal(waiting(kit, MAIL_EMAIL_CHANGED), 1);
    assert_int_equal(email_change(kit->db, kit->mem, ada.id, STR_NONE, true, T0), ERR_NONE);
    assert_str(reread(kit, &ada).email, STR_NONE, "removed");
    assert_int_equal(waiting(kit, MAIL_VERIFY), 0);
}

static void
a_flood_for_one_recipient_does_not_fill_the_outbox(struct kit *kit)
{
    struct mail mail = { .kind = MAIL_RESET, .address = STR("a@example.org"), .created_at = T0 };
    for (size_t i = 0; i < 2 * OUTBOX_PER_ADDRESS_MAX; i++)
        assert_int_equal(email_queue(kit->db, kit->mem, &mail), ERR_NONE);
    assert_int_equal(waiting(kit, MAIL_RESET), OUTBOX_PER_ADDRESS_MAX);
    mail.address = STR("b@example.org");
    assert_int_equal(email_queue(kit->db, kit->mem, &mail), ERR_NONE);
    assert_int_equal(waiting(kit, MAIL_RESET), OUTBOX_PER_ADDRESS_MAX + 1);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(an_address_is_the_users_only_after_its_link),
        KIT_CASE(a_link_expires_and_ends_when_another_address_is_chosen),
        KIT_CASE(the_first_of_two_accounts_gets_the_address),
        KIT_CASE(the_previous_address_gets_a_notice_and_an_empty_one_removes_it),
        KIT_CASE(a_flood_for_one_recipient_does_not_fill_the_outbox),
    };
    return KIT_RUN("email", cases, LOG_ERROR);
}
