/* Built-in definitions and definitions from a folder. */
#include "unit/assert_str.h"
#include "unit/domains_kit.h"
#include "unit/model/tea.h"

#include "config/definitions.h"
#include "base/arena.h"
#include "domain/domain.h"
#include "model/scope.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
    struct arena *mem;
    char path[64];
    struct domains set;
    struct why why;
};

static int
setup(void **state)
{
    struct arena *mem = arena_new();
    struct folder *folder = ARENA_NEW(mem, struct folder);
    folder->mem = mem;
    snprintf(folder->path, sizeof folder->path, "/tmp/penchant-unit-XXXXXX");
    *state = folder;
    return mkdtemp(folder->path) == NULL ? -1 : 0;
}

static int
remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static int
teardown(void **state)
{
    struct folder *folder = *state;
    nftw(folder->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    scopes_setup(&(struct domains){ .count = 0 });
    arena_free(folder->mem);
    return 0;
}

static const char *
path_of(struct folder *folder, const char *name)
{
    return str_format(folder->mem, "%s/%s", folder->path, name).ptr;
}

static void
put(struct folder *folder, const char *name, struct str text)
{
    FILE *file = fopen(path_of(folder, name), "w");
    assert_non_null(file);
    fwrite(text.ptr, 1, text.len, file);
    fclose(file);
}

static struct str
definition(struct folder *folder, const char *name, const char *title)
{
    return str_format(folder->mem,
                      "{\"format\":1,\"domain\":\"%s\",\"version\":\"1.0.0\",\"title\":\"%s\","
                      "\"members\":[{\"name\":\"a\",\"type\":\"bool\",\"cardinality\":\"one\"}]}",
                      name, title);
}

static enum err
load(struct folder *folder)
{
    folder->why = (struct why){ 0 };
    return definitions_load(folder->mem, folder->path, NULL, &folder->set, &folder->why);
}

static void
without_a_folder_there_are_the_built_in_ones(void **state)
{
    struct folder *folder = *state;
    static const char *const names[] = { "coding_profile", "communication_profile",
                                         "food_profile",   "lifestyle_profile",
                                         "media_profile",  "music_preferences",
                                         "travel_profile" };
    assert_int_equal(definitions_load(folder->mem, NULL, NULL, &folder->set, &folder->why),
                     ERR_NONE);
    assert_int_equal(folder->set.count, ROWS(names));
    assert_int_equal(scope_count(), 4); /* loaded, and not in use yet */
    scopes_setup(&folder->set);
    assert_int_equal(scope_count(), 4 + ROWS(names));
    for (size_t i = 0; i < ROWS(names); i++) {
        assert_str(folder->set.list[i].name, str_of(names[i]), "name");
        assert_string_equal(scope_row(4 + i)->name, names[i]);
        assert_string_equal(scope_row(4 + i)->sentence, folder->set.list[i].consent.ptr);
        const struct domain *domain = &folder->set.list[i];
        assert_int_equal(domains_undefined_safety_context(&folder->set, domain),
                         domain->safety_context_count);
    }
}

static void
built_in_domains_are_left_out_by_name(void **state)
{
    struct folder *folder = *state;
    static const struct {
        const char *why, *off, *problem;
        size_t count;
    } rows[] = {
        { "one", "media_profile", NULL, KIT_DOMAINS - 1 },
        { "two, in any order", "travel_profile coding_profile", NULL, KIT_DOMAINS - 2 },
        { "the same twice", "media_profile media_profile", NULL, KIT_DOMAINS - 1 },
        { "a misspelled one", "media_profile lifestyl_profile",
          "domains-off: \"lifestyl_profile\" is not a built-in domain; the nearest name is "
          "lifestyle_profile",
          0 },
        { "commas", "media_profile,food_profile",
          "domains-off: \"media_profile,food_profile\" is not a built-in domain; the nearest name "
          "is media_profile",
          0 },
        { "two spaces", "media_profile  food_profile",
          "domains-off: \"\" is not a built-in domain; the nearest name is food_profile", 0 },
        { "all of them",
          "coding_profile communication_profile food_profile lifestyle_profile media_profile "
          "music_preferences travel_profile",
          "domains-off: no domain is left; keep one, or name a folder with domains", 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        folder->why = (struct why){ 0 };
        enum err err = definitions_load(folder->mem, NULL, rows[i].off, &folder->set, &folder->why);
        assert_row((err != ERR_NONE) == (rows[i].problem != NULL), rows[i].why);
        if (err != ERR_NONE)
            assert_string_equal(folder->why.text, rows[i].problem);
        else
            assert_int_equal(folder->set.count, rows[i].count);
    }
    /* A definition of the folder is loaded, whatever its name. */
    put(folder, "media_profile.json", definition(folder, "media_profile", "Own media"));
    assert_int_equal(
        definitions_load(folder->mem, folder->path, "media_profile", &folder->set, &folder->why),
        ERR_NONE);
    assert_str(domains_find(&folder->set, STR("media_profile"))->title, STR("Own media"), "own");
    assert_int_equal(folder->set.count, KIT_DOMAINS);
}

/* Whether a member of the domain has the opposite meaning of `member`. */
static bool
has_opposite(const struct domain *domain, const struct member *member)
{
    bool found = member->avoid || member->oppose_count > 0;
    for (size_t i = 0; i < domain->member_count; i++)
        for (size_t o = 0; o < domain->members[i].oppose_count; o++)
            found = found || str_eq(domain->members[i].opposes[o], member->name);
    return found;
}

/* A user who can say what they like can also say what they dislike. An enum, a number, or an object
 * has its opposite among its own values, and a statement says either. */
static void
a_built_in_taste_has_an_opposite_or_a_reason(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(definitions_load(folder->mem, NULL, NULL, &folder->set, &folder->why),
                     ERR_NONE);
    for (size_t d = 0; d < folder->set.count; d++) {
        const struct domain *domain = &folder->set.list[d];
        for (size_t i = 0; i < domain->member_count; i++) {
            const struct member *member = &domain->members[i];
            bool open = member->type == MEMBER_ARRAY || member->type == MEMBER_STRING;
            if (!open || member->hint.for_each)
                continue;
            const char *name =
                str_format(folder->mem, "%.*s.%.*s", STR_ARG(domain->name), STR_ARG(member->name))
                    .ptr;
            assert_row(has_opposite(domain, member) != str_present(member->no_opposite), name);
        }
    }
}

static void
a_folder_adds_and_replaces(void **state)
{
    struct folder *folder = *state;
    scopes set;
    put(folder, "zen.json", definition(folder, "zen", "Zen"));
    put(folder, "food_profile.json", definition(folder, "food_profile", "Other food"));
    put(folder, "notes.txt", STR("no definition"));
    put(folder, ".hidden.json", STR("no definition"));
    put(folder, "definition.schema.json", STR("no definition"));
    assert_row(!load(folder), folder->why.text);
    assert_int_equal(folder->set.count, KIT_DOMAINS + 1);
    const struct domain *food = domains_find(&folder->set, STR("food_profile"));
    assert_str(food->title, STR("Other food"), "replaced");
    assert_int_equal(food->member_count, 1); /* replaced, not merged */
    assert_str(folder->set.list[KIT_DOMAINS].name, STR("zen"), "added");
    scopes_setup(&folder->set);
    assert_true(scopes_read(STR("zen"), &set, NULL));
    assert_string_equal(scope_row(4 + KIT_DOMAINS)->sentence, "See your zen preferences.");
}

static void
an_empty_folder_adds_nothing(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(load(folder), ERR_NONE);
    assert_int_equal(folder->set.count, KIT_DOMAINS);
}

static void
a_wrong_file_is_reported_with_its_path(void **state)
{
    struct folder *folder = *state;
    put(folder, "zen.json", definition(folder, "zen", ""));
    assert_int_equal(load(folder), ERR_INVALID);
    assert_str(str_of(folder->why.text),
               str_format(folder->mem, "%s/zen.json: title: must have 1 to 80 characters, not 0",
                          folder->path),
               "line");
}

static void
a_safety_context_is_one_of_another_domain(void **state)
{
    struct folder *folder = *state;
    static const struct {
        const char *names, *undefined; /* NULL: none */
    } rows[] = {
        { "`flight_search`,`book_flight`", NULL }, /* a name and an alias */
        { "`sitting`", NULL },                     /* of a neighbor in the folder */
        { "`flight_search`,`flihgt_search`", "[1]: flihgt_search" },
        { "`breathing`", "[0]: breathing" }, /* its own */
        { "`food_profile`", "[0]: food_profile" },
    };
    static const char form[] =
        "{`format`:1,`domain`:`%s`,`version`:`1.0.0`,`title`:`T`,`safety_contexts`:[%s],"
        "`contexts`:[{`name`:`%s`}],"
        "`members`:[{`name`:`a`,`type`:`bool`,`cardinality`:`one`}]}";
    put(folder, "yoga.json",
        tea_quotes(folder->mem, str_format(folder->mem, form, "yoga", "", "sitting").ptr));
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str text = str_format(folder->mem, form, "zen", rows[i].names, "breathing");
        put(folder, "zen.json", tea_quotes(folder->mem, text.ptr));
        assert_row(load(folder) == (rows[i].undefined == NULL ? ERR_NONE : ERR_INVALID),
                   rows[i].names);
        if (rows[i].undefined != NULL)
            assert_str(str_of(folder->why.text),
                       str_format(folder->mem,
                                  "%s/zen.json: safety_contexts%s is not a context of another "
                                  "domain",
                                  folder->path, rows[i].undefined),
                       rows[i].names);
    }
}

static void
only_in_names_contexts_of_other_domains(void **state)
{
    struct folder *folder = *state;
    static const char form[] =
        "{`format`:1,`domain`:`zen`,`version`:`1.0.0`,`title`:`T`,`always`:true,"
        "`members`:[{`name`:`a`,`type`:`bool`,`cardinality`:`one`,`only_in`:[%s]}]}";
    put(folder, "zen.json",
        tea_quotes(folder->mem, str_format(folder->mem, form, "`flight_search`").ptr));
    assert_int_equal(load(folder), ERR_NONE);
    struct str text = str_format(folder->mem, form, "`flight_search`,`flihgt_search`");
    put(folder, "zen.json", tea_quotes(folder->mem, text.ptr));
    assert_int_equal(load(folder), ERR_INVALID);
    assert_str(str_of(folder->why.text),
               str_format(folder->mem,
                          "%s/zen.json: only_in: flihgt_search is not a context of another domain",
                          folder->path),
               "a mistyped context");
}

static void
what_is_no_file_does_not_keep_us_waiting(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(mkfifo(path_of(folder, "pipe.json"), 0600), 0);
    assert_int_equal(load(folder), ERR_INVALID);
    assert_str(str_of(folder->why.text),
               str_format(folder->mem, "%s/pipe.json: is not a file", folder->path), "a pipe");
    assert_int_equal(unlink(path_of(folder, "pipe.json")), 0);
    assert_int_equal(mkdir(path_of(folder, "dir.json"), 0700), 0);
    assert_int_equal(load(folder), ERR_INVALID);
    assert_str(str_of(folder->why.text),
               str_format(folder->mem, "%s/dir.json: is not a file", folder->path), "a folder");
    assert_int_equal(rmdir(path_of(folder, "dir.json")), 0);
    assert_int_equal(symlink("nowhere", path_of(folder, "link.json")), 0);
    assert_int_equal(load(folder), ERR_INVALID);
    assert_str(str_of(folder->why.text),
               str_format(folder->mem, "%s/link.json: No such file or directory", folder->path),
               "a link to nothing");
}

static void
a_folder_that_is_none_and_one_that_is_too_full_are_refused(void **state)
{
    struct folder *folder = *state;
    const char *nowhere = path_of(folder, "nowhere");
    assert_int_equal(definitions_load(folder->mem, nowhere, NULL, &folder->set, &folder->why),
                     ERR_INVALID);
    assert_str(str_of(folder->why.text),
               str_format(folder->mem,
                          "domains: cannot read the folder %s: No such file or "
                          "directory",
                          nowhere),
               "line");
    for (int i = 0; i < 97; i++)
        put(folder, str_format(folder->mem, "d%d.json", i).ptr, STR("{}"));
    assert_int_equal(load(folder), ERR_INVALID);
    assert_str(str_of(folder->why.text),
               str_format(folder->mem, "domains: %s has more than 96 definitions", folder->path),
               "line");
}

static void
a_file_that_is_too_large_is_refused_without_being_read_whole(void **state)
{
    struct folder *folder = *state;
    put(folder, "zen.json", definition(folder, "zen", "Zen"));
    assert_int_equal(truncate(path_of(folder, "zen.json"), 1 << 30), 0);
    assert_int_equal(load(folder), ERR_INVALID);
    assert_non_null(strstr(folder->why.text, "zen.json: is larger than 262144 bytes"));
    assert_true(arena_size(folder->mem) < 8 << 20);
}

static void
the_example_of_the_documentation_is_a_definition(void **state)
{
    struct folder *folder = *state;
    enum err err = definitions_load(folder->mem, "docs/examples", NULL, &folder->set, &folder->why);
    assert_row(!err, folder->why.text);
    const struct domain *reading = domains_find(&folder->set, STR("reading"));
    assert_non_null(reading);
    assert_str(reading->consent, STR("See your reading preferences."), "consent");
    assert_int_equal(reading->member_count, 10);
}

int
main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(without_a_folder_there_are_the_built_in_ones),
        IN_A_FOLDER(built_in_domains_are_left_out_by_name),
        IN_A_FOLDER(a_built_in_taste_has_an_opposite_or_a_reason),
        IN_A_FOLDER(a_folder_adds_and_replaces),
        IN_A_FOLDER(an_empty_folder_adds_nothing),
        IN_A_FOLDER(a_wrong_file_is_reported_with_its_path),
        IN_A_FOLDER(a_safety_context_is_one_of_another_domain),
        IN_A_FOLDER(only_in_names_contexts_of_other_domains),
        IN_A_FOLDER(what_is_no_file_does_not_keep_us_waiting),
        IN_A_FOLDER(a_folder_that_is_none_and_one_that_is_too_full_are_refused),
        IN_A_FOLDER(a_file_that_is_too_large_is_refused_without_being_read_whole),
        IN_A_FOLDER(the_example_of_the_documentation_is_a_definition),
    };
    return cmocka_run_group_tests_name("app/definitions", tests, NULL, NULL);
}
