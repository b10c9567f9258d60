/* misspelling.h - whether a word is probably a known one with one or two wrong letters.
 *
 * Words of dangers must be found however they are spelled, but no other word may be taken for one:
 * the first letter must be right, short words need the same consonants, and a list has the words
 * that are near names of foods and materials: "barely" is no barley.
 *
 * Pure; any thread may call it. */
#ifndef READING_MISSPELLING_H
#define READING_MISSPELLING_H

#include "base/str.h"

#define MISSPELLING_NONE SIZE_MAX

/* The number of wrong letters; MISSPELLING_NONE: another word. Both are in lowercase with single
 * spaces. A space too much or too few is no wrong letter: "hazel nut". */
size_t misspelling_errors(struct str typed, struct str known);

#endif
