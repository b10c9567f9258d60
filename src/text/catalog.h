/* catalog.h - every sentence of the pages, in one file per language.
 *
 * pages/en.strings is such a catalogue: lines of "key = text", blank lines, and lines that begin
 * with #. A long text goes on in the next line, which then begins with blanks. In a text
 *   {name}     stands for a value, {{ and }} for the braces themselves;
 *   *words*    are strong and `words` are code, in texts that templates show between elements.
 * A key is made of a-z, 0-9, _ and -, in parts with dots between them.
 *
 * Templates name a key with {{:key}} (template.h), C code declares one with WORD(). Both are
 * counted, so that a key nobody knows and a text nobody shows stop the start. What the floors
 * below say in English (a name's problem, an error's sentence) has its text under a key that
 * begins with "said."; words_match() finds it by what it says.
 *
 * Read once, at start, then shared between threads. */
#ifndef TEXT_CATALOG_H
#define TEXT_CATALOG_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct catalog;

#define MESSAGE_VALUES_MAX 6 /* of one text */

struct message_value {
    const char *name;
    struct str text;
};

/* WORD(too_late, "consent.too_late"); makes a key that the start looks for in every catalogue. */
#define MESSAGE(variable, key)                                                                     \
    static const char variable[] __attribute__((section("penchant_messages"), used, aligned(1))) = \
        key

/* `name` is told in problems ("pages/en.strings"). ERR_INVALID with why: name, line, problem. */
enum err catalog_read(struct arena *mem, const char *name, struct str file, struct catalog **out,
                      struct why *why);

/* The text as it is in the file; absent if there is none. */
struct str catalog_find(const struct catalog *catalog, struct str key);

/* The text with its values; what has no value comes out empty. The key itself, in brackets, if it
 * is not there, which words_check() sees to. */
struct str catalog_format(const struct catalog *catalog, struct arena *mem, const char *key,
                          const struct message_value *values, size_t count);

/* One language's text for a sentence that `from` has under "said."; absent if it has none. */
struct str catalog_translate(const struct catalog *from, const struct catalog *to,
                             struct arena *mem, struct str sentence);

/* ---- at start ---- */

/* Somebody shows the text of this key. False: there is none. */
bool catalog_use(struct catalog *catalog, struct str key);

/* Every key that C code declared is there, and every text is shown by somebody. */
enum err catalog_check(struct catalog *catalog, struct why *why);

/* The same keys in both, and in each text the same values. */
enum err catalog_compare(const struct catalog *model, const struct catalog *other, struct why *why);

/* The next piece of a text: what stands literally, or the name of a value. False at the end. */
struct message_piece {
    struct str text;
    bool is_value;
};
bool message_cut(struct str *rest, struct message_piece *piece);

#endif
