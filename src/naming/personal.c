/* personal.c - lists of words that make a statement personal.
 *
 * A word for a person counts if it says who someone is: "I'm Hindu", "Jewish, no shellfish", and
 * not "Hindu temples". A phrase counts wherever it is a claim. When in doubt a statement is
 * sensitive: the user can share it. */
#include "naming/personal.h"

#include "base/arena.h"
#include "reading/mention.h"
#include "reading/statement_key.h"
#include "value/statement.h"

/* Words of a key (reading/statement_key.h): without articles, apostrophes, and accents. */
static const char persons[] =
    "muslim,muslims,moslem,hindu,hindus,jewish,jew,jews,sikh,sikhs,jain,jains,mormon,mormons,"
    "buddhist,buddhists,christian,christians,catholic,catholics,protestant,lutheran,baptist,"
    "methodist,presbyterian,anglican,pentecostal,evangelical,adventist,quaker,quakers,amish,"
    "mennonite,rastafarian,rasta,bahai,zoroastrian,parsi,pagan,wiccan,atheist,atheists,agnostic,"
    "druze,coptic,orthodox,humanist,shia,sunni,sufi,ismaili,hasidic,haredi,taoist,scientologist,"
    "religious,observant,"
    "musulmana,musulman,musulmane,muculmano,muculmana,musulmano,muslima,muslimin,jude,"
    "judin,judisch,judio,judia,judeu,judia,juif,juive,ebreo,ebrea,katholisch,evangelisch,catolico,"
    "catolica,catholique,cattolico,cattolica,cristiano,cristiana,chretien,chretienne,cristao,"
    "crista,budista,bouddhiste,buddista,hindou,hindoue,ateo,atea,athee,ateu,"
    "мусульманин,мусульманка,еврей,еврейка,христианин,христианка,православный,православная,"
    "католик,католичка,буддист,атеист,musluman,muslumanım,moslim,joods,"
    "gay,lesbian,bisexual,queer,transgender,transsexual,trans,nonbinary,asexual,pansexual,intersex,"
    "polyamorous,genderqueer,genderfluid,lgbt,lgbtq,schwul,lesbisch,"
    "republican,democrat,socialist,communist,marxist,anarchist,libertarian,"
    "autistic,dyslexic,disabled,bipolar,schizophrenic,deaf,blind,paraplegic,quadriplegic,amputee,"
    "neurodivergent,leftist,aspergers,infertile,colorblind,colourblind,pregnant,epileptic";

static const char before_persons[] = "am,are,is,as,being,raised,brought,grew,born,became,become,"
                                     "practicing,practising,devout,identify,soy,somos,"
                                     "suis,sommes,bin,sind,sou,sono,siamo,ben,я,мы";

static const char after_persons[] = "family,household,home,woman,man,couple,person,people,convert,"
                                    "guy,girl,here,kitchen,vegetarian,vegan,parents";

/* What the word before them describes, instead of a person. */
static const char things[] =
    "temple*,church*,music,rock,food,foods,art,arts,deli*,bakery,bakeries,cuisine*,dish*,recipe*,"
    "restaurant*,festival*,wedding*,market*,book*,novel*,history,monument*,architecture,quarter,"
    "culture,bread,sweets,monks,eye,author*,literature,song*,film*,movie*,site*,sights,era,style,"
    "friendly,owned,bar,bars,club*,cinema,romance*,show*,character*,siberian,spot,spots,tasting*,"
    "date*,about";

static const char phrases[] =
    "my religion,our religion,my faith,our faith,my beliefs,religious reasons,religious beliefs,"
    "religion forbids,faith forbids,against my faith,my church,our church,my mosque,our mosque,"
    "my synagogue,my temple,my parish,my congregation,my rabbi,my imam,my priest,my pastor,"
    "bible study,prayers,=torah,=quran,=koran,hare krishna,i tithe,gurdwara,go to church,go to "
    "mosque,go to synagogue,go to mass,attend church,attend mass,i pray,we pray,"
    "converted to islam,converted to judaism,converted to christianity,converted to buddhism,"
    "converted to catholicism,converted to hinduism,believe in god,jehovahs witness,"
    "word of wisdom,wear hijab,wear turban,wear kippah,=ramadan,=ramzan,=iftar,for lent,during "
    "lent,"
    "yom kippur,keep shabbat,observe shabbat,on shabbat,keep sabbath,observe sabbath,on sabbath,"
    "passover,=navratri,=ekadashi,=paryushan,pork for religious,"
    "gay couple,lesbian couple,same sex,came out as,coming out,non binary,my transition,"
    "vote labor,vote tory,vote conservative,vote green,vote republican,vote democrat,voted for,"
    "party member,left wing,right wing,trump supporter,member of green,member of labor,union "
    "member,trade union,"
    "adhd,=autism,autism spectrum,dyslexia,dyscalculia,have depression,my depression,"
    "with depression,anxiety disorder,have anxiety,my anxiety,with anxiety,panic attacks,"
    "panic disorder,ptsd,=ocd,schizophrenia,=hiv,in therapy,my therapist,my psychiatrist,=ivf,"
    "miscarriage,cerebral palsy,color blind,screen reader,aspergers,asperger,am on "
    "spectrum,hearing aid,hearing aids,low vision,stutter,my wheelchair,"
    "in wheelchair,use wheelchair,have disability,my disability";

/* In scripts without spaces, and with articles that are written as one word. */
static const char *const parts[] = {
    "穆斯林", "佛教徒", "基督徒", "天主教", "イスラム教", "仏教徒", "クリスチャン",
    "무슬림", "기독교", "불교",   "천주교", "مسلم",       "مسيحي",  "يهودي",
    "मुस्लिम",  "मुसलमान", "हिंदू",    "মুসলিম",  "مسلمان",     "自闭症", "同性恋",
};

static bool
has_part(struct str key)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (str_find(key, str_of(parts[i])) < key.len)
            return true;
    return false;
}

#define NEAR 3 /* words before: "am a very devout Hindu" */

/* Whether the i-th word says who someone is. */
static bool
is_claimed(const struct tokens *tokens, size_t i)
{
    if (i == 1 && tokens_in(tokens, 0, "were"))
        return true; /* "we're Catholic" */
    if (tokens_in(tokens, i + 1, things) || !mention_counts(tokens, i, 1, MENTION_CLAIM))
        return false;
    for (size_t k = i < NEAR ? 0 : i - NEAR; k < i; k++)
        if (tokens_in(tokens, k, before_persons))
            return true;
    for (size_t k = i + 1; k < tokens->count && k <= i + NEAR; k++)
        if (tokens_in(tokens, k, "no,not,nothing,never,avoid,without"))
            return true;
    return tokens_in(tokens, i + 1, after_persons) ||
           (i == 0 && (tokens->count == 1 || !tokens_in(tokens, 0, "christian,blind,trans")));
}

static bool
names_person(struct str words)
{
    struct tokens tokens;
    tokens_read(words, &tokens);
    for (size_t i = 0; i < tokens.count; i++)
        if (tokens_in(&tokens, i, persons) && is_claimed(&tokens, i))
            return true;
    return false;
}

bool
personal_statement(struct str text)
{
    struct arena *scratch = arena_new(); /* folding takes many times the length of a text */
    struct str key = statement_key(scratch, text);
    struct str words = str_format(scratch, " %.*s ", STR_ARG(str_present(key) ? key : STR("")));
    bool found =
        names_person(words) || mention_in(words, phrases, MENTION_CLAIM) || has_part(words);
    arena_free(scratch);
    return found;
}
