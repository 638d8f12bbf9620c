/* nearest.c: see nearest.h. */
#include "core/nearest.h"

#include <string.h>

enum { LONGEST = 48 };

static int least(int a, int b) { return a < b ? a : b; }
static int length_of(const char *word) {
  int n = 0;
  while (n < LONGEST && word[n]) n++;
  return n;
}

int scree_edit_distance(const char *a, const char *b) {
  int before[LONGEST + 1] = {0}, row[LONGEST + 1], next[LONGEST + 1];
  int na = length_of(a), nb = length_of(b);
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    next[0] = i;
    for (int j = 1; j <= nb; j++) {
      next[j] = least(least(row[j], next[j - 1]) + 1, row[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) next[j] = least(next[j], before[j - 2] + 1);
    }
    memcpy(before, row, sizeof row);
    memcpy(row, next, sizeof row);
  }
  return row[nb];
}

int scree_is_near(const char *typed, const char *word) {
  size_t length = strlen(typed);
  if (length >= 3 && strncmp(typed, word, length) == 0) return 1;
  return 2 * scree_edit_distance(typed, word) < (int)(length > 2 ? length : 2) + 1;
}
