#include "store/tx.h"
#include "store/user_store.h"
#include "unit/store_kit.h"

struct work {
    struct arena *mem;
    enum err end;
    int runs;
};

static const struct user ada = {
    .id = { "usr_AAAAAAAAAAAAAAAAAAAAAA", 26 },
    .username = { "ada", 3 },
    .position = 1,
};

static enum err
add_ada_and_end(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    work->runs++;
    enum err err = user_store_add(tx, work->mem, &ada);
    return err ? err : work->end;
}

static enum err
find_ada(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    struct user found;
    return user_store_find(tx, work->mem, ada.id, &found);
}

static void
a_write_is_visible_to_the_next_read(struct kit *kit)
{
    struct work work = { .mem = kit->mem };
    assert_int_equal(kit_read(kit->db, find_ada, &work), ERR_NOT_FOUND);
    assert_int_equal(tx_write(kit->db, add_ada_and_end, &work), ERR_NONE);
    assert_int_equal(work.runs, 1);
    assert_int_equal(kit_read(kit->db, find_ada, &work), ERR_NONE);
}

static void
an_error_rolls_the_write_back_and_is_returned(struct kit *kit)
{
    static const enum err ends[] = { ERR_INVALID, ERR_FORBIDDEN, ERR_NOT_FOUND, ERR_TAKEN };
    for (size_t i = 0; i < KIT_COUNT(ends); i++) {
        struct work work = { .mem = kit->mem, .end = ends[i] };
        assert_int_equal(tx_write(kit->db, add_ada_and_end, &work), ends[i]);
        assert_int_equal(kit_read(kit->db, find_ada, &work), ERR_NOT_FOUND);
    }
}

static void
ping_succeeds_on_an_open_store(struct kit *kit)
{
    assert_int_equal(store_ping(kit->db, &(struct why){ 0 }), ERR_NONE);
    bool embedded = kit->postgres == NULL;
    assert_int_equal(store_reads_block(kit->db), !embedded);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_write_is_visible_to_the_next_read),
        KIT_CASE(an_error_rolls_the_write_back_and_is_returned),
        KIT_CASE(ping_succeeds_on_an_open_store),
    };
    return KIT_RUN("store/tx", cases, LOG_WARN);
}
