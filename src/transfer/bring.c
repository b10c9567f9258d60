/* bring.c - recognizes a file, collects facts from it, and writes them as an export document.
 *
 * A reader (bring_spotify.c, bring_table.c, bring_memories.c) adds facts with bring_add(), which
 * validates them like any other value of their member; a domain or member that this service does
 * not define is left out. The result is an ordinary document, so that the preview, the rules for
 * existing facts, and the import are those of transfer.h. Two arenas bound the memory: `work` is
 * for what lasts until the document is written, `row` is reset after each row, so that memory is
 * bounded whatever the number of rows. */
#include "transfer/bring.h"

#include "base/arena.h"
#include "base/buf.h"
#include "value/value.h"
#include "transfer/json_items.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/utf8.h"
#include "transfer/bring_internal.h"

#define DOCUMENT_MAX ((size_t)1024 * 1024)

bool
bring_values(struct arena *mem, const struct member *member, struct str text, struct value **out,
             size_t *count)
{
    struct json_value given = { .type = JSON_STR, .text = text };
    if (member->type == MEMBER_ARRAY)
        return value_read_list(mem, member, &given, out, count) == NULL;
    *out = ARENA_NEW(mem, struct value);
    *count = 1;
    return value_read(mem, member, &given, *out) == NULL;
}

static bool
is_known(const struct bringing *bringing, const struct member *member, struct str json)
{
    for (size_t i = 0; i < bringing->count; i++)
        if (bringing->facts[i].member == member && str_eq(bringing->facts[i].json, json))
            return true;
    return false;
}

/* All values of the text or none. */
bool
bring_add(struct bringing *bringing, const struct domain *domain, const struct member *member,
          struct str text)
{
    struct value *values = NULL;
    size_t count = 0;
    if (domain == NULL || member == NULL ||
        !bring_values(bringing->row, member, text, &values, &count) ||
        bringing->count + count > BRING_FACTS_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_known(bringing, member, values[i].json))
            bringing->facts[bringing->count++] =
                (struct bring_fact){ domain, member, str_copy(bringing->work, values[i].json) };
    return true;
}

void
bring_add_top(struct bringing *bringing, const char *domain, const char *member,
              const struct ranking *ranking, int64_t least_weight, int64_t least_count)
{
    struct ranking_row rows[BRING_TOP];
    size_t count = ranking_top(ranking, least_weight, least_count, rows, BRING_TOP);
    const struct domain *in = domains_find(bringing->params->domains, str_of(domain));
    for (size_t i = 0; in != NULL && i < count; i++)
        bring_add(bringing, in, domain_member(in, str_of(member)), rows[i].name);
}

/* ---- the document ---- */

/* As stated by the user, who selects each fact before it is imported. */
static void
write_fact(struct json *out, const struct bring_fact *fact, int64_t now)
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

static void
write_domain(struct json *out, const struct bringing *bringing, const struct domain *domain)
{
    bool open = false;
    for (size_t i = 0; i < bringing->count; i++) {
        if (bringing->facts[i].domain != domain)
            continue;
        if (!open) {
            json_key_str(out, domain->name);
            json_open_object(out);
            json_key_array(out, "atoms");
            open = true;
        }
        write_fact(out, &bringing->facts[i], bringing->params->now);
    }
    if (!open)
        return;
    json_close_array(out);
    json_close_object(out);
}

static struct str
write_document(struct arena *mem, const struct bringing *bringing)
{
    const struct domains *domains = bringing->params->domains;
    struct buf buf = buf_in(mem, DOCUMENT_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    json_put_str(&out, "format", STR("penchant-export"));
    json_put_int(&out, "version", 1);
    json_key_object(&out, "domains");
    for (size_t i = 0; i < domains->count; i++)
        write_domain(&out, bringing, &domains->list[i]);
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
static enum bring_problem
read_facts(struct bringing *bringing, struct str text)
{
    static const char other[] = { '{', '[', '<', '%' }; /* JSON, HTML, and PDF */
    bool known = false;
    enum bring_problem problem = bring_spotify(bringing, text, &known);
    if (!known)
        problem = bring_table(bringing, text, &known);
    if (!known && text.len > 0 && memchr(other, text.ptr[0], sizeof other) != NULL)
        return BRING_UNKNOWN;
    if (!known)
        problem = bring_memories(bringing, text);
    if (problem == BRING_FINE && bringing->count == 0)
        problem = bringing->out->rows == 0 ? BRING_EMPTY : BRING_NOTHING;
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
enum bring_problem
bring_read(struct arena *mem, const struct bring_params *params, struct bring *out)
{
    static const char *const archives[] = { "PK\x03\x04", "PK\x05\x06", "\x1f\x8b", NULL };
    struct str text = params->text;
    *out = (struct bring){ .kind = BRING_EXPORT, .document = text };
    if (starts_with_any(text, archives))
        return BRING_ARCHIVE;
    if (!utf8_valid(text) || str_index(text, '\0') < text.len)
        return BRING_NOT_TEXT;
    /* The byte order mark that some programs write. */
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_from(text, 3);
    text = without_space(text);
    out->document = text;
    if (is_export(text))
        return BRING_FINE;
    struct bringing *bringing = ARENA_NEW(mem, struct bringing);
    bringing->params = params;
    bringing->out = out;
    bringing->work = arena_new();
    bringing->row = arena_new();
    enum bring_problem problem = read_facts(bringing, text);
    out->detail = str_present(out->detail) ? str_copy(mem, out->detail) : STR_NONE;
    out->document = problem == BRING_FINE ? write_document(mem, bringing) : STR_NONE;
    arena_free(bringing->row);
    arena_free(bringing->work);
    return problem;
}
