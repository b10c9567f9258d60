/* foreign_memories.c - text with one statement per line: what an assistant has saved about its
 * user.
 *
 * A line becomes a fact of a member if the line names the member ("Favorite artists: Björk"), or if
 * nothing but a value of the member's vocabulary is left of it ("User is allergic to peanuts").
 * Every other line is offered as a statement. A wrong fact is worse than a statement, so a line
 * that could belong to members of several domains is one, unless the words name one of the domains.
 */
#include "transfer/foreign_memory.h"

#include "base/arena.h"
#include "value/danger.h"
#include "value/value_clean.h"
#include "domain/value_text.h"
#include "context/context.h"
#include "text/utf8.h"
#include "transfer/foreign_file.h"
#include "transfer/foreign_internal.h"

#define STEM_LENGTH 6
#define LINE_MAX_BYTES 4096
#define OTHER_DOMAIN STR("lifestyle_profile") /* of statements about nothing in particular */

/* One statement, and what it could become in a domain. */
struct line {
    struct foreign_import *import;
    struct str text;
    bool negative;
    struct str liked; /* the rest after "I like" or "I don't like"; absent: no such beginning */
    struct context_match about;
};

/* ---- members by their name ---- */

/* Whether the text is nothing but values of the vocabulary, in the member's own wordings. */
static bool
is_vocabulary(const struct line *line, const struct member *member, struct str text)
{
    struct value *values = NULL;
    size_t count = 0;
    if (!foreign_values(line->import->row, member, text, &values, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (vocabulary_find(member->vocabulary, values[i].key) == NULL)
            return false;
    return count > 0;
}

static struct str
without_favorite(struct str folded)
{
    return str_starts(folded, STR("favorite ")) ? str_from(folded, 9) : folded;
}

/* Good enough for English titles: a wrong answer only makes a line a statement. */
static bool
is_plural(struct str many, struct str one)
{
    if (str_ends(one, STR("y")) && str_ends(many, STR("ies")))
        return str_eq(str_first(many, many.len - 3), str_first(one, one.len - 1));
    return str_ends(many, STR("s")) && str_eq(str_first(many, many.len - 1), one);
}

/* "Favorite" is ignored on both sides: a user writes "Artists: Björk" and "Favorite artist: Björk"
 * alike. */
static bool
is_name_of(struct arena *mem, struct str label, const struct member *member)
{
    struct str wanted = without_favorite(value_fold(mem, label));
    const struct str names[] = { member->name, member->title };
    for (size_t i = 0; i < 2 && wanted.len > 0; i++) {
        struct str name = str_present(names[i]) ? value_fold(mem, names[i]) : STR("");
        name = without_favorite(name);
        if (str_eq(name, wanted) || is_plural(name, wanted) || is_plural(wanted, name))
            return true;
    }
    return false;
}

/* How well the values fit a member that the line names; 0: not at all. */
static int
fit_of(const struct line *line, const struct domain *domain, const struct member *member,
       struct str values)
{
    int related = context_chosen(&line->about, domain) != NULL;
    if (member->type == MEMBER_OBJECT || member->type == MEMBER_NUMBER ||
        member->type == MEMBER_BOOL)
        return 0;
    if (member->vocabulary == NULL)
        return 3 + related;
    return is_vocabulary(line, member, values) ? 5 + related : member->vocabulary->open ? 1 : 0;
}

/* The member with that name that the values fit best; NULL: none, or several fit as well. */
static const struct member *
find_named(const struct line *line, struct str label, struct str values,
           const struct domain **domain)
{
    const struct domains *domains = line->import->params->domains;
    const struct member *found = NULL;
    int best = 0;
    for (size_t d = 0; d < domains->count; d++)
        for (size_t m = 0; m < domains->list[d].member_count; m++) {
            const struct member *member = &domains->list[d].members[m];
            int fit = !is_name_of(line->import->row, label, member)
                          ? 0
                          : fit_of(line, &domains->list[d], member, values);
            if (fit == 0 || fit < best)
                continue;
            found = fit > best ? member : NULL;
            *domain = &domains->list[d];
            best = fit;
        }
    return found;
}

/* The next value of a list, which is not empty. False: there is none. */
static bool
next_value(struct str *rest, struct str *value)
{
    while (str_cut(rest, ',', value)) {
        *value = str_trim(*value);
        if (str_starts(*value, STR("and ")))
            *value = str_trim(str_from(*value, 4));
        if (value->len > 0)
            return true;
    }
    return false;
}

/* Values after a member's name, separated by commas. All of them must be valid, or none is added.
 */
static bool
add_values(const struct line *line, const struct domain *domain, const struct member *member,
           struct str list)
{
    struct str part, rest = list;
    struct value *unused = NULL;
    size_t count = 0;
    bool many = str_index(list, ',') < list.len && member->type == MEMBER_ARRAY, all = true;
    if (!many)
        return foreign_add(line->import, domain, member, list);
    while (all && next_value(&rest, &part))
        all = foreign_values(line->import->row, member, part, &unused, &count);
    for (rest = list; all && next_value(&rest, &part);)
        all = foreign_add(line->import, domain, member, part);
    return all;
}

/* False: the line does not name a member, or not exactly one that accepts the values. */
static bool
add_named(const struct line *line)
{
    struct str label, list;
    const struct domain *domain = NULL;
    if (!memory_label(line->text, &label, &list))
        return false;
    const struct member *member = find_named(line, label, list, &domain);
    return member != NULL && add_values(line, domain, member, list);
}

/* ---- members by their vocabulary ---- */

/* Whether the line has the beginning of the member's name: "intolerant" for intolerances. */
static bool
is_mentioned(const struct line *line, const struct member *member)
{
    struct str text = value_fold(line->import->row, line->text);
    struct str stem = str_first(member->name, STEM_LENGTH);
    for (size_t i = 0; i + stem.len <= text.len; i++)
        if (str_starts(str_from(text, i), stem))
            return true;
    return false;
}

/* Whether the line says what the member is for: who does not eat pork is not allergic to it. */
static bool
states_danger(const struct line *line, const struct domain *domain, const struct member *member)
{
    enum concern concern = statement_concern(domain, line->text);
    struct dangers found;
    if (!member_lists_dangers(member))
        return concern != CONCERN_NONE;
    return concern == CONCERN_FOOD &&
           (is_mentioned(line, member) ||
            (danger_in_statement(line->import->row, member, concern, line->text, &found) &&
             found.allergies));
}

/* Which text of the line the member accepts; absent: none. */
static struct str
accepted(const struct line *line, const struct domain *domain, const struct member *member)
{
    struct arena *mem = line->import->row;
    bool critical = member->safety == SAFETY_CRITICAL;
    if (member->vocabulary == NULL || member->sensitive ||
        statement_concern(domain, line->text) == CONCERN_PRIVATE || /* "celiac" says more */
        (member->type != MEMBER_ARRAY && member->type != MEMBER_STRING &&
         member->type != MEMBER_ENUM))
        return STR_NONE;
    /* "peanuts" alone is neither an allergy nor a dislike: the words around it must say so. */
    bool bare = value_entry(mem, member->vocabulary, value_fold(mem, line->text)) != NULL;
    bool may = critical ? states_danger(line, domain, member) : !member->avoid || line->negative;
    if (!may || (bare && member->avoid))
        return STR_NONE;
    if (is_vocabulary(line, member, line->text))
        return line->text;
    if (str_present(line->liked) && member->safety == SAFETY_NONE &&
        line->negative == member->avoid && member->type == MEMBER_ARRAY &&
        is_vocabulary(line, member, line->liked))
        return line->liked;
    return STR_NONE;
}

/* The member of the domain that accepts the line; NULL: none does. The first one counts. Several
 * members about dangers list the same values, so there one that the line mentions comes first. */
static const struct member *
accepting(const struct line *line, const struct domain *domain, struct str *text)
{
    const struct member *first = NULL;
    for (size_t m = 0; m < domain->member_count; m++) {
        const struct member *member = &domain->members[m];
        struct str found = accepted(line, domain, member);
        bool better = member->safety == SAFETY_CRITICAL && is_mentioned(line, member);
        if (!str_present(found) || (first != NULL && !better))
            continue;
        first = member;
        *text = found;
        if (better || member->safety != SAFETY_CRITICAL)
            break;
    }
    return first;
}

/* Between domains, one that the words of the line are about counts. If several are left, none. */
static bool
add_vocabulary(const struct line *line)
{
    const struct domains *domains = line->import->params->domains;
    const struct domain *best = NULL;
    const struct member *chosen = NULL;
    struct str value = STR_NONE;
    bool several = false;
    for (size_t d = 0; d < domains->count; d++) {
        const struct domain *domain = &domains->list[d];
        bool related = context_chosen(&line->about, domain) != NULL;
        bool best_related = best != NULL && context_chosen(&line->about, best) != NULL;
        struct str text = STR_NONE;
        const struct member *member = accepting(line, domain, &text);
        if (member == NULL)
            continue;
        if (best != NULL && related == best_related)
            several = true;
        if (best == NULL || (related && !best_related)) {
            best = domain;
            chosen = member;
            value = text;
            several = false;
        }
    }
    return best != NULL && !several && foreign_add(line->import, best, chosen, value);
}

/* ---- statements ---- */

/* The member that holds free statements; NULL: the domain has none. */
static const struct member *
statements_of(const struct domain *domain)
{
    for (size_t i = 0; domain != NULL && i < domain->member_count; i++)
        if (statement_holds(&domain->members[i]))
            return &domain->members[i];
    return NULL;
}

/* The domain of a statement: one where it is critical, one that it is about, or everyday life. */
static const struct domain *
domain_of(const struct line *line)
{
    const struct domains *domains = line->import->params->domains;
    for (size_t i = 0; i < domains->count; i++)
        if (statement_concern(&domains->list[i], line->text) == CONCERN_FOOD &&
            context_chosen(&line->about, &domains->list[i]) != NULL)
            return &domains->list[i];
    for (size_t i = 0; i < line->about.count; i++)
        if (line->about.list[i].context != NULL &&
            statements_of(line->about.list[i].domain) != NULL)
            return line->about.list[i].domain;
    for (size_t i = 0; i < line->about.count; i++)
        if (statements_of(line->about.list[i].domain) != NULL)
            return line->about.list[i].domain;
    return domains_find(domains, OTHER_DOMAIN);
}

/* In this order: named, vocabulary, statement. False: no member accepts the line. */
static bool
add_line(struct foreign_import *import, struct str text, struct str heading)
{
    struct line line = { .import = import };
    if (utf8_length(text) > VALUE_MAX_CHARACTERS)
        return false;
    line.text = memory_first_person(import->row, text);
    memory_liking(line.text, &line.liked, &line.negative);
    context_find_by_words(import->params->domains->contexts, line.text, &line.about);
    /* "Food" above a list says what its lines are about, unless a line says it itself. */
    if (line.about.count == 0)
        context_find_by_words(import->params->domains->contexts, heading, &line.about);
    if (add_named(&line) || add_vocabulary(&line))
        return true;
    const struct domain *domain = domain_of(&line);
    return foreign_add(import, domain, statements_of(domain), line.text);
}

/* Each heading applies to the lines below it, as in lists that assistants write. Lines that are no
 * statement are neither counted nor reported. */
enum foreign_problem
foreign_memories(struct foreign_import *import, struct str text)
{
    struct str line, heading = STR(""), rest = text;
    while (str_cut(&rest, '\n', &line)) {
        struct memory_line read = memory_read(line);
        if (read.kind == MEMORY_HEADING)
            heading = read.text;
        if (read.kind != MEMORY_STATEMENT)
            continue;
        /* An error instead of a cut: a user who pastes a long text should decide what is in it. */
        if (++import->out->rows > FOREIGN_LINES_MAX)
            return FOREIGN_LINES;
        struct str sentence, sentences = read.text;
        if (sentences.len > LINE_MAX_BYTES) {
            import->out->unused++;
            continue;
        }
        while (memory_cut(&sentences, &sentence)) {
            import->out->unused += add_line(import, sentence, heading) ? 0 : 1;
            arena_reset(import->row);
        }
    }
    import->out->kind = FOREIGN_MEMORIES;
    return FOREIGN_FINE;
}
