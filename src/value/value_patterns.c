/* value_patterns.c - a table of patterns, a small matcher for it, and a filter that spares most of
 * the work.
 *
 * Rows are tried in order, and the first match names the suspicion. False positives hold a value
 * until the user confirms it, so that the patterns must not match names of bands, books, or dishes;
 * the unit test has lists of such names. Patterns of words tolerate a few words in between, which a
 * writer would use to evade them. */
#include "value/value_patterns.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "domain/value_text.h"
#include "text/look_alike.h"
#include "text/utf8.h"

#include <pthread.h>
#include <string.h>

#define WORDS_MAX 256 /* a value has 200 characters */
#define GAP_MAX 4

/* How a row is matched against the text, which is case-folded and has single spaces. */
enum how {
    CONTAINS, /* the pieces between ".." occur in this order */
    STARTS,   /* the text starts with it */
    SCHEME,   /* it starts a word and no space follows: "JavaScript: The Good Parts" is a book */
    TAG,      /* '<' and a letter, "</", "<!" or "<?" and a letter, or "<!-" */
    WORDS,    /* consecutive words: "a|b" is either, ".." up to GAP_MAX others, "*" any one, "^" the
               * start of a clause; '@' and ':' count as words */
};

#define LINK "a link"
#define TOKEN "a chat-template token"
#define MARKUP "markup"
#define ROLE "a role marker"
#define ORDER "an instruction to a model"

struct pattern {
    const char *name;
    enum how how;
    const char *what;
};

static const struct pattern patterns[] = {
    { LINK, CONTAINS, "://" },
    { LINK, STARTS, "www." },
    { LINK, CONTAINS, " www." },
    { LINK, CONTAINS, "mailto:" },
    { LINK, SCHEME, "javascript:" },
    { LINK, SCHEME, "vbscript:" },
    { LINK, SCHEME, "data:" },
    { LINK, SCHEME, "blob:" },
    { LINK, CONTAINS, ";base64," },

    { TOKEN, CONTAINS, "<|..|>" },
    { TOKEN, CONTAINS, "<|im" },
    { TOKEN, CONTAINS, "<|end" },
    { TOKEN, CONTAINS, "<|start" },
    { TOKEN, CONTAINS, "<|sys" },
    { TOKEN, CONTAINS, "<|user" },
    { TOKEN, CONTAINS, "<|assist" },
    { TOKEN, CONTAINS, "<｜" },
    { TOKEN, CONTAINS, "[inst]" },
    { TOKEN, CONTAINS, "[/inst]" },
    { TOKEN, CONTAINS, "<<sys>>" },
    { TOKEN, CONTAINS, "<</sys>>" },
    { TOKEN, CONTAINS, "<s>" },
    { TOKEN, CONTAINS, "</s>" },
    { TOKEN, CONTAINS, "<start_of_turn>" },
    { TOKEN, CONTAINS, "<end_of_turn>" },

    { MARKUP, TAG, "" },
    { MARKUP, CONTAINS, "&#" },
    { MARKUP, CONTAINS, "&lt;" },
    { MARKUP, CONTAINS, "&gt;" },
    { MARKUP, CONTAINS, "&amp;" },
    { MARKUP, CONTAINS, "&quot;" },
    { MARKUP, CONTAINS, "&nbsp;" },
    { MARKUP, CONTAINS, "](" },
    { MARKUP, CONTAINS, "![..]" },
    { MARKUP, CONTAINS, "```" },

    { ROLE, WORDS, "^ system|assistant|user|developer|tool :" },
    { ROLE, WORDS, "^ system|developer|user message|prompt|override|instruction|instructions :" },
    { ROLE, STARTS, "[system]" },
    { ROLE, STARTS, "[assistant]" },
    { ROLE, STARTS, "[user]" },
    { ROLE, STARTS, "### system" },
    { ROLE, STARTS, "### user" },
    { ROLE, STARTS, "### human" },
    { ROLE, STARTS, "### assistant" },
    { ROLE, STARTS, "### instruction" },
    { ROLE, STARTS, "### response" },
    { ROLE, CONTAINS, "*** .. ***" }, /* "*** SYSTEM ***"; "***Flawless" is a song */
    { ROLE, CONTAINS, "=== .. ===" },
    { ROLE, CONTAINS, "--- .. ---" },
    { ROLE, CONTAINS, "### .. ###" },
    { ROLE, CONTAINS, "[[..]]" },

    /* English: ignore earlier instructions. */
    { ORDER, WORDS,
      "ignore|ignoring|disregard|disregarding|forget|override|overrule|bypass|discard .. "
      "previous|prior|above|earlier|preceding|former|existing|all|any|your .. "
      "instruction|instructions|prompt|prompts|rule|rules|guideline|guidelines|directive|"
      "directives|restrictions|constraints" },
    { ORDER, WORDS,
      "ignore|disregard|forget .. instructions|prompt|rules|guidelines .. "
      "above|before|previously|earlier|given" },
    { ORDER, WORDS, "ignore|disregard|forget everything|anything|all above|before|prior|previous" },
    { ORDER, WORDS, "ignore|disregard|forget everything|anything you .. told|instructed|given" },
    { ORDER, WORDS, "pay no attention to .. instructions|prompt|rules" },
    { ORDER, WORDS, "^ new|updated|revised|important instruction|instructions|task|objective :" },
    { ORDER, WORDS, "end of data|prompt|instructions|context|conversation" },
    /* Take another role. */
    { ORDER, WORDS, "^ you are now *" },
    { ORDER, WORDS, "^ you're now *" },
    { ORDER, WORDS, "^ you are no longer *" },
    { ORDER, WORDS, "^ act as a|an|if|though|my|the" },
    { ORDER, WORDS, "^ pretend to be a|an|the|my" },
    { ORDER, WORDS, "you must act|behave|respond|answer|reply|pretend|recommend" },
    { ORDER, WORDS, "from now on .. respond|answer|reply|recommend|suggest|act|always|ignore" },
    { ORDER, WORDS, "as an ai .. model|assistant|agent" },
    /* Act without the user's knowledge. */
    { ORDER, WORDS,
      "not|never|don't|without tell|telling|inform|informing|notify|notifying|alert|alerting|warn|"
      "warning|mention|asking .. user|users|human" },
    { ORDER, WORDS, "whenever|when|if the user asks|says|mentions|requests|wants" },
    { ORDER, WORDS, "tell|ask|instruct|convince|persuade the user .. to|that|for" },
    { ORDER, WORDS, "before|when|while answering|responding|replying" },
    /* Disclose data. */
    { ORDER, WORDS,
      "reveal|print|repeat|output|display|leak|show|tell|dump|expose|disclose .. "
      "system|hidden|initial|original|secret|your|above .. prompt|prompts|instructions" },
    { ORDER, WORDS,
      "send|sending|forward|email|mail|post|upload|transmit|exfiltrate|leak .. "
      "history|conversation|conversations|chat|chats|password|passwords|credential|credentials|"
      "token|tokens|secrets|cookies|transcript|transcripts|files .. to" },
    { ORDER, WORDS, "send|forward|email|mail|post|upload|transmit .. to .. @" },
    { ORDER, WORDS,
      "read|open|print|cat|reveal|enter|provide|share|paste|steal|upload|fetch|type|give|disclose|"
      "ask|send .. password|passwords|passphrase|credential|credentials|ssh" },
    { ORDER, WORDS,
      "read|open|print|cat|reveal|enter|provide|share|paste|steal|upload|fetch|give|disclose|send "
      ".. api|access|secret|private|session key|keys|token|tokens" },
    { ORDER, WORDS, "call|invoke|trigger|execute the|this|your|a|any tool|tools|plugin|function" },
    { ORDER, WORDS, "execute|run the|this following|command|commands|script|payload" },
    /* Promote something. */
    { ORDER, WORDS, "always|only recommend|suggest|promote|advertise|mention|prioritize" },
    { ORDER, WORDS, "^ recommend|suggest|promote .. first|exclusively" },

    /* "Ignore earlier instructions" in other languages; without spaces between words, in pieces. */
    { ORDER, WORDS,
      "ignoriere|ignorieren|vergiss|vergessen|missachte|missachten .. "
      "alle|vorherigen|vorigen|bisherigen|obigen|früheren|deine|vorangegangenen .. "
      "anweisung|anweisungen|instruktionen|vorgaben|regeln|befehle" },
    { ORDER, WORDS, "^ du bist jetzt|nun ein|eine|kein|keine" },
    { ORDER, WORDS,
      "ignore|ignorez|ignorer|oublie|oubliez|oublier .. toutes|tous|tes|vos|précédentes .. "
      "instructions|consignes|règles|directives" },
    { ORDER, WORDS,
      "ignore|ignorez|ignorer|oublie|oubliez .. instructions|consignes|règles|directives "
      "précédentes|antérieures" },
    { ORDER, WORDS, "^ tu es maintenant un|une" },
    { ORDER, WORDS,
      "ignora|ignore|ignorad|olvida|olvide|omite .. todas|tus|sus|anteriores|previas .. "
      "instrucciones|reglas|indicaciones" },
    { ORDER, WORDS,
      "ignora|ignore|olvida|olvide|omite .. instrucciones|reglas|indicaciones anteriores|previas" },
    { ORDER, WORDS, "^ ahora eres un|una" },
    { ORDER, WORDS,
      "ignore|ignora|esqueça|esquece|desconsidere .. todas|suas|tuas|anteriores .. "
      "instruções|regras|orientações" },
    { ORDER, WORDS,
      "ignore|ignora|esqueça|esquece|desconsidere .. instruções|regras|orientações anteriores" },
    { ORDER, WORDS,
      "ignora|ignorate|dimentica|dimenticate .. tutte|tue|precedenti .. "
      "istruzioni|regole|indicazioni" },
    { ORDER, WORDS, "ignora|ignorate|dimentica .. istruzioni|regole precedenti" },
    { ORDER, WORDS,
      "negeer|vergeet .. alle|vorige|eerdere|voorgaande|jouw .. instructies|regels|opdrachten" },
    { ORDER, WORDS,
      "zignoruj|ignoruj|zapomnij .. wszystkie|wszystkich|poprzednie|poprzednich|powyższe .. "
      "instrukcje|instrukcji|polecenia|poleceń|zasady" },
    { ORDER, WORDS,
      "игнорируй|игнорируйте|проигнорируй|забудь|забудьте .. "
      "все|всех|предыдущие|предыдущих|прежние .. инструкции|инструкций|указания|правила" },
    { ORDER, WORDS, "önceki .. talimatları|talimatlari|kuralları .. yoksay|unut|görmezden" },
    { ORDER, WORDS, "تجاهل .. تعليمات|التعليمات|الأوامر" },
    { ORDER, CONTAINS, "忽略..指令" },
    { ORDER, CONTAINS, "忽略..指示" },
    { ORDER, CONTAINS, "忽略..提示" },
    { ORDER, CONTAINS, "无视..指令" },
    { ORDER, CONTAINS, "無視..指令" },
    { ORDER, CONTAINS, "指示..無視" },
    { ORDER, CONTAINS, "命令..無視" },
    { ORDER, CONTAINS, "지시..무시" },
    { ORDER, CONTAINS, "명령..무시" },
};

#define PATTERNS (sizeof patterns / sizeof patterns[0])

/* ---- prefilter ---- */

/* Nearly every value is two or three plain words. A necessary condition of each row, computed once,
 * rules out most rows with one comparison. */
struct need {
    unsigned char bytes[2]; /* both must occur in the text; 0: none */
    uint64_t first;         /* WORDS: word_bit() of the words that may come first */
};

static struct need needs[PATTERNS];
static pthread_once_t needs_once = PTHREAD_ONCE_INIT;

/* A Bloom filter of 64 bits by first letter and length. */
static uint64_t
word_bit(struct str word)
{
    unsigned char byte = word.len > 0 ? (unsigned char)word.ptr[0] : 0;
    return (uint64_t)1 << ((byte * 7u + word.len) & 63);
}

/* "*" may be any word, so that the row is always tried. */
static uint64_t
first_bits(struct str pattern)
{
    struct str element, choice;
    uint64_t bits = 0;
    while (str_cut(&pattern, ' ', &element) && str_eq_c(element, "^"))
        ;
    while (str_cut(&element, '|', &choice))
        bits |= str_eq_c(choice, "*") ? ~(uint64_t)0 : word_bit(choice);
    return bits;
}

/* Runs once, before the first use. The first and last byte of a text row must occur in the text,
 * whatever is between them. */
static void
find_needs(void)
{
    for (size_t i = 0; i < PATTERNS; i++) {
        struct str what = str_of(patterns[i].what);
        if (patterns[i].how == WORDS) {
            needs[i].first = first_bits(what);
        } else if (what.len > 0) {
            needs[i].bytes[0] = (unsigned char)what.ptr[0];
            needs[i].bytes[1] = (unsigned char)what.ptr[what.len - 1];
        }
    }
}

/* ---- splitting into words ---- */

struct word {
    struct str text;
    uint64_t bit;
    bool opens; /* starts a clause */
};

/* The words of one text; `bits` lets most patterns be skipped without comparing words. */
struct words {
    struct word at[WORDS_MAX];
    size_t count;
    uint64_t bits; /* of all of them */
};

static bool
is_letter(int32_t point)
{
    if (point < 0x80)
        return ascii_is_lower(point) || ascii_is_digit(point) || point == '\'';
    if (point < 0xc0 || point == 0xd7 || point == 0xf7)
        return point == 0xaa || point == 0xb5 || point == 0xba;
    return !(point >= 0x2000 && point <= 0x2bff) && !(point >= 0x3000 && point <= 0x303f) &&
           !(point >= 0xff00 && point <= 0xff0f);
}

/* Characters that occur within names and do not end a clause. */
static bool
is_light(int32_t point)
{
    return point == ' ' || point == '-' || point == '_' || point == '/' || point == '&' ||
           point == '+';
}

/* Words beyond WORDS_MAX are not searched; a value is shorter. */
static void
add_word(struct words *words, struct str text, bool *opens)
{
    if (words->count == WORDS_MAX)
        return;
    words->at[words->count++] = (struct word){ text, word_bit(text), *opens };
    words->bits |= word_bit(text);
    *opens = false;
}

/* The start of a clause matters: "^ you are now" is an order, "the way you are now" is not. */
static void
split(struct str text, struct words *out)
{
    bool opens = true;
    out->count = 0;
    out->bits = 0;
    while (text.len > 0) {
        struct str from = text;
        int32_t point = utf8_next(&text);
        if (!is_letter(point)) {
            if (point == '@' || point == ':')
                add_word(out, str_first(from, 1), &opens);
            opens = opens || !is_light(point);
            continue;
        }
        struct str rest = text;
        while (rest.len > 0 && is_letter(utf8_next(&rest)))
            text = rest;
        add_word(out, str_first(from, from.len - text.len), &opens);
    }
}

/* ---- matching ---- */

static bool
is_one_of(struct str word, struct str choices)
{
    struct str choice;
    while (str_cut(&choices, '|', &choice))
        if (str_eq(word, choice) || str_eq_c(choice, "*"))
            return true;
    return false;
}

/* Recursion depth: the number of words in the pattern. A gap tries every length up to GAP_MAX. */
static bool
words_follow(const struct words *words, size_t at, struct str pattern)
{
    struct str element;
    if (!str_cut(&pattern, ' ', &element))
        return true;
    if (str_eq_c(element, "..")) {
        for (size_t skipped = 0; skipped <= GAP_MAX; skipped++)
            if (words_follow(words, at + skipped, pattern))
                return true;
        return false;
    }
    if (at >= words->count)
        return false;
    if (str_eq_c(element, "^"))
        return words->at[at].opens && words_follow(words, at, pattern);
    return is_one_of(words->at[at].text, element) && words_follow(words, at + 1, pattern);
}

static bool
has_words(const struct words *words, struct str pattern, uint64_t first)
{
    for (size_t i = 0; i < words->count; i++)
        if ((words->at[i].bit & first) != 0 && words_follow(words, i, pattern))
            return true;
    return false;
}

/* The first occurrence of each piece is the best one, since only the order matters. */
static bool
contains_in_order(struct str text, struct str pieces)
{
    while (pieces.len > 0) {
        struct str piece = str_first(pieces, str_find(pieces, STR("..")));
        pieces = str_from(pieces, piece.len + 2);
        size_t at = str_find(text, piece);
        if (at == text.len)
            return false;
        text = str_from(text, at + piece.len);
    }
    return true;
}

static bool
has_scheme(struct str text, struct str scheme)
{
    for (size_t i = 0; i + scheme.len < text.len; i++) {
        char before = i == 0 ? ' ' : text.ptr[i - 1], after = text.ptr[i + scheme.len];
        bool word = ascii_is_lower(before) || ascii_is_digit(before);
        if (!word && after > ' ' && after < 0x7f && str_starts(str_from(text, i), scheme))
            return true;
    }
    return false;
}

static bool
is_tag_letter(struct str text, size_t i)
{
    return i < text.len && ascii_is_lower(text.ptr[i]);
}

/* As a browser begins a tag; "a < b" is none. */
static bool
has_tag(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '<' || i + 1 == text.len)
            continue;
        char next = text.ptr[i + 1];
        bool sign = next == '/' || next == '!' || next == '?';
        if (is_tag_letter(text, i + 1) || (sign && is_tag_letter(text, i + 2)) ||
            (next == '!' && i + 2 < text.len && text.ptr[i + 2] == '-'))
            return true;
    }
    return false;
}

/* `what` depends on how: a part of the text, a scheme, or words. */
static bool
matches(size_t row, struct str text, const struct words *words)
{
    struct str what = str_of(patterns[row].what);
    switch (patterns[row].how) {
    case CONTAINS:
        return contains_in_order(text, what);
    case STARTS:
        return str_starts(text, what);
    case SCHEME:
        return has_scheme(text, what);
    case TAG:
        return has_tag(text);
    case WORDS:
        return has_words(words, what, needs[row].first);
    }
    return false;
}

/* Collapses spaces and replaces the typographic apostrophe by the ASCII one. */
static struct str
normalize(struct arena *mem, struct str text)
{
    text = value_collapse_spaces(mem, text);
    char *out = arena_alloc(mem, text.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool apostrophe = str_starts(str_from(text, i), STR("\xe2\x80\x99"));
        out[length++] = apostrophe ? '\'' : text.ptr[i];
        i += apostrophe ? 2 : 0;
    }
    return (struct str){ out, length };
}

/* Most texts have none of the words and bytes that a pattern needs, which are looked up first.
 * Returns the first pattern of the table, so its order is the order of precedence. */
static const char *
find_pattern(struct arena *mem, struct str folded)
{
    struct words words;
    struct str text = normalize(mem, folded);
    bool occurs[256] = { [0] = true }; /* 0: no condition */
    pthread_once(&needs_once, find_needs);
    split(text, &words);
    for (size_t i = 0; i < text.len; i++)
        occurs[(unsigned char)text.ptr[i]] = true;
    for (size_t i = 0; i < PATTERNS; i++) {
        const struct need *need = &needs[i];
        bool may = need->first != 0 ? (need->first & words.bits) != 0
                                    : occurs[need->bytes[0]] && occurs[need->bytes[1]];
        if (may && matches(i, text, &words))
            return patterns[i].name;
    }
    return NULL;
}

/* Matches the text as written, in any language, and then with look-alike letters replaced by Latin
 * ones: models read those the same, so they could be used to evade this table. */
const char *
value_pattern_in(struct arena *mem, struct str text)
{
    struct str folded = utf8_casefold(mem, text), plain = utf8_match_key(mem, text);
    if (!str_present(folded) || !str_present(plain))
        return MARKUP; /* not valid UTF-8 */
    const char *found = find_pattern(mem, folded);
    struct str latin = look_alike_latin(mem, plain);
    return found != NULL || str_eq(latin, folded) ? found : find_pattern(mem, latin);
}
