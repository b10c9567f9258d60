/* quality.h - whether a text is only an adjective: "too loud", "quiet and cozy".
 *
 * Where values are names, fewer words count: "United" is an airline, and "simple" can be a brand,
 * but "overpriced" is neither.
 *
 * Pure. Any thread may call it. */
#ifndef WORDING_QUALITY_H
#define WORDING_QUALITY_H

#include "base/str.h"

enum quality_doubt { NO_NAME, SELDOM_A_NAME, HARDLY_A_NAME };

bool quality_is(struct str text, enum quality_doubt doubt);

#endif
