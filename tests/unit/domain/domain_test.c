/* Reading one definition and loading a set. */
#include "unit/model/tea.h"

#include "crypt/digest.h"
#include "unit/domains_kit.h"

static const struct domain *
load_base(struct arena *mem)
{
    struct domains set;
    struct why why = { 0 };
    if (tea_load(mem, tea_quotes(mem, tea), &set, &why))
        fail_msg("%s", why.text);
    assert_int_equal(set.count, 1);
    return &set.list[0];
}

static void
a_definition_is_read_completely(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = load_base(mem);
    assert_str(domain->name, STR("tea"), "name");
    assert_str(domain->version, STR("1.2.3"), "version");
    assert_str(domain->title, STR("Tea"), "title");
    assert_str(domain->heading, STR("Teas"), "heading");
    assert_str(domain->description, STR("What is in the pot."), "description");
    assert_str(domain->consent, STR("See your tea preferences."), "consent");
    assert_str(domain->digest, digest_text(mem, tea_quotes(mem, tea)), "digest");
    assert_int_equal(domain->context_count, 2);
    assert_str(domain->contexts[0].aliases[0], STR("find_tea"), "alias of a context");
    assert_int_equal(domain->contexts[1].alias_count, 0);
    assert_str(domain->safety_contexts[0], STR("flight_search"), "safety context");
    assert_int_equal(domain->strong_count, 2);
    assert_str(domain->weak_words[0], STR("cup"), "weak word");
    assert_int_equal(domain->summary_count, 1);
    assert_int_equal(domain->summary_sentences, 3);
    assert_int_equal(domain->member_count, 7);
    assert_null(domain_member(domain, STR("coffee")));
    arena_free(mem);
}

static void
members_have_their_properties(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = load_base(mem);
    const struct member *kinds = domain_member(domain, STR("kinds"));
    assert_false(str_present(kinds->title));
    assert_str(domain_member(domain, STR("cups"))->title, STR("Cups a day"), "title");
    assert_int_equal(kinds->type, MEMBER_ARRAY);
    assert_int_equal(kinds->safety, SAFETY_CONSTRAINT);
    assert_int_equal(kinds->half_life_days, 30);
    assert_int_equal(kinds->weight, 16384);
    assert_int_equal(kinds->max_length, 80);
    const int32_t *weights = kinds->context_weights; /* of the two contexts, and of no context */
    assert_int_equal(weights[0], 49152);             /* "*", which is not the default */
    assert_int_equal(weights[1], 65536);
    assert_int_equal(weights[2], 49152);
    assert_str(kinds->hint.text_one, STR("User drinks {list} tea."), "text_one");
    assert_str(kinds->hint.short_text, STR("Teas: {list}"), "short");
    assert_str(kinds->hint.emphasis, STR("hot"), "emphasis");
    assert_true(kinds->hint.or_list);
    assert_int_equal(kinds->hint.base_items * 100 + kinds->hint.std_items * 10, 230);
    assert_int_equal(kinds->hint.max_items, 9);
    assert_str(kinds->json_key, STR("teas"), "key");
    assert_int_equal(kinds->json_limit, 4);
    assert_ptr_equal(kinds->vocabulary, &domain->vocabularies[0]);
    assert_int_equal(kinds->suggested_count, 2);
    assert_str(kinds->suggested[0], STR("white"), "suggested, in its own order");

    const struct member *avoided = domain_member(domain, STR("avoided"));
    assert_true(avoided->avoid);
    assert_int_equal(avoided->oppose_count, 1);
    assert_int_equal(avoided->max_length, 20);
    assert_int_equal(avoided->weight, 32768);
    assert_int_equal(avoided->hint.base_items, 3);
    assert_int_equal(avoided->suggested_count, 0);

    const struct member *cups = domain_member(domain, STR("cups"));
    assert_true(cups->has_minimum && cups->minimum == 0);
    assert_true(cups->has_maximum && cups->maximum == 9.5);
    const struct member *sugar = domain_member(domain, STR("sugar"));
    assert_str(sugar->opposes[0], STR("milk"), "opposes as one name");
    const struct member *pot = domain_member(domain, STR("pot"));
    assert_true(pot->sensitive);
    assert_int_equal(pot->property_count, 3);
    assert_int_equal(pot->properties[2].type, PROPERTY_BOOL);
    arena_free(mem);
}

static void
values_are_found_by_every_spelling(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = load_base(mem);
    const struct vocabulary *kind = &domain->vocabularies[0], *milk = &domain->vocabularies[1];
    assert_true(kind->open);
    assert_false(milk->open);
    assert_ptr_equal(vocabulary_find(kind, STR("green")), &kind->values[0]);
    assert_ptr_equal(vocabulary_find(kind, STR("sencha")), &kind->values[0]);
    assert_ptr_equal(vocabulary_find(kind, STR("black")), &kind->values[1]);
    assert_null(vocabulary_find(kind, STR("sench")));
    assert_null(vocabulary_find(kind, STR("")));
    assert_ptr_equal(vocabulary_find(milk, STR("a drop")), &milk->values[1]);
    assert_str(milk->values[1].label, STR("a drop"), "label");
    assert_str(milk->values[0].label, STR("none"), "label of one that has none");
    assert_str(milk->values[1].key, STR("a drop"), "key");
    arena_free(mem);
}

static void
reserved_domain_names_are_rejected(void **state)
{
    (void)state;
    static const char *const names[] = { "atoms", "suppress", "export", "agent_hints" };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(names); i++) {
        struct domains set;
        struct why why = { 0 };
        struct str text = tea_changed(mem, "`tea`", str_format(mem, "`%s`", names[i]).ptr);
        struct domain_source source = { STR("f"), str_of(names[i]), text };
        assert_int_equal(domains_load(mem, &source, 1, &set, &why), ERR_INVALID);
        assert_str(str_of(why.text), str_format(mem, "f: domain: %s is reserved", names[i]),
                   names[i]);
    }
    arena_free(mem);
}

static void
a_later_definition_replaces_an_earlier_one(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct domains set;
    struct why why = { 0 };
    struct domain_source sources[] = {
        { STR("a/tea.json"), STR("tea"), STR("{}") }, /* invalid, but replaced and never read */
        { STR("a/bread.json"), STR("bread"), tea_changed(mem, "`tea`", "`bread`") },
        { STR("b/tea.json"), STR("tea"), tea_changed(mem, "`Tea`", "`Another`") },
    };
    assert_int_equal(domains_load(mem, sources, 3, &set, &why), ERR_NONE);
    assert_int_equal(set.count, 2);
    assert_str(set.list[0].name, STR("bread"), "in the order of their names");
    assert_str(set.list[1].title, STR("Another"), "the later one");
    assert_ptr_equal(domains_find(&set, STR("tea")), &set.list[1]);
    assert_null(domains_find(&set, STR("te")));
    arena_free(mem);
}

static void
numbers_and_sizes_are_limited(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct domain_source sources[DOMAINS_MAX + 1];
    struct domains set;
    struct why why = { 0 };
    for (size_t i = 0; i <= DOMAINS_MAX; i++) {
        struct str name = str_format(mem, "d%zu", i);
        struct str text = tea_changed(mem, "`tea`", str_format(mem, "`d%zu`", i).ptr);
        sources[i] = (struct domain_source){ name, name, text };
    }
    assert_int_equal(domains_load(mem, sources, DOMAINS_MAX, &set, &why), ERR_NONE);
    assert_int_equal(set.count, DOMAINS_MAX);
    assert_int_equal(domains_load(mem, sources, DOMAINS_MAX + 1, &set, &why), ERR_INVALID);
    assert_string_equal(why.text, "d48: there are more than 48 domains");

    size_t max = 256 * 1024;
    char *large = arena_alloc(mem, max + 1);
    struct str text = tea_quotes(mem, tea);
    memset(large, ' ', max + 1);
    memcpy(large, text.ptr, text.len);
    why = (struct why){ 0 };
    assert_int_equal(tea_load(mem, (struct str){ large, max }, &set, &why), ERR_NONE);
    assert_int_equal(tea_load(mem, (struct str){ large, max + 1 }, &set, &why), ERR_INVALID);
    assert_string_equal(why.text, "x/tea.json: is larger than 262144 bytes");
    arena_free(mem);
}

static void
problems_are_one_printable_line(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct domains set;
    struct why why = { 0 };
    struct str text = STR("{ \"a\\u001b[31m\\nb\xe2\x80\xae\": 1 }");
    assert_int_equal(tea_load(mem, text, &set, &why), ERR_INVALID);
    assert_string_equal(why.text, "x/tea.json: a?[31m?b?: unknown key");
    arena_free(mem);
}

/* The parsed file is gone after loading. */
static void
texts_with_escapes_are_kept(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } rows[] = {
        { "`title`: `Cups a day`", "`title`: `C\\u0075ps a day`" },
        { "`1`: `One cup.`", "`\\u0031`: `\\u004fne cup.`" },
        { "`color`: `string`", "`c\\u006flor`: `string`" },
        { "`green`, `aliases`", "`gr\\u0065en`, `aliases`" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct domains set;
        struct why why = { 0 };
        struct str text = tea_changed(mem, rows[i].from, rows[i].to);
        assert_row(!tea_load(mem, text, &set, &why), why.text);
        const struct member *cups = domain_member(&set.list[0], STR("cups"));
        const struct member *pot = domain_member(&set.list[0], STR("pot"));
        const struct member *kinds = domain_member(&set.list[0], STR("kinds"));
        assert_str(cups->title, STR("Cups a day"), rows[i].to);
        assert_str(cups->hint.values[0].value, STR("1"), rows[i].to);
        assert_str(cups->hint.values[0].sentence, STR("One cup."), rows[i].to);
        assert_str(pot->properties[0].name, STR("color"), rows[i].to);
        assert_str(kinds->vocabulary->values[0].value, STR("green"), rows[i].to);
    }
    arena_free(mem);
}

static void
default_consent_names_the_domain(void **state)
{
    (void)state;
    static const struct {
        const char *why, *from, *to, *expected;
    } rows[] = {
        { "its own", "`heading`", "`consent`: `See it all.`, `heading`", "See it all." },
        { "by its title", "`heading`", "`heading`", "See your tea preferences." },
        { "an acronym stays", "`Tea`", "`TV`", "See your TV preferences." },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct domains set;
        struct why why = { 0 };
        assert_row(!tea_load(mem, tea_changed(mem, rows[i].from, rows[i].to), &set, &why),
                   why.text);
        assert_str(set.list[0].consent, str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

static void
missing_item_counts_follow_the_given_ones(void **state)
{
    (void)state;
    static const struct {
        const char *why, *items;
        int base, std, max;
    } rows[] = {
        { "nothing", "", 3, 4, 8 },
        { "only a base", ", `base_items`: 20", 20, 20, 20 },
        { "only a std", ", `std_items`: 2", 2, 2, 8 },
        { "only a max", ", `max_items`: 1", 1, 1, 1 },
        { "base and max", ", `base_items`: 5, `max_items`: 6", 5, 5, 6 },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct domains set;
        struct why why = { 0 };
        struct str to = str_format(mem, "`text`: `User says: {value}.`%s", rows[i].items);
        struct str text = tea_changed(mem, "`text`: `User says: {value}.`", to.ptr);
        assert_row(!tea_load(mem, text, &set, &why), why.text);
        const struct member *member = domain_member(&set.list[0], STR("avoided"));
        assert_row(member->hint.base_items == rows[i].base, rows[i].why);
        assert_row(member->hint.std_items == rows[i].std, rows[i].why);
        assert_row(member->hint.max_items == rows[i].max, rows[i].why);
    }
    arena_free(mem);
}

static void
built_in_definitions_are_valid(void **state)
{
    (void)state;
    const struct domains *set = kit_domains();
    assert_int_equal(set->count, KIT_DOMAINS);
    for (size_t i = 0; i < set->count; i++) {
        const struct domain *domain = &set->list[i];
        assert_row(domain->member_count >= 16, domain->name.ptr);
        assert_row(domain->summary_count > 0, domain->name.ptr);
        for (size_t j = 0; j < domain->member_count; j++) {
            const struct member *member = &domain->members[j];
            assert_row(member->description.len > 0, member->name.ptr);
            assert_row(str_present(member->hint.text) || member->hint.value_count > 0,
                       member->name.ptr);
            assert_row(str_present(member->hint.short_text), member->name.ptr);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_is_read_completely),
        cmocka_unit_test(members_have_their_properties),
        cmocka_unit_test(values_are_found_by_every_spelling),
        cmocka_unit_test(reserved_domain_names_are_rejected),
        cmocka_unit_test(a_later_definition_replaces_an_earlier_one),
        cmocka_unit_test(numbers_and_sizes_are_limited),
        cmocka_unit_test(problems_are_one_printable_line),
        cmocka_unit_test(texts_with_escapes_are_kept),
        cmocka_unit_test(default_consent_names_the_domain),
        cmocka_unit_test(missing_item_counts_follow_the_given_ones),
        cmocka_unit_test(built_in_definitions_are_valid),
    };
    return cmocka_run_group_tests_name("domain/domain", tests, NULL, NULL);
}
