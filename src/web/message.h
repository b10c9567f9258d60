/* message.h - messages of the pages, in the language of the request.
 *
 * Write keys with KEY() of template/catalog.h, so that a key without a message fails at startup.
 * Results are in the request's arena. Call from the thread that handles the request. */
#ifndef WEB_MESSAGE_H
#define WEB_MESSAGE_H

#include "base/str.h"
#include "template/catalog.h"

struct call;
struct language;
struct values;

#define LANGUAGE_COOKIE "penchant-language"

/* The language of this request's pages: the one in the user's profile, the one that was chosen in
 * this browser, the one that the browser asks for (Accept-Language), or English. */
const struct language *message_language(struct call *call);

/* The language that was chosen in this browser, or that it asks for. NULL: none of ours. */
const struct language *message_asked_language(const struct call *call);

struct str message(struct call *call, const char *key);
struct str message_with(struct call *call, const char *key, const struct message_value *values,
                        size_t count);

/* With one value. */
struct str message_one(struct call *call, const char *key, const char *name, struct str value);

/* With thousands separators: "5,417". */
struct str message_number(struct call *call, int64_t number);

/* Message `one` for 1, `other` for every other number; {count} is the number. */
struct str message_count(struct call *call, const char *one, const char *other, int64_t count);

/* Translates an English sentence from a lower layer; returns it unchanged if not in the catalog. */
struct str message_sentence(struct call *call, struct str sentence);

/* Splits a text at backquotes into a list of pieces, each "plain" or "code". */
void message_marked(struct values *values, const char *name, struct str text);

#endif
