/* Any facts and any query: hints never exceed the budget in any format; each sentence is one line,
 * each bullet one list item; a larger budget never includes less; the order of facts does not
 * matter; an update of a hint set equals a new one.
 *
 * The first line of the input is the query: a byte for format and permissions, one for the domains,
 * two for the budget, then a context. Every other line is a fact: a byte each for member, sources,
 * and time; then a value. */
#include "fuzz.h"

#include "../unit/domains_kit.h"
#include "base/buf.h"
#include "context/context_task.h"
#include "value/value.h"
#include "selection/hint_answer.h"
#include "model/app_names.h"
#include "model/atom.h"
#include "text/json_read.h"
#include "text/utf8.h"
#include "tokenizer/tokenizer.h"

#define FACTS_MAX 200
#define DAY (24 * 3600)

struct domain_facts {
    struct atom facts[FACTS_MAX];
    size_t count;
};

static uint8_t
byte_at(struct str line, size_t place)
{
    return place < line.len ? (uint8_t)line.ptr[place] : 0;
}

/* Adds the fact of a line, unless its value is invalid. */
static void
add_fact(struct arena *mem, const struct domain *domain, struct str line, struct domain_facts *out)
{
    struct atom *fact = &out->facts[out->count];
    const struct member *member = &domain->members[byte_at(line, 0) % domain->member_count];
    uint8_t caller = byte_at(line, 1);
    struct json_value as_text = { .type = JSON_STR };
    const struct json_value *given = &as_text;
    struct value value;
    as_text.text = line.len > 3 ? str_from(line, 3) : STR("x");
    if (member->type >= MEMBER_NUMBER && json_read(mem, as_text.text, 4, &given, NULL) != ERR_NONE)
        return;
    if (value_read(mem, member, given, &value) != NULL)
        return;
    for (size_t i = 0; i < out->count; i++) /* no duplicates, one value for single-valued members */
        if (str_eq(out->facts[i].member, member->name) &&
            (member->type != MEMBER_ARRAY || str_eq(out->facts[i].key, value.key)))
            return;
    *fact = (struct atom){ .domain = domain->name,
                           .member = member->name,
                           .key = value.key,
                           .value = value.json,
                           .status = caller % 16 == 15   ? ATOM_HELD
                                     : caller % 16 == 14 ? ATOM_SUPPRESSED
                                                         : ATOM_ACTIVE,
                           .by_user = caller & 0x10,
                           .source_count = 1 + (caller >> 5 & 3),
                           .app = value.key,
                           .sequence = (int64_t)out->count,
                           .updated_at = (int64_t)byte_at(line, 2) * 7 * DAY };
    out->count++;
}

/* The name of an app is any text: its id. */
static struct str
name_of(void *source, struct arena *mem, struct str app_id)
{
    (void)source;
    (void)mem;
    return app_id;
}

static struct hint_set
stored_set(struct arena *mem, const struct domain *domain, const struct domain_facts *of)
{
    struct hint_set set, kept;
    struct app_names names = { name_of, NULL };
    hint_set_make(mem, domain, of->facts, of->count, &names, &set);
    MUST(hint_set_read(mem, domain, hint_set_write(mem, &set), &kept));
    return kept;
}

/* An update without one of the facts, and with it again, gives the same as making the set. */
static void
updates_hold(struct arena *mem, const struct domain *domain, const struct domain_facts *of,
             size_t which)
{
    struct app_names names = { name_of, NULL };
    if (of->count == 0)
        return;
    struct atom *others = ARENA_ARRAY(mem, struct atom, of->count), *without = others;
    bool *changed = ARENA_ARRAY(mem, bool, domain->member_count);
    for (size_t i = 0; i < of->count; i++)
        if (i != which % of->count)
            *without++ = of->facts[i];
    struct str member = of->facts[which % of->count].member;
    changed[domain_member(domain, member) - domain->members] = true;
    struct hint_set all, fewer;
    hint_set_make(mem, domain, of->facts, of->count, &names, &all);
    hint_set_make(mem, domain, others, of->count - 1, &names, &fewer);
    struct str text = hint_set_write(mem, &all), shorter = hint_set_write(mem, &fewer);
    MUST(str_eq(hint_set_rewrite(mem, domain, shorter, changed, of->facts, of->count, &names),
                text));
    MUST(str_eq(hint_set_rewrite(mem, domain, text, changed, others, of->count - 1, &names),
                shorter));
}

/* ---- properties ---- */

static bool
has_control(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((uint8_t)text.ptr[i] < 0x20)
            return true;
    return false;
}

static void
sentences_hold(struct arena *mem, const struct json_value *hints, const struct hint_answer *answer)
{
    struct buf all = buf_in(mem, (size_t)1 << 22);
    for (size_t i = 0; i < hints->count; i++) {
        struct str line = hints->children[i].text;
        MUST(str_ends(line, STR(".")) && !has_control(line) && utf8_valid(line));
        buf_add_c(&all, i > 0 ? "\n" : "");
        buf_add(&all, line);
    }
    MUST((int)tokenizer_count(buf_str(&all)) == answer->tokens);
}

static void
bullets_hold(const struct json_value *hints, const struct hint_answer *answer)
{
    struct str line, rest = hints->text;
    MUST((int)tokenizer_count(rest) == answer->tokens && utf8_valid(rest));
    while (rest.len > 0 && str_cut(&rest, '\n', &line))
        MUST(!has_control(line) && (str_starts(line, STR("- ")) ||
                                    (str_starts(line, STR("**")) && str_ends(line, STR("**")))));
}

static void
object_holds(const struct domains *domains, const struct json_value *hints,
             const struct hint_answer *answer)
{
    MUST((int)tokenizer_count(answer->hints) == answer->tokens);
    for (size_t i = 0; i < hints->count; i++) {
        const struct json_value *domain = &hints->children[i];
        MUST(domains_find(domains, domain->key) != NULL && domain->count > 0);
        MUST(str_eq_c(domain->children[0].key, "summary") && domain->children[0].text.len > 0);
    }
}

static void
answer_holds(struct arena *mem, const struct hint_query *query, const struct hint_answer *answer)
{
    const struct json_value *hints = NULL;
    MUST(json_read(mem, answer->hints, 8, &hints, NULL) == ERR_NONE);
    MUST(answer->tokens <= query->max_tokens && answer->omitted >= 0);
    if (query->format == HINT_TEXT)
        sentences_hold(mem, hints, answer);
    else if (query->format == HINT_BULLETS)
        bullets_hold(hints, answer);
    else
        object_holds(kit_domains(), hints, answer);
}

/* ---- input ---- */

static void
reverse(struct domain_facts *of)
{
    for (size_t i = 0; i < of->count / 2; i++) {
        struct atom other = of->facts[i];
        of->facts[i] = of->facts[of->count - 1 - i];
        of->facts[of->count - 1 - i] = other;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    const struct domains *domains = kit_domains();
    struct str question = STR(""), line, rest = fuzz_input(mem, data, size);
    struct domain_facts *facts = ARENA_ARRAY(mem, struct domain_facts, domains->count);
    struct hint_set hint_sets[2][DOMAINS_MAX];
    struct context_match match = { 0 };
    struct hint_answer answer, other;
    str_cut(&rest, '\n', &question);
    for (int lines = 0; lines < FACTS_MAX && str_cut(&rest, '\n', &line); lines++) {
        size_t domain = byte_at(line, 0) % domains->count;
        add_fact(mem, &domains->list[domain], str_from(line, line.len > 0), &facts[domain]);
    }
    for (size_t i = 0; i < domains->count; i++) {
        hint_sets[0][i] = stored_set(mem, &domains->list[i], &facts[i]);
        updates_hold(mem, &domains->list[i], &facts[i], byte_at(question, 2));
        reverse(&facts[i]);
        hint_sets[1][i] = stored_set(mem, &domains->list[i], &facts[i]);
    }
    struct terms task = { .count = 0 };
    if (question.len > 4)
        context_task_find(domains->contexts, str_from(question, 4), &match, &task);
    struct hint_query query = {
        .hint_sets = hint_sets[0],
        .set_count = domains->count,
        .sensitive = byte_at(question, 0) & 4 ? ~(uint64_t)0 : 0,
        .context = &match,
        .task = &task,
        .domains_named = byte_at(question, 1) & 1,
        .format = (enum hint_format)(byte_at(question, 0) % 3),
        .max_tokens = 1 + (byte_at(question, 2) << 8 | byte_at(question, 3)) % 4000,
    };
    hint_answer(mem, &query, &answer);
    answer_holds(mem, &query, &answer);
    query.hint_sets = hint_sets[1];
    hint_answer(mem, &query, &other);
    MUST(str_eq(other.hints, answer.hints) && other.omitted == answer.omitted);
    query.max_tokens += 1 + byte_at(question, 1);
    hint_answer(mem, &query, &other);
    answer_holds(mem, &query, &other);
    MUST(other.omitted <= answer.omitted && other.safety_complete >= answer.safety_complete);
    arena_free(mem);
    return 0;
}
