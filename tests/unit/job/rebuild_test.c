/* Cards of another version: answered from the facts, and made again by the way. */
#include "unit/flow/facts.h"

#include "flow/hints.h"
#include "job/rebuild.h"
#include "store/tx.h"
#include "unit/assert_str.h"

#define OLD STR("5 -Py6MdwKW-dzI54ZijWWUULB63374p292zBny4Jp4Mo 0 3 ")

/* ---- what is kept ---- */

struct looking {
    struct kit *kit;
    struct str user_id, hints; /* put in the place of every card, if there are any */
    struct str found[4];
    size_t count;
};

static enum err
look(struct db_tx *tx, void *argument)
{
    struct looking *looking = argument;
    struct arena *mem = looking->kit->mem;
    struct record *records = NULL;
    enum err err = record_store_hints(tx, mem, looking->user_id, &records, &looking->count);
    for (size_t i = 0; i < looking->count && !err; i++) {
        looking->found[i] = str_copy(mem, records[i].hints);
        if (str_present(looking->hints))
            err = record_store_put_hints(tx, mem, looking->user_id, &records[i], looking->hints);
    }
    return err;
}

/* The first of the person's cards, before others take their place. */
static struct str
hint_sets(struct kit *kit, struct str user_id, struct str hints)
{
    struct looking looking = { .kit = kit, .user_id = user_id, .hints = hints };
    assert_int_equal(tx_write(kit->db, look, &looking), ERR_NONE);
    assert_int_equal(looking.count, 2);
    return looking.found[0];
}

static struct str
told(struct kit *kit, struct str user_id, bool *stale)
{
    struct hints_params params = {
        .user_id = user_id, .domains = kit_domains(), .allowed = ~(uint64_t)0, .max_tokens = 100
    };
    struct hints hints;
    assert_int_equal(hints_read(kit->db, kit->mem, &params, &hints), ERR_NONE);
    *stale = hints.stale;
    return hints.answer.hints;
}

static struct str
person(struct kit *kit, const char *name)
{
    struct str user_id = facts_user(kit, name);
    facts_write(kit, user_id, SOURCE_USER, FOOD, "{\"dietary\":\"vegan\"}", T0);
    facts_write(kit, user_id, SOURCE_USER, MUSIC, "{\"genres\":[\"jazz\",\"soul\"]}", T0);
    return user_id;
}

/* ---- what happens to it ---- */

static void
old_cards_tell_the_same_and_are_made_again(struct kit *kit)
{
    struct str ada = person(kit, "ada"), bob = person(kit, "bob");
    struct rebuild_queue *rebuilds = rebuild_queue_new(kit_domains());
    bool stale, more;
    struct str before = told(kit, ada, &stale), set = hint_sets(kit, ada, OLD);
    int64_t generation = facts_generation(kit, ada);
    assert_false(stale);
    hint_sets(kit, bob, OLD);
    assert_str(told(kit, ada, &stale), before, "from the facts");
    assert_true(stale);
    rebuild_queue_add(rebuilds, ada);
    rebuild_queue_add(rebuilds, ada);
    assert_int_equal(rebuild_step(kit->db, kit->mem, rebuilds, &more), ERR_NONE);
    assert_false(more);
    assert_str(hint_sets(kit, ada, STR_NONE), set, "as it was");
    assert_str(told(kit, ada, &stale), before, "from the cards");
    assert_false(stale);
    assert_int_equal(facts_generation(kit, ada), generation);
    assert_str(hint_sets(kit, bob, STR_NONE), OLD, "nobody asked about him");
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
a_card_that_somebody_wrote_meanwhile_stays(struct kit *kit)
{
    struct late late = { kit, person(kit, "ada") };
    struct str set = hint_sets(kit, late.user_id, STR_NONE);
    assert_int_equal(tx_write(kit->db, come_late, &late), ERR_NONE);
    assert_str(hint_sets(kit, late.user_id, STR_NONE), set, "still");
}

static void
more_people_than_there_is_room_for_are_left_out(struct kit *kit)
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
        KIT_CASE(old_cards_tell_the_same_and_are_made_again),
        KIT_CASE(a_card_that_somebody_wrote_meanwhile_stays),
        KIT_CASE(more_people_than_there_is_room_for_are_left_out),
    };
    return KIT_RUN("renewal", cases, LOG_WARN);
}
