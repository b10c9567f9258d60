/* user.c - rules for usernames, email addresses, names, languages, and time zones.
 *
 * Usernames are ASCII, so that none looks like another. Email addresses and names may be in any
 * script; only characters that are invisible, change the direction of text, or separate addresses
 * in a header are rejected. */
#include "model/user.h"

#include "base/ascii.h"
#include "text/utf8.h"

#include <string.h>

#define ID_LENGTH 26

#define USERNAME_MIN 3
#define USERNAME_MAX 32
#define EMAIL_BYTES_MAX 254
#define NAME_CHARACTERS_MAX 80

/* The low bits of a position are random, the others are seconds; they suffice until about 2514. */
#define CHANCE_BITS 29

/* ---- id ---- */

/* Checked before every lookup by id, so that a text of any length or content never gets into a
 * statement. */
bool
user_id_well_formed(struct str text)
{
    if (text.len != ID_LENGTH || !str_starts(text, STR("usr_")))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!ascii_is_alphanumeric(c) && c != '-' && c != '_')
            return false;
    }
    return true;
}

/* ---- username ---- */

struct str
user_fold_username(struct arena *mem, struct str username)
{
    return str_lower(mem, username);
}

/* Names under which a message would seem to come from the operator, also with separators. */
static bool
is_reserved(struct str username)
{
    static const char *const reserved[] = { "abuse",    "admin",    "administrator", "hostmaster",
                                            "noreply",  "official", "postmaster",    "root",
                                            "security", "staff",    "support",       "system",
                                            "webmaster" };
    char plain[USERNAME_MAX + 1] = "";
    for (size_t i = 0, n = 0; i < username.len && n < USERNAME_MAX; i++)
        if (ascii_is_lower(username.ptr[i]) || ascii_is_digit(username.ptr[i]))
            plain[n++] = username.ptr[i];
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(plain, reserved[i]) == 0)
            return true;
    return strstr(plain, "penchant") != NULL;
}

/* A username must not look like an id, because commands accept either. Names that could pass for a
 * part of the service are reserved. */
const char *
user_username_problem(struct str folded)
{
    if (folded.len == 0)
        return "Choose a username: 3 to 32 letters, digits, dots, hyphens, or underscores.";
    for (size_t i = 0; i < folded.len; i++) {
        char c = folded.ptr[i];
        if (!ascii_is_lower(c) && !ascii_is_digit(c) && c != '.' && c != '_' && c != '-')
            return "A username can contain only the letters a to z, digits, dots, hyphens, and "
                   "underscores.";
    }
    if (!ascii_is_lower(folded.ptr[0]))
        return "Start the username with a letter.";
    if (folded.len < USERNAME_MIN)
        return "A username must have at least 3 characters.";
    if (folded.len > USERNAME_MAX)
        return "A username can have at most 32 characters.";
    if (user_id_well_formed(folded))
        return "This username looks like an account ID. Choose another.";
    if (is_reserved(folded))
        return "This username is reserved. Choose another.";
    return NULL;
}

/* ---- email ---- */

/* The Unicode characters of category Zs. */
static bool
is_space(int32_t character)
{
    return character == ' ' || character == 0x00a0 || character == 0x1680 ||
           (character >= 0x2000 && character <= 0x200a) || character == 0x202f ||
           character == 0x205f || character == 0x3000;
}

static bool
has_space(struct str text)
{
    for (int32_t character; (character = utf8_next(&text)) >= 0;)
        if (is_space(character))
            return true;
    return false;
}

/* Only what can do harm is rejected: a mail server alone knows whether an address exists. Without
 * the last check, an address could add recipients to the header of a message. */
const char *
user_email_problem(struct str email)
{
    if (email.len == 0)
        return "Enter an email address, such as ada@example.org.";
    if (email.len > EMAIL_BYTES_MAX)
        return "An email address can have at most 254 bytes.";
    if (!utf8_valid(email) || utf8_forbidden(email) >= 0 || has_space(email))
        return "An email address can't contain spaces, line breaks, or invisible characters.";
    size_t at = str_index(email, '@');
    struct str domain = str_from(email, at + 1);
    if (at == email.len)
        return "An email address needs an @ sign, as in ada@example.org.";
    if (str_index(domain, '@') < domain.len)
        return "An email address can have only one @ sign, as in ada@example.org.";
    if (at == 0 || domain.len == 0)
        return "An email address needs text before and after the @ sign, as in ada@example.org.";
    for (const char *c = "()<>[],;:"; *c != '\0'; c++)
        if (str_index(email, *c) < email.len)
            return "An email address can't contain any of ( ) < > [ ] , ; :.";
    return NULL;
}

struct str
user_fold_email(struct arena *mem, struct str email)
{
    if (!str_present(email))
        return STR_NONE;
    /* NFC first, because it can produce ASCII capitals (the Kelvin sign becomes K), and again after
     * lowering, because h, unlike H, composes with some combining marks. */
    return utf8_nfc(mem, str_lower(mem, utf8_nfc(mem, email)));
}

/* ---- name ---- */

/* Of any script. Invalid UTF-8 stays as it is; user_name_problem() rejects it. */
static struct str
trim_spaces(struct str text)
{
    struct str rest = text;
    size_t start = text.len;
    size_t end = 0;
    for (size_t at = 0; at < text.len; at = text.len - rest.len) {
        int32_t character = utf8_next(&rest);
        if (character < 0)
            return text;
        if (is_space(character) || character == '\t')
            continue;
        start = at < start ? at : start;
        end = text.len - rest.len;
    }
    return start < end ? str_first(str_from(text, start), end - start) : str_first(text, 0);
}

struct str
user_clean_name(struct arena *mem, struct str name)
{
    return str_present(name) ? trim_spaces(utf8_nfc(mem, name)) : STR_NONE;
}

/* Names appear on consent pages of other apps and in email, so characters that change the direction
 * of text could change what a sentence says. */
const char *
user_name_problem(struct str cleaned)
{
    if (!str_present(cleaned) || !utf8_valid(cleaned))
        return "This name is not valid UTF-8 text. Type it, or paste plain text.";
    if (cleaned.len == 0)
        return "A name needs at least one visible character.";
    if (utf8_forbidden(cleaned) >= 0)
        return "A name can't contain line breaks, invisible characters, or characters that change "
               "the text direction.";
    if (utf8_length(cleaned) > NAME_CHARACTERS_MAX)
        return "A name can have at most 80 characters.";
    return NULL;
}

/* ---- language and time zone ---- */

static bool
is_letters(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!ascii_is_letter(text.ptr[i]))
            return false;
    return text.len > 0;
}

/* The form of BCP 47 with language, script, and region. Whether there is a catalog for it does not
 * matter. */
const char *
user_language_problem(struct str language)
{
    struct str part, rest = language;
    bool valid = str_cut(&rest, '-', &part) && is_letters(part) && part.len >= 2 && part.len <= 3;
    size_t parts = 1;
    while (valid && parts++ < 4 && str_cut(&rest, '-', &part))
        valid = (is_letters(part) && (part.len == 2 || part.len == 4)) ||
                (part.len == 3 && str_to_int(part, 0, 999, &(int64_t){ 0 }));
    return valid && parts <= 4 && rest.len == 0 ? NULL
                                                : "Enter a language tag, such as en, de, or pt-BR.";
}

/* Only the form: the names of zones differ between systems. */
const char *
user_time_zone_problem(struct str zone)
{
    bool valid = zone.len > 0 && zone.len <= 64 && is_letters(str_first(zone, 1));
    for (size_t i = 0; i < zone.len && valid; i++) {
        char c = zone.ptr[i];
        valid = ascii_is_alphanumeric(c) || c == '_' || c == '-' || c == '+' ||
                (c == '/' && i + 1 < zone.len && zone.ptr[i - 1] != '/');
    }
    return valid ? NULL : "Enter a time zone, such as Europe/Berlin or UTC.";
}

/* ---- status and position ---- */

/* The texts are stored, so they must never change. */
const char *
user_status_name(enum user_status status)
{
    switch (status) {
    case USER_ACTIVE:
        return "active";
    case USER_DISABLED:
        return "disabled";
    }
    return "unknown";
}

/* False: a status that this version does not know. */
bool
user_status_read(struct str text, enum user_status *out)
{
    static const enum user_status all[] = { USER_ACTIVE, USER_DISABLED };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (str_eq_c(text, user_status_name(all[i]))) {
            *out = all[i];
            return true;
        }
    return false;
}

/* Clamped, so that a wrong clock cannot overflow into the sign. */
int64_t
user_position(int64_t now, uint32_t chance)
{
    const int64_t last_second = INT64_MAX >> CHANCE_BITS;
    int64_t second = now < 0 ? 0 : now > last_second ? last_second : now;
    return second << CHANCE_BITS | (chance & ((1u << CHANCE_BITS) - 1));
}
