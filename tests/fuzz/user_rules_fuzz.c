/* Any bytes as a username, an email address, and a name: accepted values have the documented form,
 * and folding and cleaning are idempotent. */
#include "base/arena.h"
#include "model/user.h"
#include "text/utf8.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
try_username(struct arena *mem, struct str input)
{
    struct str folded = user_fold_username(mem, input);
    assert(folded.len == input.len);
    assert(str_eq(user_fold_username(mem, folded), folded));
    if (user_username_problem(folded) != NULL)
        return;
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
    assert(folded.len >= 3 && folded.len <= 32);
    assert(strspn(folded.ptr, alphabet) == folded.len);
    assert(strchr(alphabet, folded.ptr[0]) < alphabet + 26);
    assert(!user_id_well_formed(folded));
}

static void
try_email(struct arena *mem, struct str input)
{
    struct str folded = user_fold_email(mem, input);
    assert(str_present(folded) == utf8_valid(input));
    if (str_present(folded))
        assert(str_eq(user_fold_email(mem, folded), folded));
    if (user_email_problem(input) != NULL)
        return;
    size_t at_signs = 0;
    for (size_t i = 0; i < input.len; i++) {
        assert((unsigned char)input.ptr[i] > ' ' && input.ptr[i] != 0x7f);
        at_signs += input.ptr[i] == '@';
    }
    assert(at_signs == 1 && input.len >= 3 && input.len <= 254);
    assert(input.ptr[0] != '@' && input.ptr[input.len - 1] != '@');
    assert(str_index(folded, '@') < folded.len);
}

static void
try_name(struct arena *mem, struct str input)
{
    struct str cleaned = user_clean_name(mem, input);
    assert(str_present(cleaned) == utf8_valid(input));
    if (str_present(cleaned))
        assert(str_eq(user_clean_name(mem, cleaned), cleaned));
    if (user_name_problem(cleaned) != NULL)
        return;
    assert(utf8_valid(cleaned) && utf8_length(cleaned) >= 1 && utf8_length(cleaned) <= 80);
    assert(utf8_forbidden(cleaned) < 0);
    assert(str_index(cleaned, '\0') == cleaned.len && str_index(cleaned, '\n') == cleaned.len);
    assert(str_eq(str_trim(cleaned), cleaned));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *mem;
    if (mem == NULL)
        mem = arena_new();
    struct str input = str_copy(mem, (struct str){ size ? (const char *)data : "", size });
    try_username(mem, input);
    try_email(mem, input);
    try_name(mem, input);
    enum user_status status;
    if (user_status_read(input, &status))
        assert(str_eq_c(input, user_status_name(status)));
    arena_reset(mem);
    return 0;
}
