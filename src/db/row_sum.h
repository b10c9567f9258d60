/* row_sum.h - checksums of stored texts, so that a damaged row is an error and not a wrong fact.
 *
 * A text is stored as 16 hexadecimal digits, a space, and the text itself. The checksum also covers
 * the row's owner, domain, and numbers, so that a text in the wrong row is noticed, too. It detects
 * damage, not tampering. An empty or absent text has no checksum. Thread-safe. */
#ifndef DB_ROW_SUM_H
#define DB_ROW_SUM_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct sql;

struct row_sum {
    struct str user_id;
    struct str domain;
    int64_t numbers[2];
    struct str text;
};

/* The text with its checksum, in the arena. */
struct str row_sum_add(struct arena *mem, const struct row_sum *row);

/* Takes the checksum off row->text. ERR_UNAVAILABLE, and a log line, if it does not match. */
enum err row_sum_check(struct row_sum *row);

/* For `penchant check`: queries of every text that has a checksum. Their columns are the fields of
 * struct row_sum in order, then row_key; they are ordered by row_key, after $1, 500 at most. */
struct row_sum_query {
    const char *name; /* of what it reads */
    const struct sql *sql;
};
extern const struct row_sum_query row_sum_queries[3];

/* Adds a text to the checksum of a whole row, for db_move(). */
uint64_t row_sum_mix(uint64_t sum, struct str text);

/* Adds a line to the report if the text does not match its checksum. */
void row_sum_report(struct row_sum *row, const char *name, struct buf *report);

#endif
