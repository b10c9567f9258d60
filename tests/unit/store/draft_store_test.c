#include "unit/store/rows.h"

#include "store/draft_store.h"
#include "unit/assert_str.h"

struct args {
    struct arena *mem;
    struct str user_id, id, document;
    int64_t expires_at, now, limit;
    size_t removed;
};

WORK(put_work, draft_store_put(tx, a->mem, a->user_id, a->id, a->document, a->expires_at))
WORK(find_work, draft_store_find(tx, a->mem, a->user_id, a->id, a->now, &a->document))
WORK(end_work, draft_store_end(tx, a->mem, a->user_id))
WORK(clean_work, draft_store_delete_expired(tx, a->mem, a->now, a->limit, &a->removed))

static void
put(struct kit *kit, const char *user, const char *id, const char *document, int64_t expires_at)
{
    struct args args = { .mem = kit->mem,
                         .user_id = str_of(user),
                         .id = str_of(id),
                         .document = str_of(document),
                         .expires_at = expires_at };
    assert_int_equal(tx_write(kit->db, put_work, &args), ERR_NONE);
}

/* The document, or NULL. */
static const char *
find(struct kit *kit, const char *user, const char *id, int64_t now)
{
    struct args args = { .mem = kit->mem, .user_id = str_of(user), .id = str_of(id), .now = now };
    enum err err = kit_read(kit->db, find_work, &args);
    assert_true(err == ERR_NONE || err == ERR_NOT_FOUND);
    return err ? NULL : str_format(kit->mem, "%.*s", STR_ARG(args.document)).ptr;
}

static void
a_draft_is_found_by_its_user_and_id_until_it_expires(struct kit *kit)
{
    put(kit, ADA, "imp_1", "{\"a\":\"\xc3\xb6'\n\"}", T0 + 600);
    assert_string_equal(find(kit, ADA, "imp_1", T0), "{\"a\":\"\xc3\xb6'\n\"}");
    assert_string_equal(find(kit, ADA, "imp_1", T0 + 599), "{\"a\":\"\xc3\xb6'\n\"}");
    assert_null(find(kit, ADA, "imp_1", T0 + 600));
    assert_null(find(kit, ADA, "imp_2", T0));
    assert_null(find(kit, ADA, "", T0));
    assert_null(find(kit, BOB, "imp_1", T0));
}

static void
a_draft_replaces_only_the_draft_of_its_user(struct kit *kit)
{
    put(kit, ADA, "imp_1", "one", T0 + 600);
    put(kit, BOB, "imp_b", "bob's", T0 + 600);
    put(kit, ADA, "imp_2", "two", T0 + 700);
    assert_null(find(kit, ADA, "imp_1", T0));
    assert_string_equal(find(kit, ADA, "imp_2", T0 + 699), "two");
    struct args args = { .mem = kit->mem, .user_id = str_of(ADA) };
    assert_int_equal(tx_write(kit->db, end_work, &args), ERR_NONE);
    assert_int_equal(tx_write(kit->db, end_work, &args), ERR_NONE); /* no draft is not an error */
    assert_null(find(kit, ADA, "imp_2", T0));
    assert_string_equal(find(kit, BOB, "imp_b", T0), "bob's");
}

static void
delete_expired_deletes_at_most_the_limit(struct kit *kit)
{
    put(kit, ADA, "imp_1", "one", T0 + 600);
    put(kit, BOB, "imp_b", "bob's", T0 + 601);
    put(kit, "usr_c", "imp_c", "c", T0 + 600);
    struct args args = { .mem = kit->mem, .now = T0 + 600, .limit = 1 };
    assert_int_equal(tx_write(kit->db, clean_work, &args), ERR_NONE);
    assert_int_equal(args.removed, 1);
    args.limit = 10;
    assert_int_equal(tx_write(kit->db, clean_work, &args), ERR_NONE);
    assert_int_equal(args.removed, 1);
    assert_int_equal(tx_write(kit->db, clean_work, &args), ERR_NONE);
    assert_int_equal(args.removed, 0);
    assert_null(find(kit, ADA, "imp_1", T0));
    assert_string_equal(find(kit, BOB, "imp_b", T0), "bob's");
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_draft_is_found_by_its_user_and_id_until_it_expires),
        KIT_CASE(a_draft_replaces_only_the_draft_of_its_user),
        KIT_CASE(delete_expired_deletes_at_most_the_limit),
    };
    return KIT_RUN("store/draft_store", cases, LOG_WARN);
}
