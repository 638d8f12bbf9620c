/* nearest.h: which of the known words did somebody mean? */
#ifndef SCREE_NEAREST_H
#define SCREE_NEAREST_H

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours) from one word to the other, over the first 48 characters. */
int scree_edit_distance(const char *a, const char *b);

/* Is `word` near enough to what was typed to be offered? */
int scree_is_near(const char *typed, const char *word);

#endif
