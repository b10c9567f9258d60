/* message.h - what a page says, in the language of whoever reads it.
 *
 * Keys are declared with WORD() of text/catalog.h, so that the start finds those without a text. */
#ifndef WEB_MESSAGE_H
#define WEB_MESSAGE_H

#include "base/str.h"
#include "text/catalog.h"

struct call;
struct language;
struct values;

/* The language of this request's pages. */
const struct language *message_language(struct call *call);

struct str message(struct call *call, const char *key);
struct str message_with(struct call *call, const char *key, const struct message_value *values,
                        size_t count);

/* With one value. */
struct str message_one(struct call *call, const char *key, const char *name, struct str value);

/* A count as people read it: "5,417". */
struct str message_number(struct call *call, int64_t number);

/* The first key's text for 1, the other's for any other number; {count} is the number. */
struct str message_count(struct call *call, const char *one, const char *other, int64_t count);

/* What a floor below said in English; the sentence itself if the catalogue does not have it. */
struct str message_sentence(struct call *call, struct str sentence);

/* A list of pieces, each "plain" or "code": text in which `words` between backquotes are code. */
void message_marked(struct values *values, const char *name, struct str text);

#endif
