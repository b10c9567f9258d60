/* foreign_file.c - recognizes a file, collects facts from it, and writes them as an export
 * document.
 *
 * A reader (foreign_spotify.c, foreign_table.c, foreign_memories.c) adds facts with foreign_add(),
 * which validates them like any other value of their member; a domain or member that this service
 * does not define is left out. The result is an ordinary document, so that the preview, the rules
 * for existing facts, and the import are those of transfer.h. Two arenas bound the memory: `work`
 * is for what lasts until the document is written, `row` is reset after each row, so that memory is
 * bounded whatever the number of rows. */
#include "transfer/foreign_file.h"

#include "base/arena.h"
#include "base/buf.h"
#include "value/value.h"
#include "transfer/json_items.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/utf8.h"
#include "transfer/foreign_internal.h"

#define DOCUMENT_MAX ((size_t)1024 * 1024)

/* Text of a user is read like a value in a write of an app, with the same checks. */
bool
foreign_values(struct arena *mem, const struct member *member, struct str text, struct value **out,
               size_t *count)
{
    struct json_value given = { .type = JSON_STR, .text = text };
    if (member->type == MEMBER_ARRAY)
        return value_read_list(mem, member, &given, out, count) == NULL;
    *out = ARENA_NEW(mem, struct value);
    *count = 1;
    return value_read(mem, member, &given, *out) == NULL;
}

/* A file can name a value several times. */
static bool
is_known(const struct foreign_import *import, const struct member *member, struct str json)
{
    for (size_t i = 0; i < import->count; i++)
        if (import->facts[i].member == member && str_eq(import->facts[i].json, json))
            return true;
    return false;
}

/* All values of the text or none. */
bool
foreign_add(struct foreign_import *import, const struct domain *domain, const struct member *member,
            struct str text)
{
    struct value *values = NULL;
    size_t count = 0;
    if (domain == NULL || member == NULL ||
        !foreign_values(import->row, member, text, &values, &count) ||
        import->count + count > FOREIGN_FACTS_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_known(import, member, values[i].json))
            import->facts[import->count++] =
                (struct foreign_fact){ domain, member, str_copy(import->work, values[i].json) };
    return true;
}

/* A domain or member that this service does not have is skipped. */
void
foreign_add_top(struct foreign_import *import, const char *domain, const char *member,
                const struct ranking *ranking, int64_t least_weight, int64_t least_count)
{
    struct ranking_row rows[FOREIGN_TOP];
    size_t count = ranking_top(ranking, least_weight, least_count, rows, FOREIGN_TOP);
    const struct domain *in = domains_find(import->params->domains, str_of(domain));
    for (size_t i = 0; in != NULL && i < count; i++)
        foreign_add(import, in, domain_member(in, str_of(member)), rows[i].name);
}

/* ---- the document ---- */

/* As stated by the user, who selects each fact before it is imported. */
static void
write_fact(struct json *out, const struct foreign_fact *fact, int64_t now)
{
    json_open_object(out);
    json_put_str(out, "member", fact->member->name);
    json_key(out, "value");
    json_raw(out, fact->json);
    json_put_str(out, "status", STR("active"));
    json_put_bool(out, "by_user", true);
    json_put_time(out, "created_at", now);
    json_put_time(out, "updated_at", now);
    json_key_array(out, "sources");
    json_open_object(out);
    json_put_str(out, "source", STR("user"));
    json_put_time(out, "created_at", now);
    json_put_time(out, "updated_at", now);
    json_close_object(out);
    json_close_array(out);
    json_close_object(out);
}

/* Facts are not sorted by domain, so each domain looks through all of them; there are at most
 * FOREIGN_FACTS_MAX. */
static void
write_domain(struct json *out, const struct foreign_import *import, const struct domain *domain)
{
    bool open = false;
    for (size_t i = 0; i < import->count; i++) {
        if (import->facts[i].domain != domain)
            continue;
        if (!open) {
            json_key_str(out, domain->name);
            json_open_object(out);
            json_key_array(out, "atoms");
            open = true;
        }
        write_fact(out, &import->facts[i], import->params->now);
    }
    if (!open)
        return;
    json_close_array(out);
    json_close_object(out);
}

/* In the format of our own exports, so that preview and import are the same code for all files. */
static struct str
write_document(struct arena *mem, const struct foreign_import *import)
{
    const struct domains *domains = import->params->domains;
    struct buf buf = buf_in(mem, DOCUMENT_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    json_put_str(&out, "format", STR("penchant-export"));
    json_put_int(&out, "version", 1);
    json_key_object(&out, "domains");
    for (size_t i = 0; i < domains->count; i++)
        write_domain(&out, import, &domains->list[i]);
    json_close_object(&out);
    json_close_object(&out);
    return buf_str(&buf);
}

/* ---- recognition ---- */

/* Only the member is looked for: whether the format is right is for transfer_read(), which says
 * what is wrong. */
static bool
is_export(struct str text)
{
    struct json_items items;
    struct str key, value;
    if (!json_items_open(&items, text) || !items.is_object)
        return false;
    while (json_items_next(&items, &key, &value))
        if (str_eq(key, STR("format")))
            return true;
    return false;
}

static bool
starts_with_any(struct str text, const char *const *list)
{
    for (; *list != NULL; list++)
        if (str_starts(text, str_of(*list)))
            return true;
    return false;
}

/* From the most certain to the least: any text can be a list of statements, so a file that is
 * obviously something else must not come that far. */
static enum foreign_problem
read_facts(struct foreign_import *import, struct str text)
{
    static const char other[] = { '{', '[', '<', '%' }; /* JSON, HTML, and PDF */
    bool known = false;
    enum foreign_problem problem = foreign_spotify(import, text, &known);
    if (!known)
        problem = foreign_table(import, text, &known);
    if (!known && text.len > 0 && memchr(other, text.ptr[0], sizeof other) != NULL)
        return FOREIGN_UNKNOWN;
    if (!known)
        problem = foreign_memories(import, text);
    if (problem == FOREIGN_FINE && import->count == 0)
        problem = import->out->rows == 0 ? FOREIGN_EMPTY : FOREIGN_NOTHING;
    return problem;
}

static struct str
without_space(struct str text)
{
    while (text.len > 0 && strchr(" \t\r\n", text.ptr[0]) != NULL && text.ptr[0] != '\0')
        text = str_from(text, 1);
    return text;
}

/* Checks from cheap to expensive. An export is passed on as it is; everything else becomes a new
 * document. */
enum foreign_problem
foreign_file_read(struct arena *mem, const struct foreign_params *params, struct foreign_file *out)
{
    static const char *const archives[] = { "PK\x03\x04", "PK\x05\x06", "\x1f\x8b", NULL };
    struct str text = params->text;
    *out = (struct foreign_file){ .kind = FOREIGN_EXPORT, .document = text };
    if (starts_with_any(text, archives))
        return FOREIGN_ARCHIVE;
    if (!utf8_valid(text) || str_index(text, '\0') < text.len)
        return FOREIGN_NOT_TEXT;
    /* The byte order mark that some programs write. */
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_from(text, 3);
    text = without_space(text);
    out->document = text;
    if (is_export(text))
        return FOREIGN_FINE;
    struct foreign_import *import = ARENA_NEW(mem, struct foreign_import);
    import->params = params;
    import->out = out;
    import->work = arena_new();
    import->row = arena_new();
    enum foreign_problem problem = read_facts(import, text);
    out->detail = str_present(out->detail) ? str_copy(mem, out->detail) : STR_NONE;
    out->document = problem == FOREIGN_FINE ? write_document(mem, import) : STR_NONE;
    arena_free(import->row);
    arena_free(import->work);
    return problem;
}
