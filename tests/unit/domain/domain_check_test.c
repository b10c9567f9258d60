/* Definitions with one mistake each, and the message for it. */
#include "unit/model/tea.h"

/* `expected` is the whole line after "x/tea.json: ". */
struct wrong {
    const char *why, *from, *to, *expected;
};

static void
check_wrong(const struct wrong *rows, size_t count)
{
    struct arena *mem = arena_new();
    for (size_t i = 0; i < count; i++) {
        struct domains set;
        struct why why = { 0 };
        enum err err = tea_load(mem, tea_changed(mem, rows[i].from, rows[i].to), &set, &why);
        struct str line = str_format(mem, "x/tea.json: %s", rows[i].expected);
        assert_str(str_of(why.text), line, rows[i].why);
        assert_row(err == ERR_INVALID, rows[i].why);
        arena_reset(mem);
    }
    arena_free(mem);
}

static void
problems_outside_members_name_their_path(void **state)
{
    (void)state;
    static const struct wrong rows[] = {
        { "not JSON", "`format`: 1,", "`format`: 1",
          "line 1, column 15: expected a comma or a closing }" },
        { "a key twice", "`title`: `Tea`", "`title`: `Tea`, `title`: `Tea`",
          "line 1, column 69: duplicate key in an object" },
        { "an unknown key", "`format`", "`colour`: 1, `format`", "colour: unknown key" },
        { "a key that is missing", "`title`: `Tea`,", "", "title is missing" },
        { "another format", "`format`: 1", "`format`: 2", "format: must be 1" },
        { "another name than the file's", "`tea`", "`coffee`",
          "domain: must equal the file name, tea" },
        { "a name that is none", "`tea`", "`Tea`",
          "domain: must be a name: a lowercase letter, then at most 63 lowercase letters, digits, "
          "or _" },
        { "a version of two parts", "1.2.3", "1.2",
          "version: must be three numbers separated by periods, as in 1.0.0" },
        { "a version with a sign", "1.2.3", "1.-2.3",
          "version: must be three numbers separated by periods, as in 1.0.0" },
        { "an empty title", "`title`: `Tea`", "`title`: ``",
          "title: must have 1 to 80 characters, not 0" },
        { "a title that is no text", "`title`: `Tea`", "`title`: 3", "title: must be a string" },
        { "a title with a line break", "`title`: `Tea`", "`title`: `T\\nea`",
          "title: contains U+000A, an invisible character; remove it" },
        { "a title that turns the line around", "`title`: `Tea`", "`title`: `Tea\\u202e`",
          "title: contains U+202E, an invisible character; remove it" },
        { "a consent that does not end", "`heading`", "`consent`: `See it`, `heading`",
          "consent: must end with a period" },
        { "contexts that are no array", "`safety_contexts`: [`flight_search`]",
          "`safety_contexts`: `flight_search`", "safety_contexts: must be an array" },
        { "a context without a name", "{ `name`: `party` }", "{ `aliases`: [] }",
          "contexts[1]: name is missing" },
        { "a context twice", "{ `name`: `party` }", "{ `name`: `party` }, { `name`: `tea_search` }",
          "contexts[2].name: another context has this name or alias" },
        { "an alias that is a context", "`find_tea`", "`tea_search`",
          "contexts[0].aliases[0]: another context has this name or alias, or this context lists "
          "it twice" },
        { "an alias with a blank", "`find_tea`", "`find tea`",
          "contexts[0].aliases[0]: must be a name: a lowercase letter, then at most 63 lowercase "
          "letters, digits, or _" },
        { "a safety context twice", "[`flight_search`]", "[`flight_search`, `flight_search`]",
          "safety_contexts[1]: flight_search is listed twice" },
        { "a keyword of two words", "`pot`", "`tea pot`",
          "keywords.strong[1]: must be a word of lowercase letters a to z and digits" },
        { "a keyword twice", "[`tea`, `pot`]", "[`tea`, `tea`]",
          "keywords.strong[1]: tea is listed twice" },
        { "a capital in another language", "`weak`: [`cup`]",
          "`weak`: [`cup`], `other_languages`: [`Te`]",
          "keywords.other_languages[0]: must be a word of lowercase letters and digits" },
        { "a word of another language twice", "`weak`: [`cup`]",
          "`weak`: [`cup`], `other_languages`: [`чай`, `чай`]",
          "keywords.other_languages[1]: чай is listed twice" },
        { "a word of another language that is strong", "`weak`: [`cup`]",
          "`weak`: [`cup`], `other_languages`: [`чай`, `pot`]",
          "keywords.other_languages[1]: is a strong keyword as well" },
        { "a keyword strong and weak", "[`cup`]", "[`pot`]",
          "keywords.weak[0]: is a strong keyword as well" },
        { "a keyword strong and not one", "`weak`: [`cup`]", "`not`: [`pot`]",
          "keywords.not[0]: is a strong keyword as well" },
        { "a keyword weak and not one", "[`cup`]", "[`cup`], `not`: [`lid`, `cup`]",
          "keywords.not[1]: is a weak keyword as well" },
        { "not a keyword twice", "[`cup`]", "[`cup`], `not`: [`lid`, `lid`]",
          "keywords.not[1]: lid is listed twice" },
        { "a summary of an unknown member", "`members`: [`kinds`]", "`members`: [`kind`]",
          "summary.members[0]: unknown member kind" },
        { "a summary twice", "`members`: [`kinds`]", "`members`: [`kinds`, `kinds`]",
          "summary.members[1]: kinds is listed twice" },
        { "a summary of nothing", "`members`: [`kinds`]", "`members`: []",
          "summary.members: must have 1 to 16 entries, not 0" },
        { "too many sentences", "`max_sentences`: 3", "`max_sentences`: 9",
          "summary.max_sentences: must be a whole number from 1 to 8" },
    };
    check_wrong(rows, ROWS(rows));
}

static void
problems_in_vocabularies_name_their_path(void **state)
{
    (void)state;
    static const struct wrong rows[] = {
        { "a bad name", "`milk`: { `values`", "`Milk`: { `values`",
          "vocabularies.Milk: must have a name of lowercase letters, digits, and _" },
        { "no values", "[{ `value`: `none` }, { `value`: `a_drop`, `label`: `a drop` }]", "[]",
          "vocabularies.milk.values: must have 1 to 4096 entries, not 0" },
        { "open that is no bool", "`open`: true", "`open`: 1",
          "vocabularies.kind.open: must be true or false" },
        { "a value that is missing", "{ `value`: `black` }", "{ `label`: `black` }",
          "vocabularies.kind.values[1]: value is missing" },
        { "a value in a second spelling", "`value`: `black`", "`value`: `GREEN`",
          "vocabularies.kind.values[1]: green is already a spelling of green" },
        { "a value that is an alias", "`value`: `black`", "`value`: `Sencha`",
          "vocabularies.kind.values[1]: sencha is already a spelling of green" },
        { "a label that is a value", "`label`: `a drop`", "`label`: `None`",
          "vocabularies.milk.values[1]: none is already a spelling of none" },
        { "a spelling in other letters", "`value`: `black` }",
          "`value`: `black`, `aliases`: [`Grüner Tee`, `緑茶`] }, { `value`: `grüner_tee` }",
          "vocabularies.kind.values[2]: grüner tee is already a spelling of black" },
        { "a key of other letters", "`milk`: { `values`", "`mi\u202e\u00dflk`: { `values`",
          "vocabularies.mi?ßlk: must have a name of lowercase letters, digits, and _" },
        { "a value with blanks around it", "`value`: `black`", "`value`: ` black`",
          "vocabularies.kind.values[1].value: must not have spaces around it or several in a row" },
        { "an alias with a hidden character", "`sencha`", "`sen\\u200bcha`",
          "vocabularies.kind.values[0].aliases[0]: contains U+200B, an invisible character; remove "
          "it" },
        { "a note that is too much", "`a note`", "3",
          "vocabularies.kind.values[0].note: must be a string" },
    };
    check_wrong(rows, ROWS(rows));
}

static void
problems_in_members_name_their_path(void **state)
{
    (void)state;
    static const struct wrong rows[] = {
        { "an unknown key", "`safety`: `constraint`", "`danger`: true",
          "members[0].danger: unknown key" },
        { "a name twice", "`name`: `avoided`", "`name`: `kinds`",
          "members[1].name: members[0] has the same name" },
        { "no cardinality", "`cardinality`: `one`, `vocabulary`: `milk`", "`vocabulary`: `milk`",
          "members[2]: cardinality is missing" },
        { "an unknown type", "`type`: `bool`", "`type`: `date`",
          "members[4].type: must be one of: array, string, enum, number, bool, object" },
        { "an array of one", "`cardinality`: `many`", "`cardinality`: `one`",
          "members[0].cardinality: must be many for an array and one for every other type" },
        { "an array of nothing", "`items`: `string`, ", "",
          "members[0].items: is required for an array and not allowed otherwise" },
        { "items of a bool", "`type`: `bool`", "`type`: `bool`, `items`: `string`",
          "members[4].items: is required for an array and not allowed otherwise" },
        { "a vocabulary that is not there", "`vocabulary`: `kind`", "`vocabulary`: `sort`",
          "members[0].vocabulary: unknown vocabulary sort" },
        { "an enum without one", ", `vocabulary`: `milk`", "",
          "members[2]: an enum needs a vocabulary" },
        { "an enum with an open one", "`vocabulary`: `milk`", "`vocabulary`: `kind`",
          "members[2].vocabulary: the vocabulary of an enum must not be open" },
        { "a bool with one", "`type`: `bool`", "`type`: `bool`, `vocabulary`: `milk`",
          "members[4].vocabulary: only an array, a string, or an enum can have a vocabulary" },
        { "an unknown safety", "`constraint`", "`high`",
          "members[0].safety: must be one of: constraint, critical" },
        { "sensitive that is no bool", "`sensitive`: true", "`sensitive`: `yes`",
          "members[5].sensitive: must be true or false" },
        { "an unknown polarity", "`polarity`: `avoid`", "`polarity`: `hate`",
          "members[1].polarity: must be one of: prefer, avoid" },
        { "opposing an unknown member", "`opposes`: [`kinds`]", "`opposes`: [`kinds`, `coffee`]",
          "members[1].opposes[1]: unknown member coffee" },
        { "opposing an unknown member, as one name", "`opposes`: `milk`", "`opposes`: `coffee`",
          "members[4].opposes: unknown member coffee" },
        { "opposing itself", "`opposes`: `milk`", "`opposes`: `sugar`",
          "members[4].opposes: a member cannot oppose itself" },
        { "opposing twice", "[`kinds`], `max", "[`kinds`, `kinds`], `max",
          "members[1].opposes[1]: kinds is listed twice" },
        { "opposing an empty list", "`opposes`: [`kinds`]", "`opposes`: []",
          "members[1].opposes: must have 1 to 64 entries, not 0" },
        { "contexts of others where not always", "`opposes`: [`kinds`]", "`only_in`: [`flying`]",
          "members[1].only_in: only a domain that is always relevant can have it" },
        { "suggesting nothing", "`opposes`: [`kinds`]", "`suggest`: []",
          "members[1].suggest: must have 1 to 64 entries, not 0" },
        { "suggesting twice", "`opposes`: [`kinds`]", "`suggest`: [`iced`, `hot`, `iced`]",
          "members[1].suggest[2]: iced is listed twice" },
        { "suggesting with blanks", "`opposes`: [`kinds`]", "`suggest`: [`very  hot`]",
          "members[1].suggest[0]: must not have spaces around it or several in a row" },
        { "suggesting a number", "`opposes`: `milk`", "`suggest`: [`1`]",
          "members[4].suggest: only an array or a string can suggest values" },
        { "a sole value of a number", "`opposes`: `milk`", "`sole`: `1`",
          "members[4].sole: only an array can have a value that excludes the others" },
        { "suggesting what a closed vocabulary does not have", "`polarity`: `avoid`",
          "`vocabulary`: `milk`, `suggest`: [`none`, `hot`]",
          "members[1].suggest[1]: is not in the vocabulary, which is closed" },
        { "a title that is none", "`title`: `Cups a day`", "`title`: ``",
          "members[3].title: must have 1 to 80 characters, not 0" },
        { "a half-life below nothing", "`half_life_days`: 30", "`half_life_days`: -1",
          "members[0].half_life_days: must be a whole number from 0 to 36500" },
        { "half a day", "`half_life_days`: 30", "`half_life_days`: 0.5",
          "members[0].half_life_days: must be a whole number from 0 to 36500" },
        { "too much weight", "`weight`: 0.25", "`weight`: 1.01",
          "members[0].weight: must be a number from 0 to 1" },
        { "a weight in words", "`weight`: 0.25", "`weight`: `much`",
          "members[0].weight: must be a number" },
        { "bounds the wrong way round", "`minimum`: 0", "`minimum`: 10",
          "members[3].minimum: is larger than the maximum" },
        { "a bound past every value", "`minimum`: 0", "`minimum`: -1e16",
          "members[3].minimum: must be between -1e15 and 1e15" },
        { "an upper bound past every value", "`maximum`: 9.5", "`maximum`: 1e16",
          "members[3].maximum: must be between -1e15 and 1e15" },
        { "bounds of a bool", "`type`: `bool`", "`type`: `bool`, `maximum`: 1",
          "members[4].maximum: only a number can have bounds" },
        { "a length past every value", "`max_length`: 20", "`max_length`: 201",
          "members[1].max_length: must be a whole number from 1 to 200" },
        { "the length of a number", "`minimum`: 0", "`max_length`: 3",
          "members[3].max_length: only strings can have a length" },
        { "an object of nothing",
          "`properties`: { `color`: `string`, `liters`: `number`, `lid`: `bool` }",
          "`properties`: {}", "members[5].properties: must have 1 to 32 entries, not 0" },
        { "an object without properties",
          "`properties`: { `color`: `string`, `liters`: `number`, `lid`: `bool` },", "",
          "members[5].properties: is required for an object and not allowed otherwise" },
        { "a property of a property", "`lid`: `bool`", "`lid`: `object`",
          "members[5].properties.lid: must be one of: string, number, bool" },
        { "a property with a bad name", "`lid`: `bool`", "`Lid`: `bool`",
          "members[5].properties.Lid: must have a name of lowercase letters, digits, and _" },
        { "a context that is not there", "`party`: 1 }", "`picnic`: 1 }",
          "members[0].contexts.picnic: unknown context" },
        { "a context by its alias", "`party`: 1 }", "`find_tea`: 1 }",
          "members[0].contexts.find_tea: unknown context" },
        { "a context past 1", "`party`: 1 }", "`party`: 2 }",
          "members[0].contexts.party: must be a number from 0 to 1" },
        { "a key twice", "`key`: `not`", "`key`: `teas`",
          "members[1].json.key: members[0] has the same key" },
        { "the summary's key", "`key`: `not`", "`key`: `summary`",
          "members[1].json.key: summary is reserved" },
        { "a limit of one value", "`name`: `shop`,",
          "`name`: `shop`, `json`: { `key`: `s`, `limit`: 2 },",
          "members[6].json.limit: only an array can have a limit" },
        { "json without a key", "`key`: `not`", "`limit`: 3", "members[1].json: key is missing" },
    };
    check_wrong(rows, ROWS(rows));
}

static void
invalid_sentences_are_rejected(void **state)
{
    (void)state;
    static const struct wrong rows[] = {
        { "no full stop", "User drinks {list}.", "User drinks {list}",
          "members[0].hint.text: must be a sentence that ends with a period" },
        { "two sentences", "User drinks {list}.", "Hello. User drinks {list}.",
          "members[0].hint.text: must be one sentence" },
        { "a list in the middle", "User drinks {list}.", "User drinks {list} tea.",
          "members[0].hint.text: {list} must come last, right before the period" },
        { "two lists", "User drinks {list}.", "User drinks {list} and {list}.",
          "members[0].hint.text: must contain {list} (or {value} for one hint each) once and no "
          "other placeholder" },
        { "no list", "User drinks {list}.", "User drinks.",
          "members[0].hint.text: must contain {list} (or {value} for one hint each) once and no "
          "other placeholder" },
        { "an unknown place", "User drinks {list}.", "User drinks {tea}.",
          "members[0].hint.text: can contain {list}, {value}, {pairs}, and {a} {value}, but no "
          "other braces" },
        { "a brace too many", "User drinks {list}.", "User} drinks {list}.",
          "members[0].hint.text: can contain {list}, {value}, {pairs}, and {a} {value}, but no "
          "other braces" },
        { "an article before nothing", "{a} {value}", "{a} fine {value}",
          "members[6].hint.text: can contain {list}, {value}, {pairs}, and {a} {value}, but no "
          "other braces" },
        { "a list of one value", "{a} {value}", "{list}",
          "members[6].hint.text: must contain {value} once and no other placeholder" },
        { "a value of an object", "{pairs}", "{value}",
          "members[5].hint.text: must contain {pairs} once and no other placeholder" },
        { "a short one that goes on", "Teas: {list}", "Teas: {list}!",
          "members[0].hint.short: {list} must come last" },
        { "a short one of another kind", "Teas: {list}", "Teas: {value}",
          "members[0].hint.short: must contain {list} if and only if text does" },
        { "one of one", "`text`: `User says: {value}.`",
          "`text`: `User says: {value}.`, `text_one`: `User says {value}.`",
          "members[1].hint.text_one: is allowed only with a text that contains {list} or {pairs}" },
        { "emphasis that ends", "`emphasis`: `hot`", "`emphasis`: `hot.`",
          "members[0].hint.emphasis: must be a clause without a period and placeholders" },
        { "emphasis of nothing", "`hint`: { `values`: { `true`",
          "`hint`: { `emphasis`: `x`, `values`: { `true`",
          "members[4].hint.emphasis: requires text, which is missing" },
        { "emphasis of one beside none", "`emphasis`: `hot`", "`emphasis_one`: `hot`",
          "members[0].hint.emphasis_one: requires emphasis, which is missing" },
        { "pairs of a list", "`emphasis`: `hot`", "`pairs`: { `color`: `{value}` }",
          "members[0].hint.pairs: only an object can have pairs" },
        { "a phrase of nothing", "`Pot: {pairs}.`",
          "`Pot: {pairs}.`, `pairs`: { `size`: `{value}` }",
          "members[5].hint.pairs.size: unknown property" },
        { "a phrase without its value", "`Pot: {pairs}.`",
          "`Pot: {pairs}.`, `pairs`: { `color`: `red` }",
          "members[5].hint.pairs.color: must contain {value} once and no other placeholder" },
        { "a phrase with a list", "`Pot: {pairs}.`",
          "`Pot: {pairs}.`, `pairs`: { `color`: `{list}` }",
          "members[5].hint.pairs.color: must contain {value} once and no other placeholder" },
        { "a phrase that ends", "`Pot: {pairs}.`",
          "`Pot: {pairs}.`, `pairs`: { `color`: `{value}.` }",
          "members[5].hint.pairs.color: must be part of a sentence, without . ! ? and quotation "
          "marks" },
        { "a bool with one phrase", "`Pot: {pairs}.`",
          "`Pot: {pairs}.`, `pairs`: { `lid`: `{value}` }",
          "members[5].hint.pairs.lid: must be an object" },
        { "half a bool", "`Pot: {pairs}.`",
          "`Pot: {pairs}.`, `pairs`: { `lid`: { `true`: `a lid` } }",
          "members[5].hint.pairs.lid: false is missing" },
        { "a bool with a place", "`Pot: {pairs}.`",
          "`Pot: {pairs}.`, `pairs`: { `lid`: { `true`: `a lid`, `false`: `{value}` } }",
          "members[5].hint.pairs.lid.false: must not contain a placeholder" },
        { "no text", "`text`: `User says: {value}.`", "", "members[1].hint: text is missing" },
        { "a base past the rest", "`base_items`: 2", "`base_items`: 4",
          "members[0].hint.base_items: is larger than std_items" },
        { "more than the most", "`std_items`: 3", "`std_items`: 10",
          "members[0].hint.std_items: is larger than max_items" },
        { "no items", "`base_items`: 2", "`base_items`: 0",
          "members[0].hint.base_items: must be a whole number from 1 to 64" },
        { "a value without a sentence", "`none`: `No milk.`, ", "",
          "members[2].hint.values: has no sentence for none" },
        { "a sentence without a value", "`none`: `No milk.`", "`much`: `Much milk.`",
          "members[2].hint.values.much: is not a value of this member" },
        { "half a bool", ", `false`: `Not sweet.`", "",
          "members[4].hint.values: must have a sentence for true and one for false" },
        { "a number out of bounds", "`1`: `One cup.`", "`10`: `Ten cups.`",
          "members[3].hint.values.10: is not a value of this member" },
        { "a number in another form", "`1`: `One cup.`", "`1.0`: `One cup.`",
          "members[3].hint.values.1.0: is not a value of this member" },
        { "sentences for an array", "`text`: `User says: {value}.`",
          "`text`: `User says: {value}.`, `values`: { `a`: `A.` }",
          "members[1].hint.values.a: is not a value of this member" },
        { "a form without a loose sentence", "`text`: `User says: {value}.`",
          "`text`: `User says: {value}.`, `form`: `noun`",
          "members[1].hint.loose: is required with a form and not allowed without one" },
        { "a loose sentence without a form", "`text`: `User says: {value}.`",
          "`text`: `User says: {value}.`, `loose`: `User said {value}.`",
          "members[1].hint.loose: is required with a form and not allowed without one" },
        { "an unknown form", "`text`: `User says: {value}.`",
          "`text`: `User says: {value}.`, `form`: `poem`",
          "members[1].hint.form: must be one of: any, noun, gerund, adjective, role, thing, verb, "
          "period, quality, company, name, place" },
        { "a described sentence without a noun", "`text`: `User says: {value}.`",
          "`text`: `User says: {value}.`, `described`: `User said {value}.`",
          "members[1].hint.described: requires a noun, which is missing" },
        { "a place in a whole sentence", "`No milk.`", "`No {value}.`",
          "members[2].hint.values.none: must be a complete sentence without placeholders" },
        { "an unknown conjunction", "`or`", "`nor`",
          "members[0].hint.conjunction: must be one of: and, or" },
    };
    check_wrong(rows, ROWS(rows));
}

static void
long_file_names_are_shortened_in_problems(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    static const struct {
        const char *file, *expected;
    } rows[] = {
        { "/srv/größe/definitions of all the domains that we have in production/tea.json",
          "/srv/größe/definitions of all the domains that we have in production/tea.json: "
          "format is missing" },
        { "/srv/a\x1b[2J\xff/tea.json", "/srv/a?[2J?/tea.json: format is missing" },
        { "/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/"
          "012345678ß/"
          "0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/tea.json",
          "...3456789/0123456789/0123456789/0123456789/0123456789/0123456789/012345678ß/"
          "0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/tea.json: "
          "format is missing" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct domain_source source = { str_of(rows[i].file), STR("tea"), STR("{}") };
        struct domains set;
        struct why why = { 0 };
        assert_int_equal(domains_load(mem, &source, 1, &set, &why), ERR_INVALID);
        assert_str(str_of(why.text), str_of(rows[i].expected), rows[i].file);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_outside_members_name_their_path),
        cmocka_unit_test(problems_in_vocabularies_name_their_path),
        cmocka_unit_test(problems_in_members_name_their_path),
        cmocka_unit_test(invalid_sentences_are_rejected),
        cmocka_unit_test(long_file_names_are_shortened_in_problems),
    };
    return cmocka_run_group_tests_name("domain/domain_check", tests, NULL, NULL);
}
