/* statement.c - lists of words that make a statement critical, and the key by which statements are
 * compared.
 *
 * A statement is free text in any language, so that nothing but words can decide. The lists are
 * long on purpose: a statement that is wrongly critical costs a few tokens, one that is missed can
 * harm. Figures of speech are the exception: "allergic to meetings" would make critical facts of
 * jokes. Where a domain has no critical members, an allergy counts only together with something
 * that people are allergic to. */
#include "value/statement.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "domain/domain.h"
#include "domain/value_text.h"
#include "text/utf8.h"

#include <string.h>

#define KEY_MAX_BYTES 4096
#define WORD_MAX 32        /* letters; longer words are in no list */
#define MISSPELLED_MIN 7   /* shorter words must match exactly */
#define MISSPELLED_MORE 10 /* from this length on, two letters may be wrong */

/* Words of at least MISSPELLED_MIN letters are also recognized misspelled, unless they follow '='.
 * A phrase has a space. Lists are separated by commas. */
static const char food_words[] =
    "allergy,allergic,allergies,allergen,allergens,anaphylaxis,anaphylactic,"
    "anaphylactoid,epipen,epi pen,intolerant,intolerance,intolerances,halal,kosher,"
    "=haram,jain,religious reasons,religion,gluten free,glutenfree,no gluten,"
    "without gluten,lactose,throat closes,throat swells,break out in hives,=hives,"
    "trace amounts,even traces,cross contamination,airborne,=allergique,=allergisch,"
    "=allergien,=allergico,=allergica,=allergia,=alergia,=alergias,=alérgico,=alérgica,"
    "=alergico,=alergica,=alergi,=alerji,=alerjim,=аллергия,=аллергии,=аллергию,"
    "=аллергик,=intolerante,=intolérant,=intolérante,=intoleranz,=лактозы,=halaal,"
    "ramadan,for lent,during lent,i am muslim,i m muslim,as a muslim,a practicing muslim,"
    "i am hindu,i m hindu,as a hindu,i am jewish,i m jewish,as a jew,against my faith,"
    "could kill me,can kill me,will kill me,would kill me,might kill me,react badly to,"
    "reacts badly to,bad reaction to,bad reactions to,in the hospital,to the hospital,"
    "can t breathe";

/* In scripts without spaces, and with articles that are written as one word. */
static const char *const food_parts[] = {
    "过敏",  "過敏",     "アレルギー", "알레르기", "حساسية",
    "एलर्जी", "অ্যালার্জি", "الرجی",      "清真",     "حلال",
};

static const char *const private_parts[] = { "怀孕", "懷孕", "妊娠",  "糖尿病",
                                             "임신", "حامل", "السكري" };

static const char private_words[] =
    "celiac,celiacs,coeliac,coeliacs,ceoliac,celiacal,siliac,caeliac,pregnant,pregnancy,"
    "expecting a baby,breastfeeding,breast feeding,trimester,=medication,=medications,"
    "=medicine,=medicines,=medicaton,=medicatons,=medicaiton,=medicatoin,=mediction,"
    "=medecine,=medicin,=insuline,=inslin,=insulen,meds,prescription,=insulin,warfarin,"
    "blood thinner,blood thinners,=statins,maoi,antidepressants,chemotherapy,=chemo,"
    "dialysis,diabetes,diabetic,epilepsy,epileptic,=seizures,asthma,high blood pressure,"
    "hypertension,heart condition,kidney disease,gout,crohns,crohn s,=colitis,gerd,"
    "acid reflux,ibs,phenylketonuria,pku,low sodium,low fodmap,renal diet,"
    "doctor s orders,doctors orders,my doctor,medically,medical reasons,medical diet,"
    "medical condition,wheelchair,oxygen tank,service dog,service animal,=zöliakie,"
    "=celíaco,=celíaca,=celiaco,=celiaca,=cœliaque,=schwanger,=embarazada,=enceinte,"
    "=grávida,=беременна,=diabetiker,=diabetikerin,=diabético,=diabética,=diabétique,"
    "=rollstuhl";

/* In a domain without critical members, "allergic to country music" is no allergy. There a word
 * for an allergy counts only beside one of these. */
static const char allergens[] =
    "peanut,peanuts,nut,nuts,=tree nuts,almonds,cashews,walnuts,hazelnuts,milk,dairy,"
    "lactose,egg,eggs,fish,shellfish,seafood,shrimp,crab,lobster,wheat,gluten,soy,sesame,"
    "mustard,celery,kiwi,strawberries,food,foods,pollen,cats,dogs,latex,nickel,"
    "penicillin,antibiotics,aspirin,ibuprofen,bees,bee stings,wasps,fragrance,perfume";

static const char allergy_words[] =
    "allergy,allergic,allergies,intolerant,intolerance,=alergia,=allergisch,=allergique";

/* Without any other word. */
static const char grave_private_words[] = "celiac disease,coeliac disease";
static const char grave_words[] =
    "anaphylaxis,anaphylactic,epipen,epi pen,severe allergy,severe allergies";

/* What one is allergic to only as a figure of speech. */
static const char figures[] =
    "meetings,meeting,code,music,drama,nonsense,mornings,mondays,work,jargon,hype,"
    "buzzwords,clutter,emails,politics,spreadsheets,commitment,small talk,bullshit,bugs,"
    "boredom,hard work,crowds,queues,stupidity,mediocrity,rules,deadlines,authority,"
    "bureaucracy,commuting,frameworks";

/* ---- words ---- */

/* Lowercase words with single spaces around each: " i have a peanut allergy ". So a word or phrase
 * is found as " word ", without looking at its neighbors. */
static struct str
plain_words(struct arena *mem, struct str statement)
{
    struct str folded = utf8_casefold(mem, statement);
    char *out = arena_alloc(mem, folded.len + 3);
    size_t length = 0;
    out[length++] = ' ';
    for (size_t i = 0; str_present(folded) && i < folded.len; i++) {
        char c = folded.ptr[i];
        bool letter = ascii_is_lower(c) || ascii_is_digit(c) || (unsigned char)c >= 0x80;
        if (letter)
            out[length++] = c;
        else if (out[length - 1] != ' ')
            out[length++] = ' ';
    }
    if (out[length - 1] != ' ')
        out[length++] = ' ';
    return (struct str){ out, length };
}

/* The number of letters to insert, delete, or replace; two neighbors swapped count once. Three rows
 * of the table are enough, since a swap looks two rows back. Both words have at most WORD_MAX
 * letters. */
static size_t
distance(struct str a, struct str b)
{
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *swapped = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = above[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1] &&
                swapped[j - 2] + 1 < best)
                best = swapped[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.len % 3][b.len];
}

/* The first letter must be right: few misspell it, and "tolerance" is not "intolerance". */
static bool
is_misspelled(struct str word, struct str wanted)
{
    if (wanted.len < MISSPELLED_MIN || word.len > WORD_MAX || word.ptr[0] != wanted.ptr[0])
        return false;
    size_t most = wanted.len >= MISSPELLED_MORE ? 2 : 1;
    return word.len + most >= wanted.len && word.len <= wanted.len + most &&
           distance(word, wanted) <= most;
}

/* The first pass finds the exact word or phrase, the second compares each word with misspellings.
 * Phrases must be exact. */
static bool
has_word(struct str words, struct str wanted)
{
    bool exact = wanted.ptr[0] == '=' || str_index(wanted, ' ') < wanted.len;
    wanted = str_from(wanted, wanted.ptr[0] == '=');
    const char *found = words.ptr, *end = words.ptr + words.len;
    while ((found = memmem(found, (size_t)(end - found), wanted.ptr, wanted.len)) != NULL) {
        if (found[-1] == ' ' && found[wanted.len] == ' ')
            return true;
        found++;
    }
    struct str part;
    while (!exact && str_cut(&words, ' ', &part))
        if (part.len > 0 && is_misspelled(part, wanted))
            return true;
    return false;
}

static bool
has_any(struct str words, const char *list)
{
    struct str rest = str_of(list), wanted;
    while (str_cut(&rest, ',', &wanted))
        if (has_word(words, wanted))
            return true;
    return false;
}

/* Without word boundaries, for scripts that have none. */
static bool
has_part(struct str words, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memmem(words.ptr, words.len, list[i], strlen(list[i])) != NULL)
            return true;
    return false;
}

#define HAS_PART(words, list) has_part(words, list, sizeof(list) / sizeof *(list))

/* "I'm allergic to meetings", unless an allergen is named, too. */
static bool
is_figure(struct str words)
{
    struct str allergic = STR(" allergic to ");
    const char *found = memmem(words.ptr, words.len, allergic.ptr, allergic.len);
    if (found == NULL)
        return false;
    size_t after = (size_t)(found - words.ptr) + allergic.len - 1;
    return has_any(str_from(words, after), figures) && !has_any(words, allergens);
}

/* Private comes before food: "celiac" is both, and must be treated as sensitive. A figure of speech
 * is excluded only where nothing private is named. */
static enum concern
concern_of(const struct domain *domain, struct str words)
{
    bool critical = domain_has_critical(domain);
    if (!critical && has_any(words, grave_private_words))
        return CONCERN_PRIVATE;
    if (!critical)
        return has_any(words, grave_words) || HAS_PART(words, food_parts) ||
                       (has_any(words, allergy_words) && has_any(words, allergens) &&
                        !is_figure(words))
                   ? CONCERN_FOOD
                   : CONCERN_NONE;
    if (has_any(words, private_words) || HAS_PART(words, private_parts))
        return CONCERN_PRIVATE;
    bool food = has_any(words, food_words) || HAS_PART(words, food_parts);
    return food && !is_figure(words) ? CONCERN_FOOD : CONCERN_NONE;
}

enum concern
statement_concern(const struct domain *domain, struct str text)
{
    struct arena *scratch = arena_new(); /* folding takes many times the length of a text */
    enum concern concern = concern_of(domain, plain_words(scratch, text));
    arena_free(scratch);
    return concern;
}

/* ---- comparing ---- */

/* Words that do not change the meaning of a statement. */
static bool
is_filler(struct str word)
{
    static const char *const fillers[] = { "a", "an", "the", "really", "very", "just", "so" };
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (str_eq_c(word, fillers[i]))
            return true;
    return false;
}

/* Without their apostrophe, in both spellings. */
static struct str
written_out(struct str word)
{
    static const struct {
        const char *word, *full;
    } contractions[] = {
        { "im", "i am" },         { "ive", "i have" },   { "dont", "do not" },
        { "doesnt", "does not" }, { "cant", "can not" }, { "cannot", "can not" },
        { "wont", "will not" },   { "isnt", "is not" },  { "didnt", "did not" },
    };
    for (size_t i = 0; i < sizeof contractions / sizeof *contractions; i++)
        if (str_eq_c(word, contractions[i].word))
            return str_of(contractions[i].full);
    return word;
}

static bool
is_apostrophe(struct str text, size_t *length)
{
    *length = str_starts(text, STR("'")) ? 1 : str_starts(text, STR("\u2019")) ? 3 : 0;
    return *length > 0;
}

static struct str
without_apostrophes(struct arena *mem, struct str text)
{
    char *out = arena_alloc(mem, text.len + 1);
    size_t length = 0, mark;
    for (size_t i = 0; i < text.len; i++) {
        if (is_apostrophe(str_from(text, i), &mark))
            i += mark - 1;
        else
            out[length++] = text.ptr[i];
    }
    return (struct str){ out, length };
}

/* The key of a statement of fillers only would be empty, and equal to every other such one: then
 * the whole text is the key. */
struct str
statement_key(struct arena *mem, struct str text)
{
    struct str folded = utf8_casefold(mem, text), word;
    if (!str_present(folded))
        return STR_NONE;
    struct str words = plain_words(mem, without_apostrophes(mem, folded));
    struct buf out = buf_in(mem, KEY_MAX_BYTES);
    while (str_cut(&words, ' ', &word)) {
        if (word.len == 0 || is_filler(word))
            continue;
        buf_add_c(&out, out.len == 0 ? "" : " ");
        buf_add(&out, written_out(word));
    }
    return out.len == 0 ? value_fold(mem, text) : buf_str(&out);
}

/* By single words of the key, which has no contractions left: "do not", "can not". */
bool
statement_decides(struct str key)
{
    static const char *const words[] = {
        "avoid",  "best",  "dislike", "enjoy",  "enough", "except", "hate",    "instead",
        "least",  "limit", "love",    "most",   "must",   "need",   "needs",   "never",
        "no",     "not",   "nothing", "only",   "prefer", "quit",   "rather",  "refuse",
        "should", "than",  "too",     "unless", "want",   "wants",  "without", "would",
    };
    struct str word;
    while (str_cut(&key, ' ', &word))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (str_eq_c(word, words[i]))
                return true;
    return false;
}
