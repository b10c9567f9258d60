#include "domain/task_words.h"

#include "base/arena.h"

#include <stdlib.h>

#define TITLES_WITH_TERM 3 /* a word of more titles names a part of the domain, not a member */

struct task_word {
    uint32_t term;
    uint16_t member;
};

struct task_words {
    uint64_t filter[16];    /* as in struct terms */
    struct task_word *list; /* sorted by term */
    size_t count;
};

/* The title as users see it, or else the name. */
static struct terms
terms_of_title(const struct member *member)
{
    struct terms terms = { .count = 0 };
    terms_add(&terms, str_present(member->title) ? member->title : member->name);
    return terms;
}

/* A term that is in the titles of several members distinguishes none of them. */
static size_t
titles_with(const struct member *members, size_t count, uint32_t term)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        struct terms terms = terms_of_title(&members[i]);
        found += terms_has(&terms, term);
    }
    return found;
}

static void
add(struct task_words *words, uint32_t term, size_t member)
{
    words->filter[term >> 6 & 15] |= (uint64_t)1 << (term & 63);
    words->list[words->count++] = (struct task_word){ term, (uint16_t)member };
}

/* Members about safety matter by their weight alone, and statements by their own words, unless
 * words are listed. */
static void
add_member(struct task_words *words, const struct member *members, size_t count, size_t i)
{
    struct terms title = terms_of_title(&members[i]);
    for (size_t j = 0; j < members[i].task_word_count; j++) {
        struct terms listed = { .count = 0 };
        terms_add(&listed, members[i].task_words[j]);
        if (listed.count > 0) /* not a word that says nothing about a topic */
            add(words, listed.list[0], i);
    }
    if (members[i].safety != SAFETY_NONE || members[i].hint.for_each)
        return;
    for (size_t j = 0; j < title.count; j++)
        if (titles_with(members, count, title.list[j]) <= TITLES_WITH_TERM)
            add(words, title.list[j], i);
}

static int
compare_words(const void *left, const void *right)
{
    const struct task_word *a = left, *b = right;
    if (a->term != b->term)
        return a->term < b->term ? -1 : 1;
    return (a->member > b->member) - (a->member < b->member);
}

const struct task_words *
task_words_make(struct arena *mem, const struct member *members, size_t count)
{
    struct task_words *words = ARENA_NEW(mem, struct task_words);
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most += members[i].task_word_count + terms_of_title(&members[i]).count;
    *words = (struct task_words){ .list = ARENA_ARRAY(mem, struct task_word, most + 1) };
    for (size_t i = 0; i < count; i++)
        add_member(words, members, count, i);
    qsort(words->list, words->count, sizeof *words->list, compare_words);
    return words;
}

static void
find_term(const struct task_words *words, uint32_t term, struct member_bits *out)
{
    size_t low = 0, high = words->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (words->list[middle].term < term)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < words->count && words->list[low].term == term; low++)
        out->bits[words->list[low].member / 64] |= (uint64_t)1 << words->list[low].member % 64;
}

void
task_words_find(const struct task_words *words, const struct terms *task, struct member_bits *out)
{
    *out = (struct member_bits){ { 0 } };
    for (size_t i = 0; words != NULL && i < task->count; i++) {
        uint32_t term = task->list[i];
        if ((words->filter[term >> 6 & 15] >> (term & 63) & 1) != 0)
            find_term(words, term, out);
    }
}
