/* Any text as a stored hint set: rejected, or usable in every format. The first byte chooses the
 * domain. A valid prefix with digest and checksum is added, since random input would never have it.
 */
#include "fuzz.h"

#include "../unit/domains_kit.h"
#include "base/buf.h"
#include "selection/hint_answer.h"
#include "hint/hint_set_text.h"
#include "hint/hint_words.h"

#define SENTENCE_MAX_BYTES ((size_t)1 << 20)

static void
write_hint_set(struct arena *mem, const struct hint_set *set)
{
    struct context_match none = { 0 };
    struct hint_answer answer;
    struct hint_query query = {
        .hint_sets = set, .set_count = 1, .sensitive = 1, .context = &none, .max_tokens = 4000
    };
    for (int format = HINT_TEXT; format <= HINT_BULLETS; format++) {
        query.format = (enum hint_format)format;
        hint_answer(mem, &query, &answer);
        MUST(answer.hints.len > 0 && answer.omitted >= 0);
    }
    for (size_t i = 0; i < set->count; i++) {
        struct buf line = buf_in(mem, SENTENCE_MAX_BYTES);
        hint_open(mem, &set->hints[i], set->hints[i].total);
        hint_sentence(&line, &set->hints[i], set->hints[i].total, true);
        MUST(str_ends(buf_str(&line), STR(".")));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct arena *mem = arena_new();
    const struct domains *domains = kit_domains();
    const struct domain *domain = &domains->list[data[0] % domains->count];
    struct str input = fuzz_input(mem, data + 1, size - 1);
    struct str sealed = str_copy(mem, hint_set_prefix(mem, domain, input));
    struct hint_set set, again;
    hint_set_read(mem, domain, input, &set); /* without a prefix */
    if (hint_set_read(mem, domain, sealed, &set)) {
        write_hint_set(mem, &set);
        struct str written = hint_set_write(mem, &set);
        MUST(hint_set_read(mem, domain, written, &again));
        MUST(str_eq(hint_set_write(mem, &again), written));
    }
    arena_free(mem);
    return 0;
}
