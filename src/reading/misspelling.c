/* misspelling.c - bounds for the number of wrong letters, and words that are right as they are. */
#include "reading/misspelling.h"

#include "base/ascii.h"
#include "text/nearest.h"

#include <string.h>

#define LETTERS_MAX 32
#define TYPED_MIN 4  /* shorter words must be right */
#define KNOWN_MIN 5  /* one letter may be wrong, if the consonants are right */
#define ONE_MIN 6    /* one letter may be wrong */
#define TWO_VOWELS 7 /* two may be, if the consonants are right */
#define TWO_MIN 10   /* two may be */

/* Words of their own near a name in the vocabularies of foods, materials, and contents. */
static bool
is_another_word(struct str word)
{
    static const char list[] =
        " applets applies apply bandana burner caches carnet chose choses dumping martina mongo "
        "peaces "
        "pent planter posto raise raises raman ramon reeves reuse salman sauvage seller sellers "
        "sticker bailey baileys bandanas bands barely barney batter batters beacon "
        "beacons "
        "beats bets better betters bitter bitters bloody brad bred breed breeds broad brood browns "
        "buggers burgess burghers burners buster butler butlers buttery buttes calms carats carbs "
        "carets caries carries cashed casher cashes cheery cheesy chloride chlorite chooses cirrus "
        "citron citrons claims coffer coffers coolies cooties cram creamy creep creeps cribs "
        "crustacea cumbers curries denims diary donts dont drags dregs faeries fairies fathers "
        "features feathery fires flair floor floors floral floury fluor frees fries gaelic galic "
        "gelation glutes glutton gluttons gluttony graces grades graph graphs grates graves gripe "
        "gripes grips grope gropes halve halves hone honed hones hordes hoses houses karma lactase "
        "lactate lapin lapine lass lasses lassie lasso late later lather lathers lathes latter "
        "leathery lemony lemurs letter letters lien line liner lines lintel lintels linens manage "
        "manages manga mangas mange mangle mangy margaret martin martins maze mazes melee mellow "
        "missal mulch muscle muscles mussed musses muster mustered mustang mustangs needles nicked "
        "nickle nodules noodled nought oliver ouster ousters pander panders panned panzer past "
        "paste pastes pasties pasty patella pawns peace peachy peers perch perfumed perfumer pest "
        "pests piazza piazzas pilaster pilasters piste planters plasters platters poach poacher "
        "poaches poison poisons polled potties potty preaches puts punts quince racket rackets "
        "roman rocked rocker rockers rockets rumen salaam salon salons saloon saloons sandwiched "
        "satan satin scalped scalps scallion scallions scamp scamps scrimp scrimps seam seams "
        "searing selfish sharing shearing sliders smearing sneaks soaring sparing speaks spearing "
        "spiers spilt split squad squads stake stakes stay stays steals steering stickers streak "
        "streaks sugary sulfate sulfates sulfide sulfides sulphate sulphates sulphide sulphides "
        "sweating tahiti temper tempers thin trig wheel what whet whisk whisked whisker whiskers ";
    char wanted[LETTERS_MAX + 3];
    wanted[0] = ' ';
    memcpy(wanted + 1, word.ptr, word.len);
    memcpy(wanted + 1 + word.len, " ", 2);
    return strstr(list, wanted) != NULL;
}

/* The next consonant that is not the one before; 0: none is left. "h", "w", and "y" are often
 * missing or too many. */
static char
next_consonant(struct str word, size_t *at, char before)
{
    while (*at < word.len) {
        char c = word.ptr[(*at)++];
        if (strchr("aeiouhwy", c) == NULL && c != before)
            return c;
    }
    return 0;
}

static bool
has_same_consonants(struct str a, struct str b)
{
    size_t i = 0, j = 0;
    char c = 0, d = 0;
    do {
        c = next_consonant(a, &i, c);
        d = next_consonant(b, &j, d);
    } while (c == d && c != 0);
    return c == d;
}

static bool
is_plain(struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!ascii_is_lower(word.ptr[i]))
            return false;
    return word.len <= LETTERS_MAX;
}

static size_t
word_errors(struct str typed, struct str known)
{
    size_t shorter, longer;
    if (str_eq(typed, known))
        return 0;
    if (known.len > KNOWN_MIN && str_ends(known, STR("s")) && !str_ends(typed, STR("s")))
        known.len--; /* the singular */
    shorter = typed.len < known.len ? typed.len : known.len;
    longer = typed.len < known.len ? known.len : typed.len;
    if (typed.len < TYPED_MIN || known.len < KNOWN_MIN || longer - shorter > 2 ||
        typed.ptr[0] != known.ptr[0] || !is_plain(typed) || !is_plain(known))
        return MISSPELLING_NONE;
    size_t errors = nearest_distance(typed, known);
    bool near = errors == 1 ? known.len >= ONE_MIN || has_same_consonants(typed, known)
                : errors == 2
                    ? known.len >= TWO_MIN || (shorter >= ONE_MIN && known.len >= TWO_VOWELS &&
                                               has_same_consonants(typed, known))
                    : false;
    return near && !is_another_word(typed) ? errors : MISSPELLING_NONE;
}

static bool
equal_without_spaces(struct str a, struct str b)
{
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        i += i < a.len && a.ptr[i] == ' ';
        j += j < b.len && b.ptr[j] == ' ';
        if (i >= a.len || j >= b.len)
            return i >= a.len && j >= b.len;
        if (a.ptr[i] != b.ptr[j])
            return false;
    }
}

size_t
misspelling_errors(struct str typed, struct str known)
{
    struct str one, other;
    size_t errors = 0;
    if (equal_without_spaces(typed, known))
        return typed.len < TYPED_MIN ? MISSPELLING_NONE : 0;
    while (str_cut(&typed, ' ', &one)) {
        size_t more = str_cut(&known, ' ', &other) ? word_errors(one, other) : MISSPELLING_NONE;
        if (more == MISSPELLING_NONE)
            return MISSPELLING_NONE;
        errors += more;
    }
    return str_cut(&known, ' ', &other) ? MISSPELLING_NONE : errors;
}
