/* Any text as a card that was kept: refused, or one that can be told in every format. The first
 * byte chooses the domain; what says where the card comes from, and that it is whole, is put before
 * the rest, since nobody would guess it. */
#include "fuzz.h"

#include "base/buf.h"
#include "model/hint_answer.h"
#include "model/hint_card_text.h"
#include "model/hint_words.h"
#include "../unit/domains_kit.h"

#define SENTENCE_MAX_BYTES ((size_t)1 << 20)

static void
card_is_told(struct arena *mem, const struct hint_card *card)
{
    struct context_match none = { 0 };
    struct hint_answer answer;
    struct hint_query query = {
        .cards = card, .card_count = 1, .sensitive = 1, .context = &none, .max_tokens = 4000
    };
    for (int format = HINT_TEXT; format <= HINT_BULLETS; format++) {
        query.format = (enum hint_format)format;
        hint_answer(mem, &query, &answer);
        MUST(answer.hints.len > 0 && answer.omitted >= 0);
    }
    for (size_t i = 0; i < card->count; i++) {
        struct buf line = buf_in(mem, SENTENCE_MAX_BYTES);
        hint_open(mem, &card->hints[i]);
        hint_sentence(&line, &card->hints[i], &card->hints[i].levels[0], true);
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
    struct str sealed = str_copy(mem, hint_card_seal(mem, domain, input));
    struct hint_card card, again;
    hint_card_read(mem, domain, input, &card); /* as it came */
    if (hint_card_read(mem, domain, sealed, &card)) {
        card_is_told(mem, &card);
        struct str written = hint_card_write(mem, &card);
        MUST(hint_card_read(mem, domain, written, &again));
        MUST(str_eq(hint_card_write(mem, &again), written));
    }
    arena_free(mem);
    return 0;
}
