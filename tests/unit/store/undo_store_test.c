#include "unit/store/rows.h"

#include "store/undo_store.h"
#include "unit/assert_str.h"

struct args {
    struct arena *mem;
    struct str user_id, id;
    struct undo_row row;
    int64_t now, limit;
    size_t removed;
};

WORK(put_work, undo_store_put(tx, a->mem, a->user_id, &a->row))
WORK(take_work, undo_store_take(tx, a->mem, a->user_id, a->id, a->now, &a->row))
WORK(end_work, undo_store_end(tx, a->mem, a->user_id))
WORK(clean_work, undo_store_delete_expired(tx, a->mem, a->now, a->limit, &a->removed))

static void
put(struct kit *kit, const char *user, const char *id, int64_t expires_at)
{
    struct args args = { .mem = kit->mem,
                         .user_id = str_of(user),
                         .row = { str_of(id), STR("food"), STR("a\t\xc3\xb6'\n"), STR(""),
                                  expires_at } };
    assert_int_equal(tx_write(kit->db, put_work, &args), ERR_NONE);
}

static enum err
take(struct kit *kit, const char *user, const char *id, int64_t now)
{
    struct args args = { .mem = kit->mem, .user_id = str_of(user), .id = str_of(id), .now = now };
    enum err err = tx_write(kit->db, take_work, &args);
    if (!err) {
        assert_str(args.row.id, str_of(id), "id");
        assert_str(args.row.domain, STR("food"), "domain");
        assert_str(args.row.before, STR("a\t\xc3\xb6'\n"), "before");
        assert_str(args.row.after, STR(""), "after");
        assert_int_equal(args.row.expires_at, T0 + 600);
    }
    return err;
}

static void
a_row_is_taken_once_by_its_user_until_it_expires(struct kit *kit)
{
    put(kit, ADA, "und_1", T0 + 600);
    assert_int_equal(take(kit, BOB, "und_1", T0), ERR_NOT_FOUND);
    assert_int_equal(take(kit, ADA, "und_2", T0), ERR_NOT_FOUND);
    assert_int_equal(take(kit, ADA, "und_1", T0 + 600), ERR_NOT_FOUND);
    assert_int_equal(take(kit, ADA, "und_1", T0 + 599), ERR_NONE);
    assert_int_equal(take(kit, ADA, "und_1", T0 + 599), ERR_NOT_FOUND);
}

static void
a_new_row_replaces_the_last(struct kit *kit)
{
    put(kit, ADA, "und_1", T0 + 600);
    put(kit, BOB, "und_b", T0 + 600);
    put(kit, ADA, "und_2", T0 + 600);
    assert_int_equal(take(kit, ADA, "und_1", T0), ERR_NOT_FOUND);
    assert_int_equal(take(kit, ADA, "und_2", T0), ERR_NONE);
    struct args args = { .mem = kit->mem, .user_id = STR(BOB) };
    assert_int_equal(tx_write(kit->db, end_work, &args), ERR_NONE);
    assert_int_equal(tx_write(kit->db, end_work, &args), ERR_NONE);
    assert_int_equal(take(kit, BOB, "und_b", T0), ERR_NOT_FOUND);
}

static void
delete_expired_deletes_at_most_the_limit(struct kit *kit)
{
    for (int i = 0; i < 5; i++)
        put(kit, str_format(kit->mem, "usr_%d", i).ptr, "und_1", T0 + i);
    struct args args = { .mem = kit->mem, .now = T0 + 3, .limit = 3 };
    assert_int_equal(tx_write(kit->db, clean_work, &args), ERR_NONE);
    assert_int_equal(args.removed, 3);
    assert_int_equal(tx_write(kit->db, clean_work, &args), ERR_NONE);
    assert_int_equal(args.removed, 1);
    assert_int_equal(tx_write(kit->db, clean_work, &args), ERR_NONE);
    assert_int_equal(args.removed, 0);
    put(kit, "usr_4", "und_1", T0 + 600);
    assert_int_equal(take(kit, "usr_4", "und_1", T0), ERR_NONE);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_row_is_taken_once_by_its_user_until_it_expires),
        KIT_CASE(a_new_row_replaces_the_last),
        KIT_CASE(delete_expired_deletes_at_most_the_limit),
    };
    return KIT_RUN("store/undo_store", cases, LOG_WARN);
}
