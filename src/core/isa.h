/* isa.h: code that is compiled once per instruction set, and which of them runs. */
#ifndef SCREE_ISA_H
#define SCREE_ISA_H

#include <stdbool.h>

/* Widest first. A table of kernels has one row per entry, in this order. */
#ifdef SCREE_X86_LEVELS
#define SCREE_ISA_LIST(X)                                                                                              \
  X(v4, "x86-64-v4")                                                                                                   \
  X(v3, "x86-64-v3")                                                                                                   \
  X(v2, "x86-64-v2")
#else
#define SCREE_ISA_LIST(X) X(generic, "generic")
#endif

int scree_isa_count(void);
const char *scree_isa_name(int index); /* NULL outside the list */
bool scree_isa_supported(int index);   /* by this processor */
/* The one in use: the widest supported, or what was asked for. */
int scree_isa_current(void);
void scree_isa_use(int index);

#endif
