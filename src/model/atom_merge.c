/* atom_merge.c - what one written value does to a domain's atoms.
 *
 * An atom is found by member and key; the key is the comparable form of the value, so that another
 * spelling is the same fact. A new value becomes an atom, active or held. A known one gets the
 * writer as a source. Suppressed values stay suppressed, whatever apps write; only the user's own
 * write makes them active. In a single-valued member a new value replaces the current one, unless
 * the writer may not. A withheld value must look the same to the app whether or not the user has
 * it: same counts, same outcome, an id that does not depend on it. */
#include "model/atom_merge.h"

#include "crypt/digest.h"
#include "value/preference_items.h"

#define DAY ((int64_t)24 * 3600)

/* Linear: a domain has at most ATOMS_PER_DOMAIN_MAX atoms, and a write has few values. */
static struct sourced_atom *
find_atom(struct atom_merge *merge, const struct preference_item *item)
{
    for (size_t i = 0; i < merge->count; i++)
        if (str_eq(merge->atoms[i].atom.key, item->value.key) &&
            str_eq(merge->atoms[i].atom.member, item->member->name))
            return &merge->atoms[i];
    return NULL;
}

/* The current value of a single-valued member; NULL: none. */
static struct sourced_atom *
find_current(struct atom_merge *merge, const struct member *member)
{
    for (size_t i = 0; member->type != MEMBER_ARRAY && i < merge->count; i++)
        if (merge->atoms[i].atom.status == ATOM_ACTIVE &&
            str_eq(merge->atoms[i].atom.member, member->name))
            return &merge->atoms[i];
    return NULL;
}

static bool
from_user(const struct atom_merge *merge)
{
    return str_eq(merge->source, SOURCE_USER);
}

/* Adds the writer to the atom's sources. */
static void
add_source(struct atom_merge *merge, struct sourced_atom *atom)
{
    struct atom_source source = { .source = merge->source,
                                  .created_at = merge->now,
                                  .updated_at = merge->now };
    atom_add_source(merge->mem, atom, source);
    atom->atom.by_caller = merge->changed = true;
}

/* One more value of the app waits, unless too many do. */
static const char *
add_waiting(struct atom_merge *merge)
{
    if (!merge->waits || merge->room-- > 0)
        return NULL;
    return "would exceed the limit of 100 changes by this app that wait for the user's "
           "confirmation; the user must decide on some first";
}

/* Whether an app's value waits for the user, also because the app has stated enough critical facts:
 * they come before everything else in hints and would displace the facts that the user stated. */
static bool
exceeds_authority(struct atom_merge *merge, const struct preference_item *item)
{
    int critical = 0;
    for (size_t i = 0; item->member->safety == SAFETY_CRITICAL && i < merge->count; i++) {
        const struct atom *atom = &merge->atoms[i].atom;
        const struct member *member = domain_member(merge->domain, atom->member);
        critical += atom->by_caller && !atom->by_user && atom->status == ATOM_ACTIVE &&
                    member != NULL && member->safety == SAFETY_CRITICAL;
    }
    return critical >= CRITICAL_PER_APP_MAX ||
           value_needs_user(merge->mem, merge->domain, item->member, &item->value);
}

/* `limited` is computed once per write and spares the comparison with each withheld fact. */
static bool
is_withheld(const struct atom_merge *merge, const struct preference_item *item)
{
    return merge->limited &&
           view_withholds(&merge->view, merge->domain->name, item->member->name, item->value.key);
}

/* An app does not replace what the user stated, nor what it does not see. */
static bool
may_replace(const struct atom_merge *merge, const struct sourced_atom *current)
{
    return from_user(merge) || current == NULL ||
           (!current->atom.by_user && view_shows(&merge->view, &current->atom));
}

/* A held value does not replace the current one: both are stored until the user decides. A replaced
 * value is deleted, and the last atom takes its place in the array. */
static const char *
add_atom(struct atom_merge *merge, const struct preference_item *item)
{
    struct sourced_atom *current = find_current(merge, item->member);
    bool withheld = is_withheld(merge, item);
    bool held = merge->waits || withheld || !may_replace(merge, current) ||
                (!from_user(merge) && exceeds_authority(merge, item));
    if (merge->count >= ATOMS_PER_DOMAIN_MAX && (current == NULL || held))
        return "would exceed the limit of 2,000 facts in this domain, including suppressed "
               "ones; the user must delete some first";
    const char *full = add_waiting(merge);
    if (full != NULL)
        return full;
    if (current != NULL && !held)
        *current = merge->atoms[--merge->count];
    struct sourced_atom *added = &merge->atoms[merge->count++];
    *added = (struct sourced_atom){ .atom = {
                                        .id = merge->new_id(merge->mem),
                                        .domain = merge->domain->name,
                                        .member = item->member->name,
                                        .key = item->value.key,
                                        .value = item->value.json,
                                        .wording = item->value.wording,
                                        .status = held ? ATOM_HELD : ATOM_ACTIVE,
                                        .by_user = from_user(merge),
                                        .sequence = ++merge->sequence,
                                        .created_at = merge->now,
                                        .updated_at = merge->now,
                                    } };
    add_source(merge, added);
    merge->record_changed = merge->record_changed || !held;
    if (held)
        merge->counts.held += !withheld; /* else counted by merge_item() */
    else if (current != NULL)
        merge->counts.updated++;
    else
        merge->counts.added++;
    return NULL;
}

/* Makes a held, suppressed, or app-written atom the user's own active one. */
static void
confirm_atom(struct atom_merge *merge, const struct preference_item *item,
             struct sourced_atom *atom)
{
    struct sourced_atom *current = find_current(merge, item->member);
    if (current != NULL && current != atom) {
        *current = merge->atoms[--merge->count];
        /* It may have been the last one, which has just moved. */
        atom = find_atom(merge, item);
    }
    atom->atom.status = ATOM_ACTIVE;
    atom->atom.by_user = true;
    atom->atom.reason = atom->atom.suppressed_by = STR_NONE;
    atom->atom.suppressed_at = 0;
    atom->atom.updated_at = merge->now;
    merge->record_changed = true;
    merge->counts.updated++;
    add_source(merge, atom);
}

/* A value that is written again gets a new time once a day, so that most repeated writes change no
 * row. If writes of the app wait, a known value changes nothing. */
static void
repeat_atom(struct atom_merge *merge, struct sourced_atom *atom)
{
    bool same_day = atom->atom.updated_at / DAY == merge->now / DAY;
    if ((atom->atom.by_caller && same_day) || merge->waits) {
        merge->counts.unchanged++;
        return;
    }
    if (!same_day)
        atom->atom.updated_at = merge->now;
    merge->record_changed = true;
    merge->counts.updated++;
    add_source(merge, atom);
}

/* Another app that writes a held atom becomes a source and so can see its status. */
static const char *
repeat_held(struct atom_merge *merge, struct sourced_atom *atom)
{
    merge->counts.held++;
    if (atom->atom.by_caller)
        return NULL;
    const char *full = add_waiting(merge);
    if (full == NULL)
        add_source(merge, atom);
    return full;
}

/* The user's own write always wins, also over a proposed removal or a suppression. */
static const char *
merge_item(struct atom_merge *merge, const struct preference_item *item)
{
    struct sourced_atom *atom = find_atom(merge, item);
    if (is_withheld(merge, item)) {
        /* The same result whether or not the fact exists, and in whatever state. */
        merge->counts.held++;
        return atom == NULL ? add_atom(merge, item) : NULL;
    }
    if (atom == NULL)
        return add_atom(merge, item);
    if (from_user(merge) && (atom_review(&atom->atom) != REVIEW_NONE ||
                             atom->atom.status != ATOM_ACTIVE || !atom->atom.by_user))
        confirm_atom(merge, item, atom);
    else if (atom->atom.status == ATOM_HELD)
        return repeat_held(merge, atom);
    else if (atom->atom.status == ATOM_ACTIVE)
        repeat_atom(merge, atom);
    else
        merge->counts.suppressed++; /* stays suppressed in every spelling */
    return NULL;
}

/* An id that is the same for every write of this value, and not that of an atom. The id of the real
 * atom would change with its deletion, and so reveal it. */
static struct str
withheld_id(struct atom_merge *merge, const struct preference_item *item)
{
    struct str text =
        str_format(merge->mem, "%.*s\t%.*s\t%.*s\t%.*s", STR_ARG(merge->view.user_id),
                   STR_ARG(merge->source), STR_ARG(item->member->name), STR_ARG(item->value.key));
    char digest[DIGEST_SHORT_LENGTH];
    digest_short(text, digest);
    return str_format(merge->mem, "atm_%.*s", DIGEST_SHORT_LENGTH, digest);
}

/* Withheld values are reported as waiting, not as known: otherwise an app could find out by writing
 * which of its guesses are stored. */
static struct preference_outcome
outcome_of(struct atom_merge *merge, const struct preference_item *item, bool known)
{
    if (is_withheld(merge, item))
        return (struct preference_outcome){ OUTCOME_WAITING, withheld_id(merge, item) };
    const struct atom *atom = &find_atom(merge, item)->atom;
    struct preference_outcome outcome = { OUTCOME_STORED, atom->id };
    if (atom->status == ATOM_HELD)
        outcome.status = OUTCOME_WAITING;
    else if (atom->status == ATOM_SUPPRESSED)
        outcome.status = OUTCOME_REFUSED;
    else if (known)
        outcome.status = OUTCOME_KNOWN;
    return outcome;
}

/* The outcome tells an app less than what happened if facts are withheld from it (outcome_of()). */
const char *
atom_merge_item(struct atom_merge *merge, const struct preference_item *item,
                struct preference_outcome *outcome)
{
    bool known = outcome != NULL && find_atom(merge, item) != NULL;
    const char *full = merge_item(merge, item);
    if (full == NULL && outcome != NULL)
        *outcome = outcome_of(merge, item, known);
    return full;
}
