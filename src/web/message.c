/* message.c - the language of a request is found once and kept in the call, because a page asks for
 * many messages. A session sets it first (browser_session_find()): the profile wins over the
 * browser. */
#include "web/message.h"

#include "base/buf.h"
#include "template/template.h"
#include "web/browser_cookie.h"
#include "web/call.h"
#include "web/language.h"
#include "web/state.h"

#define NUMBER_MAX ((size_t)64) /* of 19 digits, a sign and six separators */

/* The cookie, which the user has chosen, wins over the header. NULL: there is a catalog for
 * neither. */
const struct language *
message_asked_language(const struct call *call)
{
    const struct languages *languages = &call->web->languages;
    const struct language *chosen = language_find(languages, browser_cookie(call, LANGUAGE_COOKIE));
    return chosen != NULL
               ? chosen
               : language_pick(languages, http_header(&call->exchange->request, "Accept-Language"));
}

/* Never NULL: English is the last choice. It is kept for the request. */
const struct language *
message_language(struct call *call)
{
    if (call->language == NULL)
        call->language = message_asked_language(call);
    if (call->language == NULL)
        call->language = &call->web->languages.list[0];
    return call->language;
}

struct str
message_with(struct call *call, const char *key, const struct message_value *values, size_t count)
{
    return catalog_format(message_language(call)->catalog, call->mem, key, values, count);
}

struct str
message(struct call *call, const char *key)
{
    return message_with(call, key, NULL, 0);
}

struct str
message_one(struct call *call, const char *key, const char *name, struct str value)
{
    return message_with(call, key, &(struct message_value){ name, value }, 1);
}

/* Digits in groups of three from the right. */
struct str
message_number(struct call *call, int64_t number)
{
    struct str digits = str_format(call->mem, "%lld", (long long)number);
    struct str separator = message(call, KEY("number.thousands"));
    struct buf out = buf_in(call->mem, NUMBER_MAX);
    for (size_t i = 0; i < digits.len; i++) {
        if (i > 0 && digits.ptr[i - 1] != '-' && (digits.len - i) % 3 == 0)
            buf_add(&out, separator);
        buf_add_char(&out, digits.ptr[i]);
    }
    return buf_str(&out);
}

struct str
message_count(struct call *call, const char *one, const char *other, int64_t count)
{
    return message_one(call, count == 1 ? one : other, "count", message_number(call, count));
}

/* Lower layers return English sentences, which are the keys here. One that is not in the catalog
 * stays English: the reader gets an untranslated sentence, not an error. */
struct str
message_sentence(struct call *call, struct str sentence)
{
    const struct languages *languages = &call->web->languages;
    const struct language *language = message_language(call);
    if (language == &languages->list[0] || !str_present(sentence))
        return sentence; /* already English */
    struct str translated =
        catalog_translate(languages->list[0].catalog, language->catalog, call->mem, sentence);
    return str_present(translated) ? translated : sentence;
}

/* Text between backquotes is code; a template escapes both kinds. */
void
message_marked(struct values *values, const char *name, struct str text)
{
    struct str part;
    bool code = false;
    while (str_cut(&text, '`', &part)) {
        if (part.len > 0)
            values_text(values_item(values, name), code ? "code" : "plain", part);
        code = !code;
    }
}
