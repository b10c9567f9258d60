/* reaction.c - a small grammar of symptoms, parts of the body, and verbs. It must find reactions
 * that users describe in their own words, without taking recipes and idioms for them. */
#include "reading/reaction.h"

#include "reading/mention.h"

#define NEAR 5       /* words between a part of the body and what happens to it */
#define SHORT_TEXT 7 /* words of a note that needs no subject: "rash from wheat" */

static const char persons[] =
    "i,me,my,we,us,our,myself,he,she,him,her,his,kid,kids,child,children,son,daughter,toddler,baby,"
    "wife,husband,partner,girlfriend,boyfriend,spouse,mom,mum,mother,dad,father,sister,brother,"
    "family,household";

/* Those through which a reaction to food can kill. */
static const char airway[] = "throat,tongue,lip,lips,airway,airways,windpipe,face,mouth";
static const char closing[] =
    "swell*,swollen,puff*,tingl*,constrict*,tight*,itch*,numb*,clos*,narrow*";
static const char passage[] = "throat,airway,airways,windpipe";

static const char body[] =
    "throat,tongue,lip,lips,airway,airways,face,mouth,eye,eyes,skin,gut,guts,stomach,belly,tummy,"
    "bowel,bowels,intestines,chest,lungs,hands,joints,sinuses,digestion,body,system,eczema,gums";
static const char harms[] =
    "swell*,swollen,puff*,tingl*,constrict*,tight*,itch*,numb,clos*,burn*,hurt*,ache*,aching,cramp*"
    ","
    "upset*,wreck*,ruin*,destroy*,mess,messes,messed,blister*,bloat*,flare*,inflam*,react*,rebel*,"
    "racing,rash*,irritat*,bleed*,peel*,crack*,suffer*,protest*,blow,blows,balloon*,worse";

static const char symptoms[] =
    "hives,rash,rashes,welts,itch,itchy,itches,itching,cramps,diarrhea,diarrhoea,diarrhea,bloat,"
    "bloats,bloated,bloating,vomit*,puke,pukes,puking,puked,barf,nause*,faint,faints,fainted,"
    "migraine*,headache*,wheez*,react,reacts,reacted,reaction,reactions,eczema,swell,swells,"
    "swelled,swelling,swollen,heartburn,reflux,dizzy,blisters,flare,flares,seizure*,palpitations,"
    "spasms,constipat*,indigestion,gassy,unwell,spots,agony,pain,pains,painful,attack,attacks";

/* Whatever a person likes about it does not matter. */
static const char grave_symptoms[] =
    "hives,vomit*,faint,faints,fainted,wheez*,swell,swells,swollen,react,reacts,reaction,reactions,"
    "seizure*";

/* "I've never had an allergic reaction", "no reaction to food so far"; "no reaction to milk, but to
 * nuts" has an exception. */
static bool
is_absent(const struct tokens *tokens, size_t i)
{
    bool denied = false;
    for (size_t k = i < NEAR ? 0 : i - NEAR; k < i; k++)
        denied = denied || tokens_in(tokens, k, "never,no,not,without");
    return denied && tokens_in(tokens, i, "reaction,reactions") &&
           !tokens_have(tokens, "but,except,only,until,if,unless,so");
}

/* "swells with pride", "a faint smell", "a chain reaction", "itching to try" */
static bool
is_idiom(const struct tokens *tokens, size_t i)
{
    return tokens_in(tokens, i + 1, "for,of,to") || is_absent(tokens, i) ||
           (i > 0 && tokens_in(tokens, i - 1, "chain,first,my") &&
            tokens_in(tokens, i, "reaction,reactions") && !tokens_in(tokens, i + 1, "to")) ||
           (tokens_in(tokens, i + 1, "with") &&
            tokens_in(tokens, i + 2, "pride,joy,laughter,happiness,envy")) ||
           (tokens_in(tokens, i, "pain") && tokens_in(tokens, i + 1, "au,aux,de,perdu")) ||
           (tokens_in(tokens, i, "spots") && !tokens_in(tokens, i - (i > 0), "in,red,itchy")) ||
           (tokens_in(tokens, i, "faint") &&
            tokens_in(tokens, i + 1, "smell,taste,hint,aroma,flavor,scent"));
}

static bool
is_symptom(const struct tokens *tokens, size_t i, const char *list)
{
    bool directed = (tokens_in(tokens, i, "react*") && !is_absent(tokens, i)) ||
                    tokens_in(tokens, i, "swell*,swollen");
    return tokens_in(tokens, i, list) &&
           (directed ? !tokens_in(tokens, i + 1, "with,for") : !is_idiom(tokens, i));
}

/* "throws up", "pass out", "breaks out in", "makes me sick"; "break out the wine" is a feast. */
static bool
is_symptom_phrase(const struct tokens *tokens, size_t i)
{
    if (tokens_in(tokens, i, "throw,throws,threw,throwing") &&
        (tokens_in(tokens, i + 1, "up") || tokens_in(tokens, i + 2, "up")))
        return true;
    if (tokens_in(tokens, i, "pass,passes,passed,black,blacked") && tokens_in(tokens, i + 1, "out"))
        return true;
    if (tokens_in(tokens, i, "break,breaks,broke,breaking"))
        return (tokens_in(tokens, i + 1, "out") &&
                (tokens_in(tokens, i + 2, "in,from,when,if,after") || i + 2 == tokens->count)) ||
               (tokens_in(tokens, i + 1, "me,her,him,us") && tokens_in(tokens, i + 2, "out"));
    if (!tokens_in(tokens, i, "sick,ill,violently") || tokens_in(tokens, i + 1, "of,and"))
        return false;
    for (size_t k = i < 3 ? 0 : i - 3; k < i; k++)
        if (tokens_in(tokens, k,
                      "make,makes,made,making,get,gets,got,feel,feels,fall,falls,become"))
            return true;
    return false;
}

static bool
body_suffers(const struct tokens *tokens, const char *parts, const char *what)
{
    for (size_t i = 0; i < tokens->count; i++)
        for (size_t k = i < NEAR ? 0 : i - NEAR; tokens_in(tokens, i, what) && k < i + NEAR; k++)
            if (k != i && tokens_in(tokens, k, parts) && !is_idiom(tokens, i))
                return true;
    return false;
}

/* "stops breathing", "trouble breathing" */
static bool
stops_breath(const struct tokens *tokens)
{
    for (size_t i = 0; i + 1 < tokens->count; i++)
        if (tokens_in(tokens, i,
                      "stop,stops,stopped,trouble,difficulty,difficulties,short,hard,can,not") &&
            (tokens_in(tokens, i + 1, "breath*") || tokens_in(tokens, i + 2, "breath*")) &&
            !tokens_in(tokens, i + 1, "take"))
            return true;
    return false;
}

/* "sends me to the emergency room", "ended up in the ER"; "I work in the ER" is a job. */
static bool
leads_to_hospital(const struct tokens *tokens)
{
    static const char ways[] = "send*,sent,put,puts,land*,end,ends,ended,rush*,took,take,takes,"
                               "was,been,went,bring*,brought,need,needs,needed,call,called";
    static const char places[] =
        "er,hospital,emergency,ambulance,icu,intensive,resuscitation,drip,paramedics,casualty";
    bool way = false;
    for (size_t i = 0; i < tokens->count; i++) {
        way = way || tokens_in(tokens, i, ways);
        if (way && ((tokens_in(tokens, i, "and") && tokens_in(tokens, i + 1, "e")) || /* "A&E" */
                    (tokens_in(tokens, i, "urgent") && tokens_in(tokens, i + 1, "care"))))
            return true;
        if ((way && tokens_in(tokens, i, places) &&
             !tokens_in(tokens, i + 1, "food,cafeteria,kitchen")) ||
            tokens_in(tokens, i, "hospitalized,hospitalised,hospitalizes,hospitalises"))
            return true;
    }
    return false;
}

/* Beside a food in a short note, a place or a medicine is enough: "walnuts = hospital". */
static bool
is_note_of_harm(const struct tokens *tokens)
{
    static const char places[] =
        "hospital,ambulance,er,paramedics,casualty,emergency,toilet,epipen";
    return tokens->count < SHORT_TEXT && tokens_have(tokens, places) &&
           !tokens_have(tokens, "near,food,cafeteria,kitchen,work,live,snack,snacks,doctors,love");
}

/* "I need my inhaler", "sends me to the toilet", "goes right through me", "leaves me curled up",
 * "ruins me for a week" */
static bool
needs_relief(const struct tokens *tokens)
{
    static const char relief[] = "inhaler,antihistamine,antihistamines,benadryl,epipen,toilet,"
                                 "bathroom,loo,restroom,imodium";
    static const char ways[] = "need*,use*,using,take*,taking,send*,sent,run*,reach*,have,grab";
    static const char harm[] = "ruin*,wreck*,destroy*,floor*,knock*,cripple*";
    for (size_t i = 0; i < tokens->count; i++) {
        bool person = tokens_in(tokens, i, "me,him,her,us");
        for (size_t k = i < NEAR ? 0 : i - NEAR; k < i && tokens_in(tokens, i, relief); k++)
            if (tokens_in(tokens, k, ways))
                return true;
        if (person &&
            (tokens_in(tokens, i + 1, "runs,curled,doubled,gas") ||
             tokens_in(tokens, i + 2, "gas") || (i > 0 && tokens_in(tokens, i - 1, harm)) ||
             (i > 1 && tokens_in(tokens, i - 1, "through") &&
              tokens_in(tokens, i - 2, "right,straight"))))
            return true;
    }
    return false;
}

/* "can kill my daughter", "I'm dead", "is deadly for me"; "to die for" is praise. */
static bool
names_death(const struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens_in(tokens, i + 1, "for") && tokens_in(tokens, i, "die,kill,dying"))
            continue;
        if (tokens_in(tokens, i, "kill,kills,killed") &&
            (tokens_in(tokens, i + 1, "me,us,my,our,her,him") ||
             (i > 0 && tokens_in(tokens, i - 1, "can,could,would,will,might,may"))))
            return true;
        if (tokens_in(tokens, i, "dead,die,died") &&
            !tokens_in(tokens, i + 1, "without,laughing,of,happy") && i > 0 &&
            tokens_in(tokens, i - 1, "am,is,be,could,would,will,might,almost,nearly,may,can"))
            return true;
        if (tokens_in(tokens, i,
                      "deadly,lethal,fatal,poison,poisonous,toxic,dangerous,harmful,unsafe") &&
            tokens_in(tokens, i + 1, "for,to") && tokens_in(tokens, i + 2, persons))
            return true;
    }
    return false;
}

/* "I shouldn't eat so much sugar", "you can't have too much garlic", "I shouldn't have had it" */
static bool
is_of_amount(const struct tokens *tokens)
{
    for (size_t i = 0; i + 3 < tokens->count; i++)
        if (tokens_in(tokens, i, "should,can") && tokens_in(tokens, i + 1, "not") &&
            (tokens_in(tokens, i + 3, "much,many,more,another,third,had,eaten,ordered,tried") ||
             tokens_in(tokens, i + 4, "much,many,third")))
            return true;
    return false;
}

/* "can't do dairy", "unable to digest fructose", "milk is off the table"; "can't have enough" and
 * "can't have it without" say that it is liked. */
static bool
is_unable(const struct tokens *tokens)
{
    static const char takes[] = "have,eat,drink,do,tolerate,digest,process,consume,touch,ingest,"
                                "absorb,metaboli*,break,swallow,be";
    if (tokens_have(tokens, "enough,without,stop,resist") || is_of_amount(tokens) ||
        (tokens_have(tokens, "just") && tokens_have(tokens, "one")))
        return false;
    for (size_t i = 0; i < tokens->count; i++) {
        bool can_not =
            tokens_in(tokens, i, "can,must,may,could,should") && tokens_in(tokens, i + 1, "not");
        bool no_longer = tokens_in(tokens, i, "no") && tokens_in(tokens, i + 1, "longer");
        bool must_not = tokens_in(tokens, i, "mustnt,shouldnt,couldnt");
        bool ordered = tokens_in(tokens, i, "told,advised,ordered,instructed,warned") &&
                       tokens_in(tokens, i + 1, "to,not,off,against,never");
        bool ruled = tokens_in(tokens, i, "unable,forbidden,allowed,supposed,prohibited") &&
                     tokens_in(tokens, i + 1, "to") &&
                     (!tokens_in(tokens, i, "allowed,supposed") ||
                      (i > 0 && tokens_in(tokens, i - 1, "not")));
        if ((can_not || ruled || no_longer) && tokens_in(tokens, i + 2, takes) &&
            !tokens_in(tokens, i + 3, "bothered,sure,long,late,alone,able"))
            return true;
        if (ordered || (must_not && tokens_in(tokens, i + 1, takes)))
            return true;
        if (tokens_in(tokens, i, "off") && tokens_in(tokens, i + 1, "limits,table,menu,cards"))
            return true;
        if (tokens_in(tokens, i, "forbidden,prohibited") &&
            tokens_in(tokens, i + 1, "for,to,in,by"))
            return true;
        if (tokens_in(tokens, i, "not") &&
            (tokens_in(tokens, i + 1, "agree") && tokens_in(tokens, i + 2, "with")))
            return true;
        if (tokens_in(tokens, i, "not") && tokens_in(tokens, i + 1, "get") &&
            tokens_in(tokens, i + 2, "along"))
            return true;
        if (tokens_in(tokens, i, "not") && tokens_in(tokens, i + 1, "sit") &&
            tokens_in(tokens, i + 2, "well,right"))
            return true;
    }
    return false;
}

/* "I love how chili burns my tongue" is no harm; "I love it, but it burns" is. */
static bool
is_liked(const struct tokens *tokens)
{
    return tokens_have(tokens, "love,loves,enjoy,enjoys,adore,favorite,favourite,happy,like") &&
           !tokens_have(tokens, "but,although,though,however,yet,unfortunately,sadly");
}

static bool
has_symptom(const struct tokens *tokens, const char *list, bool phrases)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (is_symptom(tokens, i, list) || (phrases && is_symptom_phrase(tokens, i)))
            return true;
    return false;
}

/* "when I drink", "if he eats it": what is eaten causes it, even if no list has its name. */
static bool
names_meal(const struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens_in(tokens, i, "when,whenever,if,after,every,each") &&
            (tokens_in(tokens, i + 1, "eating,drinking") ||
             tokens_in(tokens, i + 2, "eat,eats,ate,drink,drinks,drank")))
            return true;
    return false;
}

/* Without a person in it, only a short text counts, since recipes and articles have the same words.
 * "I like it when my lips tingle" is no reaction; a closing airway always is one. */
enum reaction
reaction_in(struct str words)
{
    struct tokens tokens;
    tokens_read(words, &tokens);
    if (tokens_have(&tokens, persons) || tokens.count < SHORT_TEXT) {
        if (body_suffers(&tokens, passage, closing) ||
            (body_suffers(&tokens, airway, "swell*,swollen,puff*,tingl*,numb,itch*") &&
             !is_liked(&tokens)) ||
            leads_to_hospital(&tokens) || stops_breath(&tokens))
            return REACTION_GRAVE;
        bool liked = is_liked(&tokens);
        bool suffers = has_symptom(&tokens, liked ? grave_symptoms : symptoms, !liked) ||
                       (!liked && body_suffers(&tokens, body, harms));
        if (suffers && names_meal(&tokens))
            return REACTION_GRAVE;
        if (suffers || names_death(&tokens) || is_unable(&tokens) || is_note_of_harm(&tokens) ||
            (!liked && needs_relief(&tokens)))
            return REACTION_TO_NAMED;
    }
    return REACTION_NONE;
}
