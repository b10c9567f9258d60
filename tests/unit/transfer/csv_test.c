#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "transfer/csv.h"

/* Fields separated by '|', rows by '\n'. */
static struct str
rows_of(struct arena *mem, const char *text)
{
    struct buf out = buf_in(mem, 4096);
    struct str rest = str_of(text);
    struct csv_row row;
    while (csv_next(mem, &rest, &row)) {
        for (size_t i = 0; i < row.count; i++) {
            buf_add_c(&out, i == 0 ? "" : "|");
            buf_add(&out, row.fields[i]);
        }
        buf_add_c(&out, "\n");
    }
    return out.len == 0 ? STR("") : buf_str(&out);
}

static void
rows_and_fields_are_read_as_spreadsheets_write_them(void **state)
{
    static const struct {
        const char *text, *rows;
    } cases[] = {
        { "", "" },
        { "\n\r\n\n", "" },
        { "a,b\nc,d\n", "a|b\nc|d\n" },
        { "a,b\r\nc,d", "a|b\nc|d\n" },
        { "\"a\",\"b\"\r\n\"c\",\"d\"\r\n", "a|b\nc|d\n" },
        { "\"a,b\",c", "a,b|c\n" },
        { "\"a \"\"b\"\" c\",d", "a \"b\" c|d\n" },
        { "\"a\nb\r\nc\",d\ne", "a\nb\r\nc|d\ne\n" },
        { "a,,c\n,\n", "a||c\n|\n" },
        { "=\"0439\",x", "=\"0439\"|x\n" },
        { "\"not closed, a", "not closed, a\n" },
        { "\"closed\" and more,b", "closed|b\n" },
        { "\"\"", "" },
        { "a,\"\"\"\"", "a|\"\n" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *mem = arena_new();
        assert_str(rows_of(mem, cases[i].text), str_of(cases[i].rows), cases[i].text);
        arena_free(mem);
    }
}

static void
columns_are_found_by_title_and_missing_fields_are_empty(void **state)
{
    struct arena *mem = arena_new();
    struct str rest = STR("Title, My Rating ,Date\nDune");
    struct csv_row titles, row;
    (void)state;
    assert_true(csv_next(mem, &rest, &titles) && csv_next(mem, &rest, &row));
    assert_int_equal(csv_column(&titles, "my rating"), 1);
    assert_int_equal(csv_column(&titles, "Rating"), CSV_FIELDS_MAX);
    assert_str(csv_field(&row, 0), STR("Dune"), "a field");
    assert_str(csv_field(&row, 2), STR(""), "a short row");
    assert_str(csv_field(&row, CSV_FIELDS_MAX), STR(""), "no such column");
    arena_free(mem);
}

static void
more_fields_than_fit_are_dropped(void **state)
{
    char text[2 * CSV_FIELDS_MAX + 40];
    struct arena *mem = arena_new();
    struct csv_row row;
    (void)state;
    memset(text, ',', sizeof text);
    memcpy(text + sizeof text - 4, "\na,b", 4);
    struct str rest = { text, sizeof text };
    assert_true(csv_next(mem, &rest, &row));
    assert_int_equal(row.count, CSV_FIELDS_MAX);
    assert_true(csv_next(mem, &rest, &row));
    assert_int_equal(row.count, 2);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_fields_are_read_as_spreadsheets_write_them),
        cmocka_unit_test(columns_are_found_by_title_and_missing_fields_are_empty),
        cmocka_unit_test(more_fields_than_fit_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
