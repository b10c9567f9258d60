#include "model/atom_page.h"

#include "base/arena.h"
#include "model/atom_list.h"

#define LINES_FIRST 64 /* room that most people never outgrow */

/* The lines of one sheet that were asked for, in the order of their sequence. The newest are taken
 * off the end. */
struct pile {
    struct str domain;
    size_t first;
    size_t end;
};

struct reading {
    const struct atom_question *question;
    struct arena *mem;
    struct atom_line *lines; /* of all piles */
    size_t room;
    struct pile *piles;
    size_t pile_count;
};

static struct atom_line *
line_at(struct reading *reading, size_t at)
{
    if (at == reading->room) {
        struct atom_line *grown =
            ARENA_ARRAY(reading->mem, struct atom_line, at == 0 ? LINES_FIRST : at * 2);
        if (at > 0)
            memcpy(grown, reading->lines, at * sizeof *grown);
        reading->lines = grown;
        reading->room = at == 0 ? LINES_FIRST : at * 2;
    }
    return &reading->lines[at];
}

static bool
asked_for(const struct atom_question *question, const struct atom_line *line, bool *fine)
{
    struct atom atom;
    if ((question->statuses & (1u << line->status)) == 0)
        return false;
    if (line->status == ATOM_ACTIVE)
        return true; /* everybody's, whoever said so */
    *fine = atom_list_read_line(line, STR_NONE, question->asker, &atom);
    return *fine && atom_visible(&atom);
}

/* Lines are in order already, but for what replaced another one. */
static void
put_in_place(struct atom_line *lines, size_t first, size_t at)
{
    struct atom_line moving = lines[at];
    for (; at > first && lines[at - 1].sequence > moving.sequence; at--)
        lines[at] = lines[at - 1];
    lines[at] = moving;
}

static bool
look_through(struct reading *reading, struct str list, struct pile *pile)
{
    bool fine = true;
    if (!reading->question->opens(pile->domain, reading->question->context))
        return true;
    while (list.len > 0 && fine) {
        struct atom_line *line = line_at(reading, pile->end);
        fine = atom_list_next(&list, line);
        if (!fine || !asked_for(reading->question, line, &fine))
            continue;
        if (pile->end > pile->first && line[-1].sequence > line->sequence)
            put_in_place(reading->lines, pile->first, pile->end);
        pile->end++;
    }
    return fine;
}

/* The pile that has the newest line, of which there is one left. */
static struct pile *
newest(const struct reading *reading)
{
    struct pile *found = NULL;
    for (struct pile *pile = reading->piles; pile < reading->piles + reading->pile_count; pile++)
        if (pile->end > pile->first &&
            (found == NULL ||
             reading->lines[pile->end - 1].sequence >= reading->lines[found->end - 1].sequence))
            found = pile;
    return found;
}

bool
atom_page_read(struct arena *mem, const struct atom_list *lists, size_t atom_list_count,
               const struct atom_question *question, struct atom_page *out)
{
    struct reading reading = { .question = question, .mem = mem, .pile_count = atom_list_count };
    reading.piles = ARENA_ARRAY(mem, struct pile, atom_list_count);
    *out = (struct atom_page){ 0 };
    for (size_t i = 0; i < atom_list_count; i++) {
        reading.piles[i] = (struct pile){ lists[i].domain, out->total, out->total };
        if (!look_through(&reading, lists[i].text, &reading.piles[i]))
            return false;
        out->total = reading.piles[i].end;
    }
    size_t offset = question->offset < out->total ? question->offset : out->total;
    size_t left = out->total - offset;
    size_t shown = left < question->limit ? left : question->limit;
    out->atoms = ARENA_ARRAY(mem, struct atom, shown);
    while (offset-- > 0)
        newest(&reading)->end--;
    for (; out->count < shown; out->count++) {
        struct pile *pile = newest(&reading);
        if (!atom_list_read_line(&reading.lines[--pile->end], pile->domain, question->asker,
                                 &out->atoms[out->count]))
            return false;
    }
    return true;
}
