/* link.h - one-time links: made here, stored as a hash. Results are allocated from `mem`. Any
 * thread may call these functions. */
#ifndef IDENTITY_LINK_H
#define IDENTITY_LINK_H

#include "base/err.h"
#include "credential/recovery_store.h"

struct db;
struct secret;

/* Stores the link, whose hash is set here, and returns its secret part. */
enum err link_make(struct db *db, struct arena *mem, struct one_time_link link,
                   const struct secret **out);

/* Absent: the text cannot be a link. */
struct str link_hash(struct arena *mem, struct str text);

#endif
