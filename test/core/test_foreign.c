/* Judges: the words that users of other programs brought, and the names that the catalogue must still give. */
#include "core/foreign.h"
#include "scree/scree.h"

#include <criterion/criterion.h>
#include <string.h>

Test(foreign, a_word_is_known_however_it_is_written) {
  static const char *const ways[] = {"youngsModulus", "youngs_modulus", "YOUNGS-MODULUS", "youngs modulus"};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    cr_expect(scree_foreign_word(ways[i]) && strstr(scree_foreign_word(ways[i]), "`young`"), "%s", ways[i]);
  cr_expect(strstr(scree_foreign_word("jkr"), "cohesion is not there yet"));
  cr_expect(strstr(scree_foreign_word("rolling_friction"), "`rolling`"));
  cr_expect(strstr(scree_foreign_word("mindlin_rescale"), "`tangential: mindlin`"));
}

Test(foreign, other_words_are_not) {
  char all[200];
  memset(all, 'a', sizeof all - 1);
  all[sizeof all - 1] = '\0';
  static const char *const words[] = {"", "_", "youngs", "flores", "rolling", "friction", "mindlin"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) cr_expect(!scree_foreign_word(words[i]), "%s", words[i]);
  cr_expect(!scree_foreign_word(all));
}

/* hertz and hooke are both: they are found, and said to be without damping where one is asked for. */
Test(foreign, laws_of_the_catalogue_are_found_all_the_same) {
  for (int i = 0; i < SCREE_LAW_COUNT; i++) {
    ScreeLawId law = SCREE_LAW_NONE;
    cr_expect_eq(scree_law_find(scree_law_info((ScreeLawId)i)->name, &law), SCREE_OK);
    cr_expect_eq((int)law, i);
  }
}
