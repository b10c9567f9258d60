#include "unit/preference/facts.h"

#include "unit/assert_str.h"
#include "unit/model/tea.h"

#include "transfer/transfer.h"

#define TIMES "\"created_at\":\"2026-11-14T09:30:00Z\",\"updated_at\":\"2026-11-14T09:30:01Z\""
#define SAID(login) "{\"source\":\"" login "\"," TIMES "}"
#define APP SAID("app_A")
#define FACT(member, value, status, by_user, sources)                     \
    "{\"member\":\"" member "\",\"value\":" value ",\"status\":\"" status \
    "\",\"by_user\":" by_user "," TIMES ",\"sources\":[" sources "]}"
#define PLAIN(value) FACT("genres", value, "active", "false", APP)
#define SUPPRESSED(value)                                                                          \
    "{\"member\":\"genres\",\"value\":" value                                                      \
    ",\"status\":\"suppressed\",\"by_user\":false," TIMES                                          \
    ",\"reason\":\"other\",\"suppressed_by\":\"user\",\"suppressed_at\":\"2026-11-14T09:30:02Z\"," \
    "\"sources\":[]}"
#define DOMAIN(name, atoms) "\"" name "\":{\"atoms\":[" atoms "]}"
#define DOCUMENT(domains) "{\"format\":\"penchant-export\",\"version\":1,\"domains\":{" domains "}}"

static enum err
import(struct kit *kit, struct str user_id, const char *document, struct import_counts *counts,
       struct why *why)
{
    *counts = (struct import_counts){ .added = -1, .kept = -1 };
    *why = (struct why){ 0 };
    return transfer_import(kit->db, kit->mem, user_id, kit_domains(), str_of(document), T0, counts,
                           why);
}

static void
imported(struct kit *kit, struct str user_id, const char *document, int64_t added, int64_t kept)
{
    struct import_counts counts;
    struct why why;
    if (import(kit, user_id, document, &counts, &why))
        fail_msg("%s", why.text);
    assert_int_equal(counts.added, added);
    assert_int_equal(counts.kept, kept);
}

static const char *
exported(struct kit *kit, struct str user_id, struct str app_id)
{
    struct buf out = buf_in(kit->mem, TRANSFER_MAX);
    struct export_params params = { .view = { .user_id = user_id, .app_id = app_id },
                                    .domains = kit_domains(),
                                    .now = T0 };
    assert_int_equal(transfer_export(kit->db, kit->mem, &params, &out), ERR_NONE);
    return str_c(kit->mem, buf_str(&out));
}

static void
users_export_everything_and_apps_active_facts(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    imported(kit, ada,
             DOCUMENT(DOMAIN(MUSIC, PLAIN("\"jazz\"") "," SUPPRESSED("\"polka\"") "," FACT(
                                        "genres", "\"see https://x\"", "held", "false", APP))),
             3, 0);
    const char *own = exported(kit, ada, STR_NONE), *apps = exported(kit, ada, FINDER);
    static const char *const secret[] = { "polka", "https://x", "app_A", "\"sources\"", "by_user" };
    for (size_t i = 0; i < KIT_COUNT(secret); i++) {
        assert_row(strstr(own, secret[i]) != NULL, secret[i]);
        assert_row(strstr(apps, secret[i]) == NULL, secret[i]);
    }
    assert_non_null(strstr(apps, "\"value\":\"jazz\""));
    assert_non_null(strstr(apps, "\"source\":\"other\""));
    assert_non_null(strstr(own, "\"preferences\":{\"genres\":[\"jazz\"]}"));
}

static void
existing_and_suppressed_facts_win(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    struct corrected out;
    facts_write(kit, ada, FINDER, MUSIC, "{\"genres\":[\"Jazz\",\"polka\"]}", T0);
    facts_write(kit, ada, SOURCE_USER, FOOD, "{\"dietary\":\"vegan\"}", T0);
    struct correction polka = facts_correction(kit, ada, "\"polka\"", T0);
    assert_int_equal(corrections_suppress(kit->db, kit->mem, &polka, STR("other"), &out), ERR_NONE);
    int64_t before = facts_generation(kit, ada);
    imported(kit, ada,
             DOCUMENT(DOMAIN(MUSIC, PLAIN("\"JAZZ\"") "," PLAIN("\"Polka\"")) "," DOMAIN(
                 FOOD, FACT("dietary", "\"halal\"", "active", "false", APP))),
             0, 3);
    assert_int_equal(facts_generation(kit, ada), before);
    assert_str(facts_record(kit, ada, MUSIC), STR("{\"genres\":[\"Jazz\"]}"), "as it was");
    assert_str(facts_record(kit, ada, FOOD), STR("{\"dietary\":\"vegan\"}"),
               "one value, the first");
    /* A suppressed fact is imported beside an active one and then wins as well. */
    imported(kit, ada, DOCUMENT(DOMAIN(MUSIC, SUPPRESSED("\"soul\""))), 1, 0);
    assert_counts(facts_write(kit, ada, FINDER, MUSIC, "{\"genres\":[\"soul\"]}", T0), 0, 0, 0, 1,
                  0);
    imported(kit, ada, DOCUMENT(DOMAIN(FOOD, FACT("dietary", "\"halal\"", "held", "false", APP))),
             1, 0);
    assert_str(facts_record(kit, ada, FOOD), STR("{\"dietary\":\"vegan\"}"), "what is held waits");
}

static void
sources_times_and_status_are_imported_unchanged(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    imported(kit, ada,
             DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"jazz\"", "active", "true",
                                         SAID("user") "," SAID("an-app-nobody-knows")))),
             1, 0);
    const struct sourced_atom *jazz = facts_find(kit, ada, "\"jazz\"");
    assert_true(jazz->atom.by_user);
    assert_int_equal(jazz->atom.created_at, T0);
    assert_int_equal(jazz->atom.updated_at, T0 + 1);
    assert_int_equal(jazz->atom.source_count, 2);
    assert_str(jazz->sources[0].source, STR("an-app-nobody-knows"), "as text");
    assert_str(jazz->sources[1].source, SOURCE_USER, "the person");
    struct record record;
    struct view view = view_whole(ada);
    assert_int_equal(preferences_read(kit->db, kit->mem, &view, STR(MUSIC), &record), ERR_NONE);
    assert_int_equal(record.atom_count, 1);
}

static void
suspicious_facts_are_imported_as_held(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    imported(kit, ada,
             DOCUMENT(DOMAIN(
                 MUSIC, PLAIN("\"see https://x\"") "," FACT("genres", "\"ask https://y\"", "active",
                                                            "true", SAID("user") "," APP))),
             2, 0);
    assert_int_equal(facts_find(kit, ada, "\"see https://x\"")->atom.status, ATOM_HELD);
    /* A document that says that she said so proves nothing. */
    assert_int_equal(facts_find(kit, ada, "\"ask https://y\"")->atom.status, ATOM_HELD);
    assert_str(facts_record(kit, ada, MUSIC), STR("{}"), "nothing counts yet");
    struct correction said = facts_correction(kit, ada, "\"ask https://y\"", T0);
    struct corrected out;
    assert_int_equal(corrections_decide(kit->db, kit->mem, &said, true, &out), ERR_NONE);
    assert_str(facts_record(kit, ada, MUSIC), STR("{\"genres\":[\"ask https://y\"]}"),
               "what she accepted");
}

static void
sources_are_imported_sorted_and_at_most_50(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    struct import_counts counts;
    struct why why;
    for (int many = SOURCES_PER_ATOM_MAX; many <= SOURCES_PER_ATOM_MAX + 1; many++) {
        struct buf text = buf_in(kit->mem, TRANSFER_MAX);
        buf_add_c(&text, "{\"format\":\"penchant-export\",\"version\":1,\"domains\":{\"" MUSIC
                         "\":{\"atoms\":[{\"member\":\"genres\",\"value\":\"jazz\",\"status\":"
                         "\"active\",\"by_user\":false," TIMES ",\"sources\":[");
        for (int i = 0; i < many; i++) /* the newest first */
            buf_add_format(&text,
                           "%s{\"source\":\"app_%d\",\"created_at\":\"2026-11-14T09:30:%02dZ\","
                           "\"updated_at\":\"2026-11-14T09:31:00Z\"}",
                           i == 0 ? "" : ",", i, 59 - i);
        buf_add_c(&text, "]}]}}}");
        enum err expected = many > SOURCES_PER_ATOM_MAX ? ERR_INVALID : ERR_NONE;
        assert_int_equal(import(kit, ada, str_c(kit->mem, buf_str(&text)), &counts, &why),
                         expected);
    }
    assert_non_null(strstr(why.text, "must have a list of sources: at most 50"));
    const struct sourced_atom *jazz = facts_find(kit, ada, "\"jazz\"");
    assert_int_equal(jazz->source_count, SOURCES_PER_ATOM_MAX);
    assert_str(jazz->sources[0].source, STR("app_49"), "the oldest first");
    for (size_t i = 1; i < jazz->source_count; i++)
        assert_true(jazz->sources[i - 1].created_at < jazz->sources[i].created_at);
    /* One more app says it, too: the oldest app makes room. */
    facts_write(kit, ada, FINDER, MUSIC, "{\"genres\":[\"jazz\"]}", T0 + 3600);
    jazz = facts_find(kit, ada, "\"jazz\"");
    assert_int_equal(jazz->source_count, SOURCES_PER_ATOM_MAX);
    assert_str(jazz->sources[0].source, STR("app_48"), "the next oldest");
    assert_str(jazz->sources[SOURCES_PER_ATOM_MAX - 1].source, FINDER, "the newest last");
}

static void
a_preview_lists_what_would_be_added_and_changes_nothing(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    struct import_counts counts;
    struct why why = { 0 };
    facts_write(kit, ada, FINDER, MUSIC, "{\"genres\":[\"jazz\"]}", T0);
    int64_t before = facts_generation(kit, ada);
    const char *document = DOCUMENT(DOMAIN(MUSIC, PLAIN("\"jazz\"") "," PLAIN("\"soul\"")));
    assert_int_equal(transfer_preview(kit->db, kit->mem, ada, kit_domains(), str_of(document), T0,
                                      &counts, &why),
                     ERR_NONE);
    assert_int_equal(counts.added, 1);
    assert_int_equal(counts.kept, 1);
    assert_int_equal(counts.domains[0].added, 1);
    assert_str(counts.domains[0].atoms[0].atom.value, STR("\"soul\""), "the new one");
    assert_int_equal(facts_generation(kit, ada), before);
    assert_null(facts_find(kit, ada, "\"soul\""));
}

static void
a_repeated_fact_is_imported_once(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    imported(kit, ada, DOCUMENT(DOMAIN(MUSIC, PLAIN("\"jazz\"") "," PLAIN("\" JAZZ \""))), 1, 1);
    imported(kit, ada,
             DOCUMENT(DOMAIN(FOOD, FACT("dietary", "\"vegan\"", "active", "false", APP) "," FACT(
                                       "dietary", "\"halal\"", "active", "false", APP))),
             1, 1);
    assert_str(facts_record(kit, ada, FOOD), STR("{\"dietary\":\"vegan\"}"), "the first");
}

static void
problems_name_their_path_and_nothing_is_imported(struct kit *kit)
{
    static const struct {
        const char *document, *why;
    } rows[] = {
        { "", "line 1, column 1" },
        { "[]", "not a penchant-export of version 1" },
        { "{\"format\":\"penchant-export\",\"version\":2,\"domains\":{}}", "of version 1" },
        { "{\"format\":\"penchant-export\",\"version\":\"1\",\"domains\":{}}", "of version 1" },
        { "{\"format\":\"penchant-export\",\"version\":1}", "domains must be an object" },
        { DOCUMENT("\"nosuch\":{\"atoms\":[7]}"), "domains.nosuch is not a domain" },
        { DOCUMENT("\"nosuch\":{}"), "domains.nosuch is not a domain" },
        { DOCUMENT("\"\\u001b[2J\":{\"atoms\":[7]}"), "domains.* is not a domain" },
        { DOCUMENT(DOMAIN(MUSIC, "") "," DOMAIN(MUSIC, "")), "duplicate key" },
        { DOCUMENT("\"" MUSIC "\":{}"), "domains." MUSIC ".atoms must be a list" },
        { DOCUMENT("\"" MUSIC "\":7"), "domains." MUSIC ".atoms must be a list" },
        { DOCUMENT(DOMAIN(MUSIC, PLAIN("\"jazz\"") ",7")),
          "atoms[1] has a member that its domain does not define" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("nosuch", "1", "active", "false", APP))), "does not define" },
        { DOCUMENT(DOMAIN(MUSIC, PLAIN("7"))),
          "atoms[0] has an invalid value: it must be a string" },
        { DOCUMENT(DOMAIN(MUSIC, PLAIN("\"a\\u0000b\""))), "contains U+0000" },
        { DOCUMENT(DOMAIN(MUSIC, "{\"member\":\"genres\"}")),
          "has an invalid value: it is missing" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"x\"", "gone", "false", APP))),
          "must have the status" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"x\"", "active", "1", APP))),
          "must have by_user" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"x\"", "active", "false", ""))), "sources" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"x\"", "active", "true", APP))),
          "must have the source user when by_user is true" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"x\"", "active", "false", SAID("user")))),
          "and only then" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"x\"", "active", "false", APP "," APP))),
          "lists a source twice" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"x\"", "active", "false", SAID("a b")))),
          "a source without a valid name" },
        { DOCUMENT(DOMAIN(MUSIC, FACT("genres", "\"x\"", "suppressed", "false", APP))),
          "suppressed but has no valid reason" },
    };
    struct str ada = facts_user(kit, "ada");
    int64_t before = facts_generation(kit, ada);
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct import_counts counts;
        struct why why;
        assert_row(import(kit, ada, rows[i].document, &counts, &why) == ERR_INVALID, rows[i].why);
        if (strstr(why.text, rows[i].why) == NULL)
            fail_msg("expected: %s\nactual: %s", rows[i].why, why.text);
    }
    assert_int_equal(facts_generation(kit, ada), before);
    assert_null(facts_find(kit, ada, "\"jazz\""));
}

static void
an_import_beyond_the_limit_changes_nothing(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    struct buf text = buf_in(kit->mem, TRANSFER_MAX);
    struct import_counts counts;
    struct why why;
    buf_add_c(&text, "{\"format\":\"penchant-export\",\"version\":1,\"domains\":{\"" MUSIC
                     "\":{\"atoms\":[");
    for (int i = 0; i < ATOMS_PER_DOMAIN_MAX; i++)
        buf_add_format(&text,
                       "%s{\"member\":\"genres\",\"value\":\"genre %d\",\"status\":\"active\","
                       "\"by_user\":false," TIMES ",\"sources\":[" APP "]}",
                       i == 0 ? "" : ",", i);
    buf_add_c(&text, "]}}}");
    facts_write(kit, ada, FINDER, MUSIC, "{\"genres\":[\"jazz\"]}", T0);
    assert_int_equal(import(kit, ada, str_c(kit->mem, buf_str(&text)), &counts, &why), ERR_INVALID);
    assert_non_null(strstr(why.text, "more than 2,000 facts in one domain"));
    assert_str(facts_record(kit, ada, MUSIC), STR("{\"genres\":[\"jazz\"]}"), "as it was");
    struct correction jazz = facts_correction(kit, ada, "\"jazz\"", T0);
    struct corrected out;
    assert_int_equal(corrections_remove(kit->db, kit->mem, &jazz, &out), ERR_NONE);
    imported(kit, ada, str_c(kit->mem, buf_str(&text)), ATOMS_PER_DOMAIN_MAX, 0);
}

static void
a_document_names_its_owner(struct kit *kit)
{
    static const struct {
        const char *user, *sub, *username;
    } rows[] = {
        { "{\"sub\":\"usr_A\",\"username\":\"ada\"}", "usr_A", "ada" },
        { "{\"sub\":\"usr_A\"}", "usr_A", NULL },
        { "{\"sub\":7}", NULL, NULL },
        { "\"usr_A\"", NULL, NULL },
    };
    struct str sub, username;
    struct why why = { 0 };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct str document = str_format(
            kit->mem, "{\"format\":\"penchant-export\",\"version\":1,\"user\":%s}", rows[i].user);
        assert_int_equal(transfer_owner(kit->mem, document, &sub, &username, &why), ERR_NONE);
        assert_str(sub, str_of(rows[i].sub), rows[i].user);
        assert_str(username, str_of(rows[i].username), rows[i].user);
    }
    assert_int_equal(transfer_owner(kit->mem, STR("{}"), &sub, &username, &why), ERR_INVALID);
    assert_false(str_present(sub));
}

static void
importing_into_an_unknown_user_fails(struct kit *kit)
{
    struct import_counts counts;
    struct why why;
    assert_int_equal(
        import(kit, STR("usr_nobody"), DOCUMENT(DOMAIN(MUSIC, PLAIN("\"jazz\""))), &counts, &why),
        ERR_NOT_FOUND);
}

static void
an_unknown_empty_domain_is_skipped(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada");
    imported(kit, ada,
             DOCUMENT(DOMAIN("nosuch", "") "," DOMAIN(MUSIC,
                                                      PLAIN("\"jazz\"")) "," DOMAIN("neither", "")),
             1, 0);
    assert_str(facts_record(kit, ada, MUSIC), STR("{\"genres\":[\"jazz\"]}"), "what it holds");
}

/* The maximum number of domains and an unknown one. */
static void
a_document_can_have_more_domains_than_the_maximum(struct kit *kit)
{
    struct domain_source sources[DOMAINS_MAX];
    struct domains set;
    struct import_counts counts = { 0 };
    struct why why = { 0 };
    struct str ada = facts_user(kit, "ada");
    struct buf text = buf_in(kit->mem, TRANSFER_MAX);
    for (size_t i = 0; i < DOMAINS_MAX; i++) {
        struct str name = str_format(kit->mem, "d%zu", i);
        sources[i] = (struct domain_source){
            name, name, tea_changed(kit->mem, "`tea`", str_format(kit->mem, "`d%zu`", i).ptr)
        };
        buf_add_format(&text, "\"d%zu\":{\"atoms\":[]},", i);
    }
    assert_int_equal(domains_load(kit->mem, sources, DOMAINS_MAX, &set, &why), ERR_NONE);
    static const struct {
        const char *last;
        enum err err;
    } rows[] = { { "[7]", ERR_INVALID }, { "[]", ERR_NONE } };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct str document = str_format(kit->mem,
                                         "{\"format\":\"penchant-export\",\"version\":1,"
                                         "\"domains\":{%.*s\"nosuch\":{\"atoms\":%s}}}",
                                         STR_ARG(buf_str(&text)), rows[i].last);
        assert_int_equal(transfer_import(kit->db, kit->mem, ada, &set, document, T0, &counts, &why),
                         rows[i].err);
    }
    assert_string_equal(why.text, "domains.nosuch is not a domain of this service");
    assert_int_equal(counts.domain_count, DOMAINS_MAX);
}

/* After the owner and the first fact's id, before the activity. */
static const char *
facts_of(struct kit *kit, const char *document)
{
    const char *facts = strstr(document, "\"member\":");
    const char *end = strstr(document, "\"activity\":");
    assert_non_null(facts);
    assert_true(end != NULL && end > facts);
    return str_c(kit->mem, (struct str){ facts, (size_t)(end - facts) });
}

static void
a_lifted_fact_without_app_survives_export_and_import(struct kit *kit)
{
    struct str ada = facts_user(kit, "ada"), bob = facts_user(kit, "bob");
    struct app_removal removal = { ada, FINDER, kit_domains(), T0 };
    struct app_removed removed;
    struct corrected out;
    facts_write(kit, ada, FINDER, MUSIC, "{\"genres\":[\"jazz\"]}", T0);
    struct correction jazz = facts_correction(kit, ada, "\"jazz\"", T0);
    assert_int_equal(corrections_suppress(kit->db, kit->mem, &jazz, STR("other"), &out), ERR_NONE);
    assert_int_equal(corrections_remove_app(kit->db, kit->mem, &removal, &removed), ERR_NONE);
    assert_int_equal(corrections_restore(kit->db, kit->mem, &jazz, &out), ERR_NONE);
    const char *document = exported(kit, ada, STR_NONE);
    imported(kit, bob, document, 1, 0);
    assert_string_equal(facts_of(kit, exported(kit, bob, STR_NONE)), facts_of(kit, document));
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(users_export_everything_and_apps_active_facts),
        KIT_CASE(existing_and_suppressed_facts_win),
        KIT_CASE(sources_times_and_status_are_imported_unchanged),
        KIT_CASE(suspicious_facts_are_imported_as_held),
        KIT_CASE(a_repeated_fact_is_imported_once),
        KIT_CASE(sources_are_imported_sorted_and_at_most_50),
        KIT_CASE(a_preview_lists_what_would_be_added_and_changes_nothing),
        KIT_CASE(problems_name_their_path_and_nothing_is_imported),
        KIT_CASE(an_import_beyond_the_limit_changes_nothing),
        KIT_CASE(a_document_names_its_owner),
        KIT_CASE(importing_into_an_unknown_user_fails),
        KIT_CASE(an_unknown_empty_domain_is_skipped),
        KIT_CASE(a_document_can_have_more_domains_than_the_maximum),
        KIT_CASE(a_lifted_fact_without_app_survives_export_and_import),
    };
    return KIT_RUN("transfer", cases, LOG_WARN);
}
