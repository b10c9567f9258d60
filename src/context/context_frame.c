/* context_frame.c - what a label is about besides the subjects of domains: see context_internal.h.
 */
#include "context/context_internal.h"

static bool
is_kind(const struct term *term, size_t count, enum use_kind kind)
{
    for (const struct use *use = term == NULL ? NULL : term->uses; use != NULL; use = use->next)
        if (use->kind == kind && use->word_count == count)
            return true;
    return false;
}

static bool
is_one_of(struct str text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_c(text, words[i]))
            return true;
    return false;
}

static enum label_before
before_word(const struct label *label, size_t at)
{
    return at < label->count ? label->words[at].before : BEFORE_NONE;
}

bool
context_frame_is_noun(const struct label_word *word)
{
    return is_kind(word->term, 1, USE_OTHER_NOUN);
}

static bool
is_word_kind(const struct label_word *word, enum use_kind kind)
{
    return is_kind(word->term, 1, kind) || is_kind(word->phrases[0], 1, kind);
}

/* Words before the beginning proper: "can you", "I want to". */
static bool
is_opening(const struct label_word *word)
{
    static const char *const actions[] = { "need", "want", "help", "try" };
    bool opening = word->generic && !word->term->action;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        opening = opening || str_eq_c(word->text, actions[i]);
    return opening;
}

/* Whether only words come before that open a request. */
static bool
is_beginning(const struct label *label, size_t at)
{
    while (at > 0 && is_opening(&label->words[at - 1]))
        at--;
    return at == 0;
}

static bool
is_asking(const struct label_word *word)
{
    return is_word_kind(word, USE_REQUEST) || is_word_kind(word, USE_REQUEST_VERB);
}

bool
context_frame_is_request(const struct label *label, size_t at)
{
    const struct label_word *word = &label->words[at];
    return is_asking(word) && !(is_word_kind(word, USE_PLAYER_VERB) && is_beginning(label, at));
}

bool
context_frame_is_verb(const struct label *label, size_t at)
{
    return before_word(label, at + 1) != BEFORE_NONE && is_asking(&label->words[at]) &&
           !is_word_kind(&label->words[at], USE_PLAYER_VERB);
}

static bool
is_text(const struct label_word *word, const char *text)
{
    return str_eq_c(word->text, text) || (word->term != NULL && str_eq_c(word->term->text, text));
}

bool
context_frame_is_goal(const struct label *label, size_t at)
{
    static const char *const verbs[] = { "go", "going", "travel", "fly" };
    bool goal = false;
    for (size_t i = 0; at > 1 && i < sizeof verbs / sizeof verbs[0]; i++)
        goal = goal || is_text(&label->words[at - 2], verbs[i]);
    return goal && str_eq_c(label->words[at - 1].text, "to");
}

bool
context_frame_is_passing(const struct label *label, size_t at)
{
    static const char *const always[] = { "outside", "behind", "opposite", "beside" },
                             *const offices[] = { "about",   "at",        "near",   "from",
                                                  "between", "regarding", "inside", "with" };
    for (size_t back = 1; back <= 2 && back <= at; back++) {
        struct str text = label->words[at - back].text;
        if (is_one_of(text, always, sizeof always / sizeof always[0]) ||
            (label->office && is_one_of(text, offices, sizeof offices / sizeof offices[0])))
            return true;
        if (label->words[at].before != BEFORE_NONE)
            return false;
    }
    return false;
}

/* ---- questions and statements ---- */

/* "How do birds fly", "my printer shows an error"; not "is there", "do you know", "where can I". */
static bool
is_question(const struct label *label)
{
    static const char *const words[] = { "how", "where", "why",   "when", "who",  "is",
                                         "are", "were",  "does",  "did",  "do",   "will",
                                         "has", "have",  "whats", "isnt", "dont", "am" },
                             *const what[] = { "is", "are", "was", "does", "did", "do" },
                             *const after[] = { "there", "about",  "can", "could",
                                                "to",    "should", "know" };
    if (label->words[0].before == BEFORE_MY)
        return true;
    struct str next = label->count > 1 ? label->words[1].text : STR_NONE,
               third = label->count > 2 ? label->words[2].text : STR_NONE;
    if (str_eq_c(label->words[0].text, "what"))
        return is_one_of(next, what, sizeof what / sizeof what[0]);
    return is_one_of(label->words[0].text, words, sizeof words / sizeof words[0]) &&
           !is_one_of(next, after, sizeof after / sizeof after[0]) && !str_eq_c(third, "know");
}

/* "How do I", "why does my", "how do you". */
static bool
is_personal(const struct label *label)
{
    static const char *const persons[] = { "you", "we", "people" };
    for (size_t i = 0; i < label->count && i < 4; i++)
        if (label->words[i].before == BEFORE_I || label->words[i].before == BEFORE_MY ||
            is_one_of(label->words[i].text, persons, sizeof persons / sizeof persons[0]))
            return true;
    return false;
}

/* ---- words anywhere in the label ---- */

/* What comes after a word that may ask for it: not "looking for my", "best way", "any idea why". */
static bool
is_asked_for(const struct label *label, size_t at)
{
    static const char *const others[] = { "way", "is",   "was",   "why", "how", "what",
                                          "if",  "when", "where", "up",  "out" };
    return before_word(label, at) != BEFORE_MY &&
           (at == label->count ||
            !is_one_of(label->words[at].text, others, sizeof others / sizeof others[0]));
}

/* "My order", "order 99231". */
static bool
is_possession(const struct label *label, size_t first, size_t count)
{
    enum label_before before = label->words[first].before;
    struct str next = first + count < label->count ? label->words[first + count].text : STR_NONE;
    return before == BEFORE_MY || before == BEFORE_YOUR ||
           (next.len > 3 && next.ptr[0] >= '0' && next.ptr[0] <= '9');
}

/* "Looking for my keys" asks for no recommendation. */
static void
note_use(const struct label *label, const struct use *use, size_t first, size_t count,
         struct context_frame *out)
{
    if (use->word_count != count)
        return;
    if (use->kind == USE_OTHER_TASK)
        out->other_task = true;
    if (use->kind == USE_OTHER_TOPIC)
        out->other_topic = true;
    if (use->kind == USE_OTHER_NOUN && !(count == 1 && label->words[first].again))
        out->other_nouns++;
    if (use->kind == USE_YOUR_NOUN && label->words[first].before == BEFORE_YOUR)
        out->other_task = true;
    if (use->kind == USE_REQUEST || (use->kind == USE_REQUEST_VERB && !out->question &&
                                     !label->office && !is_possession(label, first, count)))
        out->request = out->request || is_asked_for(label, first + count);
}

static void
note_term(const struct label *label, const struct term *term, size_t first, size_t count,
          struct context_frame *out)
{
    for (const struct use *use = term == NULL ? NULL : term->uses; use != NULL; use = use->next)
        note_use(label, use, first, count, out);
}

/* "A good series", "any good tours". */
static bool
is_good(const struct label_word *word)
{
    return word->before == BEFORE_OTHER && str_eq_c(word->text, "good");
}

static void
find_anywhere(const struct context_index *index, const struct label *label,
              struct context_frame *out)
{
    for (size_t i = 0; i < label->count; i++) {
        out->request = out->request || is_good(&label->words[i]);
        for (size_t count = 1; count <= label->words[i].longest; count++) {
            struct str text = label_texts(label, i, count);
            size_t last = label_last_form(text, FORM_PLURALS);
            note_term(label, label->words[i].phrases[count - 1], i, count, out);
            for (size_t n = 1; n <= last; n++)
                note_term(label, context_index_find_form(index, text, n), i, count, out);
        }
    }
}

/* ---- how the label begins ---- */

/* A keyword of several words decides what its first word means: "call a taxi". */
static bool
begins_keyword(const struct label_word *word)
{
    for (size_t count = 2; count <= word->longest; count++)
        for (const struct use *use =
                 word->phrases[count - 1] == NULL ? NULL : word->phrases[count - 1]->uses;
             use != NULL; use = use->next)
            if (use->kind == USE_STRONG || use->kind == USE_PHRASE)
                return true;
    return false;
}

/* "Tell me about" and "tell the user" ask for an answer; a name after such a verb is whom to write
 * to. A question where something is concerns what the user owns. */
static bool
is_start(const struct label *label, size_t at, size_t count)
{
    bool question = label->words[at].generic && !label->words[at].term->action;
    size_t next = at + count;
    if (question)
        return before_word(label, next) == BEFORE_MY;
    return before_word(label, next) != BEFORE_ME &&
           (next == label->count || !label->words[next].generic ||
            label->words[next].before == BEFORE_MY || is_text(&label->words[next], "to") ||
            is_text(&label->words[next], "that"));
}

static bool
starts_as(const struct label *label, size_t at, enum use_kind kind)
{
    const struct label_word *word = &label->words[at];
    for (size_t count = 1; count <= word->longest; count++)
        if (is_kind(word->phrases[count - 1], count, kind) && is_start(label, at, count))
            return true;
    return false;
}

static void
find_start(struct label *label, struct context_frame *out)
{
    for (size_t i = 0; i < label->count; i++) {
        bool starts = !begins_keyword(&label->words[i]);
        out->other_task = out->other_task || (starts && starts_as(label, i, USE_OTHER_START));
        out->other_topic = out->other_topic || (starts && starts_as(label, i, USE_ERRAND_START));
        for (size_t count = 1; count <= label->words[i].longest; count++)
            label->office = label->office ||
                            is_kind(label->words[i].phrases[count - 1], count, USE_OFFICE_START);
        if (!is_opening(&label->words[i]))
            return;
    }
}

void
context_frame_find(const struct context_index *index, struct label *label,
                   struct context_frame *out)
{
    *out = (struct context_frame){ .question = is_question(label) };
    out->distant = out->question && !is_personal(label);
    label->office = false;
    find_start(label, out);
    find_anywhere(index, label, out);
}
