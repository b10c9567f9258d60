/* Any file or pasted text. What it becomes is a valid import document of few facts, or a problem.
 * The first line names a profile. */
#include "fuzz_store.h"

#include "transfer/bring.h"
#include "transfer/transfer.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct str ada;
    if (db == NULL) {
        static struct arena *kept;
        kept = arena_new();
        open_store();
        ada = add_user(kept, "ada");
    }
    struct arena *mem = arena_new();
    struct str text = fuzz_input(mem, data, size), profile = STR("");
    if (size > 0)
        str_cut(&text, '\n', &profile);
    struct bring_params params = {
        .domains = kit_domains(), .text = text, .profile = profile, .now = NOW
    };
    struct bring brought;
    struct import_counts counts;
    struct why why = { 0 };
    enum bring_problem problem = bring_read(mem, &params, &brought);
    if (problem == BRING_FINE && brought.kind != BRING_EXPORT) {
        MUST(transfer_preview(db, mem, ada, kit_domains(), brought.document, NOW, &counts, &why) ==
             ERR_NONE);
        MUST(counts.added > 0 && counts.added + counts.kept <= BRING_FACTS_MAX);
    }
    MUST(problem != BRING_PROFILES || brought.detail.len > 0);
    arena_free(mem);
    return 0;
}
