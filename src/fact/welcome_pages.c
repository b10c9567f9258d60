/* welcome_pages.c - /account/welcome: a few questions after sign-up, and the hints made from the
 * answers.
 *
 * Questions and answers come from the domain definitions: a question whose domain, member, or
 * choices do not exist is left out. Every question is a form of its own and can be skipped. */
#include "fact/fact_routes.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "domain/domain.h"
#include "preference/preferences.h"
#include "model/scope.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "page/hints_panel.h"
#include "text/form.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

#define HERE "/account/welcome"
#define QUESTIONS_MAX 8
#define CHOICES_MAX 9     /* of suggested values */
#define VOCABULARY_MAX 40 /* of a vocabulary without suggestions, which has no order */
#define DOCUMENT_MAX ((size_t)16 * 1024)
#define HINT_TOKENS 200

/* Most useful first; the first eight that exist are asked. */
static const struct {
    const char *domain;
    const char *member;
} candidates[] = {
    { "food_profile", "allergies" },
    { "food_profile", "dietary" },
    { "communication_profile", "answer_languages" },
    { "travel_profile", "seat_preference" },
    { "music_preferences", "favorite_artists" },
    { "music_preferences", "genres" },
    { "communication_profile", "answer_length" },
    { "communication_profile", "tones" },
    { "food_profile", "cuisines" },
};

enum { STEP };

static const struct field step_field[] = {
    [STEP] = { "step", FIELD_INTEGER, FIELD_IN_QUERY, .min = 1, .max = 100, .fallback = 1 },
};

static const struct field answer_fields[] = {
    [STEP] = { "step", FIELD_INTEGER, FIELD_IN_FORM, .min = 1, .max = 100, .fallback = 1 },
};

struct question {
    const struct domain *domain;
    const struct member *member;
};

/* Only what can be answered with a tap. */
static bool
has_choices(const struct member *member)
{
    bool fits = member->type == MEMBER_ARRAY || member->type == MEMBER_STRING ||
                member->type == MEMBER_ENUM;
    return fits && (member->suggested_count > 0 ||
                    (member->vocabulary != NULL && member->vocabulary->count > 0));
}

/* The same for every request while the definitions are the same, so that a step number names a
 * question. */
static size_t
list_questions(const struct domains *domains, struct question out[QUESTIONS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates && count < QUESTIONS_MAX; i++) {
        const struct domain *domain = domains_find(domains, str_of(candidates[i].domain));
        const struct member *member =
            domain == NULL ? NULL : domain_member(domain, str_of(candidates[i].member));
        if (member != NULL && has_choices(member))
            out[count++] = (struct question){ domain, member };
    }
    return count;
}

/* ---- pages ---- */

static void
put_choice(struct values *values, bool many, struct str value, struct str label)
{
    struct values *item = values_item(values, "choices");
    values_text(item, "value", value);
    values_text(item, "label", label);
    values_text(item, "type", many ? STR("checkbox") : STR("radio"));
}

/* Suggestions of the definition, or the first values of the vocabulary. */
static void
put_choices(struct call *call, struct values *values, const struct member *member)
{
    bool many = member->type == MEMBER_ARRAY;
    const struct vocabulary *vocabulary = member->vocabulary;
    for (size_t i = 0; i < member->suggested_count && i < CHOICES_MAX; i++)
        put_choice(values, many, member->suggested[i],
                   message_sentence(call, member->suggested[i]));
    for (size_t i = 0; member->suggested_count == 0 && i < vocabulary->count && i < VOCABULARY_MAX;
         i++)
        put_choice(values, many, vocabulary->values[i].value,
                   message_sentence(call, vocabulary->values[i].label));
}

/* The last step shows what an assistant with all permissions would be sent. */
static enum err
show_hints(struct call *call)
{
    struct values *values = values_new(call->mem);
    struct hints_panel_params params = {
        .sensitive = DOMAINS_ALL,
        .scopes = SCOPE_AGENT_HINTS | SCOPE_PREFERENCES_READ,
        .requested = SCOPE_AGENT_HINTS | SCOPE_PREFERENCES_READ,
        .context = STR_NONE,
        .max_tokens = HINT_TOKENS,
    };
    enum err err = hints_panel_put(call, values, &params);
    return err ? err : account_page(call, 200, "welcome_done", "preferences", values);
}

/* After the last question: the hints. */
static enum err
show_question(struct call *call, int status, size_t step, struct str problem)
{
    struct question questions[QUESTIONS_MAX];
    size_t count = list_questions(call->web->settings.domains, questions);
    if (step > count)
        return show_hints(call);
    const struct question *question = &questions[step - 1];
    struct values *values = values_new(call->mem);
    values_text(values, "step", message_number(call, (int64_t)step));
    values_text(values, "count", message_number(call, (int64_t)count));
    values_text(values, "next", message_number(call, (int64_t)step + 1));
    values_text(values, "question", facts_member_label(call, question->member));
    values_text(values, "area", message_sentence(call, question->domain->title));
    values_text(values, "problem", problem);
    values_flag(values, "many", question->member->type == MEMBER_ARRAY);
    put_choices(call, values, question->member);
    return account_page(call, status, "welcome", "preferences", values);
}

static enum err
get_welcome(struct call *call)
{
    return show_question(call, 200, (size_t)call_integer(call, STEP), STR_NONE);
}

/* ---- answers ---- */

/* {"allergies": ["peanuts", "milk"]}; NULL: nothing was chosen. */
static const struct json_value *
document_of(struct call *call, const struct member *member)
{
    const struct form *form = call_form(call);
    struct buf out = buf_in(call->mem, DOCUMENT_MAX);
    struct json json = json_into(&out);
    const struct json_value *document = NULL;
    bool many = member->type == MEMBER_ARRAY;
    size_t chosen = 0;
    json_open_object(&json);
    json_key_str(&json, member->name);
    if (many)
        json_open_array(&json);
    for (size_t i = 0; form != NULL && i < form->count; i++)
        if (str_eq_c(form->fields[i].name, "value") && form->fields[i].value.len > 0 &&
            (many || chosen == 0)) {
            json_str(&json, form->fields[i].value);
            chosen++;
        }
    if (chosen == 0)
        return NULL;
    if (many)
        json_close_array(&json);
    json_close_object(&json);
    return json_read(call->mem, buf_str(&out), 4, &document, NULL) == ERR_NONE ? document : NULL;
}

/* Nothing chosen is a skipped question. Going back and answering again adds to a list and replaces
 * a single value, like any other write. */
static enum err
post_welcome(struct call *call)
{
    struct question questions[QUESTIONS_MAX];
    size_t count = list_questions(call->web->settings.domains, questions);
    size_t step = (size_t)call_integer(call, STEP);
    if (step > count)
        return ERR_NOT_FOUND;
    const struct question *question = &questions[step - 1];
    const struct json_value *document = document_of(call, question->member);
    if (document != NULL) {
        struct preference_counts counts = { 0 };
        struct preference_problems problems = { 0 };
        struct record record;
        struct preference_write params = {
            .user_id = call->browser->user.id,
            .domain = question->domain,
            .source = SOURCE_USER,
            .preferences = document,
            .now = call->now,
        };
        enum err err = preferences_write(call->db, call->mem, &params, &counts, &record, &problems);
        if (err == ERR_INVALID)
            return show_question(
                call, 400, step,
                message_sentence(call, problems.count > 0 ? problems.list[0].problem : STR("")));
        if (err != ERR_NONE)
            return err;
    }
    response_redirect(call, str_format(call->mem, HERE "?step=%zu", step + 1).ptr);
    return ERR_NONE;
}

const struct route account_welcome_routes[] = {
    { GET, HERE, get_welcome, CALLER_USER, .summary = "Asks a few questions after sign-up.",
      .page = true, ROUTE_FIELDS(step_field), .blocks = true },
    { POST, HERE, post_welcome, CALLER_USER, .summary = "Stores the answer to one question.",
      .page = true, ROUTE_FIELDS(answer_fields), .body = BODY_FORM, .body_max = 16 * KIB,
      .blocks = true },
    { 0 },
};
