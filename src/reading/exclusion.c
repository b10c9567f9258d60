/* exclusion.c - a small grammar of rules that people live by: orders of doctors, commands of a
 * religion, and strict exclusions. */
#include "reading/exclusion.h"

#include "reading/mention.h"

#define NEAR 4 /* words between two that belong together */

/* Whether one of the words from `from` to before `end` is in the list. */
static bool
has_between(const struct tokens *tokens, size_t from, size_t end, const char *list)
{
    for (size_t i = from; i < end && i < tokens->count; i++)
        if (tokens_in(tokens, i, list))
            return true;
    return false;
}

static size_t
back(size_t i, size_t words)
{
    return i < words ? 0 : i - words;
}

/* ---- doctors ---- */

/* "allergist", "cardiologist", "pediatrician"; a vet is one for animals. */
static bool
is_doctor(const struct tokens *tokens, size_t i)
{
    static const char list[] =
        "doctor,doctors,doc,gp,physician,physicians,allergist,dietitian,dietician,nutritionist,"
        "specialist,consultant,midwife,obstetrician,nurse,hospital,clinic,surgeon,pediatrician,"
        "pharmacist,internist,dentist,psychiatrist,medics";
    return tokens_in(tokens, i, list) ||
           (i < tokens->count && str_ends(tokens->list[i], STR("ologist")) &&
            !tokens_in(tokens, i, "mixologist,zoologist,geologist"));
}

static const char forbids[] =
    "forbid,forbids,forbade,forbidden,ban,bans,banned,prohibit,prohibits,prohibited,disallows,"
    "bars,barred,outlaws,limits,limited,restricts,restricted";
static const char instructs[] =
    "told,tells,says,said,say,advised,advises,ordered,orders,wants,warned,"
    "warns,recommends,recommended,suggests,suggested,insists,instructed,"
    "prescribed,advice,orders,put,took,keeps,has,against,made";
static const char restricts[] =
    "no,not,never,avoid,off,without,against,less,limit,limits,cut,low,skip,stop,only,must,should,"
    "about,can,diet,away,lose,reduce,quit";

/* "my GP says no salt", "the doctor put me on a low-salt diet"; "my doctor friend cooks well" and
 * "my dentist recommended this pizzeria" are no orders. */
static bool
is_doctors_order(const struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (!is_doctor(tokens, i))
            continue;
        for (size_t k = i + 1; k < tokens->count && k <= i + NEAR; k++)
            if (tokens_in(tokens, k, forbids) ||
                (tokens_in(tokens, k, instructs) && (has_between(tokens, k, k + 6, restricts))))
                return true;
        if (tokens_in(tokens, i + 1, "orders,advice,order"))
            return true;
        if (i > 0 && has_between(tokens, back(i, 3), i, "by,from,per") &&
            has_between(tokens, 0, i, forbids))
            return true;
    }
    for (size_t i = 0; i + 1 < tokens->count; i++)
        if (tokens_in(tokens, i, "medical") && tokens_in(tokens, i + 1, "advice,orders,grounds"))
            return true;
    return false;
}

/* "I am a kidney patient", "transplant recipient" */
static bool
is_patient(const struct tokens *tokens)
{
    for (size_t i = 1; i < tokens->count; i++)
        if ((tokens_in(tokens, i, "patient,survivor,recipient") &&
             tokens_in(tokens, i - 1,
                       "heart,kidney,liver,lung,cancer,transplant,dialysis,renal,cardiac,bypass,"
                       "stroke,diabetes,transplanted,organ")) ||
            (tokens_in(tokens, i, "transplant,transplantation") &&
             has_between(tokens, back(i, 3), i, "had,my,after,got,have,new,recent")))
            return true;
    return false;
}

/* Names of drugs that end alike, and common ones. */
static bool
is_drug(const struct tokens *tokens, size_t i)
{
    static const char *const ends[] = { "mab",     "statin",    "pril",  "sartan",  "olol",
                                        "prazole", "cillin",    "mycin", "oxetine", "zepam",
                                        "zolam",   "gliptin",   "xaban", "triptan", "isone",
                                        "formin",  "thyroxine", "parin", "semide" };
    static const char common[] =
        "aspirin,ibuprofen,steroid,steroids,humira,ozempic,wegovy,mounjaro,accutane,insulin,"
        "hormones,contraceptive,contraceptives,pill,thinners,immunosuppressants,biologics,"
        "antihistamines,painkillers,opioids,antipsychotics,diuretics,anticonvulsants";
    for (size_t k = 0; i < tokens->count && k < sizeof ends / sizeof *ends; k++)
        if (tokens->list[i].len > 6 && str_ends(tokens->list[i], str_of(ends[k])))
            return true;
    return tokens_in(tokens, i, common);
}

/* "I inject Humira", "heart tablets every day", "on the pill"; "I took a chill pill" is past. */
static bool
is_treated(const struct tokens *tokens)
{
    static const char takes[] =
        "take,takes,taking,on,inject,injects,injecting,prescribed,daily,use";
    for (size_t i = 0; i < tokens->count; i++) {
        if (is_drug(tokens, i) && !tokens_in(tokens, i - (i > 0), "chill") &&
            has_between(tokens, back(i, 2), i, takes))
            return true;
        if (tokens_in(tokens, i, "pills,tablets,capsules,injections,infusions") &&
            has_between(tokens, back(i, 4), i, "take,takes,taking,on,my,daily,prescribed") &&
            !has_between(tokens, 0, tokens->count, "vitamin,sleeping,android,screen,chill"))
            return true;
        if (tokens_in(tokens, i, "inject") && i > 0 && tokens_in(tokens, i - 1, "i"))
            return true;
    }
    return false;
}

/* "I'm due in June", "baby on the way" */
static bool
expects_child(const struct tokens *tokens)
{
    static const char times[] =
        "january,february,march,april,may,june,july,august,september,october,november,december,"
        "spring,summer,autumn,fall,winter,weeks,months,month,days,soon";
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens_in(tokens, i, "baby") && tokens_in(tokens, i + 1, "on") &&
            tokens_in(tokens, i + 2, "way"))
            return true;
        if (tokens_in(tokens, i, "due") && (i == 0 || tokens_in(tokens, i - 1, "am,are,is")) &&
            has_between(tokens, i + 1, i + 4, times) &&
            (i == 0 || has_between(tokens, back(i, 2), i, "i,baby,we,wife,partner")))
            return true;
    }
    return false;
}

/* "my blood sugar crashes", "I lack an enzyme for sugar" */
static bool
has_deficiency(const struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens_in(tokens, i, "enzyme,enzymes") &&
            has_between(tokens, back(i, NEAR), i, "lack*,missing,miss,no,without,not,deficien*"))
            return true;
        if (tokens_in(tokens, i, "blood") && tokens_in(tokens, i + 1, "sugar") &&
            (has_between(tokens, i + 2, tokens->count,
                         "crash*,drop*,spike*,low,high,fall*,problem*,issue*,swing*") ||
             has_between(tokens, back(i, 3), i, "low,high,my,watch")))
            return true;
    }
    return false;
}

/* ---- religion ---- */

/* "my faith forbids alcohol", "against my religion"; "coffee is my religion" and "I lost faith in
 * fast food" are not. */
static bool
is_command_of_faith(const struct tokens *tokens)
{
    static const char faith[] =
        "faith,religion,religious,beliefs,belief,church,scripture,torah,quran,koran,bible";
    static const char commands[] =
        "forbid*,forbade,ban,bans,banned,prohibit*,against,not,no,never,avoid,reasons,reason,"
        "purposes,grounds,sin,allow,allows,require*,dietary,rules,law,laws,abstain*";
    for (size_t i = 0; i < tokens->count; i++) {
        bool figure = i >= 2 && tokens_in(tokens, i - 2, "is,are,a") &&
                      tokens_in(tokens, i - 1, "my,our,your");
        if (tokens_in(tokens, i, faith) && !figure && !tokens_in(tokens, i + 1, "in") &&
            has_between(tokens, 0, tokens->count, commands))
            return true;
        if (tokens_in(tokens, i, "islamic,jewish,muslim,hindu,halal,kosher") &&
            has_between(tokens, i + 1, i + 3, "law,laws,dietary,rules"))
            return true;
        if (tokens_in(tokens, i, "sin,sinful") && has_between(tokens, i + 1, i + 3, "for,to") &&
            has_between(tokens, i + 1, i + 4, "us,me,eat,drink,consume"))
            return true;
        if (tokens_in(tokens, i, "mix,combine,mixing") && i > 0 &&
            tokens_in(tokens, i - 1, "not,never") && has_between(tokens, i, i + 5, "meat") &&
            has_between(tokens, i, i + 5, "milk,dairy,cheese"))
            return true;
        if (tokens_in(tokens, i,
                      "zabihah,zabiha,rastafari*,ital,kashrut,kashruth,shabbat,shomer") ||
            (tokens_in(tokens, i, "yom") && tokens_in(tokens, i + 1, "kippur")))
            return true;
    }
    return false;
}

/* ---- strict exclusions ---- */

/* "not able to eat", "incapable of digesting", "barred from eating"; "not able to eat before noon"
 * names no food. */
static bool
is_unable(const struct tokens *tokens)
{
    static const char takes[] = "eat*,drink*,have,having,digest*,tolerate,process,handle,take,"
                                "consum*,stomach,absorb,touch";
    for (size_t i = 0; i < tokens->count; i++) {
        bool denied = i > 0 && tokens_in(tokens, i - 1, "not,never,no");
        if ((tokens_in(tokens, i, "able,permitted,allowed") && denied) ||
            tokens_in(tokens, i, "unable,incapable,barred,banned,forbidden,prohibited"))
            if (has_between(tokens, i + 1, i + 3, takes) ||
                (!tokens_in(tokens, i, "able,unable,incapable") &&
                 (i == 0 || !tokens_in(tokens, i - 1, "is,are") || denied ||
                  has_between(tokens, i + 1, i + 5, "for,in,our,my,us,me"))))
                return true;
        if (tokens_in(tokens, i, "body,system,stomach,gut,digestion,belly") &&
            (has_between(tokens, i + 1, i + 3, "reject*,refuse*") ||
             (has_between(tokens, i + 1, i + 4, "not") &&
              has_between(tokens, i + 2, i + 6,
                          "handle,like,accept,process,digest,tolerate,take"))))
            return true;
    }
    return false;
}

/* "strictly no nuts", "no nuts whatsoever", "never ever give me peanuts", "zero tolerance" */
static bool
is_strict(const struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        bool no = tokens_in(tokens, i, "no,not,without,zero,never,free");
        if (no &&
            (has_between(tokens, back(i, 2), i, "strictly,absolutely,definitely,positively") ||
             has_between(tokens, i + 1, i + 5, "whatsoever,ever,trace,traces,single,tolerance")))
            return true;
        if (tokens_in(tokens, i, "never") &&
            has_between(tokens, i + 1, i + 3, "give,serve,feed,offer,put,add,include"))
            return true;
        if (tokens_in(tokens, i, "under,in") && tokens_in(tokens, i + 1, "no") &&
            tokens_in(tokens, i + 2, "circumstances,circumstance,case"))
            return true;
    }
    return false;
}

/* "keep me away from shellfish", "steer clear of nuts", "keep my plate free of nuts", "I'm off
 * dairy"; "I have to stay away" is one, too. */
static bool
is_kept_away(const struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens_in(tokens, i, "keep,keeping,keeps,kept,stay,staying,steer,steering") &&
            (has_between(tokens, i + 1, i + 6, "away,clear,far") ||
             (has_between(tokens, i + 1, i + 5, "off,free,out") &&
              !has_between(tokens, i + 1, i + 5, "beaten"))) &&
            !has_between(tokens, i + 1, i + 6, "fries"))
            return true;
        if (tokens_in(tokens, i, "off") && i > 0 && tokens_in(tokens, i - 1, "am,me,stay"))
            return true;
        if (tokens_in(tokens, i, "sensitive,hypersensitive,sensitivity") &&
            tokens_in(tokens, i + 1, "to"))
            return true;
        if (tokens_in(tokens, i, "told,advised,ordered,warned,instructed") &&
            has_between(tokens, i + 1, i + 4, "avoid,cut,limit,stay,skip,off"))
            return true;
    }
    return false;
}

enum exclusion
exclusion_in(struct str words)
{
    struct tokens tokens;
    tokens_read(words, &tokens);
    if (is_doctors_order(&tokens) || is_patient(&tokens) || is_treated(&tokens) ||
        expects_child(&tokens) || has_deficiency(&tokens))
        return EXCLUSION_BY_DOCTOR;
    if (is_command_of_faith(&tokens))
        return EXCLUSION_BY_FAITH;
    bool of_named = is_unable(&tokens) || is_strict(&tokens) || is_kept_away(&tokens);
    return of_named ? EXCLUSION_OF_NAMED : EXCLUSION_NONE;
}

/* ---- others ---- */

/* An animal that is the subject, in a statement without a person in it. */
static bool
is_of_animal(const struct tokens *tokens)
{
    static const char animals[] = "dog,dogs,cat,cats,puppy,kitten,hamster,rabbit,parrot,horse,pet,"
                                  "pets,bird,vet,gerbil,ferret,tortoise";
    static const char verbs[] =
        "is,are,can,must,may,should,has,have,gets,reacts,eats,could,shall,said,says";
    return (tokens_in(tokens, 0, animals) || tokens_in(tokens, 1, animals)) &&
           has_between(tokens, 1, 3, verbs) &&
           !tokens_have(tokens, "i,me,we,us,myself,son,daughter,kid,kids,wife,husband,baby");
}

/* "My friend is diabetic but I am not", "my mother keeps kosher but I don't": only at the end, and
 * only if nothing before it is about the user. */
static bool
is_not_of_user(const struct tokens *tokens)
{
    size_t end = tokens->count;
    bool denied = end > 3 && tokens_in(tokens, end - 3, "i") &&
                  tokens_in(tokens, end - 2, "am,do") && tokens_in(tokens, end - 1, "not");
    bool eats = end > 3 && tokens_in(tokens, end - 3, "i") && tokens_in(tokens, end - 2, "eat") &&
                tokens_in(tokens, end - 1, "everything,anything");
    return (denied || eats) && !has_between(tokens, 0, end - 3, "i,we,me,us,our");
}

bool
exclusion_is_of_other(struct str words)
{
    struct tokens tokens;
    tokens_read(words, &tokens);
    return is_of_animal(&tokens) || is_not_of_user(&tokens);
}
