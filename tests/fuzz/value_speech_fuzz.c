/* Any text as what a user says about any built-in member: the object is a phrase with no more words
 * than the text, no text is both liking and disliking, and the shape of apostrophes does not
 * matter. The first byte chooses the member. */
#include "fuzz_member.h"

#include "domain/value_text.h"
#include "text/utf8.h"
#include "value/phrase.h"
#include "value/value_speech.h"

#define TEXT_MAX 1024
#define TEXT_MIN 4 /* a shorter text is no sentence */

static size_t
count_words(struct str text)
{
    size_t count = text.len > 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == ' ';
    return count;
}

/* With straight apostrophes, or with those that most phones write. */
static struct str
with_apostrophes(struct arena *mem, struct str text, bool curly)
{
    struct str rest = text;
    char *out = arena_alloc(mem, 3 * text.len + 1);
    size_t length = 0;
    while (rest.len > 0) {
        bool is_curly = str_starts(rest, STR("\u2019"));
        bool apostrophe = is_curly || rest.ptr[0] == '\'';
        struct str part = !apostrophe ? str_first(rest, 1) : curly ? STR("\u2019") : STR("'");
        memcpy(out + length, part.ptr, part.len);
        length += part.len;
        rest = str_from(rest, is_curly ? 3 : 1);
    }
    return str_copy(mem, (struct str){ out, length });
}

static void
object_holds(struct str text, struct str object)
{
    MUST(utf8_valid(object) && object.len > 0);
    MUST(object.len <= text.len + 4); /* "running" of "run" */
    MUST(count_words(object) <= count_words(text));
    MUST(object.ptr[0] != ' ' && strchr(" .!,", object.ptr[object.len - 1]) == NULL);
    MUST(phrase_fits(FORM_NOUN, object));
}

static void
speech_holds(struct arena *mem, const struct member *member, struct str text)
{
    struct member opposite = *member;
    struct str object, other;
    opposite.avoid = !member->avoid;
    bool found = value_spoken_object(mem, member, text, &object);
    if (found) {
        object_holds(text, object);
        MUST(!value_is_of_names(member) && member->hint.form != FORM_ROLE);
        MUST(!value_spoken_object(mem, &opposite, text, &other));
    }
    struct str straight = with_apostrophes(mem, text, false);
    struct str curly = with_apostrophes(mem, text, true);
    if (straight.len < TEXT_MIN)
        return;
    MUST(value_spoken_object(mem, member, straight, &other) == found);
    MUST(!found || str_eq(other, object));
    MUST(value_spoken_object(mem, member, curly, &other) == found);
    MUST(!found || str_eq(other, object));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > TEXT_MAX)
        return 0;
    struct arena *mem = arena_new();
    const struct member *member = choose_member(data[0]);
    struct str text = fuzz_input(mem, data + 1, size - 1), object;
    value_lists_absences(member);
    if (utf8_valid(text) && utf8_forbidden(text) < 0)
        speech_holds(mem, member, value_collapse_spaces(mem, text));
    else
        value_spoken_object(mem, member, text, &object); /* only within bounds */
    arena_free(mem);
    return 0;
}
