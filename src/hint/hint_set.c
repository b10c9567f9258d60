/* Builds a hint set from the facts of one domain: formats values and counts tokens of all lengths.
 */
#include "hint/hint.h"

#include "base/arena.h"
#include "domain/phrase.h"
#include "domain/value_clean.h"
#include "domain/value_none.h"
#include "domain/value_text.h"
#include "hint/hint_according.h"
#include "hint/hint_pairs.h"
#include "hint/hint_rank.h"
#include "hint/hint_set_words.h"
#include "hint/hint_units.h"
#include "hint/hint_words.h"
#include "model/atom.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "tokenizer/tokenizer.h"

#include <string.h>

#define WHOLE_FROM 5     /* lists with this many base_items are not shortened below */
#define DOUBLING_FROM 64 /* from this many values on, each length names twice as many */
#define SENTENCE_MAX_BYTES ((size_t)2 * 1024 * 1024) /* 2,000 values of 200 characters fit */
#define LONG_TOKENS \
    24 /* hints that start longer than this come later, to leave room in small budgets */

/* ---- lengths ---- */

/* Names the last value instead of writing "and 1 more". */
static int
items_or_all(int items, int total)
{
    return total - items == 1 || items > total ? total : items;
}

/* Lists grow from one value on, so that each step fits into a small rest of a budget. A list with a
 * large base_items says little if it is shortened. */
int
hint_fewest_items(const struct member *member, int total)
{
    bool from_one = member->safety == SAFETY_CRITICAL || member->hint.base_items < WHOLE_FROM;
    return items_or_all(from_one ? 1 : member->hint.base_items, total);
}

/* Each length is written out and its tokens are counted, so long lists grow faster: critical ones
 * double from DOUBLING_FROM on, others grow by a quarter beyond max_items. */
int
hint_more_items(const struct member *member, int total, int items)
{
    bool critical = member->safety == SAFETY_CRITICAL;
    int more = critical ? (items < DOUBLING_FROM ? 1 : items)
                        : (items < member->hint.max_items ? 1 : (items + 3) / 4);
    return items >= total ? 0 : items_or_all(items + more, total);
}

size_t
hint_length_count(const struct member *member, int total)
{
    size_t count = 0;
    for (int items = hint_fewest_items(member, total); items != 0 && count < HINT_LENGTHS_MAX;
         items = hint_more_items(member, total, items))
        count++;
    return count;
}

/* ---- values ---- */

static struct str
shown_number(struct arena *mem, const struct json_value *value)
{
    return value_number_text(mem, value->type == JSON_REAL ? value->real : (double)value->integer);
}

/* The entry of an open or closed vocabulary; NULL: none. */
static const struct vocabulary_value *
entry_of(struct arena *mem, const struct member *member, struct str value)
{
    return member->vocabulary == NULL ? NULL
                                      : vocabulary_find(member->vocabulary, value_fold(mem, value));
}

/* The label of a value: always from a closed vocabulary, and from an open one if it defines a label
 * or the value differs only in case ("indian"). Otherwise the value as the user wrote it. */
static struct str
label_of(struct arena *mem, const struct member *member, const struct vocabulary_value *entry,
         struct str value)
{
    bool use_label = entry != NULL && (!member->vocabulary->open || entry->labeled ||
                                       str_eq(entry->key, value_fold(mem, value)));
    return use_label ? entry->label : value;
}

static bool
is_plain_json(struct str json, struct str shown)
{
    return json.len == shown.len + 2 && json.ptr[0] == '"' &&
           memcmp(json.ptr + 1, shown.ptr, shown.len) == 0;
}

/* What the values of a hint decide about its sentence. */
struct facts_form {
    struct str plain; /* the value that hint.values may have a sentence for */
    size_t pairs;     /* properties of an object */
    bool loose;       /* a value does not have the form that the pattern needs */
};

/* Values of a member with a vocabulary are words for things. Those of others can be names, in which
 * "my" and "will" mean nothing. */
static bool
is_no_name(const struct member *member)
{
    return member->vocabulary != NULL && !statement_holds(member);
}

/* A value of such a member, or of one with a form: in the third person, and quoted if it is a
 * clause, or a negation after a negation ("dislikes no …"). */
static void
shape_value(struct arena *mem, const struct member *member, struct hint_value *out,
            struct facts_form *form)
{
    out->quote = out->quote || phrase_is_clause(out->shown) ||
                 (member->avoid && value_has_negation(mem, out->shown));
    if (!out->quote && member->hint.form == FORM_ROLE)
        out->shown = phrase_without_capitals(mem, out->shown);
    if (!out->quote) /* a quotation stays as it was written */
        out->shown = phrase_third_person(mem, out->shown);
    form->loose = str_present(member->hint.loose) &&
                  (form->loose || out->quote || !phrase_fits(member->hint.form, out->shown));
}

/* `plain`: the text is known to need no quotation marks by itself. */
static void
make_value(struct arena *mem, const struct member *member, const struct atom *atom, bool plain,
           struct hint_value *out, struct facts_form *form)
{
    const struct json_value *value = NULL;
    struct why why;
    *out = (struct hint_value){ .shown = STR(""), .json = atom->value };
    if (json_read(mem, atom->value, 4, &value, &why) != ERR_NONE)
        return;
    if (value->type == JSON_STR) {
        const struct vocabulary_value *entry = entry_of(mem, member, value->text);
        form->plain = entry != NULL ? entry->value : value->text;
        out->shown = label_of(mem, member, entry, value->text);
        out->quote = (!plain && hint_must_quote(mem, out->shown)) ||
                     (!atom->by_user && entry == NULL && !phrase_is_name(out->shown));
        if (entry == NULL && (member->hint.form != FORM_ANY || is_no_name(member)))
            shape_value(mem, member, out, form);
        else if (entry == NULL && !statement_holds(member))
            out->quote = out->quote || phrase_is_speech(out->shown);
        if (is_plain_json(atom->value, out->shown))
            out->json = STR_NONE;
    } else if (value->type == JSON_BOOL) {
        form->plain = value->integer != 0 ? STR("true") : STR("false");
        out->shown = value->integer != 0 ? STR("yes") : STR("no");
    } else if (value->type == JSON_OBJECT) {
        out->shown = hint_pairs(mem, member, value, &form->pairs);
    } else {
        form->plain = out->shown = shown_number(mem, value);
    }
}

int
hint_sentence_of(const struct member *member, struct str value)
{
    for (size_t i = 0; i < member->hint.value_count; i++)
        if (str_eq(member->hint.values[i].value, value))
            return (int)i;
    return HINT_FROM_PATTERN;
}

/* ---- levels ---- */

/* Each length of a list begins like the one before. */
struct lines {
    struct tokenizer_series *text, *bullet, *strong, *said, *keyed;
};

static void
count_line(struct tokenizer_series *series, struct buf *line, int *whole, int *last)
{
    *last = (int)tokenizer_series_count(series, buf_str(line));
    buf_add_char(line, '\n');
    *whole = (int)tokenizer_series_count(series, buf_str(line));
    line->len = 0;
}

static void
count_level(struct arena *mem, const struct lines *lines, struct hint *hint, int items,
            struct hint_level *out)
{
    struct buf line = buf_in(mem, SENTENCE_MAX_BYTES);
    int *tokens = out->tokens;
    out->items = items;
    hint_sentence(&line, hint, items, false);
    hint->plain = hint->plain && json_is_plain(buf_str(&line));
    tokens[COUNT_SAID] = hint_units_said(mem, lines->said, buf_str(&line));
    hint->exact = hint->exact && hint_units_exact(mem, hint, items, buf_str(&line));
    count_line(lines->text, &line, &tokens[COUNT_TEXT], &tokens[COUNT_TEXT_LAST]);
    hint_bullet(&line, hint, items);
    hint->plain = hint->plain && json_is_plain(buf_str(&line));
    count_line(lines->bullet, &line, &tokens[COUNT_BULLET], &tokens[COUNT_BULLET_LAST]);
    tokens[COUNT_KEYED] = hint_units_keyed(mem, lines->keyed, hint, items);
    tokens[COUNT_STRONG] = tokens[COUNT_TEXT];
    tokens[COUNT_STRONG_LAST] = tokens[COUNT_TEXT_LAST];
    if (!hint_has_emphasis(hint))
        return;
    hint_sentence(&line, hint, items, true);
    hint->plain = hint->plain && json_is_plain(buf_str(&line));
    count_line(lines->strong, &line, &tokens[COUNT_STRONG], &tokens[COUNT_STRONG_LAST]);
}

static void
make_levels(struct arena *mem, struct hint *hint)
{
    size_t count = hint_length_count(hint->member, hint->total);
    struct hint_level *levels = ARENA_ARRAY(mem, struct hint_level, count);
    int items = hint_fewest_items(hint->member, hint->total);
    struct arena *scratch = arena_new(); /* a user can have thousands of hints */
    struct lines lines = { tokenizer_series_new(scratch), tokenizer_series_new(scratch),
                           tokenizer_series_new(scratch), tokenizer_series_new(scratch),
                           tokenizer_series_new(scratch) };
    for (size_t i = 0; i < count; i++) {
        count_level(scratch, &lines, hint, items, &levels[i]);
        items = hint_more_items(hint->member, hint->total, items);
    }
    arena_free(scratch);
    hint->levels = levels;
    hint->level_count = count;
    hint->is_long =
        hint->safety != SAFETY_CRITICAL && levels[0].tokens[COUNT_TEXT_LAST] > LONG_TOKENS;
}

/* ---- hint sets ---- */

static int
pattern_for(const struct member *member, const struct facts_form *form, int count)
{
    int sentence = count == 1 ? hint_sentence_of(member, form->plain) : HINT_FROM_PATTERN;
    if (sentence >= 0)
        return sentence;
    return form->pairs == 1 ? HINT_OF_ONE : form->loose ? HINT_LOOSE : HINT_FROM_PATTERN;
}

/* Items of apps could read on from one to the next: "cheap wine", "and ignore", "the allergies".
 * Then every item of the list is quoted. */
static void
quote_continued(const struct ranked *facts, struct hint_value *values, size_t count)
{
    bool reads_on = false;
    for (size_t i = 0; i < count && count > 1; i++)
        reads_on = reads_on || (!facts[i].atom->by_user && phrase_reads_on(values[i].shown));
    for (size_t i = 0; i < count && reads_on; i++)
        values[i].quote = true;
}

static struct str
origin_of(struct arena *mem, const struct ranked *facts, int count)
{
    struct str origin = STR("");
    int apps = 0;
    for (int i = 0; i < count && origin.len == 0; i++)
        origin = facts[i].atom->by_user ? SOURCE_USER : origin;
    for (int i = 0; i < count && apps < HINT_ORIGINS_MAX; i++) {
        struct str app = facts[i].atom->app;
        if (!str_present(app) || app.len == 0 || str_has_word(origin, app))
            continue;
        origin = str_format(mem, "%.*s%s%.*s", STR_ARG(origin), origin.len == 0 ? "" : " ",
                            STR_ARG(app));
        apps++;
    }
    return origin;
}

static bool
has_quotation(const struct hint_value *values, int count)
{
    for (int i = 0; i < count; i++)
        if (values[i].quote)
            return true;
    return false;
}

/* What a hint set is made in. */
struct maker {
    struct arena *mem;
    const struct app_names *names;
    struct hint_set *set;
    const struct hint_set *before; /* NULL: none; see hint_set_update() */
    const bool *changed;
};

static struct str
according_to(const struct maker *maker, const struct hint *hint, const struct ranked *facts)
{
    bool attributed =
        hint->by_app &&
        (hint_attributes(maker->set->domain, hint->member) || statement_holds(hint->member) ||
         (hint->sentence < 0 && has_quotation(hint->values, hint->total)));
    return attributed ? hint_according(maker->mem, maker->names, facts, (size_t)hint->total)
                      : STR_NONE;
}

static int32_t
best_score(const struct ranked *facts, int count)
{
    int32_t best = 0;
    for (int i = 0; i < count; i++)
        best = facts[i].score > best ? facts[i].score : best;
    return best;
}

/* ---- hints that stay as they are ---- */

static bool
is_value_of(const struct hint_value *value, struct str json)
{
    if (str_present(value->json))
        return str_eq(value->json, json);
    return json.len == value->shown.len + 2 &&
           str_eq(str_first(str_from(json, 1), value->shown.len), value->shown);
}

/* Whether the hint, with all its values open, was made from these facts. Its apps may have another
 * name since. */
static bool
is_made_of(const struct maker *maker, const struct hint *hint, const struct ranked *facts)
{
    for (int i = 0; i < hint->total; i++)
        if (!is_value_of(&hint->values[i], facts[i].atom->value))
            return false;
    struct str according = according_to(maker, hint, facts);
    return str_eq(hint->origin, origin_of(maker->mem, facts, hint->total)) &&
           str_present(according) == str_present(hint->according) &&
           str_eq(according, hint->according);
}

/* Adds the hint of the same facts from the set before the change. False: there is none. */
static bool
add_same(const struct maker *maker, const struct ranked *facts, int count)
{
    const struct hint_set *before = maker->before;
    if (before == NULL || maker->changed[facts[0].member - before->domain->members])
        return false;
    for (size_t i = 0; i < before->count; i++) {
        struct hint hint = before->hints[i];
        if (hint.member != facts[0].member || hint.total != count)
            continue;
        hint_open(maker->mem, &hint, count);
        if (!is_made_of(maker, &hint, facts))
            continue;
        hint.score = best_score(facts, count); /* relative to the newest fact of the domain */
        maker->set->hints[maker->set->count++] = hint;
        return true;
    }
    return false;
}

/* The first list of the member before the change; without values: there was none. */
static struct hint
list_before(const struct maker *maker, const struct member *member)
{
    const struct hint_set *before = maker->before;
    struct hint none = { .total = 0 };
    for (size_t i = 0; before != NULL && i < before->count; i++) {
        struct hint hint = before->hints[i];
        if (hint.member != member || hint.total < 2)
            continue;
        hint_open(maker->mem, &hint, hint.total);
        return hint;
    }
    return none;
}

/* Whether the value was in the list without quotation marks: it is not checked for signs of
 * anything but a name again, which is most of the work of making a list. */
static bool
was_plain(const struct hint *list, struct str json)
{
    for (int i = 0; i < list->total; i++)
        if (!list->values[i].quote && is_value_of(&list->values[i], json))
            return true;
    return false;
}

/* ---- new hints ---- */

/* Adds a hint made from `count` values of a member, best first, unless the value has no sentence of
 * its own and the member has no pattern. */
static void
add_hint(const struct maker *maker, const struct ranked *facts, int count)
{
    if (add_same(maker, facts, count))
        return;
    struct arena *mem = maker->mem;
    struct hint *out = &maker->set->hints[maker->set->count];
    const struct member *member = facts[0].member;
    struct facts_form form = { .plain = STR_NONE };
    struct hint list = list_before(maker, member);
    struct hint_value *values = ARENA_ARRAY(mem, struct hint_value, (size_t)count);
    for (int i = 0; i < count; i++)
        make_value(mem, member, facts[i].atom, was_plain(&list, facts[i].atom->value), &values[i],
                   &form);
    quote_continued(facts, values, (size_t)count);
    *out = (struct hint){
        .member = member,
        .sentence = pattern_for(member, &form, count),
        .safety =
            facts[0].concern != CONCERN_NONE ? SAFETY_CRITICAL
            : hint_sentence_of(member, VALUE_NONE) >= 0 && str_eq(facts[0].atom->key, VALUE_NONE)
                ? SAFETY_NONE
                : member->safety,
        .sensitive = member->sensitive || facts[0].concern == CONCERN_PRIVATE,
        .by_app = true,
        .origin = origin_of(mem, facts, count),
        .exact = true,
        .plain = true,
        .total = count,
        .values = values,
        .key_tokens = hint_units_key(mem, member),
    };
    if (out->sentence < 0 && !str_present(member->hint.text))
        return;
    out->score = best_score(facts, count);
    for (int i = 0; i < count; i++)
        out->by_app = out->by_app && !facts[i].atom->by_user;
    out->according = according_to(maker, out, facts);
    make_levels(mem, out);
    hint_set_words(mem, out);
    maker->set->count++;
}

/* The number of facts at the start that belong to the same member. */
static int
run_length(const struct ranked *facts, size_t count)
{
    size_t length = 1;
    while (length < count && facts[length].member == facts[0].member)
        length++;
    return (int)length;
}

/* More would not fit into the largest budget, and each takes memory several times. */
#define EACH_MAX 200

/* Adds one hint for each of the best values, and counts the others. */
static void
add_each(const struct maker *maker, const struct ranked *facts, int count)
{
    for (int i = 0; i < count; i++) {
        if (i < EACH_MAX)
            add_hint(maker, facts + i, 1);
        else if (facts[i].concern != CONCERN_NONE)
            maker->set->unlisted_critical++;
        else
            maker->set->unlisted++;
    }
}

static bool
has_sentence(struct arena *mem, const struct ranked *fact)
{
    struct hint_value unused;
    struct facts_form form = { .plain = STR_NONE };
    if (fact->member->hint.value_count == 0)
        return false;
    make_value(mem, fact->member, fact->atom, true, &unused, &form);
    return hint_sentence_of(fact->member, form.plain) >= 0;
}

/* The number of facts at the start that the user stated; they come first. */
static int
stated_count(const struct ranked *facts, int count)
{
    int stated = 0;
    while (stated < count && facts[stated].atom->by_user)
        stated++;
    return stated;
}

/* Adds the hints of an array: one for each value with a sentence of its own, and one list of the
 * others, or two if those of apps are attributed. */
static void
add_lists(const struct maker *maker, const struct ranked *facts, int count)
{
    struct ranked *listed = ARENA_ARRAY(maker->mem, struct ranked, (size_t)count + 1);
    int left = 0;
    for (int i = 0; i < count; i++) {
        if (has_sentence(maker->mem, &facts[i]))
            add_hint(maker, &facts[i], 1);
        else
            listed[left++] = facts[i];
    }
    int first =
        hint_attributes(maker->set->domain, facts[0].member) ? stated_count(listed, left) : left;
    if (first > 0)
        add_hint(maker, listed, first);
    if (left > first)
        add_hint(maker, listed + first, left - first);
}

static void
make_set(struct maker *maker, const struct domain *domain, const struct atom *atoms, size_t count)
{
    struct arena *mem = maker->mem;
    struct hint_set *out = maker->set;
    struct ranked *facts = NULL;
    size_t found = hint_rank(mem, domain, atoms, count, &facts);
    struct str heading = str_format(mem, "**%.*s**\n", STR_ARG(domain->heading));
    *out = (struct hint_set){ .domain = domain,
                              .heading = (int)tokenizer_count(heading),
                              .name = hint_units_name(mem, domain),
                              .hints = ARENA_ARRAY(mem, struct hint, found + 1) };
    for (size_t i = 0; i < found;) {
        const struct member *member = facts[i].member;
        int length = run_length(facts + i, found - i);
        if (statement_holds(member))
            add_each(maker, facts + i, length);
        else if (member->type == MEMBER_ARRAY)
            add_lists(maker, facts + i, length);
        else
            add_hint(maker, facts + i, 1);
        i += (size_t)length;
    }
    hint_set_contexts(domain, out->hints, out->count);
}

void
hint_set_make(struct arena *mem, const struct domain *domain, const struct atom *atoms,
              size_t count, const struct app_names *names, struct hint_set *out)
{
    struct maker maker = { .mem = mem, .names = names, .set = out };
    make_set(&maker, domain, atoms, count);
}

void
hint_set_update(struct arena *mem, const struct hint_set *before, const bool *changed,
                const struct atom *atoms, size_t count, const struct app_names *names,
                struct hint_set *out)
{
    struct maker maker = {
        .mem = mem, .names = names, .set = out, .before = before, .changed = changed
    };
    make_set(&maker, before->domain, atoms, count);
}

struct str
hint_set_rewrite(struct arena *mem, const struct domain *domain, struct str before,
                 const bool *changed, const struct atom *atoms, size_t count,
                 const struct app_names *names)
{
    struct hint_set read, set;
    if (str_present(before) && hint_set_read(mem, domain, before, &read))
        hint_set_update(mem, &read, changed, atoms, count, names, &set);
    else
        hint_set_make(mem, domain, atoms, count, names, &set);
    return hint_set_write(mem, &set);
}
