/* domain_read.c - reads the parts of a definition into a struct domain.
 *
 * Order: vocabularies and contexts come before members, which refer to them by name. */
#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "domain/domain.h"
#include "domain/domain_internal.h"
#include "domain/terms.h"

#define CONTEXTS_MAX 64
#define WORDS_MAX 512
#define FOREIGN_MAX 1024
#define SUMMARY_MAX 16

/* A part that is no number counts as four, so that the sum cannot be three. */
static struct str
read_version(const struct node *node)
{
    struct str text = node_text(node, 1, 32), rest = text, part;
    size_t parts = 0;
    int64_t number;
    while (str_cut(&rest, '.', &part))
        parts += str_to_int(part, 0, INT32_MAX, &number) && part.ptr[0] != '-' ? 1 : 4;
    if (parts != 3)
        node_reject(node, "must be three numbers separated by periods, as in 1.0.0");
    return text;
}

/* Characters beyond ASCII are letters here; letters a to z have no diacritics. */
static struct str
read_foreign_word(const struct node *node)
{
    struct str text = node_text(node, 2, 64);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if ((unsigned char)c < 0x80 && (c < 'a' || c > 'z') && (c < '0' || c > '9')) {
            node_reject(node, "must be a word of lowercase letters and digits");
            break;
        }
    }
    return text;
}

/* Every new hint set compares its words with those of all contexts. */
static const struct terms *
terms_of(struct arena *mem, const struct context *context)
{
    struct terms *terms = ARENA_NEW(mem, struct terms);
    terms_add(terms, context->name);
    for (size_t i = 0; i < context->alias_count; i++)
        terms_add(terms, context->aliases[i]);
    return terms;
}

/* The terms of a context are computed once here, not for each task of an agent. */
static void
read_contexts(const struct node *node, struct domain *out)
{
    static const char *const keys[] = { "name", "", "aliases", NULL };
    if (!node_is_array(node, 0, CONTEXTS_MAX))
        return;
    struct context *list = ARENA_ARRAY(node->in->mem, struct context, node_count(node));
    for (size_t i = 0; i < node_count(node); i++) {
        struct node child = node_child(node, i);
        if (!node_is_object(&child, keys))
            return;
        struct node name = node_member(&child, "name"), aliases = node_member(&child, "aliases");
        list[i].name = node_name(&name);
        list[i].aliases = node_texts(&aliases, CONTEXTS_MAX, node_name, &list[i].alias_count);
        list[i].terms = terms_of(node->in->mem, &list[i]);
    }
    out->contexts = list;
    out->context_count = node_count(node);
}

/* The lists differ in how much a word proves: see docs/DOMAINS.md. */
static void
read_keywords(const struct node *node, struct domain *out)
{
    static const char *const keys[] = { "",    "strong", "other_languages", "weak", "names",
                                        "not", NULL };
    if (!node_is_object(node, keys))
        return;
    struct node strong = node_member(node, "strong"), weak = node_member(node, "weak"),
                not = node_member(node, "not"), foreign = node_member(node, "other_languages"),
                names = node_member(node, "names");
    out->foreign_words = node_texts(&foreign, FOREIGN_MAX, read_foreign_word, &out->foreign_count);
    out->strong_words = node_texts(&strong, WORDS_MAX, node_word, &out->strong_count);
    out->weak_words = node_texts(&weak, WORDS_MAX, node_word, &out->weak_count);
    out->name_words = node_texts(&names, WORDS_MAX, node_word, &out->name_word_count);
    out->not_words = node_texts(&not, WORDS_MAX, node_word, &out->not_count);
}

/* Without a summary in the definition, the domain has none. */
static void
read_summary(const struct node *node, struct domain *out)
{
    static const char *const keys[] = { "members", "", "max_sentences", NULL };
    out->summary_sentences = 2;
    if (!node_is_object(node, keys))
        return;
    struct node members = node_member(node, "members"),
                sentences = node_member(node, "max_sentences");
    if (node_is_array(&members, 1, SUMMARY_MAX))
        out->summary_members = node_texts(&members, SUMMARY_MAX, node_name, &out->summary_count);
    out->summary_sentences = node_int(&sentences, 1, 8, 2);
}

/* A value in the first person is reported like a statement: User says "I'd go anywhere warm" about
 * travel. Critical and sensitive members are not, because their own sentence names the subject of
 * the value. */
static void
set_speech_text(struct member *members, size_t count)
{
    struct str speech_text = STR_NONE;
    for (size_t i = 0; i < count; i++)
        if (members[i].hint.for_each)
            speech_text = members[i].hint.text;
    for (size_t i = 0; i < count; i++)
        if (!members[i].hint.for_each && members[i].safety != SAFETY_CRITICAL &&
            !members[i].sensitive)
            members[i].hint.speech_text = speech_text;
}

/* Vocabularies were read before, because members refer to them by name. */
static void
read_members(const struct node *node, struct domain *out)
{
    if (!node_is_array(node, 1, MEMBERS_MAX))
        return;
    struct member *list = ARENA_ARRAY(node->in->mem, struct member, node_count(node));
    for (size_t i = 0; i < node_count(node); i++) {
        struct node child = node_child(node, i);
        member_read(&child, out, &list[i]);
    }
    set_speech_text(list, node_count(node));
    out->members = list;
    out->member_count = node_count(node);
}

/* ---- default consent sentence ---- */

/* "Reading" becomes "reading", "TV" stays: a second capital letter means an abbreviation. */
static void
add_within_sentence(struct buf *out, struct str title)
{
    bool capital = title.len > 0 && ascii_is_upper(title.ptr[0]);
    bool capitals = title.len > 1 && ascii_is_upper(title.ptr[1]);
    if (capital && !capitals) {
        buf_add_char(out, (char)(title.ptr[0] - 'A' + 'a'));
        title = str_from(title, 1);
    }
    buf_add(out, title);
}

/* Sensitive members are not named: the consent page offers them separately. */
static struct str
make_consent(struct arena *mem, const struct domain *domain)
{
    struct buf out = buf_in(mem, 1024);
    buf_add_c(&out, "See your ");
    add_within_sentence(&out, domain->title);
    buf_add_c(&out, " preferences.");
    return str_copy(mem, buf_str(&out));
}

/* The heading is the title if there is none. */
static void
read_texts(const struct node *root, struct domain *out)
{
    struct node name = node_member(root, "domain"), version = node_member(root, "version"),
                title = node_member(root, "title"), heading = node_member(root, "heading"),
                description = node_member(root, "description");
    out->name = node_name(&name);
    out->version = read_version(&version);
    out->title = node_text(&title, 1, 80);
    out->heading = node_text(&heading, 1, 40);
    if (!str_present(out->heading))
        out->heading = out->title;
    out->description = node_text(&description, 0, 500);
    if (!str_present(out->description))
        out->description = STR("");
}

/* Vocabularies are read before members, which refer to them. */
void
domain_read(const struct node *root, struct domain *out)
{
    static const char *const keys[] = {
        "format",   "domain",       "version",     "title",   "members",  "",
        "$schema",  "heading",      "description", "consent", "contexts", "safety_contexts",
        "keywords", "vocabularies", "summary",     "always",  NULL
    };
    if (!node_is_object(root, keys))
        return;
    struct node schema = node_member(root, "$schema"), format = node_member(root, "format"),
                contexts = node_member(root, "contexts"),
                safety = node_member(root, "safety_contexts"),
                keywords = node_member(root, "keywords"),
                vocabularies = node_member(root, "vocabularies"),
                members = node_member(root, "members"), summary = node_member(root, "summary"),
                consent = node_member(root, "consent"), always = node_member(root, "always");
    /* Only format 1 exists, so the number itself is not kept. */
    node_int(&format, 1, 1, 1);
    node_text(&schema, 0, 500);
    read_texts(root, out);
    read_contexts(&contexts, out);
    out->safety_contexts = node_texts(&safety, CONTEXTS_MAX, node_name, &out->safety_context_count);
    out->always = node_bool(&always);
    read_keywords(&keywords, out);
    out->vocabularies = vocabularies_read(&vocabularies, &out->vocabulary_count);
    read_members(&members, out);
    read_summary(&summary, out);
    out->consent = node_text(&consent, 1, 300);
    if (!str_present(out->consent))
        out->consent = make_consent(root->in->mem, out);
    else if (!str_ends(out->consent, STR(".")))
        node_reject(&consent, "must end with a period");
}
