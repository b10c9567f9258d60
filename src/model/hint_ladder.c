#include "model/hint_ladder.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define PACE 20            /* tokens a hint: below that, hints grow before new ones come */
#define LONG_TOKENS 24     /* a hint that starts above this waits, lest it block a small budget */
#define LEAST_CONTEXT 9830 /* 0.15: what matters less in this context is not told */
#define NO_WEIGHT 32768    /* 0.5 */

/* ---- which hints, and how much they matter ---- */

static int32_t
context_weight(const struct member *member, const struct context *context)
{
    int32_t other = NO_WEIGHT;
    for (size_t i = 0; i < member->context_count; i++) {
        if (context != NULL && str_eq(member->contexts[i].context, context->name))
            return member->contexts[i].weight;
        if (str_eq_c(member->contexts[i].context, "*"))
            other = member->contexts[i].weight;
    }
    return other;
}

/* False: not told in this context. */
static bool
weigh(const struct hint_query *query, const struct hint_card *card, const struct member *member,
      int32_t *out)
{
    const struct context_match *match = query->context;
    if (!match->known) {
        *out = HINT_ONE;
        return true;
    }
    const struct context_choice *choice = context_chosen(match, card->domain);
    *out = context_weight(member, choice == NULL ? NULL : choice->context);
    if (query->domains_named)
        return true;
    if (member->safety == SAFETY_CRITICAL)
        return choice != NULL || context_is_safety(match, card->domain);
    return choice != NULL && *out >= LEAST_CONTEXT;
}

static size_t
gather(const struct hint_query *query, struct rung *out)
{
    size_t count = 0;
    for (size_t c = 0; c < query->card_count; c++) {
        const struct hint_card *card = &query->cards[c];
        for (size_t i = 0; i < card->count; i++) {
            const struct hint *hint = &card->hints[i];
            const struct member *member = hint->member;
            int32_t weight;
            if ((member->sensitive && (query->sensitive >> c & 1) == 0) ||
                !weigh(query, card, member, &weight))
                continue;
            bool critical = member->safety == SAFETY_CRITICAL;
            out[count] = (struct rung){
                .card = card,
                .hint = hint,
                .tier = critical                              ? 0
                        : member->safety == SAFETY_CONSTRAINT ? 1
                                                              : 2,
                .score =
                    (int32_t)((int64_t)weight * member->weight / HINT_ONE * hint->score / HINT_ONE),
                .is_long = !critical && hint->levels[0].text_last > LONG_TOKENS,
                .place = count,
            };
            count++;
        }
    }
    return count;
}

/* ---- in which order ---- */

static int
compare_names(struct str a, struct str b)
{
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Critical ones first, whatever their domain; the others by domain. */
static int
compare_rungs(const void *left, const void *right)
{
    const struct rung *a = left, *b = right;
    if ((a->tier == 0) != (b->tier == 0))
        return a->tier == 0 ? -1 : 1;
    if (a->tier != 0) {
        int domain = compare_names(a->card->domain->name, b->card->domain->name);
        if (domain != 0)
            return domain;
        if (a->is_long != b->is_long)
            return a->is_long ? 1 : -1;
        if (a->tier != b->tier)
            return a->tier - b->tier;
    }
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    int domain = compare_names(a->card->domain->name, b->card->domain->name);
    if (domain != 0)
        return domain;
    int member = compare_names(a->hint->member->name, b->hint->member->name);
    return member != 0 ? member : (a->place > b->place) - (a->place < b->place);
}

/* A domain's hints behind the critical ones. */
struct queue {
    const struct rung *next, *end;
    int32_t best;
};

static int
compare_queues(const void *left, const void *right)
{
    const struct queue *a = left, *b = right;
    if (a->best != b->best)
        return a->best > b->best ? -1 : 1;
    return compare_names(a->next->card->domain->name, b->next->card->domain->name);
}

static size_t
make_queues(const struct rung *rungs, size_t count, struct queue *out)
{
    size_t queues = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || rungs[i].card != rungs[i - 1].card)
            out[queues++] = (struct queue){ &rungs[i], &rungs[i], -1 };
        struct queue *queue = &out[queues - 1];
        queue->end = &rungs[i] + 1;
        queue->best = rungs[i].score > queue->best ? rungs[i].score : queue->best;
    }
    return queues;
}

/* Domains take turns: each is heard once before any is heard twice. */
static void
take_turns(struct arena *mem, struct rung *rungs, size_t count)
{
    struct queue *queues = ARENA_ARRAY(mem, struct queue, count + 1);
    struct rung *sorted = ARENA_ARRAY(mem, struct rung, count + 1);
    for (size_t i = 0; i < count; i++)
        sorted[i] = rungs[i];
    size_t domains = make_queues(sorted, count, queues), placed = 0;
    qsort(queues, domains, sizeof *queues, compare_queues);
    while (placed < count)
        for (size_t i = 0; i < domains; i++)
            if (queues[i].next < queues[i].end)
                rungs[placed++] = *queues[i].next++;
}

/* ---- the way up ---- */

struct climb {
    const struct hint_query *query;
    const struct rung *rungs;
    struct step *steps;
    size_t count;
    struct step *told; /* by rung: how it stands now */
    size_t told_count;
    int most;  /* hints */
    bool over; /* no higher step can be picked */

    int text, bullets; /* every line with its end */
    int headings, domains;
    size_t last_bullet; /* the last hint of the domain that came last */
};

static const struct hint_level *
level_of(const struct climb *climb, size_t rung)
{
    return &climb->rungs[rung].hint->levels[climb->told[rung].level];
}

static int
text_of(const struct climb *climb, size_t rung)
{
    return climb->told[rung].strong ? level_of(climb, rung)->strong : level_of(climb, rung)->text;
}

static int
cost_of_text(const struct climb *climb)
{
    if (climb->told_count == 0)
        return 0;
    size_t last = climb->told_count - 1;
    const struct hint_level *level = level_of(climb, last);
    int bare = climb->told[last].strong ? level->strong_last : level->text_last;
    return climb->text - text_of(climb, last) + bare;
}

/* Headings stand only where there are several. */
static int
cost_of_bullets(const struct climb *climb)
{
    const struct hint_level *last = level_of(climb, climb->last_bullet);
    int lines = climb->bullets - last->bullet + last->bullet_last;
    return climb->domains > 1 ? lines + climb->headings : lines;
}

static void
emit(struct climb *climb, size_t rung)
{
    struct step *step = &climb->steps[climb->count];
    enum hint_format format = climb->query->format;
    *step = climb->told[rung];
    step->rung = (uint32_t)rung;
    step->told = (int)climb->told_count;
    step->safety = climb->rungs[climb->told_count - 1].tier == 0;
    if (format == HINT_TEXT)
        step->cost = cost_of_text(climb);
    else if (format == HINT_BULLETS)
        step->cost = cost_of_bullets(climb);
    if (format != HINT_JSON && step->told > climb->most && !step->safety)
        climb->over = true;
    else
        climb->count++;
}

static void
retell(struct climb *climb, size_t rung, size_t level, bool strong)
{
    climb->text -= text_of(climb, rung);
    climb->bullets -= level_of(climb, rung)->bullet;
    climb->told[rung].level = (uint16_t)level;
    climb->told[rung].strong = strong;
    climb->text += text_of(climb, rung);
    climb->bullets += level_of(climb, rung)->bullet;
    emit(climb, rung);
}

/* One value more, or the emphasis, for the first hint that has room for it. False: none has. */
static bool
grow(struct climb *climb, bool to_most)
{
    for (size_t i = 0; i < climb->told_count; i++) {
        const struct hint *hint = climb->rungs[i].hint;
        const struct step *told = &climb->told[i];
        int enough = to_most ? hint->member->hint.max_items : hint->member->hint.std_items;
        bool longer = told->level + 1u < hint->level_count && level_of(climb, i)->items < enough;
        bool stronger = !to_most && !told->strong && hint->sentence < 0 &&
                        str_present(hint->member->hint.emphasis);
        if (longer || stronger) {
            retell(climb, i, told->level + (longer ? 1u : 0u), told->strong || !longer);
            return true;
        }
    }
    return false;
}

static bool
is_new_domain(const struct climb *climb, size_t rung)
{
    for (size_t i = 0; i < rung; i++)
        if (climb->rungs[i].card == climb->rungs[rung].card)
            return false;
    return true;
}

/* Critical ones at once with all their values; the others with few. */
static void
add_rung(struct climb *climb)
{
    size_t rung = climb->told_count++;
    const struct rung *added = &climb->rungs[rung];
    if (is_new_domain(climb, rung)) {
        climb->headings += added->card->heading;
        climb->domains++;
        climb->last_bullet = rung;
    } else if (added->card == climb->rungs[climb->last_bullet].card) {
        climb->last_bullet = rung;
    }
    climb->text += text_of(climb, rung);
    climb->bullets += level_of(climb, rung)->bullet;
    emit(climb, rung);
    for (size_t i = 1; added->tier == 0 && i < added->hint->level_count; i++)
        retell(climb, rung, i, false);
    climb->told[rung].keyed = true;
    if (climb->query->format == HINT_JSON)
        emit(climb, rung);
}

static void
climb_up(struct climb *climb, size_t rung_count)
{
    while (climb->told_count < rung_count && !climb->over) {
        if (climb->rungs[climb->told_count].tier > 0)
            while (cost_of_text(climb) < PACE * (int)climb->told_count && grow(climb, false))
                ;
        add_rung(climb);
    }
    while (!climb->over && grow(climb, false))
        ;
    while (!climb->over && grow(climb, true))
        ;
}

void
hint_ladder_make(struct arena *mem, const struct hint_query *query, struct ladder *out)
{
    size_t most = 0, room = 0;
    for (size_t i = 0; i < query->card_count; i++)
        most += query->cards[i].count;
    struct rung *rungs = ARENA_ARRAY(mem, struct rung, most + 1);
    size_t count = gather(query, rungs), critical = 0;
    qsort(rungs, count, sizeof *rungs, compare_rungs);
    while (critical < count && rungs[critical].tier == 0)
        critical++;
    take_turns(mem, rungs + critical, count - critical);
    for (size_t i = 0; i < count; i++)
        room += rungs[i].hint->level_count + 2; /* each level once, the emphasis, the key */
    struct climb climb = {
        .query = query,
        .rungs = rungs,
        .steps = ARENA_ARRAY(mem, struct step, room + 2),
        .told = ARENA_ARRAY(mem, struct step, count + 1),
        .most = hint_ladder_most(query->max_tokens),
    };
    climb_up(&climb, count);
    *out = (struct ladder){ rungs, count, climb.steps, climb.count };
}
