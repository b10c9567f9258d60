/* document_file.h - JSON documents in a file: one over any number of lines, or one on each line.
 *
 * Holds one document at a time, and no more than the largest there may be. */
#ifndef APP_DOCUMENT_FILE_H
#define APP_DOCUMENT_FILE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct document_file;

/* "-" is standard input. Reads as far as it takes to know which of the two it is. */
enum err document_file_open(struct arena *mem, const char *name, struct document_file **out,
                            struct why *why);
void document_file_close(struct document_file *file); /* NULL is fine */

struct document {
    struct str text; /* absent: there are no more; valid until the next call */
    size_t line;     /* of many: where it stands; else 0 */
};

/* ERR_TOO_LARGE, or ERR_UNAVAILABLE if the file cannot be read. */
enum err document_file_next(struct document_file *file, struct document *out, struct why *why);

/* Whether there is a document on each line. */
bool document_file_is_many(const struct document_file *file);

/* How much of it has been read; 0 where a size is not known. */
int document_file_percent(const struct document_file *file);

#endif
