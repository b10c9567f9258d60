/* fuzz_member.h - chooses a member of the built-in definitions by a byte of the input. */
#ifndef TESTS_FUZZ_FUZZ_MEMBER_H
#define TESTS_FUZZ_FUZZ_MEMBER_H

#include "fuzz.h"

#include "../unit/domains_kit.h"

static inline const struct member *
choose_member(uint8_t number)
{
    const struct domains *set = kit_domains();
    size_t all = 0;
    for (size_t i = 0; i < set->count; i++)
        all += set->list[i].member_count;
    size_t at = number % all;
    size_t domain = 0;
    for (; at >= set->list[domain].member_count; domain++)
        at -= set->list[domain].member_count;
    return &set->list[domain].members[at];
}

#endif
