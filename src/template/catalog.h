/* catalog.h - message catalogs: all texts of the pages, one file per language.
 *
 * A catalog file such as pages/en.strings has lines of "key = text", blank lines, and comment lines
 * that start with #. A line that starts with blanks continues the text before it. In a text,
 *   {name}     is replaced by a value; {{ and }} are literal braces;
 *   *words*    are strong and `words` are code, in texts that templates show between elements.
 * A key consists of a-z, 0-9, _ and -, in parts separated by dots.
 *
 * Templates refer to a key with {{:key}} (template.h), C code with KEY(). Both uses are
 * counted: the program refuses to start if a used key has no text or a text is never used.
 * Sentences that lower modules produce in English (such as validation errors) have a key that
 * starts with "sentence."; catalog_translate() finds the translation by the English sentence.
 *
 * Read once at startup into the given arena; afterwards read-only and safe from any thread. */
#ifndef TEMPLATE_CATALOG_H
#define TEMPLATE_CATALOG_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct catalog;

#define MESSAGE_VALUES_MAX 6 /* in one message */

struct message_value {
    const char *name;
    struct str text;
};

/* Keys that catalog_check() requires. KEY("consent.expired") is an expression;
 * MESSAGE(expired, "consent.expired"); declares a key that a file uses often; MESSAGE_KEYS marks a
 * table of keys, char[][n]. */
#define MESSAGE_KEYS __attribute__((section("penchant_messages"), used, aligned(1)))
#define MESSAGE(variable, key) static const char variable[] MESSAGE_KEYS = key
#define KEY(key)                                                                               \
    ({                                                                                         \
        static const char key_of_message[] MESSAGE_KEYS = key;                                 \
        const char *key_text = key_of_message;                                                 \
        __asm__("" : "+r"(key_text)); /* a constant, clang would emit it in another section */ \
        key_text;                                                                              \
    })

/* `name` is the file name for error messages. ERR_INVALID: `why` has the name, line, and problem.
 */
enum err catalog_read(struct arena *mem, const char *name, struct str file, struct catalog **out,
                      struct why *why);

/* The unformatted text; absent if the key does not exist. */
struct str catalog_find(const struct catalog *catalog, struct str key);

/* The text with its values inserted; a missing value is empty. If the key does not exist (which
 * catalog_check() rules out), the key in brackets. */
struct str catalog_format(const struct catalog *catalog, struct arena *mem, const char *key,
                          const struct message_value *values, size_t count);

/* Translates a sentence that `from` has under "sentence." into the language of `to`; absent if
 * `from` does not have it. */
struct str catalog_translate(const struct catalog *from, const struct catalog *to,
                             struct arena *mem, struct str sentence);

/* ---- selection ---- */

/* Whether the range is the tag or begins with it: "de-AT" covers "de". */
bool language_covers(struct str range, struct str tag);

/* The catalog for a user's language, such as "de-AT"; the first one if there is none. The list ends
 * with NULL and is not empty. */
const struct catalog *catalog_pick(const struct catalog *const *list, struct str language);

/* ---- checks at startup ---- */

/* Marks the key as used. False if it does not exist. */
bool catalog_use(struct catalog *catalog, struct str key);

/* Fails unless every key declared in C exists and every text is used. */
enum err catalog_check(struct catalog *catalog, struct why *why);

/* Fails unless both catalogs have the same keys and each text the same values. tools/strings checks
 * the same when the program is built. */
enum err catalog_compare(const struct catalog *model, const struct catalog *other, struct why *why);

/* The next piece of a message: literal text or the name of a value. False at the end. */
struct message_piece {
    struct str text;
    bool is_value;
};
bool message_cut(struct str *rest, struct message_piece *piece);

#endif
