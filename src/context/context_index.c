#include "base/arena.h"
#include "context/context.h"
#include "context/context_internal.h"

#include <string.h>

/* ---- the table ---- */

/* FNV-1a; clients choose only lookups, never the keys in the table. */
#define HASH_START 2166136261U

static uint32_t
hash_on(uint32_t hash, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 16777619U;
    return hash;
}

static const struct term *
find_hashed(const struct context_index *index, struct str text, uint32_t hash)
{
    const struct term *term = index->buckets[hash & index->mask];
    while (term != NULL && (term->hash != hash || !str_eq(term->text, text)))
        term = term->next;
    return term;
}

const struct term *
context_index_find(const struct context_index *index, struct str text)
{
    return find_hashed(index, text, hash_on(HASH_START, text));
}

static const struct term *
find_without_ending(const struct context_index *index, struct str word, size_t n)
{
    char buffer[LABEL_BUFFER];
    struct str form = label_form(word, n, buffer);
    return form.len > 0 ? context_index_find(index, form) : NULL;
}

const struct term *
context_index_find_form(const struct context_index *index, struct str word, size_t n)
{
    if (n == FORM_ITSELF)
        return context_index_find(index, word);
    return label_has_ending(word, n) ? find_without_ending(index, word, n) : NULL;
}

/* `source` lasts as long as the index; the text is not copied if it is the same. */
static struct term *
make_term(struct arena *mem, struct context_index *index, struct str text, struct str source)
{
    struct term *term = (struct term *)context_index_find(index, text);
    if (term != NULL)
        return term;
    term = ARENA_NEW(mem, struct term);
    term->text = str_eq(text, source) ? source : str_copy(mem, text);
    term->hash = hash_on(HASH_START, text);
    term->base = term;
    struct term **bucket = &index->buckets[term->hash & index->mask];
    term->next = *bucket;
    *bucket = term;
    return term;
}

static void
add_use(struct arena *mem, struct context_index *index, struct str text, struct str source,
        struct use meaning)
{
    struct term *term = make_term(mem, index, text, source);
    struct use *use = ARENA_NEW(mem, struct use);
    *use = meaning;
    use->next = term->uses;
    term->uses = use;
}

/* ---- words and their bases ---- */

static void
add_words_of(struct arena *mem, struct context_index *index, struct str name)
{
    struct label label;
    if (!label_split(name, &label))
        return;
    for (size_t i = 0; i < label.count; i++)
        make_term(mem, index, label.words[i].text, name);
}

static void
add_generic_words(struct arena *mem, struct context_index *index, const char *const *words,
                  bool action)
{
    for (; *words != NULL; words++) {
        struct term *term = make_term(mem, index, str_of(*words), str_of(*words));
        term->generic = true;
        term->action = action;
    }
}

static struct str
without_ending(struct str name)
{
    static const struct str endings[] = { { "_preferences", 12 }, { "_profile", 8 } };
    for (size_t i = 0; i < 2; i++)
        if (str_ends(name, endings[i]) && name.len > endings[i].len)
            return str_first(name, name.len - endings[i].len);
    return name;
}

static void
add_keywords(struct arena *mem, struct context_index *index, size_t domain, const struct str *words,
             size_t count, enum use_kind kind)
{
    struct label label;
    for (size_t i = 0; i < count; i++)
        if (label_split(words[i], &label))
            add_use(mem, index, label_texts(&label, 0, label.count), words[i],
                    (struct use){ .kind = kind, .domain = (uint8_t)domain });
}

static void
add_words(struct arena *mem, struct context_index *index, size_t number)
{
    const struct domain *domain = &index->domains->list[number];
    add_keywords(mem, index, number, domain->not_words, domain->not_count, USE_NOT);
    add_keywords(mem, index, number, domain->strong_words, domain->strong_count, USE_STRONG);
    add_keywords(mem, index, number, domain->foreign_words, domain->foreign_count, USE_STRONG);
    add_keywords(mem, index, number, domain->weak_words, domain->weak_count, USE_WEAK);
    add_keywords(mem, index, number, domain->name_words, domain->name_word_count, USE_ONCE);
    add_words_of(mem, index, domain->name);
    for (size_t i = 0; i < domain->context_count; i++) {
        const struct context *context = &domain->contexts[i];
        add_words_of(mem, index, context->name);
        for (size_t j = 0; j < context->alias_count; j++)
            add_words_of(mem, index, context->aliases[j]);
    }
}

/* Each form is shorter than the word, so the recursion ends. */
static const struct term *
base_of(const struct context_index *index, const struct term *term)
{
    for (size_t n = 1; n <= FORM_ALL; n++) {
        const struct term *shorter = context_index_find_form(index, term->text, n);
        if (shorter != NULL)
            return base_of(index, shorter);
    }
    return term;
}

static void
set_bases(struct context_index *index)
{
    for (size_t i = 0; i <= index->mask; i++)
        for (struct term *term = index->buckets[i]; term != NULL; term = term->next)
            term->base = base_of(index, term);
}

/* Looks up the phrases that begin with a word. A phrase does not continue in another part. */
static void
find_phrases(const struct context_index *index, struct label *label, size_t first)
{
    struct label_word *word = &label->words[first];
    uint32_t hash = HASH_START;
    size_t count = 0;
    do {
        hash = hash_on(hash, label->words[first + count].text);
        count++;
        word->phrases[count - 1] = find_hashed(index, label_texts(label, first, count), hash);
    } while (count < PHRASE_WORDS && first + count < label->count &&
             !label->words[first + count].starts_part);
    word->longest = count;
}

static const struct term *
find_base(const struct context_index *index, const struct label_word *word)
{
    if (word->phrases[0] != NULL)
        return word->phrases[0]->base;
    size_t last = label_last_form(word->text, FORM_ALL);
    for (size_t n = 1; n <= last; n++) {
        const struct term *term = context_index_find_form(index, word->text, n);
        if (term != NULL)
            return term->base;
    }
    return NULL;
}

void
context_index_resolve(const struct context_index *index, struct label *label)
{
    char *end = label->base_bytes;
    for (size_t i = 0; i < label->count; i++) {
        struct label_word *word = &label->words[i];
        find_phrases(index, label, i);
        word->term = find_base(index, word);
        word->generic = word->term != NULL && word->term->generic;
        struct str base = word->term != NULL ? word->term->text : word->text;
        memcpy(end, base.ptr, base.len);
        word->base = (struct str){ end, base.len };
        end += base.len;
    }
    for (size_t i = label->count, plain = 0; i > 0; i--) {
        struct label_word *word = &label->words[i - 1];
        plain = word->term == NULL || word->term == word->phrases[0] ? plain + 1 : 0;
        word->plain = plain;
    }
}

/* ---- names ---- */

/* Adds the concatenated texts of the words, and of their bases if different. */
static void
add_joined(struct arena *mem, struct context_index *index, const struct label *label,
           struct use meaning)
{
    struct str texts = label_texts(label, 0, label->count),
               bases = label_bases(label, 0, label->count);
    meaning.word_count = (uint16_t)label->count;
    add_use(mem, index, texts, STR_NONE, meaning);
    if (!str_eq(texts, bases))
        add_use(mem, index, bases, STR_NONE, meaning);
}

static void
add_anchor(struct arena *mem, struct context_index *index, const struct label *label,
           struct use meaning)
{
    const struct term **words = ARENA_ARRAY(mem, const struct term *, label->count);
    size_t count = 0;
    for (size_t i = 0; i < label->count; i++)
        if (!label->words[i].generic)
            words[count++] = label->words[i].term;
    meaning.kind = USE_ANCHOR;
    meaning.word_count = (uint16_t)count;
    meaning.count = (uint16_t)label->count;
    for (size_t i = 0; i < label->count; i++)
        if (label->words[i].generic)
            words[count++] = label->words[i].term;
    meaning.words = words;
    if (meaning.word_count > 0)
        add_use(mem, index, words[0]->text, words[0]->text, meaning);
}

/* Whether the name is the domain's own word: "coding" in coding_profile. It occurs in every label
 * about that domain, so it cannot select one of its contexts. */
static bool
is_own_word(const struct context_index *index, size_t domain, const struct label *label)
{
    struct label stem;
    if (label->count != 1 || !label_split(without_ending(index->domains->list[domain].name), &stem))
        return false;
    context_index_resolve(index, &stem);
    return stem.count == 1 && stem.words[0].term == label->words[0].term;
}

static void
add_name(struct arena *mem, struct context_index *index, size_t domain,
         const struct context *context, struct str name)
{
    struct label label;
    struct use meaning = { .kind = USE_NAME, .domain = (uint8_t)domain, .context = context };
    if (!label_split(name, &label))
        return;
    context_index_resolve(index, &label);
    add_use(mem, index, label.name, name, meaning);
    meaning.kind = USE_PHRASE;
    add_joined(mem, index, &label, meaning);
    if (!is_own_word(index, domain, &label))
        add_anchor(mem, index, &label, meaning);
}

static void
add_domain_name(struct arena *mem, struct context_index *index, size_t domain, struct str name)
{
    struct label label;
    if (!label_split(name, &label))
        return;
    context_index_resolve(index, &label);
    add_joined(mem, index, &label, (struct use){ .kind = USE_DOMAIN, .domain = (uint8_t)domain });
}

static void
add_names(struct arena *mem, struct context_index *index, size_t number)
{
    const struct domain *domain = &index->domains->list[number];
    struct str stem = without_ending(domain->name);
    add_domain_name(mem, index, number, domain->name);
    if (!str_eq(stem, domain->name))
        add_domain_name(mem, index, number, stem);
    for (size_t i = 0; i < domain->context_count; i++) {
        const struct context *context = &domain->contexts[i];
        add_name(mem, index, number, context, context->name);
        for (size_t j = 0; j < context->alias_count; j++)
            add_name(mem, index, number, context, context->aliases[j]);
    }
}

/* ---- other tasks ---- */

static void
add_others(struct arena *mem, struct context_index *index, const char *const *names,
           enum use_kind kind)
{
    struct label label;
    for (; *names != NULL; names++) {
        label_split(str_of(*names), &label);
        add_use(mem, index, label_texts(&label, 0, label.count), str_of(*names),
                (struct use){ .kind = kind, .word_count = (uint16_t)label.count });
    }
}

/* ---- building the index ---- */

/* Uses were added in front of each other. */
static void
order_uses(struct context_index *index)
{
    for (size_t i = 0; i <= index->mask; i++)
        for (struct term *term = index->buckets[i]; term != NULL; term = term->next) {
            struct use *ordered = NULL;
            for (struct use *use = term->uses, *next; use != NULL; use = next) {
                next = use->next;
                use->next = ordered;
                ordered = use;
            }
            term->uses = ordered;
        }
}

/* An estimate of the number of terms, rounded up to a power of two. */
static size_t
bucket_count(const struct domains *domains)
{
    size_t texts = 1024, count = 1;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->list[i];
        texts += domain->strong_count + domain->weak_count + domain->not_count +
                 domain->foreign_count + domain->name_word_count;
        for (size_t j = 0; j < domain->context_count; j++)
            texts += 2 * (1 + domain->contexts[j].alias_count);
    }
    while (count < texts)
        count *= 2;
    return count;
}

static void
set_members(struct context_index *index, size_t class)
{
    const struct domain *domain = index->classes[class];
    for (size_t k = 0; k < context_class_members(class); k++) {
        const struct member *member = domain_member(domain, context_class_member(class, k));
        size_t at = member != NULL ? (size_t)(member - domain->members) : CONTEXT_SCORED;
        index->members[class][k] = (uint8_t)at;
    }
}

static void
set_classes(struct context_index *index)
{
    for (size_t k = CLASS_FIRST_DOMAIN; k < CLASSES_MAX; k++)
        for (size_t i = 0; i < index->domains->count; i++)
            if (str_eq(index->domains->list[i].name, context_class_name(k))) {
                index->classes[k] = &index->domains->list[i];
                set_members(index, k);
            }
}

uint64_t
context_index_serial(const struct context_index *index)
{
    return index->serial;
}

const struct context_index *
context_index_make(struct arena *mem, const struct domains *domains)
{
    static _Atomic uint64_t made;
    struct context_index *index = ARENA_NEW(mem, struct context_index);
    index->serial = ++made;
    size_t buckets = bucket_count(domains);
    index->domains = domains;
    index->buckets = ARENA_ARRAY(mem, struct term *, buckets);
    index->mask = buckets - 1;
    add_generic_words(mem, index, label_little_words, false);
    add_generic_words(mem, index, label_action_words, true);
    for (size_t i = 0; i < domains->count; i++)
        add_words(mem, index, i);
    set_bases(index);
    for (size_t i = 0; i < domains->count; i++)
        add_names(mem, index, i);
    add_others(mem, index, label_other_tasks, USE_OTHER_TASK);
    add_others(mem, index, label_other_nouns, USE_OTHER_NOUN);
    order_uses(index);
    set_classes(index);
    return index;
}
