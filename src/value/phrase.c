/* phrase.c - word lists that decide whether a value fits a sentence, and whether it is plainly a
 * name.
 *
 * The lists err on the safe side: a value that is wrongly taken for a clause or an order is only
 * quoted, and a wrong "fits" makes a clumsy sentence. Values of apps go into prompts, so that
 * phrase_is_name() also rejects what reads like an instruction, code, or an address. Non-ASCII
 * letters count as letters, without rules of their own. */
#include "value/phrase.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define WORDS_MAX 6       /* of a name or a noun phrase */
#define ADJECTIVE_WORDS 4 /* "whole food plant-based" */
#define CAPITALS_MIN 4    /* a shorter word in capitals is an abbreviation */
#define PHRASE_MAX_BYTES 4096
#define MARKS 512

/* ---- words ---- */

static bool
is_letter(char c)
{
    return ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

static bool
in_word(struct str text, size_t i)
{
    return is_letter(text.ptr[i]) || ascii_is_digit(text.ptr[i]) || text.ptr[i] == '\'';
}

/* Cuts the next word of letters, digits, and apostrophes from the front. False: none is left. */
static bool
next_word(struct str *rest, struct str *word)
{
    size_t start = 0;
    while (start < rest->len && !in_word(*rest, start))
        start++;
    size_t end = start;
    while (end < rest->len && in_word(*rest, end))
        end++;
    *word = (struct str){ rest->ptr + start, end - start };
    *rest = str_from(*rest, end);
    return word->len > 0;
}

static size_t
word_count(struct str text)
{
    struct str word;
    size_t count = 0;
    while (next_word(&text, &word))
        count++;
    return count;
}

static struct str
first_word(struct str text)
{
    struct str word = STR("");
    next_word(&text, &word);
    return word;
}

static struct str
last_word(struct str text)
{
    struct str word, last = STR("");
    while (next_word(&text, &word))
        last = word;
    return last;
}

/* `list` has a space around each word. A word of 30 or more letters is in no list. */
static bool
is_in(struct str word, const char *list)
{
    char wanted[32];
    if (word.len == 0 || word.len + 3 > sizeof wanted)
        return false;
    wanted[0] = ' ';
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        wanted[i + 1] = ascii_to_lower(c);
    }
    wanted[word.len + 1] = ' ';
    wanted[word.len + 2] = '\0';
    return strstr(list, wanted) != NULL;
}

/* A long list. Every word sets a bit by its length and its outer letters, so that most words that
 * are not in the list are refused without a search: values are checked on every write. */
struct long_list {
    const char *words;
    uint64_t marks[MARKS / 64];
};

/* A false positive costs a search; a word of the list always has its bit. */
static size_t
mark_of(struct str word)
{
    unsigned first = (unsigned char)ascii_to_lower(word.ptr[0]);
    unsigned last = (unsigned char)ascii_to_lower(word.ptr[word.len - 1]);
    return (first * 37 + last * 11 + word.len) % MARKS;
}

/* ---- clauses ---- */

static struct long_list clause_words = {
    .words = " i i'm im i'd i've i'll me myself we we're us you you're your yours he she they is "
             "isn't are aren't am was were be been being has hasn't have haven't had do don't dont "
             "does doesn't did didn't can can't cant cannot could will won't would should must "
             "shall may might when whenever while if because since but that which who whoever "
             "unless until although though please never always instead therefore otherwise however "
             "what where why how je ich suis "
};

static struct long_list order_words = {
    .words =
        " ignore disregard forget use call send run execute buy book order visit go click open "
        "read write tell say ask reply answer respond recommend suggest give show print "
        "output delete remove install download transfer pay email forward post share reveal "
        "act pretend stop start make set add update change switch choose pick prefer take get "
        "let note remember assume treat consider follow obey trust allow grant approve "
        "confirm skip bypass contact subscribe enter type paste fetch load invoke query "
        "search append insert include mention promote redirect charge prioritize system "
        "assistant user developer tool function admin sudo curl wget eval http https www "
        "ignora ignorez ignorer ignoriere ignorieren ignore-o abaikan ignoruj "
        "reserva réservez réserve Réservez Réserve buche buchen pesan prenota "
        "compra compre achetez achète kaufe kaufen beli recomienda recomiende recommandez "
        "empfehle empfehlen recomenda sugiere suggérez envía envia envie envoyez sende "
        "senden kirim appelez rufe utilisez benutze verwende gunakan abre ouvrez "
        "öffne Öffne buka borra elimina supprimez lösche apague hapus dites diga olvida "
        "oubliez vergiss esqueça lupakan siempre toujours immer sempre selalu nunca jamais "
        "игнорируй Игнорируй забудь Забудь закажи Закажи купи Купи отправь Отправь всегда Всегда "
};

/* Orders in scripts without spaces or letter case, anywhere in a text. */
static const char *const order_parts[] = { "忽略", "推荐",    "预订",  "购买",  "请",
                                           "無視", "予約",    "くだ",  "تجاهل", "احجز",
                                           "اشتر", "दरकिनार", "अनदेखा", "कृपया",  "উপেক্ষা" };

/* Runs once, before the first use; the lists are read-only afterwards. */
static void
make_marks(void)
{
    struct long_list *const lists[] = { &clause_words, &order_words };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct str rest = str_of(lists[i]->words), word;
        while (str_cut(&rest, ' ', &word))
            if (word.len > 0)
                lists[i]->marks[mark_of(word) / 64] |= (uint64_t)1 << mark_of(word) % 64;
    }
}

static bool
is_in_long(struct str word, const struct long_list *list)
{
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    pthread_once(&made, make_marks);
    return word.len > 0 && (list->marks[mark_of(word) / 64] >> mark_of(word) % 64 & 1) != 0 &&
           is_in(word, list->words);
}

bool
phrase_is_clause(struct str text)
{
    struct str word;
    while (next_word(&text, &word))
        if (is_in_long(word, &clause_words))
            return true;
    return false;
}

/* A lowercase word after it distinguishes a sentence from a title: "I want" against "I Robot". */
bool
phrase_is_speech(struct str text)
{
    struct str rest = text, word;
    if (!next_word(&rest, &word) || !is_in(word, " i i'm i've i'd i'll we we're we've "))
        return false;
    struct str next = first_word(rest);
    return rest.len > 0 && rest.ptr[0] == ' ' && next.len > 0 && ascii_is_lower(next.ptr[0]);
}

/* ---- forms ---- */

static bool
ends_with(struct str word, const char *ending)
{
    size_t length = strlen(ending);
    return word.len > length + 1 &&
           str_eq_nocase(str_from(word, word.len - length), str_of(ending));
}

/* "while running", "while at the gym" */
static bool
is_gerund(struct str text)
{
    struct str first = first_word(text);
    return ends_with(first, "ing") || is_in(first, " at in on out alone asleep awake ");
}

static bool
has_any_word(struct str text, const char *list)
{
    struct str word;
    while (next_word(&text, &word))
        if (is_in(word, list))
            return true;
    return false;
}

/* "a vegan diet", not "a no red meat diet" or "a flexitarian on weekdays diet" */
static bool
is_adjective(struct str text)
{
    return word_count(text) <= ADJECTIVE_WORDS && str_index(text, '(') == text.len &&
           !has_any_word(text, " on at in with without for from during except unless until but ") &&
           !is_in(first_word(text), " no not none anything everything any all my the a an je ich "
                                    "yo eu io soy sono ");
}

/* "is a nurse", not "is a computer science" */
static bool
is_role(struct str text)
{
    static const char *const endings[] = { "er", "or", "ist", "ian", "man", "woman", "ant", "eer" };
    static const char roles[] =
        " lead head chief architect analyst student intern nurse pilot coach chef cook clerk agent "
        "ceo cto cio cfo coo cmo cso vp svp evp sre dba pm po qa expert specialist scientist "
        "freelancer professional engineer developer manager founder cofounder owner partner guru "
        "hobbyist candidate postdoc professor judge guide host hostess waitress actress apprentice "
        "trainee volunteer retiree parent boss admin sysadmin dev swe sde tech mechanic paramedic "
        "medic physician attorney vet veterinarian president executive representative rep "
        "associate "
        "assistant secretary treasurer librarian musician critic cleric diplomat athlete ";
    static const char fields[] = " computer water paper power weather number sugar leather fiber "
                                 "career order color labor motor sensor sector interior flavor "
                                 "career restaurant consumer summer winter behavior enter center ";
    size_t place = 0; /* "software engineer at Google" */
    while (place < text.len && !str_starts(str_from(text, place), STR(" at ")))
        place++;
    struct str last = last_word(str_first(text, place));
    if (is_in(last, roles))
        return true;
    if (is_in(last, fields))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(last, endings[i]))
            return true;
    return false;
}

/* A long text or a clause fits no form, whatever its words. */
bool
phrase_fits(enum phrase_form form, struct str text)
{
    if (form == FORM_ANY)
        return true;
    if (word_count(text) > WORDS_MAX || phrase_is_clause(text))
        return false;
    switch (form) {
    case FORM_GERUND:
        return is_gerund(text);
    case FORM_ADJECTIVE:
        return is_adjective(text);
    case FORM_ROLE:
        return is_role(text);
    case FORM_NOUN: /* "dislikes country music", not "dislikes anything loud music" */
        return !is_in(first_word(text), " anything everything something whatever ");
    case FORM_THING:
    case FORM_ANY:
        break;
    }
    return true;
}

/* ---- names ---- */

/* "example.com", "10.0.0.1"; not "Node.js", "ASP.NET", "St. Vincent", "R.E.M.". A dot between two
 * words is an address, unless one of them is a single letter. */
static bool
has_address(struct str text)
{
    for (size_t i = 1; i + 2 < text.len; i++) {
        if (text.ptr[i] != '.' || !in_word(text, i - 1) || !in_word(text, i + 1))
            continue;
        struct str after = first_word(str_from(text, i + 1)), before = str_first(text, i);
        bool number = ascii_is_digit(text.ptr[i + 1]);
        bool initials = !number && (after.len == 1 || i == 1 || !in_word(before, i - 2));
        if (!initials && !str_eq_c(after, "js") && !str_eq_c(after, "NET") &&
            !str_eq_c(after, "py"))
            return true;
    }
    return false;
}

static bool
has_order_part(struct str text)
{
    for (size_t i = 0; i < sizeof order_parts / sizeof *order_parts; i++)
        if (memmem(text.ptr, text.len, order_parts[i], strlen(order_parts[i])) != NULL)
            return true;
    return false;
}

/* The signs occur in code, addresses, and templates, and hardly in names. */
bool
phrase_is_name(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr("=$@{}<>|\\`~^*_[]%;:?", text.ptr[i]) != NULL)
            return false;
    if (memmem(text.ptr, text.len, "&&", 2) != NULL)
        return false;
    return word_count(text) <= WORDS_MAX && !phrase_is_clause(text) &&
           !is_in_long(first_word(text), &order_words) && !has_order_part(text) &&
           !has_address(text);
}

/* In a list of hints, such a value could join its neighbors to a sentence that no user stated. */
bool
phrase_reads_on(struct str text)
{
    static const char links[] = " and or but then so to of for with without from by as than into "
                                "onto also which that because if unless until now not only ";
    return is_in(first_word(text), links) || is_in(last_word(text), links) ||
           is_in(last_word(text), " the a an your their is are must should ") ||
           is_in_long(first_word(text), &order_words);
}

/* ---- person ---- */

/* A capital letter after it makes it a part of a name: "My Fair Lady". */
static bool
is_in_name(struct str word, struct str rest)
{
    struct str next = first_word(rest);
    return ascii_is_upper(word.ptr[0]) && next.len > 0 && ascii_is_upper(next.ptr[0]) &&
           !is_in(next, " my our myself ourselves ");
}

struct str
phrase_without_capitals(struct arena *mem, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ' && (text.ptr[i] < 'A' || text.ptr[i] > 'Z'))
            return text;
    struct str rest = text, word;
    while (next_word(&rest, &word))
        if (word.len == text.len || word.len < CAPITALS_MIN)
            return text;
    char *small = arena_alloc(mem, text.len);
    for (size_t i = 0; i < text.len; i++)
        small[i] = (char)(text.ptr[i] == ' ' ? ' ' : text.ptr[i] - 'A' + 'a');
    return (struct str){ small, text.len };
}

/* Only possessives and reflexives: changing verbs would need a parser. */
struct str
phrase_third_person(struct arena *mem, struct str text)
{
    struct buf out = buf_in(mem, PHRASE_MAX_BYTES);
    struct str rest = text, word;
    while (next_word(&rest, &word)) {
        size_t before = (size_t)(word.ptr - text.ptr);
        buf_add(&out, str_first(text, before));
        bool own = is_in(word, " my our ") && !is_in_name(word, rest),
             self = is_in(word, " myself ourselves ");
        buf_add(&out, own ? STR("their") : self ? STR("themselves") : word);
        text = rest;
    }
    buf_add(&out, text);
    return out.overflow ? text : str_copy(mem, buf_str(&out));
}
