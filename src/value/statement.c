/* statement.c - lists of words that make a statement critical.
 *
 * A statement is free text in any language, so that nothing but words can decide. The lists are
 * long on purpose: a statement that is wrongly critical costs a few tokens, one that is missed can
 * harm. Figures of speech are the exception: "allergic to meetings" would make critical facts of
 * jokes. Where a domain has no critical members, an allergy counts only together with something
 * that people are allergic to. */
#include "value/statement.h"

#include "base/arena.h"
#include "domain/domain.h"
#include "reading/exclusion.h"
#include "reading/mention.h"
#include "reading/reaction.h"
#include "reading/statement_key.h"
#include "value/value_none.h"
#include "value/value_words.h"

#include <string.h>

/* Lists for mention_in(), as in a key: American English, without marks, apostrophes, articles, and
 * contractions ("can not" for "can't"). What happens to the user is not here: the grammar of
 * reaction.c reads it. */
static const char food_words[] =
    "allergy,allergic,allergies,allergen,allergens,anaphylaxis,anaphylactic,"
    "anaphylactoid,epipen,epi pen,hay fever,intolerant,intolerance,intolerances,halal,kosher,"
    "=haram,jain,gluten free,no gluten,"
    "without gluten,lactose,throat closes,throat swells,break out in hives,=hives,"
    "trace amounts,even traces,cross contamination,airborne,=allergique,=allergisch,"
    "=allergien,=allergico,=allergica,=allergia,=alergia,=alergias,"
    "=alergico,=alergica,=alergi,=alerji,=alerjim,=аллергия,=аллергии,=аллергию,"
    "=аллергик,=intolerante,=intolerant,=intoleranz,=лактозы,=halaal,"
    "ramadan,for lent,during lent,practicing muslim,muslim so,hindu so,as jew,jewish so,"
    "buddhist so,against my faith,"
    "could kill me,can kill me,will kill me,would kill me,might kill me,react badly to,"
    "reacts badly to,bad reaction to,bad reactions to,auto injector,"
    "autoinjector,=adrenaline,epinephrine,=injector,=injectors,can not breathe,alpha gal,no "
    "pork,not eat pork,never eat pork,not touch pork,no beef,"
    "not eat beef,never eat beef,no alcohol,not drink alcohol,never drink alcohol,"
    "not consume alcohol,avoid alcohol,without alcohol,teetotal,teetotaler,"
    "zabiha,hindu vegetarian,buddhist vegetarian,passover,adventist,i am sikh,i am mormon,word of "
    "wisdom";

/* Words that are in the list above, in names of food. */
static const char not_religious[] =
    "kosher salt,kosher dill,kosher dills,kosher pickle,kosher pickles,halal guys,halal cart,"
    "halal carts";

/* Only together with something of the vocabulary, as are the reactions: "triggered by red wine". */
static const char harm_phrases[] =
    "can not tolerate,do not tolerate,do not digest,not allowed,must avoid,have to avoid,"
    "need to avoid,need to limit,must limit,have to limit,upset my,get reflux from,"
    "get heartburn from,triggered by,=deadly,no go for me,off limits,not good for my";

/* In scripts without spaces, and with articles that are written as one word. */
static const char *const food_parts[] = {
    "过敏",
    "過敏",
    "アレルギー",
    "알레르기",
    "حساسية",
    "एलर्जी",
    "অ্যালার্জি",
    "الرجی",
    /* Beginnings of words. */
    "uczulen",
    "uczulon",
    "dị ứng",
    "알러지",
    "แพ้",
    "אלרג",
    "αλλεργ",
    "алерг",
    "清真",
    "حلال",
};

/* In German, what the allergy is to is part of the word: "Erdnussallergie". */
static const char *const food_word_ends[] = { "allergie",     "allergien",  "allergiker",
                                              "allergikerin", "intolerant", "intoleranz" };

static const char *const private_parts[] = { "怀孕", "懷孕", "妊娠",  "糖尿病",
                                             "임신", "حامل", "السكري" };

static const char private_words[] =
    "celiac,celiacs,coeliac,coeliacs,ceoliac,celiacal,siliac,caeliac,pregnant,pregnancy,"
    "expecting baby,expecting so,expecting in,expecting and,expecting our,expecting twins,"
    "expecting no,breastfeeding,breast feeding,trimester,=medication,=medications,"
    "=medicine,=medicines,=medicaton,=medicatons,=medicaiton,=medicatoin,=mediction,"
    "=medecine,=medicin,=insuline,=inslin,=insulen,meds,prescription,=insulin,warfarin,"
    "blood thinner,blood thinners,=statins,maoi,maois,antidepressants,chemotherapy,"
    "=gallbladder,malabsorption,eosinophilic,eoe,fpies,porphyria,hemochromatosis,"
    "sickle cell,"
    "thalassemia,kidney failure,renal failure,kidney transplant,liver transplant,heart transplant,"
    "bone marrow,cirrhosis,liver disease,fatty liver,pancreatitis,ulcer,ulcers,hiatal hernia,"
    "stoma,colostomy,ileostomy,short bowel,irritable bowel,bowel disease,leaky gut,sibo,fodmap,"
    "fodmaps,favism,wilson disease,cystic fibrosis,parkinsons,heart attack,stroke,clotting,"
    "thrombosis,immune system,immune deficiency,immunodeficiency,immune compromised,"
    "weakened immune,neutropenic,swallowing problem,swallowing problems,swallowing difficulties,"
    "trouble swallowing,difficulty swallowing,can not swallow,can not chew,pureed,soft foods only,"
    "thickened,heart pills,heart medicine,blood pressure pills,blood pressure,my pills,"
    "interferes with my,interacts with my,interact with my,interfere with my,chemo,"
    "insulin pump,gestational,low potassium,low phosphorus,low salt,low protein,"
    "low purine,=lithium,coumadin,"
    "gluten ataxia,dermatitis herpetiformis,vertigo,menieres,meniere s,"
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
    "hashimoto s,galactosemia,mast cell,mcas,feeding tube,=sober,in recovery,medically,medical "
    "reasons,medical diet,medical condition,"
    "=zoliakie,=celiaco,=celiaca,=cœliaque,=schwanger,=embarazada,=enceinte,"
    "=gravida,=беременна,=diabetiker,=diabetikerin,=diabetico,=diabetica,=diabetique";

/* What the user cannot do, which matters to ways and rooms and not to food. */
static const char physical_words[] =
    "wheelchair,oxygen tank,service dog,service animal,guide dog,i am blind,legally blind,"
    "visually impaired,hearing impaired,hard of hearing,i am deaf,can not climb stairs,"
    "can not walk far,can not walk long,can not stand long,on crutches,bad back,bad knee,"
    "bad knees,bad hip,herniated disc,slipped disc,can not lift,no lifting,no heavy lifting,"
    "=rollstuhl";

/* In a domain without critical members, "allergic to country music" is no allergy. There a word
 * for an allergy counts only beside one of these. */
static const char allergens[] =
    "peanut,peanuts,nut,nuts,=tree nuts,almonds,cashews,walnuts,hazelnuts,milk,dairy,"
    "lactose,egg,eggs,fish,shellfish,seafood,shrimp,crab,lobster,wheat,gluten,soy,sesame,"
    "mustard,celery,kiwi,strawberries,food,foods,pollen,cats,dogs,latex,nickel,"
    "penicillin,antibiotics,aspirin,ibuprofen,bees,bee stings,wasps,fragrance,perfume,"
    "tyramine,salt,sodium,sulfites,nitrates,caffeine,red wine";

/* Substances that can harm, besides those of the vocabulary. */
static const char substances[] =
    "tyramine,aspartame,msg,fava,beans,legumes,pulses,yeast,mold,dye,dyes,salicylates,oxalates,"
    "purines,potassium,phosphorus,sulphites,histamine,fructose,sorbitol,quinoa,buckwheat,lupine,"
    "spices,additives,preservatives,grapefruit,licorice,vitamin k,iodine,cilantro,booze,beer,wine";

static const char allergy_words[] =
    "allergy,allergic,allergies,intolerant,intolerance,=alergia,=allergisch,=allergique";

/* Without any other word. Of conditions, those that music, films, and screens can harm. */
static const char grave_private_words[] =
    "celiac disease,coeliac disease,photosensitive,photosensitive epilepsy,i have epilepsy,"
    "i am epileptic,=tinnitus,flashing lights,strobe lights";
static const char grave_words[] =
    "anaphylaxis,anaphylactic,epipen,epi pen,severe allergy,severe allergies";

/* ---- words ---- */

/* Words for a degree, which no rule looks at. */
static bool
is_degree(struct str word)
{
    return str_eq_c(word, "really") || str_eq_c(word, "very") || str_eq_c(word, "just") ||
           str_eq_c(word, "so");
}

/* The words of a key with single spaces around each: " i have peanut allergy ". So a word or phrase
 * is found as " word ", without looking at its neighbors. */
static struct str
plain_words(struct arena *mem, struct str key)
{
    char *out = arena_alloc(mem, key.len + 2);
    size_t length = 0;
    struct str word;
    out[length++] = ' ';
    while (str_cut(&key, ' ', &word)) {
        if (word.len == 0 || is_degree(word))
            continue;
        memcpy(out + length, word.ptr, word.len);
        length += word.len;
        out[length++] = ' ';
    }
    return (struct str){ out, length };
}

/* Without word boundaries, for scripts that have none. */
static bool
has_part(struct str words, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_find(words, str_of(list[i])) < words.len)
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
            if (word.len > strlen(food_word_ends[i]) && str_ends(word, str_of(food_word_ends[i])))
                return true;
    return false;
}

/* The words with a space for each letter of what the list names. */
static struct str
remove_words(struct arena *mem, struct str words, const char *list)
{
    struct str rest = str_of(list), phrase;
    char *out = NULL;
    while (str_cut(&rest, ',', &phrase)) {
        size_t at = str_find(words, phrase);
        if (at == words.len)
            continue;
        if (out == NULL)
            out = memcpy(arena_alloc(mem, words.len), words.ptr, words.len);
        memset(out + at, ' ', phrase.len);
    }
    return out == NULL ? words : (struct str){ out, words.len };
}

/* "a peanut-free household", and not "nut-free labels annoy me" */
static bool
is_free_of(struct str words)
{
    struct tokens tokens;
    tokens_read(words, &tokens);
    for (size_t i = 1; i < tokens.count; i++)
        if (tokens_in(&tokens, i, "free") && tokens_in(&tokens, i - 1, allergens) &&
            mention_counts(&tokens, i - 1, 2, MENTION_CLAIM | MENTION_NOT_OVER))
            return true;
    return false;
}

/* "Our family is Muslim", "Hindu, nothing with beef"; "I love Hindu temples" says nothing. */
static bool
is_of_faith(struct str words)
{
    struct tokens tokens;
    tokens_read(words, &tokens);
    for (size_t i = 0; i < tokens.count; i++) {
        if (!tokens_in(&tokens, i, "muslim,muslims,hindu,hindus,jewish,sikh,jain,mormon,buddhist"))
            continue;
        for (size_t k = i < 2 ? 0 : i - 2; k < i; k++)
            if (tokens_in(&tokens, k, "am,are,is,as,being,raised"))
                return true;
        for (size_t k = i + 1; k < tokens.count && k < i + 4; k++)
            if (tokens_in(&tokens, k, "no,not,nothing,never,avoid,without"))
                return true;
    }
    return false;
}

/* "I don't drink", without an object. */
static bool
states_abstinence(struct str words)
{
    return str_ends(words, STR(" not drink ")) || str_ends(words, STR(" never drink ")) ||
           mention_in(words, "not drink at all,not drink anymore,no longer drink", MENTION_ANY);
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

/* In a domain without critical members. */
static enum concern
grave_concern_of(struct str words)
{
    if (mention_in(words, grave_private_words, MENTION_CLAIM | MENTION_NOT_NO))
        return CONCERN_PRIVATE;
    bool food = mention_in(words, grave_words, MENTION_CLAIM) || HAS_PART(words, food_parts) ||
                (mention_in(words, allergy_words, MENTION_CLAIM | MENTION_NOT_OVER) &&
                 mention_in(words, allergens, MENTION_ANY));
    return food ? CONCERN_FOOD : CONCERN_NONE;
}

/* `words` are those of the text's key. Private comes before food: "celiac" is both, and must be
 * treated as sensitive. A figure of speech is excluded only where nothing private is named. */
static enum concern
concern_of(struct arena *mem, const struct domain *domain, struct str text, struct str words)
{
    if (!domain_has_critical(domain))
        return grave_concern_of(words);
    if (exclusion_is_of_other(words))
        return CONCERN_NONE;
    enum exclusion exclusion = exclusion_in(words);
    /* What an allergist forbids is an allergy, which apps must not miss. */
    bool ordered = exclusion == EXCLUSION_BY_DOCTOR &&
                   mention_in(words, "allergist,allergologist", MENTION_ANY);
    if ((exclusion == EXCLUSION_BY_DOCTOR && !ordered) ||
        mention_in(words, private_words, MENTION_CLAIM | MENTION_NOT_NO) ||
        mention_in(words, physical_words, MENTION_CLAIM | MENTION_NOT_NO) ||
        HAS_PART(words, private_parts))
        return CONCERN_PRIVATE;
    words = remove_words(mem, words, not_religious);
    enum reaction reaction = reaction_in(words);
    bool food = exclusion == EXCLUSION_BY_FAITH || reaction == REACTION_GRAVE ||
                is_free_of(words) || states_abstinence(words) || is_of_faith(words) ||
                mention_in(words, food_words, MENTION_CLAIM | MENTION_NOT_OVER) ||
                HAS_PART(words, food_parts) || has_word_end(words);
    bool harm =
        !food && (ordered || exclusion == EXCLUSION_OF_NAMED || reaction == REACTION_TO_NAMED ||
                  mention_in(words, harm_phrases, MENTION_ANY));
    if (!food && !harm)
        return CONCERN_NONE;
    struct str meant = mention_without_judged(mem, words);
    bool named = mention_in(meant, allergens, MENTION_ANY) ||
                 mention_in(meant, substances, MENTION_ANY) || names_danger(mem, domain, meant);
    if (harm || mention_is_figure(words) || meant.ptr != words.ptr)
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

bool
statement_is_physical(struct str text)
{
    struct arena *scratch = arena_new();
    struct str key = statement_key(scratch, text);
    struct str words = str_present(key) ? plain_words(scratch, key) : STR("");
    bool physical = words.len > 0 && mention_in(words, physical_words, MENTION_CLAIM) &&
                    !mention_in(words, private_words, MENTION_CLAIM) &&
                    !HAS_PART(words, private_parts);
    arena_free(scratch);
    return physical;
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
