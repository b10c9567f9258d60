/* say.h - what a page says, in the language of whoever reads it.
 *
 * Keys are declared with WORD() of text/words.h, so that the start finds those without a text. */
#ifndef WEB_SAY_H
#define WEB_SAY_H

#include "base/str.h"
#include "text/words.h"

struct call;
struct language;
struct values;

/* The language of this request's pages. */
const struct language *say_language(struct call *call);

struct str say(struct call *call, const char *key);
struct str say_with(struct call *call, const char *key, const struct word_value *values,
                    size_t count);

/* With one value. */
struct str say_one(struct call *call, const char *key, const char *name, struct str value);

/* A count as people read it: "5,417". */
struct str say_number(struct call *call, int64_t number);

/* The first key's text for 1, the other's for any other number; {count} is the number. */
struct str say_count(struct call *call, const char *one, const char *other, int64_t count);

/* What a floor below said in English; the sentence itself if the catalogue does not have it. */
struct str say_sentence(struct call *call, struct str sentence);

/* A list of pieces, each "plain" or "code": text in which `words` between backquotes are code. */
void say_marked(struct values *values, const char *name, struct str text);

#endif
