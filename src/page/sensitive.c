/* sensitive.c - see sensitive.h. The value of a box names a scope. Its domains are computed again
 * when the form arrives, so the form cannot name others. */
#include "page/sensitive.h"

#include "base/buf.h"
#include "domain/domain.h"
#include "model/grant.h"
#include "model/view.h"
#include "page/facts.h"
#include "text/form.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

#define NAMES_MAX ((size_t)4096)
#define PREFIX "sensitive:"

/* If preferences:read is requested as well, its row has the box for all domains, and the others
 * have none. */
scopes
sensitive_of_row(const struct call *call, scopes one, scopes all)
{
    const struct domains *domains = call->web->settings.domains;
    scopes found = 0;
    if (one != SCOPE_PREFERENCES_READ &&
        ((all & SCOPE_PREFERENCES_READ) != 0 || scopes_domains(one) == 0))
        return 0;
    for (size_t i = 0; i < domains->count; i++)
        if (view_has_sensitive(&domains->list[i]))
            found |= scope_named(domains->list[i].name);
    return found & scopes_readable(one);
}

/* "Medical diets, Nutrition goals, and what you wrote about your health, religion, …" */
static struct str
names_of(struct call *call, const struct domain *domain)
{
    struct buf out = buf_in(call->mem, NAMES_MAX);
    for (size_t i = 0; i < domain->member_count; i++) {
        if (!domain->members[i].sensitive)
            continue;
        buf_add_c(&out, out.len > 0 ? ", " : "");
        buf_add(&out, facts_member_label(call, &domain->members[i]));
    }
    if (view_has_sensitive_statements(domain)) {
        buf_add_c(&out, out.len > 0 ? ", " : "");
        buf_add(&out, message(call, KEY("consent.sensitive.health")));
    }
    return buf_str(&out);
}

/* Names what the box allows, so that the user knows what is sensitive here. */
void
sensitive_put(struct call *call, struct values *item, scopes one, scopes domains)
{
    const struct domains *all = call->web->settings.domains;
    struct buf out = buf_in(call->mem, NAMES_MAX);
    /* preferences:read covers several domains, so each is named. */
    bool several = one == SCOPE_PREFERENCES_READ;
    if (domains == 0)
        return;
    for (size_t i = 0; i < all->count; i++) {
        const struct domain *domain = &all->list[i];
        if ((domains & scope_named(domain->name)) == 0 || !view_has_sensitive(domain))
            continue;
        const struct message_value values[] = { { "domain", message_sentence(call, domain->title) },
                                                { "names", names_of(call, domain) } };
        buf_add_c(&out, out.len > 0 ? "; " : "");
        buf_add(&out, several ? message_with(call, KEY("consent.sensitive.area"), values, 2)
                              : values[1].text);
    }
    values_text(item, "sensitive_names", buf_str(&out));
    values_text(item, "sensitive_value",
                str_format(call->mem, PREFIX "%.*s", STR_ARG(scopes_write(call->mem, one))));
}

/* A forged value gives nothing that the row does not have. */
scopes
sensitive_selected(const struct call *call, const struct form *form)
{
    scopes chosen = 0, one;
    for (size_t i = 0; form != NULL && i < form->count; i++) {
        struct str value = form->fields[i].value;
        if (str_eq_c(form->fields[i].name, "sensitive") && str_starts(value, STR(PREFIX)) &&
            scopes_read(str_from(value, strlen(PREFIX)), &one, NULL))
            chosen |= sensitive_of_row(call, one, one);
    }
    return chosen;
}
