/* Hint sets of another version: hints come from the atoms, and the hint sets are rebuilt. */
#include "unit/preference/facts.h"

#include "preference/hints.h"
#include "job/rebuild.h"
#include "store/tx.h"
#include "unit/assert_str.h"

#define OLD STR("5 -Py6MdwKW-dzI54ZijWWUULB63374p292zBny4Jp4Mo 0 3 ")

/* ---- stored hint sets ---- */

struct swap {
    struct kit *kit;
    struct str user_id, hints; /* replaces every hint set, if present */
    struct str found[4];
    size_t count;
};

static enum err
swap_sets(struct db_tx *tx, void *argument)
{
    struct swap *swap = argument;
    struct arena *mem = swap->kit->mem;
    struct record *records = NULL;
    enum err err = record_store_hints(tx, mem, swap->user_id, &records, &swap->count);
    for (size_t i = 0; i < swap->count && !err; i++) {
        swap->found[i] = str_copy(mem, records[i].hints);
        if (str_present(swap->hints))
            err = record_store_put_hints(tx, mem, swap->user_id, &records[i], swap->hints);
    }
    return err;
}

/* Returns the user's first hint set, and replaces all if `hints` is present. */
static struct str
hint_sets(struct kit *kit, struct str user_id, struct str hints)
{
    struct swap swap = { .kit = kit, .user_id = user_id, .hints = hints };
    assert_int_equal(tx_write(kit->db, swap_sets, &swap), ERR_NONE);
    assert_int_equal(swap.count, 2);
    return swap.found[0];
}

static struct str
hints_of(struct kit *kit, struct str user_id, bool *stale)
{
    struct hints_params params = { .view = view_whole(user_id),
                                   .domains = kit_domains(),
                                   .allowed = ~(uint64_t)0,
                                   .max_tokens = 100 };
    struct hints hints;
    assert_int_equal(hints_read(kit->db, kit->mem, &params, &hints), ERR_NONE);
    *stale = hints.stale;
    return hints.answer.hints;
}

static struct str
add_user(struct kit *kit, const char *name)
{
    struct str user_id = facts_user(kit, name);
    facts_write(kit, user_id, SOURCE_USER, FOOD, "{\"dietary\":\"vegan\"}", T0);
    facts_write(kit, user_id, SOURCE_USER, MUSIC, "{\"genres\":[\"jazz\",\"soul\"]}", T0);
    return user_id;
}

/* ---- rebuilding ---- */

static void
stale_hint_sets_give_the_same_hints_and_are_rebuilt(struct kit *kit)
{
    struct str ada = add_user(kit, "ada"), bob = add_user(kit, "bob");
    struct rebuild_queue *rebuilds = rebuild_queue_new(kit_domains());
    bool stale, more;
    struct str before = hints_of(kit, ada, &stale), set = hint_sets(kit, ada, OLD);
    int64_t generation = facts_generation(kit, ada);
    assert_false(stale);
    hint_sets(kit, bob, OLD);
    assert_str(hints_of(kit, ada, &stale), before, "from the atoms");
    assert_true(stale);
    rebuild_queue_add(rebuilds, ada);
    rebuild_queue_add(rebuilds, ada);
    assert_int_equal(rebuild_step(kit->db, kit->mem, rebuilds, &more), ERR_NONE);
    assert_false(more);
    assert_str(hint_sets(kit, ada, STR_NONE), set, "unchanged");
    assert_str(hints_of(kit, ada, &stale), before, "from the hint sets");
    assert_false(stale);
    assert_int_equal(facts_generation(kit, ada), generation);
    assert_str(hint_sets(kit, bob, STR_NONE), OLD, "bob was not queued");
    rebuild_queue_free(rebuilds);
}

struct late {
    struct kit *kit;
    struct str user_id;
};

static enum err
come_late(struct db_tx *tx, void *argument)
{
    const struct late *late = argument;
    struct record before = { .domain = STR(FOOD), .hints = OLD };
    enum err err = record_store_put_hints(tx, late->kit->mem, late->user_id, &before, STR("late"));
    before.hints = STR_NONE;
    return err ? err
               : record_store_put_hints(tx, late->kit->mem, late->user_id, &before, STR("late"));
}

static void
a_hint_set_written_meanwhile_is_kept(struct kit *kit)
{
    struct late late = { kit, add_user(kit, "ada") };
    struct str set = hint_sets(kit, late.user_id, STR_NONE);
    assert_int_equal(tx_write(kit->db, come_late, &late), ERR_NONE);
    assert_str(hint_sets(kit, late.user_id, STR_NONE), set, "still");
}

static void
users_over_the_size_of_the_queue_are_dropped(struct kit *kit)
{
    struct rebuild_queue *rebuilds = rebuild_queue_new(kit_domains());
    bool more = true;
    size_t steps = 0;
    for (int i = 0; i < 5000; i++)
        rebuild_queue_add(rebuilds, str_format(kit->mem, "usr_%022d", i * 7919));
    rebuild_queue_add(rebuilds, STR("usr_short"));
    rebuild_queue_add(rebuilds, STR_NONE);
    rebuild_queue_add(NULL, STR("usr_AAAAAAAAAAAAAAAAAAAAAA"));
    for (; more; steps++)
        assert_int_equal(rebuild_step(kit->db, kit->mem, rebuilds, &more), ERR_NONE);
    assert_true(steps > 50 && steps <= 128);
    rebuild_queue_free(rebuilds);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(stale_hint_sets_give_the_same_hints_and_are_rebuilt),
        KIT_CASE(a_hint_set_written_meanwhile_is_kept),
        KIT_CASE(users_over_the_size_of_the_queue_are_dropped),
    };
    return KIT_RUN("renewal", cases, LOG_WARN);
}
