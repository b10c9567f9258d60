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
#include "value/value_none.h"
#include "value/value_words.h"

#include <string.h>

#define KEY_MAX_BYTES 4096
#define WORD_MAX 32        /* letters; longer words are in no list */
#define MISSPELLED_MIN 7   /* shorter words must match exactly */
#define MISSPELLED_MORE 10 /* from this length on, two letters may be wrong */

/* As in a key: without apostrophes, articles, and contractions ("can not" for "can't"). Words of at
 * least MISSPELLED_MIN letters are also recognized misspelled, unless they follow '='. A phrase has
 * a space. Lists are separated by commas. */
static const char food_words[] =
    "allergy,allergic,allergies,allergen,allergens,anaphylaxis,anaphylactic,"
    "anaphylactoid,epipen,epi pen,hay fever,intolerant,intolerance,intolerances,halal,kosher,"
    "=haram,jain,religious reasons,religion,gluten free,glutenfree,no gluten,"
    "without gluten,lactose,throat closes,throat swells,break out in hives,=hives,"
    "trace amounts,even traces,cross contamination,airborne,=allergique,=allergisch,"
    "=allergien,=allergico,=allergica,=allergia,=alergia,=alergias,=alérgico,=alérgica,"
    "=alergico,=alergica,=alergi,=alerji,=alerjim,=аллергия,=аллергии,=аллергию,"
    "=аллергик,=intolerante,=intolérant,=intolérante,=intoleranz,=лактозы,=halaal,"
    "ramadan,for lent,during lent,i am muslim,as muslim,practicing muslim,muslim no,muslim so,"
    "i am hindu,as hindu,hindu no,hindu so,i am jewish,as jew,jewish no,jewish so,"
    "i am buddhist,as buddhist,buddhist no,buddhist so,against my faith,"
    "could kill me,can kill me,will kill me,would kill me,might kill me,react badly to,"
    "reacts badly to,bad reaction to,bad reactions to,in hospital,to hospital,"
    "can not breathe,alpha gal,no pork,not eat pork,never eat pork,not touch pork,no beef,"
    "not eat beef,never eat beef,no alcohol,not drink alcohol,never drink alcohol,"
    "not consume alcohol,avoid alcohol,without alcohol,teetotal,teetotaler,teetotaller,"
    "zabiha,passover,adventist,i am sikh,i am mormon,word of wisdom";

/* Words that are in the list above, in names of food. */
static const char not_religious[] =
    "kosher salt,kosher dill,kosher dills,kosher pickle,kosher pickles,halal guys,halal cart,"
    "halal carts";

/* Only together with something of the vocabulary: "dairy makes me sick", not "flying makes me
 * sick". */
static const char harm_phrases[] =
    "can not have,can not eat,can not drink,can not tolerate,can not digest,do not tolerate,"
    "do not digest,not allowed,must not have,must not eat,must not drink,must avoid,have to avoid,"
    "makes me sick,make me sick,makes me ill,make me ill,makes me throw up,make me throw up,"
    "makes me vomit,make me vomit,makes me nauseous,make me nauseous,upsets my stomach,"
    "upset my stomach,hurts my stomach,hurt my stomach,gives me rash,give me rash,"
    "gives me rashes,give me rashes,gives me migraine,gives me migraines,give me migraines,"
    "gives me headaches,give me headaches,triggers my migraine,triggers my migraines,"
    "trigger my migraines,i react to,get migraines from,get migraine from,get headaches from,"
    "get sick from,get rash from,get reflux from,get heartburn from,kill me,kills me,swell up,"
    "swells up,swell,swells,closes my throat,reacts to,triggered by,=deadly,no go for me,off "
    "limits,not good for my";

/* "I can't eat enough pizza", "I can't have pizza without olives" */
static const char not_meant[] = "enough,without,just one";

/* In scripts without spaces, and with articles that are written as one word. */
static const char *const food_parts[] = {
    "过敏",  "過敏",     "アレルギー", "알레르기", "حساسية",
    "एलर्जी", "অ্যালার্জি", "الرجی",      "清真",     "حلال",
};

/* In German, what the allergy is to is part of the word: "Erdnussallergie". */
static const char *const food_word_ends[] = { "allergie",     "allergien",  "allergiker",
                                              "allergikerin", "intolerant", "intoleranz" };

static const char *const private_parts[] = { "怀孕", "懷孕", "妊娠",  "糖尿病",
                                             "임신", "حامل", "السكري" };

static const char private_words[] =
    "celiac,celiacs,coeliac,coeliacs,ceoliac,celiacal,siliac,caeliac,pregnant,pregnancy,"
    "expecting baby,breastfeeding,breast feeding,trimester,=medication,=medications,"
    "=medicine,=medicines,=medicaton,=medicatons,=medicaiton,=medicatoin,=mediction,"
    "=medecine,=medicin,=insuline,=inslin,=insulen,meds,prescription,=insulin,warfarin,"
    "blood thinner,blood thinners,=statins,maoi,maois,antidepressants,chemotherapy,=chemo,"
    "dialysis,diabetes,diabetic,epilepsy,epileptic,=seizures,photosensitive,asthma,asthmatic,"
    "high blood pressure,hypertension,heart condition,pacemaker,kidney disease,gout,crohns,"
    "crohn s,=colitis,gerd,acid reflux,ibs,phenylketonuria,pku,g6pd,low sodium,low fodmap,"
    "renal diet,gastric bypass,eating disorder,anorexia,=bulimia,recovering alcoholic,alcoholism,"
    "alcoholic in recovery,recovering addict,cancer treatment,immunocompromised,"
    "immunosuppressed,organ transplant,rheumatoid arthritis,=arthritis,=tinnitus,"
    "eliquis,xarelto,breast feed,breastfeed,multiple sclerosis,i have ms,i am in aa,"
    "stopped drinking,quit drinking,quit alcohol,watch my sodium,watch my salt,watch my sugar,"
    "mao inhibitor,mao inhibitors,on lithium,take lithium,taking lithium,metformin,ssri,ssris,"
    "levothyroxine,prednisone,methotrexate,anticoagulant,anticoagulants,beta blocker,"
    "beta blockers,=antibiotics,tamoxifen,=ozempic,=statin,nursing my,nursing mother,"
    "nursing mom,while nursing,i am nursing,=lactating,postpartum,trying to conceive,t1d,t2d,"
    "prediabetes,prediabetic,hypoglycemia,=lupus,diverticulitis,gastritis,gastroparesis,"
    "gallstones,kidney stones,=bariatric,gastric sleeve,dysphagia,high cholesterol,"
    "heart disease,heart failure,heart problem,heart problems,arrhythmia,hashimotos,"
    "hashimoto s,galactosemia,mast cell,mcas,feeding tube,sober since,i am sober,years sober,"
    "months sober,in recovery,doctor told,doctor said,doctor says,doctor wants,doctor ordered,"
    "doctor advised,dietitian,dietician,cardiologist,"
    "doctors orders,my doctor,medically,medical reasons,medical diet,medical condition,"
    "wheelchair,oxygen tank,service dog,service animal,guide dog,i am blind,legally blind,"
    "visually impaired,hearing impaired,hard of hearing,i am deaf,can not climb stairs,"
    "can not walk far,can not walk long,can not stand long,on crutches,bad back,bad knee,"
    "bad knees,bad hip,herniated disc,slipped disc,can not lift,no lifting,no heavy lifting,"
    "=zöliakie,=celíaco,=celíaca,=celiaco,=celiaca,=cœliaque,=schwanger,=embarazada,=enceinte,"
    "=grávida,=беременна,=diabetiker,=diabetikerin,=diabético,=diabética,=diabétique,"
    "=rollstuhl";

/* In a domain without critical members, "allergic to country music" is no allergy. There a word
 * for an allergy counts only beside one of these. */
static const char allergens[] =
    "peanut,peanuts,nut,nuts,=tree nuts,almonds,cashews,walnuts,hazelnuts,milk,dairy,"
    "lactose,egg,eggs,fish,shellfish,seafood,shrimp,crab,lobster,wheat,gluten,soy,sesame,"
    "mustard,celery,kiwi,strawberries,food,foods,pollen,cats,dogs,latex,nickel,"
    "penicillin,antibiotics,aspirin,ibuprofen,bees,bee stings,wasps,fragrance,perfume,"
    "tyramine,salt,sodium,sulfites,nitrates,caffeine,red wine";

static const char allergy_words[] =
    "allergy,allergic,allergies,intolerant,intolerance,=alergia,=allergisch,=allergique";

/* Without any other word. Of conditions, those that music, films, and screens can harm. */
static const char grave_private_words[] =
    "celiac disease,coeliac disease,photosensitive,photosensitive epilepsy,i have epilepsy,"
    "i am epileptic,=tinnitus,flashing lights,strobe lights";
static const char grave_words[] =
    "anaphylaxis,anaphylactic,epipen,epi pen,severe allergy,severe allergies";

/* What one is allergic to, or gets hives from, only as a figure of speech. */
static const char figures[] =
    "meetings,meeting,code,music,drama,nonsense,mornings,mondays,work,jargon,hype,"
    "buzzwords,clutter,emails,politics,spreadsheets,commitment,small talk,bullshit,bugs,"
    "boredom,hard work,crowds,queues,stupidity,mediocrity,rules,deadlines,authority,"
    "bureaucracy,commuting,frameworks,service,waiters,tourist traps,tourists,lines,waiting,noise,"
    "ads,advertising,people,phone calls,networking,paperwork,exercise,cooking,traffic,"
    "negativity,fake news,cliches,chains,chain restaurants,shopping,chores,puns,jokes,"
    "dad jokes,small print,spam,lies,liars,laziness,early mornings,alarm clocks";

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

/* Whether the word itself is in the list. */
static bool
words_in_commas(struct str word, const char *list)
{
    struct str rest = str_of(list), one;
    while (str_cut(&rest, ',', &one))
        if (str_eq(word, one))
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

static bool
has_word_end(struct str words)
{
    struct str word;
    while (str_cut(&words, ' ', &word))
        for (size_t i = 0; i < sizeof food_word_ends / sizeof *food_word_ends; i++)
            if (str_ends(word, str_of(food_word_ends[i])))
                return true;
    return false;
}

/* Where the phrase begins, or the length of `words`. */
static size_t
find_phrase(struct str words, struct str phrase)
{
    const char *found = memmem(words.ptr, words.len, phrase.ptr, phrase.len);
    return found != NULL ? (size_t)(found - words.ptr) : words.len;
}

/* "I'm allergic to meetings", "intolerant of slow service", "small talk gives me hives". */
static bool
is_figure(struct str words)
{
    static const char *const heads[] = { " allergic to ", " allergy to ", " intolerant of ",
                                         " intolerant to ", NULL };
    for (size_t i = 0; heads[i] != NULL; i++) {
        struct str head = str_of(heads[i]);
        size_t at = find_phrase(words, head);
        if (at < words.len)
            return has_any(str_from(words, at + head.len - 1), figures);
    }
    return find_phrase(words, STR(" me hives ")) < words.len && has_any(words, figures);
}

/* The words with a space for each letter of what the list names. */
static struct str
without(struct arena *mem, struct str words, const char *list)
{
    struct str rest = str_of(list), phrase;
    char *out = NULL;
    while (str_cut(&rest, ',', &phrase)) {
        size_t at = find_phrase(words, phrase);
        if (at == words.len)
            continue;
        if (out == NULL)
            out = memcpy(arena_alloc(mem, words.len), words.ptr, words.len);
        memset(out + at, ' ', phrase.len);
    }
    return out == NULL ? words : (struct str){ out, words.len };
}

/* "a peanut-free household" */
static bool
is_free_of(struct str words)
{
    struct str word, before = STR("");
    while (str_cut(&words, ' ', &word)) {
        if (str_eq_c(word, "free") && before.len > 0 && words_in_commas(before, allergens))
            return true;
        before = word;
    }
    return false;
}

/* "I don't drink", without an object. */
static bool
abstains(struct str words)
{
    return str_ends(words, STR(" not drink ")) || str_ends(words, STR(" never drink ")) ||
           has_any(words, "not drink at all,not drink anymore,no longer drink");
}

/* Whether the text names a value of a critical member of what the user avoids, such as a food. */
static bool
names_danger(struct arena *mem, const struct domain *domain, struct str text)
{
    struct words *words = ARENA_NEW(mem, struct words);
    if (!value_words_read(mem, text, words))
        return false;
    for (size_t i = 0; i < domain->member_count; i++)
        if (member_lists_dangers(&domain->members[i]) &&
            value_words_name(mem, domain->members[i].vocabulary, words) > 0)
            return true;
    return false;
}

/* Whether the text plainly says that there is none: "I'm not allergic to anything", "I'm not
 * allergic to nuts". */
static bool
denies(struct arena *mem, const struct domain *domain, struct str text)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (member_lists_dangers(&domain->members[i]) &&
            (value_means_none(mem, &domain->members[i], text) ||
             value_denies(mem, &domain->members[i], text)))
            return true;
    return false;
}

/* `words` are those of the text's key. Private comes before food: "celiac" is both, and must be
 * treated as sensitive. A figure of speech is excluded only where nothing private is named. */
static enum concern
concern_of(struct arena *mem, const struct domain *domain, struct str text, struct str words)
{
    bool critical = domain_has_critical(domain);
    if (has_any(words, critical ? private_words : grave_private_words) ||
        (critical && HAS_PART(words, private_parts)))
        return CONCERN_PRIVATE;
    if (!critical)
        return has_any(words, grave_words) || HAS_PART(words, food_parts) ||
                       (has_any(words, allergy_words) && has_any(words, allergens))
                   ? CONCERN_FOOD
                   : CONCERN_NONE;
    words = without(mem, words, not_religious);
    bool food = has_any(words, food_words) || is_free_of(words) || abstains(words) ||
                HAS_PART(words, food_parts) || has_word_end(words);
    bool harm = !food && has_any(words, harm_phrases) && !has_any(words, not_meant);
    if (!food && !harm)
        return CONCERN_NONE;
    bool named = has_any(words, allergens) || names_danger(mem, domain, text);
    if (harm || is_figure(words))
        return named ? CONCERN_FOOD : CONCERN_NONE;
    return denies(mem, domain, text) ? CONCERN_NONE : CONCERN_FOOD;
}

/* By the key, because a view knows only that, and both must decide alike. */
enum concern
statement_concern(const struct domain *domain, struct str text)
{
    struct arena *scratch = arena_new(); /* folding takes many times the length of a text */
    struct str key = statement_key(scratch, text);
    enum concern concern = str_present(key)
                               ? concern_of(scratch, domain, text, plain_words(scratch, key))
                               : CONCERN_NONE;
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
        "avoid", "best",    "dislike", "enjoy", "enough", "except",  "hate",   "instead", "least",
        "limit", "love",    "me",      "most",  "must",   "need",    "needs",  "never",   "no",
        "not",   "nothing", "only",    "over",  "prefer", "quit",    "rather", "refuse",  "should",
        "than",  "too",     "unless",  "want",  "wants",  "without", "would",
    };
    struct str word;
    while (str_cut(&key, ' ', &word))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (str_eq_c(word, words[i]))
                return true;
    return false;
}
