/* import_pages.c - imports data of this and other services: /account/data/import.
 *
 * Takes an export of this service, a file of another service, or pasted text
 * (transfer/foreign_file.h). The user reviews an import before it runs. Until then the document is
 * stored as a draft (transfer/draft.h), and the form contains its id, so the user confirms exactly
 * what was shown. Facts from elsewhere have a box each, and only those whose box is checked are
 * imported. */
#include "fact/fact_routes.h"
#include "base/arena.h"
#include "dispatch/browser_session.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "text/form.h"
#include "text/multipart.h"
#include "template/template.h"
#include "text/utf8.h"
#include "transfer/foreign_file.h"
#include "transfer/draft.h"
#include "transfer/transfer.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/state.h"

#define HERE "/account/data/import"
#define PREVIEW_FACTS 200        /* shown before an import, of all domains */
#define FORM_OVERHEAD (64 * KIB) /* the multipart form without the document */
#define PROFILE_MAX 200
#define TEXT_SHOWN_MAX ((size_t)24 * 1024)

enum { DRAFT, CHOOSE };

static const struct field confirm_fields[] = {
    [DRAFT] = { "draft", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [CHOOSE] = { "choose", FIELD_LINE, FIELD_IN_FORM, .max = 10 },
};

struct import_page {
    struct str problem;
    struct str text; /* that was pasted; shown again */
    bool ask_profile;
};

/* A problem is shown at the input that was used. A long text is not sent back: the page would be
 * too large. */
static enum err
show(struct call *call, int status, const struct import_page *shown)
{
    struct values *values = values_new(call->mem);
    bool pasted = shown->text.len > 0;
    account_put_field(call, values, "file", STR_NONE, pasted ? STR_NONE : shown->problem);
    account_put_field(call, values, "text",
                      shown->text.len <= TEXT_SHOWN_MAX ? shown->text : STR_NONE,
                      pasted ? shown->problem : STR_NONE);
    values_flag(values, "refused", shown->problem.len > 0);
    values_flag(values, "ask_profile", shown->ask_profile);
    return account_page(call, status, "account_import_new", "data", values);
}

static enum err
refuse(struct call *call, struct str problem)
{
    return show(call, 400, &(struct import_page){ .problem = problem });
}

static enum err
get_import(struct call *call)
{
    return show(call, 200, &(struct import_page){ 0 });
}

/* ---- preview ---- */

/* The values that an import would add, so that the user sees them and not only how many they are:
 * those that need review first, at most `most`. */
static void
put_added(struct call *call, struct values *item, const struct import_domain *domain, size_t most)
{
    size_t count = (size_t)domain->added, shown = 0;
    for (int held = 1; held >= 0; held--)
        for (size_t i = 0; i < count && shown < most; i++) {
            const struct atom *atom = &domain->atoms[i].atom;
            if ((atom->status == ATOM_HELD) != held)
                continue;
            const struct member *member = domain_member(domain->domain, atom->member);
            struct values *fact = values_item(item, "facts");
            values_text(fact, "label", facts_member_label(call, member));
            values_text(fact, "brief", facts_short(call, facts_value(call, member, atom->value)));
            values_text(fact, "name",
                        /* The name of the box: the domain and the position of the fact in the
                         * document, which does not change until the import is confirmed. */
                        str_format(call->mem, "%.*s.%zu", STR_ARG(domain->domain->name),
                                   domain->positions[i]));
            values_flag(fact, "held", held);
            values_flag(fact, "suppressed", atom->status == ATOM_SUPPRESSED);
            shown++;
        }
    values_flag(item, "some", count > 0);
    if (shown < count)
        values_text(item, "more",
                    message_count(call, KEY("account.more.one"), KEY("account.more.other"),
                                  (int64_t)(count - shown)));
}

/* Without a default case, so that the compiler reports a kind without a sentence. */
static const char *
introduction_of(enum foreign_kind kind)
{
    switch (kind) {
    case FOREIGN_MEMORIES:
        return KEY("import.from.memories");
    case FOREIGN_SPOTIFY_LIBRARY:
        return KEY("import.from.spotify_library");
    case FOREIGN_SPOTIFY_PLAYLISTS:
        return KEY("import.from.spotify_playlists");
    case FOREIGN_SPOTIFY_HISTORY:
        return KEY("import.from.spotify_history");
    case FOREIGN_NETFLIX:
        return KEY("import.from.netflix");
    case FOREIGN_GOODREADS:
        return KEY("import.from.goodreads");
    case FOREIGN_EXPORT:
        break;
    }
    return KEY("data.preview.lead");
}

/* `draft` is the id of the stored document: the user confirms exactly what is shown here. */
static enum err
show_preview(struct call *call, const struct foreign_file *file, const struct import_counts *counts,
             struct str draft)
{
    struct values *values = values_new(call->mem);
    for (size_t i = 0; i < counts->domain_count; i++) {
        struct values *item = values_item(values, "domains");
        values_text(item, "domain", counts->domains[i].domain->name);
        values_text(item, "title", message_sentence(call, counts->domains[i].domain->title));
        values_text(item, "added", message_number(call, counts->domains[i].added));
        values_text(item, "kept", message_number(call, counts->domains[i].kept));
        put_added(call, item, &counts->domains[i], PREVIEW_FACTS / counts->domain_count);
    }
    values_text(values, "added", message_number(call, counts->added));
    values_text(values, "kept", message_number(call, counts->kept));
    values_text(values, "lead", message(call, introduction_of(file->kind)));
    if (file->unused > 0)
        values_text(values, "unused",
                    message_count(call, KEY("import.unused.one"), KEY("import.unused.other"),
                                  (int64_t)file->unused));
    values_flag(values, "something", counts->added > 0);
    values_flag(values, "choose", file->kind != FOREIGN_EXPORT);
    values_text(values, "draft", draft);
    return account_page(call, 200, "account_import", "data", values);
}

/* ---- problems ---- */

static struct str
problem_text(struct call *call, const struct why *why)
{
    return message_one(call, KEY("data.import.problem"), "problem",
                       message_sentence(call, str_of(why->text)));
}

/* Each problem has a sentence that says what to do. FOREIGN_FINE has none and does not occur. */
static struct str
foreign_problem_text(struct call *call, enum foreign_problem problem,
                     const struct foreign_file *file)
{
    switch (problem) {
    case FOREIGN_ARCHIVE:
        return message(call, KEY("import.problem.archive"));
    case FOREIGN_NOT_TEXT:
        return message(call, KEY("import.problem.not_text"));
    case FOREIGN_EMPTY:
        return message(call, KEY("import.problem.empty"));
    case FOREIGN_NOTHING:
        return message(call, KEY("import.problem.nothing"));
    case FOREIGN_BROKEN:
        return message(call, KEY("import.problem.broken"));
    case FOREIGN_LINES:
        return message_one(call, KEY("import.problem.lines"), "count",
                           message_number(call, FOREIGN_LINES_MAX));
    case FOREIGN_PROFILES:
        return message_one(call, KEY("import.problem.profiles"), "names", file->detail);
    case FOREIGN_UNKNOWN:
    case FOREIGN_FINE:
        break;
    }
    return message(call, KEY("import.problem.unknown"));
}

/* ---- import ---- */

/* The draft is stored only if there is something to import, and replaces an earlier one. */
static enum err
preview(struct call *call, const struct foreign_file *file)
{
    struct import_counts counts;
    struct why why = { 0 };
    struct str user_id = call->browser->user.id, draft = STR("");
    if (file->document.len > TRANSFER_MAX) {
        why_set(&why, "it is larger than 8 MiB, and only an administrator can import it, with "
                      "penchant import");
        return refuse(call, problem_text(call, &why));
    }
    enum err err = transfer_preview(call->db, call->mem, user_id, call->web->settings.domains,
                                    file->document, call->now, &counts, &why);
    if (err == ERR_INVALID)
        return refuse(call, problem_text(call, &why));
    if (err == ERR_NONE && counts.added > 0)
        err = draft_keep(call->db, call->mem, user_id, file->document, call->now, &draft);
    return err == ERR_NONE ? show_preview(call, file, &counts, draft) : err;
}

/* A file wins over text. Its content decides its format (foreign_file_read()), not its name. */
static enum err
post_import(struct call *call)
{
    struct multipart parts;
    struct foreign_file file;
    if (browser_session_read_parts(call, &parts) != ERR_NONE)
        return refuse(call, message(call, KEY("data.import.unreadable")));
    struct str document = multipart_find(&parts, "file");
    bool pasted = document.len == 0;
    if (pasted)
        document = multipart_find(&parts, "text");
    if (str_trim(document).len == 0)
        return refuse(call, message(call, KEY("data.import.nothing")));
    struct foreign_params params = { .domains = call->web->settings.domains,
                                     .text = document,
                                     .profile =
                                         str_first(multipart_find(&parts, "profile"), PROFILE_MAX),
                                     .now = call->now };
    enum foreign_problem problem = foreign_file_read(call->mem, &params, &file);
    if (problem != FOREIGN_FINE)
        return show(
            call, 400,
            &(struct import_page){ .problem = foreign_problem_text(call, problem, &file),
                                   .text = pasted && utf8_valid(document) ? document : STR_NONE,
                                   .ask_profile = problem == FOREIGN_PROFILES });
    return preview(call, &file);
}

/* The checked boxes. The import ignores names that are not in the document. */
static struct import_choice
read_choice(struct call *call)
{
    const struct form *form = call_form(call);
    struct str *names = ARENA_ARRAY(call->mem, struct str, FORM_FIELDS_MAX);
    size_t count = 0;
    for (size_t i = 0; form != NULL && i < form->count; i++)
        if (str_eq(form->fields[i].name, STR("take")))
            names[count++] = form->fields[i].value;
    return (struct import_choice){ names, count };
}

/* The document is read from the draft, never from the form, so it is the one that the user has
 * seen. The import checks everything again, because facts may have changed since. */
static enum err
post_confirm(struct call *call)
{
    struct str user_id = call->browser->user.id, document;
    const struct domains *domains = call->web->settings.domains;
    struct import_choice choice = read_choice(call);
    struct import_counts counts;
    struct why why = { 0 };
    enum err err =
        draft_find(call->db, call->mem, user_id, call_text(call, DRAFT), call->now, &document);
    if (err == ERR_NOT_FOUND)
        return refuse(call, message(call, KEY("data.import.expired")));
    if (err != ERR_NONE)
        return err;
    if (str_present(call_text(call, CHOOSE)))
        err = transfer_import_chosen(call->db, call->mem, user_id, domains, document, &choice,
                                     call->now, &counts, &why);
    else
        err = transfer_import(call->db, call->mem, user_id, domains, document, call->now, &counts,
                              &why);
    if (err == ERR_INVALID)
        return refuse(call, problem_text(call, &why));
    if (err == ERR_NONE) /* not in one transaction: importing twice adds nothing */
        err = draft_forget(call->db, call->mem, user_id);
    if (err != ERR_NONE)
        return err;
    struct flash flash = { .key = KEY("flash.imported"),
                           .count = message_number(call, counts.added) };
    flash_redirect(call, "/account/data", &flash);
    return ERR_NONE;
}

const struct route account_import_routes[] = {
    { GET, HERE, get_import, CALLER_USER,
      .summary = "Shows how to import data from other services.", .page = true },
    { POST, HERE, post_import, CALLER_USER, .summary = "Previews an import.", .page = true,
      .body = BODY_FILE, .body_max = FOREIGN_MAX + FORM_OVERHEAD, .blocks = true },
    { POST, HERE "/confirm", post_confirm, CALLER_USER, .summary = "Runs a previewed import.",
      .page = true, ROUTE_FIELDS(confirm_fields), .body = BODY_FORM, .body_max = 16 * KIB,
      .blocks = true },
    { 0 },
};
