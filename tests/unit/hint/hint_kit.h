/* hint_kit.h - two small definitions and a one-line notation for facts, for tests of hints. */
#ifndef UNIT_MODEL_HINT_KIT_H
#define UNIT_MODEL_HINT_KIT_H

#include "context/context.h"
#include "unit/assert_str.h"

#include "base/arena.h"
#include "value/value.h"
#include "hint/hint.h"
#include "model/app_names.h"
#include "model/atom.h"
#include "text/json_read.h"
#include "unit/model/tea.h"

/* allergies and likes oppose each other; dislikes opposes likes. */
static const char fare[] =
    "{ `format`: 1, `domain`: `fare`, `version`: `1.0.0`, `title`: `Fare`,"
    "  `contexts`: [{ `name`: `dinner` }, { `name`: `picnic` }], `safety_contexts`: [`party`],"
    "  `vocabularies`: { `heat`: { `values`: [{ `value`: `mild` }, { `value`: `very_hot` }] } },"
    "  `members`: ["
    "    { `name`: `allergies`, `type`: `array`, `items`: `string`, `cardinality`: `many`,"
    "      `safety`: `critical`, `opposes`: [`likes`], `weight`: 1, `half_life_days`: 10,"
    "      `hint`: { `text`: `User is allergic to {list}.`, `short`: `Allergies: {list}`,"
    "        `emphasis`: `never serve them` }, `json`: { `key`: `allergies`, `limit`: 1 } },"
    "    { `name`: `diet`, `type`: `string`, `cardinality`: `one`, `safety`: `constraint`,"
    "      `weight`: 0.6, `hint`: { `text`: `User follows {a} {value} diet.` },"
    "      `json`: { `key`: `diet` } },"
    "    { `name`: `likes`, `type`: `array`, `items`: `string`, `cardinality`: `many`,"
    "      `opposes`: [`allergies`], `half_life_days`: 100, `weight`: 0.8,"
    "      `contexts`: { `*`: 0.5, `picnic`: 0.1 },"
    "      `hint`: { `text`: `User likes {list}.`, `text_one`: `User likes only {list}.`,"
    "        `short`: `{list}`, `base_items`: 1, `std_items`: 2, `max_items`: 4 },"
    "      `json`: { `key`: `likes`, `limit`: 2 } },"
    "    { `name`: `dislikes`, `type`: `array`, `items`: `string`, `cardinality`: `many`,"
    "      `polarity`: `avoid`, `opposes`: [`likes`], `half_life_days`: 100, `weight`: 0.7,"
    "      `hint`: { `text`: `User dislikes {list}.`, `conjunction`: `or`, `base_items`: 2,"
    "        `std_items`: 2, `max_items`: 2 } },"
    "    { `name`: `says`, `type`: `array`, `items`: `string`, `cardinality`: `many`,"
    "      `max_length`: 200, `weight`: 0.5,"
    "      `hint`: { `text`: `User says: \\`{value}\\`.`, `short`: `\\`{value}\\`` } },"
    "    { `name`: `spice`, `type`: `enum`, `cardinality`: `one`, `vocabulary`: `heat`, `weight`: "
    "0.4,"
    "      `hint`: { `values`: { `mild`: `User eats mild.`, `very_hot`: `User eats very hot.` } } "
    "},"
    "    { `name`: `table`, `type`: `object`, `cardinality`: `one`, `sensitive`: true,"
    "      `weight`: 0.3, `properties`: { `set_for`: `number`, `by`: `string`, `candles`: `bool` },"
    "      `hint`: { `text`: `User's table is {pairs}.`, `short`: `{pairs}` } } ],"
    "  `summary`: { `members`: [`diet`, `likes`], `max_sentences`: 2 } }";

static const char tunes[] =
    "{ `format`: 1, `domain`: `tunes`, `version`: `1.0.0`, `title`: `Tunes`,"
    "  `contexts`: [{ `name`: `party` }],"
    "  `members`: ["
    "    { `name`: `artists`, `type`: `array`, `items`: `string`, `cardinality`: `many`, `weight`: "
    "1,"
    "      `contexts`: { `*`: 1 },"
    "      `hint`: { `text`: `User hears {list}.`, `short`: `Artists: {list}`, `base_items`: 1,"
    "        `std_items`: 3, `max_items`: 6 }, `json`: { `key`: `artists` } },"
    "    { `name`: `years`, `type`: `number`, `cardinality`: `one`, `weight`: 0.5,"
    "      `hint`: { `values`: { `0`: `User is new to music.`, `1`: `User plays for a year.` } } },"
    "    { `name`: `loud`, `type`: `bool`, `cardinality`: `one`, `weight`: 0.2,"
    "      `hint`: { `text`: `User likes it loud: {value}.` } } ] }";

static inline const struct domains *
hint_kit_domains(struct arena *mem)
{
    struct domains *set = ARENA_NEW(mem, struct domains);
    struct domain_source sources[] = {
        { STR("x/fare.json"), STR("fare"), tea_quotes(mem, fare) },
        { STR("x/tunes.json"), STR("tunes"), tea_quotes(mem, tunes) },
    };
    struct why why = { 0 };
    if (domains_load(mem, sources, ROWS(sources), set, &why) != ERR_NONE)
        fail_msg("%s", why.text);
    set->contexts = context_index_make(mem, set);
    return set;
}

static inline const struct domain *
hint_kit_fare(struct arena *mem)
{
    return domains_find(hint_kit_domains(mem), STR("fare"));
}

/* One fact: "member by day value". `by` is "me" or the number of apps, followed by "@" and the id
 * of the first; "-" before it: suppressed, "?": held. `sequence` is the order of writing. */
static inline void
hint_kit_atom(struct arena *mem, const struct domain *domain, struct str line, int64_t sequence,
              struct atom *out)
{
    struct str member, by, day, rest = line;
    const struct json_value *given = NULL;
    struct json_value as_text = { .type = JSON_STR };
    struct value value;
    str_cut(&rest, ' ', &member);
    str_cut(&rest, ' ', &by);
    str_cut(&rest, ' ', &day);
    *out = (struct atom){ .domain = domain->name, .member = member, .sequence = sequence };
    out->status = by.ptr[0] == '-' ? ATOM_SUPPRESSED : by.ptr[0] == '?' ? ATOM_HELD : ATOM_ACTIVE;
    by = out->status == ATOM_ACTIVE ? by : str_from(by, 1);
    out->by_user = str_eq_c(by, "me");
    out->source_count = out->by_user ? 1 : by.ptr[0] - '0';
    if (str_index(by, '@') < by.len)
        out->app = str_from(by, str_index(by, '@') + 1);
    out->updated_at = (20000 + strtoll(str_c(mem, day), NULL, 10)) * 24 * 3600 + sequence;
    as_text.text = rest;
    const struct member *defined = domain_member(domain, member);
    bool is_text = defined->type <= MEMBER_ENUM;
    if (!is_text && json_read(mem, tea_quotes(mem, str_c(mem, rest)), 4, &given, NULL) != ERR_NONE)
        fail_msg("%.*s is no JSON", STR_ARG(rest));
    const char *problem = value_read(mem, defined, is_text ? &as_text : given, &value);
    if (problem != NULL)
        fail_msg("%.*s: %s", STR_ARG(line), problem);
    out->key = value.key;
    out->value = value.json;
}

/* Facts separated by " | ". */
static inline size_t
hint_kit_atoms(struct arena *mem, const struct domain *domain, const char *lines, struct atom **out)
{
    size_t count = 0;
    struct str rest = str_of(lines);
    *out = ARENA_ARRAY(mem, struct atom, rest.len / 4 + 1);
    while (rest.len > 0) {
        const char *end = memmem(rest.ptr, rest.len, " | ", 3);
        size_t length = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        hint_kit_atom(mem, domain, str_first(rest, length), (int64_t)count + 1, &(*out)[count]);
        count++;
        rest = str_from(rest, end == NULL ? rest.len : length + 3);
    }
    return count;
}

/* The name of an app is its id with spaces; an app whose id starts with "x" was deleted. */
static inline struct str
hint_kit_name(void *source, struct arena *mem, struct str app_id)
{
    char *name = arena_alloc(mem, app_id.len + 1);
    (void)source;
    for (size_t i = 0; i < app_id.len; i++)
        name[i] = app_id.ptr[i] == '_' ? ' ' : app_id.ptr[i];
    return app_id.ptr[0] == 'x' ? STR_NONE : (struct str){ name, app_id.len };
}

static inline struct hint_set
hint_kit_set(struct arena *mem, const struct domain *domain, const char *lines)
{
    struct hint_set set;
    struct app_names names = { hint_kit_name, NULL };
    struct atom *atoms = NULL;
    size_t count = hint_kit_atoms(mem, domain, lines, &atoms);
    hint_set_make(mem, domain, atoms, count, &names, &set);
    return set;
}

#endif
