/* domains_kit.h - the definitions that are compiled in, for tests that know scopes or domains.
 *
 * Scopes of domains come in the order of their names: coding_profile, communication_profile,
 * food_profile, lifestyle_profile, media_profile, music_preferences, travel_profile. */
#ifndef UNIT_DOMAINS_KIT_H
#define UNIT_DOMAINS_KIT_H

#include "config/definitions.h"
#include "base/arena.h"
#include "domain/domain.h"
#include "model/scope.h"

#include <stdio.h>
#include <stdlib.h>

#define KIT_CODING ((scopes)SCOPE_FIRST_DOMAIN)
#define KIT_FOOD ((scopes)SCOPE_FIRST_DOMAIN << 2)
#define KIT_MUSIC ((scopes)SCOPE_FIRST_DOMAIN << 5)
#define KIT_DOMAINS 7

/* Loads them at the first call; they live as long as the process. */
static inline const struct domains *
kit_domains(void)
{
    static struct arena *mem;
    static struct domains domains;
    struct why why = { 0 };
    if (mem != NULL)
        return &domains;
    mem = arena_new();
    if (definitions_load(mem, NULL, NULL, &domains, &why)) {
        fprintf(stderr, "%s\n", why.text);
        abort();
    }
    scopes_setup(&domains);
    return &domains;
}

#endif
