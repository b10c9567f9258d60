/* hint_set_text.h - the prefix of a stored hint set. Private to hint_set_text.c and its tests.
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef HINT_HINT_SET_TEXT_H
#define HINT_HINT_SET_TEXT_H

#include "domain/domain.h"

/* Prepends the format version, the digest of the definition and a checksum to the contents. */
struct str hint_set_prefix(struct arena *mem, const struct domain *domain, struct str contents);

#endif
