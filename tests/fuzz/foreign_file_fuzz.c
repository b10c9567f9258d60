/* Any file or pasted text. What it becomes is a valid import document of few facts, or a problem.
 * The first line names a profile. */
#include "fuzz_store.h"

#include "transfer/foreign_file.h"
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
    struct foreign_params params = {
        .domains = kit_domains(), .text = text, .profile = profile, .now = NOW
    };
    struct foreign_file file;
    struct import_counts counts;
    struct why why = { 0 };
    enum foreign_problem problem = foreign_file_read(mem, &params, &file);
    if (problem == FOREIGN_FINE && file.kind != FOREIGN_EXPORT) {
        MUST(transfer_preview(db, mem, ada, kit_domains(), file.document, NOW, &counts, &why) ==
             ERR_NONE);
        MUST(counts.added > 0 && counts.added + counts.kept <= FOREIGN_FACTS_MAX);
    }
    MUST(problem != FOREIGN_PROFILES || file.detail.len > 0);
    arena_free(mem);
    return 0;
}
