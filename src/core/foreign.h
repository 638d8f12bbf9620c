/* foreign.h: words that users of other programs bring (LAMMPS, LIGGGHTS, YADE, MercuryDPM, EDEM, ...). The one list of
 * them, for scenes and for the command line. */
#ifndef SCREE_FOREIGN_H
#define SCREE_FOREIGN_H

/* What the word is called here, or that it is not there yet: a sentence without its end; NULL: nothing is known of it.
 * Letters and digits count, upper case as lower: youngsModulus and youngs_modulus are one word. */
const char *scree_foreign_word(const char *word);

#endif
