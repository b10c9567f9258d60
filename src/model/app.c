/* app.c - rules for what developers and clients state about an app.
 *
 * Users decide by the name on the consent page, so that the rules for names are about imitation:
 * invisible characters, words that mix alphabets, and the name of this service in letters that only
 * look like it. */
#include "model/app.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "crypt/digest.h"
#include "model/redirect_uri.h"
#include "text/base64url.h"
#include "text/look_alike.h"
#include "text/utf8.h"

#define NAME_MAX_CHARACTERS 60
#define ID_LENGTH 26
#define URI_SHOWN_MAX 100
#define URI_PROBLEM_MAX 512 /* with the URI */

static const char *const kind_names[] = { "portal", "document", "registered" };
/* In the order of enum app_kind, as kind_names. */
static const struct str id_prefixes[] = { STR("app_"), STR("doc_"), STR("dyn_") };

/* Checked before every lookup: an id from the wire may contain anything, also NUL bytes, which the
 * store must not see. */
bool
app_id_well_formed(struct str id)
{
    struct str prefix = str_first(id, 4);
    bool known = str_eq(prefix, id_prefixes[APP_PORTAL]) ||
                 str_eq(prefix, id_prefixes[APP_DOCUMENT]) ||
                 str_eq(prefix, id_prefixes[APP_REGISTERED]);
    return id.len == ID_LENGTH && known && base64url_only(id);
}

struct str
app_client_id(const struct app *app)
{
    return app->kind == APP_DOCUMENT ? app->document : app->id;
}

/* A URL is longer than an id and may contain any character. Its digest serves as the id. */
struct str
app_id_of_client(struct arena *mem, struct str client_id)
{
    char digest[DIGEST_SHORT_LENGTH];
    if (!str_starts(client_id, STR("https://")))
        return client_id;
    digest_short(client_id, digest);
    return str_format(mem, "doc_%.*s", (int)sizeof digest, digest);
}

const char *
app_kind_name(enum app_kind kind)
{
    return kind_names[kind];
}

/* False: a kind that this version does not know, for example of a store that a later one has
 * written. */
bool
app_kind_read(struct str text, enum app_kind *out)
{
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++) {
        if (str_eq_c(text, kind_names[i])) {
            *out = (enum app_kind)i;
            return true;
        }
    }
    return false;
}

struct str
app_clean_name(struct arena *mem, struct str name)
{
    return str_trim(utf8_nfc(mem, name));
}

/* Latin mixed with Cyrillic or Greek letters in one word allows look-alike names. Separate words
 * may have different alphabets, as real names do. */
static bool
mixes_alphabets(struct str name)
{
    bool latin = false, other = false;
    int32_t point;
    while ((point = utf8_next(&name)) >= 0) {
        if (point == ' ' || point == '-')
            latin = other = false;
        if (ascii_is_letter(point) || (point >= 0xc0 && point <= 0x24f))
            latin = true;
        if ((point >= 0x370 && point <= 0x3ff) || (point >= 0x400 && point <= 0x52f))
            other = true;
        if (latin && other)
            return true;
    }
    return false;
}

static bool
is_alphanumeric(char c)
{
    return ascii_is_lower(c) || ascii_is_digit(c);
}

/* Finds the name of this service also in letters that only look like it and with blanks or other
 * characters in between; then it must start a word, so that "Open Chant" is allowed. */
static bool
contains_service_name(struct arena *mem, struct str name)
{
    static const char ours[] = "penchant";
    struct str key = look_alike_latin(mem, utf8_match_key(mem, name));
    for (size_t start = 0; start < key.len; start++) {
        size_t found = 0, gaps = 0;
        for (size_t i = start; i < key.len && ours[found] != '\0'; i++) {
            /* Digits that are read as letters. */
            char c = key.ptr[i] == '3' ? 'e' : key.ptr[i] == '4' ? 'a' : key.ptr[i];
            if (c == ours[found])
                found++;
            else if (found == 0 || is_alphanumeric(c))
                break;
            else
                gaps++;
        }
        if (ours[found] == '\0' &&
            (gaps == 0 || start == 0 || !is_alphanumeric(key.ptr[start - 1])))
            return true;
    }
    return false;
}

/* For names that clients choose themselves, which may be longer and may contain the name of the
 * service. Everything that could make one name look like another on the consent page is refused for
 * them as well. */
const char *
app_claimed_name_problem(struct str name)
{
    if (!str_present(name) || !utf8_valid(name))
        return "The app's name is not valid UTF-8 text.";
    if (name.len == 0)
        return "Enter a name for the app. Users see it when they decide.";
    if (utf8_length(name) > APP_CLAIMED_NAME_MAX)
        return "The app's name can have at most 100 characters.";
    if (utf8_forbidden(name) >= 0)
        return "The app's name contains an invisible character or one that changes the text "
               "direction. Remove it.";
    if (mixes_alphabets(name))
        return "The app's name mixes alphabets in one word, so it can imitate another name. Use "
               "one alphabet per word.";
    return NULL;
}

/* For names of apps in the portal. The length is checked first, since its limit is the smaller
 * one. */
const char *
app_name_problem(struct arena *mem, struct str name)
{
    if (str_present(name) && utf8_valid(name) && utf8_length(name) > NAME_MAX_CHARACTERS)
        return "The app's name can have at most 60 characters.";
    const char *problem = app_claimed_name_problem(name);
    if (problem == NULL && contains_service_name(mem, name))
        problem =
            "The app's name contains the name of this service, Penchant. Choose another name.";
    return problem;
}

/* Of several, names each that is invalid, with its own problem. */
static const char *
uris_problem(struct arena *mem, const struct str *uris, size_t count)
{
    if (count <= 1)
        return redirect_uri_problem(count == 0 ? STR("") : uris[0], STR_NONE);
    if (count > APP_REDIRECT_URIS_MAX)
        return "An app can have at most 10 redirect URIs.";
    struct buf out = buf_in(mem, (size_t)APP_REDIRECT_URIS_MAX * URI_PROBLEM_MAX);
    for (size_t i = 0; i < count; i++) {
        const char *problem = redirect_uri_problem(uris[i], STR_NONE);
        if (problem != NULL)
            buf_add_format(&out, "%sRedirect URI %zu (%.*s): %s", out.len == 0 ? "" : " ", i + 1,
                           STR_ARG(str_first(uris[i], URI_SHOWN_MAX)), problem);
    }
    return out.len == 0 ? NULL : str_copy(mem, buf_str(&out)).ptr;
}

/* One URI per line, as the column of the store has them. URIs cannot contain line breaks
 * (only_uri_chars()). */
struct str
app_join_uris(struct arena *mem, const struct str *uris, size_t count, const char **problem)
{
    *problem = uris_problem(mem, uris, count);
    if (*problem != NULL)
        return STR_NONE;
    struct buf out = buf_in(mem, (size_t)APP_REDIRECT_URIS_MAX * (REDIRECT_URI_MAX + 1));
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_add_char(&out, '\n');
        buf_add(&out, uris[i]);
    }
    return str_copy(mem, buf_str(&out));
}

/* Returns the registered text, not the requested one, which may differ in the port of a loopback
 * host. */
struct str
app_find_uri(const struct app *app, struct str asked)
{
    struct str rest = app->redirect_uris, uri;
    while (str_present(asked) && str_cut(&rest, '\n', &uri))
        if (redirect_uri_matches(uri, asked))
            return uri;
    return STR_NONE;
}

/* Of several registered URIs, the one that is most similar is probably the one that was meant. */
const char *
app_uri_difference(const struct app *app, struct str asked, struct str *nearest)
{
    struct str rest = app->redirect_uris, uri;
    const char *sentence = NULL;
    int least = 0, distance = 0;
    while (str_cut(&rest, '\n', &uri)) {
        const char *difference = redirect_uri_difference(uri, asked, &distance);
        if (sentence != NULL && distance >= least)
            continue;
        sentence = difference;
        least = distance;
        *nearest = uri;
    }
    return sentence;
}

/* A homepage has passed app_link_problem(), so that it begins with https://. */
struct str
app_verified_host(const struct app *app)
{
    struct str rest = str_from(app->homepage, strlen("https://"));
    size_t end = 0;
    while (end < rest.len && strchr("/?#:", rest.ptr[end]) == NULL)
        end++;
    return app->verified_at > 0 ? str_first(rest, end) : STR_NONE;
}

/* An empty link is allowed: it is absent. */
const char *
app_link_problem(struct str link)
{
    if (link.len == 0)
        return NULL;
    if (!str_starts(link, STR("https://")) || redirect_uri_problem(link, STR_NONE) != NULL)
        return "Enter an absolute https URL without # and *, such as https://app.example/privacy.";
    return NULL;
}

const char *
app_purpose_problem(struct str purpose)
{
    bool valid =
        purpose.len <= APP_PURPOSE_MAX && utf8_valid(purpose) && utf8_forbidden(purpose) == -1;
    return valid ? NULL : "Enter a task of at most 100 characters, such as restaurant_search.";
}

const char *
app_scopes_problem(scopes set)
{
    return set == 0 ? "Choose at least one scope. Without a scope, the app cannot request anything."
                    : NULL;
}

/* Both comparisons always run, in constant time, so that the time does not show which one failed.
 */
bool
app_secret_matches(const struct app *app, struct str hash, int64_t now)
{
    bool current = digest_equal(app->secret_hash, hash);
    bool old = digest_equal(app->old_secret_hash, hash) && app->old_secret_expires_at > now;
    return current || old;
}

const char *
app_status_name(enum app_status status)
{
    return status == APP_ACTIVE ? "active" : "disabled";
}

bool
app_status_read(struct str text, enum app_status *out)
{
    *out = str_eq(text, STR("active")) ? APP_ACTIVE : APP_DISABLED;
    return *out == APP_ACTIVE || str_eq(text, STR("disabled"));
}
