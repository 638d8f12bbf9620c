/* templates.h: the scenes that `scree new` writes. */
#ifndef SCREE_CLI_TEMPLATES_H
#define SCREE_CLI_TEMPLATES_H

#include <stddef.h>

int template_count(void);
const char *template_name(int index);
void template_title(int index, char *title, size_t size);

#endif
