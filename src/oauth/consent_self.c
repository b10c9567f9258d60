#include "oauth/consent_self.h"

#include "model/app.h"
#include "text/form.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"

/* "https://claude.ai/oauth/client" is "claude.ai". */
static struct str
host_of(struct str url)
{
    struct str rest = str_from(url, STR("https://").len);
    return str_first(rest, str_index(rest, '/'));
}

/* One box per domain; the choice "some" makes them count. */
static void
put_areas(struct call *call, struct values *values)
{
    values_flag(values, "areas_any", true);
    for (size_t i = 0; i < scope_count(); i++) {
        if (scopes_domains((scopes)1 << i) == 0)
            continue;
        struct values *item = values_item(values, "areas");
        values_text(item, "area", str_of(scope_row(i)->name));
        values_text(item, "title", message_sentence(call, str_of(scope_row(i)->title)));
    }
}

/* "local": the code goes to a program on this device, and any program can claim this name. */
void
consent_self_put(struct call *call, struct values *values, const struct app *app,
                 struct str redirect_uri, scopes requested)
{
    if (app->kind == APP_PORTAL)
        return;
    values_flag(values, "self", true);
    if (app->kind == APP_DOCUMENT)
        values_text(values, "document_host", host_of(app->document));
    values_flag(values, "registered", app->kind == APP_REGISTERED);
    values_flag(values, "local", !str_starts(redirect_uri, STR("https://")));
    values_flag(values, "writes", (requested & SCOPE_PREFERENCES_WRITE) != 0);
    if (consent_self_chooses_domains(app, requested))
        put_areas(call, values);
}

bool
consent_self_chooses_domains(const struct app *app, scopes requested)
{
    const scopes everywhere = SCOPE_PREFERENCES_READ | SCOPE_AGENT_HINTS | SCOPE_PREFERENCES_WRITE;
    return app->kind != APP_PORTAL && (requested & everywhere) != 0 &&
           !scopes_limit_domains(requested);
}

/* A missing form means everything, as on the page before a choice. */
scopes
consent_self_domains(const struct form *form)
{
    scopes chosen = 0, one;
    if (form == NULL || !str_eq_c(form_find(form, "areas"), "some"))
        return DOMAINS_ALL;
    for (size_t i = 0; i < form->count; i++)
        if (str_eq_c(form->fields[i].name, "area") &&
            scopes_read(form->fields[i].value, &one, NULL))
            chosen |= scopes_domains(one);
    return chosen;
}

bool
consent_self_writes_wait(const struct form *form)
{
    return form == NULL || !str_eq_c(form_find(form, "writes"), "store");
}
