/* tea.h - a small definition that uses every feature, for tests to read and to break. */
#ifndef UNIT_MODEL_TEA_H
#define UNIT_MODEL_TEA_H

#include "unit/assert_str.h"

#include "base/arena.h"
#include "domain/domain.h"

/* Each row of a test of invalid definitions changes one part of this. */
static const char tea[] =
    "{ `format`: 1, `domain`: `tea`, `version`: `1.2.3`, `title`: `Tea`, `heading`: `Teas`,"
    "  `description`: `What is in the pot.`,"
    "  `contexts`: [{ `name`: `tea_search`, `aliases`: [`find_tea`] }, { `name`: `party` }],"
    "  `safety_contexts`: [`flight_search`],"
    "  `keywords`: { `strong`: [`tea`, `pot`], `weak`: [`cup`] },"
    "  `vocabularies`: {"
    "    `kind`: { `open`: true, `values`: ["
    "      { `value`: `green`, `aliases`: [`sencha`], `note`: `a note` }, { `value`: `black` }] },"
    "    `milk`: { `values`: [{ `value`: `none` }, { `value`: `a_drop`, `label`: `a drop` }] } },"
    "  `members`: ["
    "    { `name`: `kinds`, `type`: `array`, `items`: `string`, `cardinality`: `many`,"
    "      `description`: `Teas.`, `vocabulary`: `kind`, `safety`: `constraint`,"
    "      `suggest`: [`white`, `green`],"
    "      `half_life_days`: 30, `weight`: 0.25, `contexts`: { `*`: 0.75, `party`: 1 },"
    "      `hint`: { `text`: `User drinks {list}.`, `text_one`: `User drinks {list} tea.`,"
    "        `short`: `Teas: {list}`, `emphasis`: `hot`, `conjunction`: `or`,"
    "        `base_items`: 2, `std_items`: 3, `max_items`: 9 },"
    "      `json`: { `key`: `teas`, `limit`: 4 } },"
    "    { `name`: `avoided`, `type`: `array`, `items`: `string`, `cardinality`: `many`,"
    "      `polarity`: `avoid`, `opposes`: [`kinds`], `max_length`: 20,"
    "      `hint`: { `text`: `User says: {value}.` }, `json`: { `key`: `not` } },"
    "    { `name`: `milk`, `type`: `enum`, `cardinality`: `one`, `vocabulary`: `milk`,"
    "      `hint`: { `values`: { `none`: `No milk.`, `a_drop`: `A drop of milk.` } } },"
    "    { `name`: `cups`, `title`: `Cups a day`,"
    "      `type`: `number`, `cardinality`: `one`, `minimum`: 0, `maximum`: 9.5,"
    "      `hint`: { `text`: `Cups: {value}.`, `values`: { `1`: `One cup.` } } },"
    "    { `name`: `sugar`, `type`: `bool`, `cardinality`: `one`, `opposes`: `milk`,"
    "      `hint`: { `values`: { `true`: `Sweet.`, `false`: `Not sweet.` } } },"
    "    { `name`: `pot`, `type`: `object`, `cardinality`: `one`, `sensitive`: true,"
    "      `properties`: { `color`: `string`, `liters`: `number`, `lid`: `bool` },"
    "      `hint`: { `text`: `Pot: {pairs}.` } },"
    "    { `name`: `shop`, `type`: `string`, `cardinality`: `one`,"
    "      `hint`: { `text`: `User buys at {a} {value}.` } } ],"
    "  `summary`: { `members`: [`kinds`], `max_sentences`: 3 } }";

static inline struct str
tea_quotes(struct arena *mem, const char *text)
{
    char *copy = arena_alloc(mem, strlen(text) + 1);
    for (size_t i = 0; text[i] != '\0'; i++)
        copy[i] = text[i] == '`' ? '"' : text[i];
    return str_of(copy);
}

/* The base with the first `from` replaced by `to`; fails if it does not occur. */
static inline struct str
tea_changed(struct arena *mem, const char *from, const char *to)
{
    const char *at = strstr(tea, from);
    if (at == NULL)
        fail_msg("not in the base: %s", from);
    struct str text = str_format(mem, "%.*s%s%s", (int)(at - tea), tea, to, at + strlen(from));
    return tea_quotes(mem, text.ptr);
}

static inline enum err
tea_load(struct arena *mem, struct str text, struct domains *out, struct why *why)
{
    struct domain_source source = { STR("x/tea.json"), STR("tea"), text };
    return domains_load(mem, &source, 1, out, why);
}

#endif
