#include "hint/hint_ladder.h"

#include "base/arena.h"

#define PACE 20 /* tokens per hint: below this average, hints grow before new ones are added */

struct climb {
    struct arena *mem;
    enum hint_format format;
    const struct rung *rungs;
    struct step *steps;
    size_t count;
    struct step *current; /* by rung: its latest step */
    size_t selected;
    size_t grown; /* the first `grown` rungs cannot grow any more */
    int most;     /* maximum number of hints, unless all are critical */
    bool done;    /* no higher step can be picked */

    int text, bullets; /* tokens of all lines, each with its line feed */
    int headings;
    uint64_t domains; /* bit n: a hint of set n is selected */
    size_t
        last_bullet; /* the last bullet of the output: the latest rung of the domain added last */
};

static const struct hint_level *
level_of(const struct climb *climb, size_t rung)
{
    return &climb->rungs[rung].hint->levels[climb->current[rung].level];
}

static int
text_of(const struct climb *climb, size_t rung)
{
    return climb->current[rung].strong ? level_of(climb, rung)->strong
                                       : level_of(climb, rung)->text;
}

static int
cost_of_text(const struct climb *climb)
{
    if (climb->selected == 0)
        return 0;
    size_t last = climb->selected - 1;
    const struct hint_level *level = level_of(climb, last);
    int bare = climb->current[last].strong ? level->strong_last : level->text_last;
    return climb->text - text_of(climb, last) + bare;
}

/* Headings are written only if there are several domains. */
static int
cost_of_bullets(const struct climb *climb)
{
    const struct hint_level *last = level_of(climb, climb->last_bullet);
    int lines = climb->bullets - last->bullet + last->bullet_last;
    bool several = (climb->domains & (climb->domains - 1)) != 0;
    return several ? lines + climb->headings : lines;
}

static void
emit(struct climb *climb, size_t rung)
{
    struct step *step = &climb->steps[climb->count];
    *step = climb->current[rung];
    step->rung = (uint32_t)rung;
    step->hint_count = (int)climb->selected;
    step->safety = climb->rungs[climb->selected - 1].tier == 0;
    if (climb->format == HINT_TEXT)
        step->cost = cost_of_text(climb);
    else if (climb->format == HINT_BULLETS)
        step->cost = cost_of_bullets(climb);
    if (step->hint_count > climb->most && !step->safety)
        climb->done = true;
    else
        climb->count++;
}

static void
change_level(struct climb *climb, size_t rung, size_t level, bool strong)
{
    climb->text -= text_of(climb, rung);
    climb->bullets -= level_of(climb, rung)->bullet;
    climb->current[rung].level = (uint16_t)level;
    climb->current[rung].strong = strong;
    climb->text += text_of(climb, rung);
    climb->bullets += level_of(climb, rung)->bullet;
    emit(climb, rung);
}

/* Adds one value, or the emphasis, to the first hint that can grow. False: none can. */
static bool
grow(struct climb *climb, bool to_most)
{
    for (; climb->grown < climb->selected; climb->grown++) {
        const struct hint *hint = climb->rungs[climb->grown].hint;
        const struct step *now = &climb->current[climb->grown];
        int enough = to_most ? hint->member->hint.max_items : hint->member->hint.std_items;
        bool longer =
            now->level + 1u < hint->level_count && level_of(climb, climb->grown)->items < enough;
        bool stronger = !to_most && !now->strong && hint->sentence < 0 &&
                        str_present(hint->member->hint.emphasis);
        if (longer || stronger) {
            change_level(climb, climb->grown, now->level + (longer ? 1u : 0u),
                         now->strong || !longer);
            return true;
        }
    }
    return false;
}

/* Adds a critical hint with all its values, any other with its fewest. */
static void
add_rung(struct climb *climb)
{
    size_t rung = climb->selected++;
    const struct rung *added = &climb->rungs[rung];
    uint64_t domain = (uint64_t)1 << added->set_index;
    hint_open(climb->mem, added->hint);
    if ((climb->domains & domain) == 0) {
        climb->headings += added->set->heading;
        climb->domains |= domain;
        climb->last_bullet = rung;
    } else if (added->set == climb->rungs[climb->last_bullet].set) {
        climb->last_bullet = rung;
    }
    climb->text += text_of(climb, rung);
    climb->bullets += level_of(climb, rung)->bullet;
    emit(climb, rung);
    for (size_t i = 1; added->tier == 0 && i < added->hint->level_count; i++)
        change_level(climb, rung, i, false);
    climb->current[rung].keyed = true;
    if (climb->format == HINT_JSON)
        emit(climb, rung);
}

static void
climb_up(struct climb *climb, size_t rung_count)
{
    while (climb->selected < rung_count && !climb->done) {
        if (climb->rungs[climb->selected].tier > 0)
            while (cost_of_text(climb) < PACE * (int)climb->selected && grow(climb, false))
                ;
        add_rung(climb);
    }
    while (!climb->done && grow(climb, false))
        ;
    climb->grown = 0;
    while (!climb->done && grow(climb, true))
        ;
}

/* The number of steps of a hint: its lengths, the emphasis, and in JSON the key. */
static size_t
steps_of(const struct hint *hint, enum hint_format format)
{
    bool strong = hint->sentence < 0 && str_present(hint->member->hint.emphasis);
    return hint->level_count + (strong ? 1 : 0) + (format == HINT_JSON ? 1 : 0);
}

void
hint_ladder_make(struct arena *mem, const struct hint_query *query, struct ladder *out)
{
    size_t most = (size_t)hint_ladder_most(query->max_tokens) + 1, capacity = 0;
    *out = (struct ladder){ 0 };
    hint_order_make(mem, query, query->format == HINT_JSON ? SIZE_MAX : most, &out->order);
    out->rungs = out->order.rungs;
    out->rung_count = out->order.count;
    out->allowed = out->order.critical > most ? out->order.critical : most;
    out->allowed = out->allowed < out->rung_count ? out->allowed : out->rung_count;
    for (size_t i = 0; i < out->rung_count; i++) {
        out->height += steps_of(out->rungs[i].hint, query->format);
        capacity += i < out->allowed ? out->rungs[i].hint->level_count + 2 : 0;
    }
    struct climb climb = {
        .mem = mem,
        .format = query->format,
        .rungs = out->rungs,
        .steps = ARENA_ARRAY(mem, struct step, capacity + 2),
        .current = ARENA_ARRAY(mem, struct step, out->allowed + 1),
        .most = (int)most - 1,
    };
    climb_up(&climb, out->allowed);
    out->steps = climb.steps;
    out->step_count = climb.count;
}
