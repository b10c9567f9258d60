/* foreign_file.h - makes an import document from files of other services and from pasted text.
 *
 * Knows an export of this service, Spotify's account data, Netflix's viewing activity, Goodreads'
 * library, and text with one statement per line, such as an assistant's saved memories. The content
 * decides which it is, not the file's name. A long history becomes a few facts: docs/DECISIONS.md
 * has the thresholds. The document is imported like any other (transfer.h): the user sees it first,
 * existing facts win, and suspicious values wait for review.
 *
 * Pure: no clock and no database. Memory beyond the result is bounded and freed before returning.
 * Any thread may call it. */
#ifndef TRANSFER_FOREIGN_FILE_H
#define TRANSFER_FOREIGN_FILE_H

#include "domain/domain.h"
#include "transfer/foreign_kind.h"

struct arena;

struct foreign_params {
    const struct domains *domains;
    struct str text;
    struct str profile; /* whose rows to read, if a file has several users; may be absent */
    int64_t now;
};

struct foreign_file {
    enum foreign_kind kind;
    struct str document;
    struct str detail;
    size_t rows;   /* lines or rows that were read */
    size_t unused; /* lines that are too long or that no member accepts */
};

/* Results are allocated from `mem`, or point into the text. */
enum foreign_problem foreign_file_read(struct arena *mem, const struct foreign_params *params,
                                       struct foreign_file *out);

#endif
