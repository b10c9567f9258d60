/* document_file.h - reads a file that holds one JSON document, or one document per line.
 *
 * Keeps one document in memory at a time. Allocates from the arena given to open. One thread. */
#ifndef TRANSFER_DOCUMENT_FILE_H
#define TRANSFER_DOCUMENT_FILE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct document_file;

/* "-" is standard input. Reads until the layout is known. */
enum err document_file_open(struct arena *mem, const char *name, struct document_file **out,
                            struct why *why);
void document_file_close(struct document_file *file); /* NULL is fine */

struct document {
    struct str text; /* absent at the end; valid until the next call */
    size_t line;     /* with one document per line: its line number; else 0 */
};

/* ERR_TOO_LARGE, or ERR_UNAVAILABLE if the file cannot be read. */
enum err document_file_next(struct document_file *file, struct document *out, struct why *why);

/* Whether the file has one document per line. */
bool document_file_is_many(const struct document_file *file);

/* How much has been read; 0 if the size is unknown. */
int document_file_percent(const struct document_file *file);

#endif
