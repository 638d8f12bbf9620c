/* law.h: a row of the catalogue, as JSON and in words. */
#ifndef SCREE_CLI_LAW_H
#define SCREE_CLI_LAW_H

#include "cli.h"

#include <jansson.h>

json_t *law_json(const ScreeLawInfo *info);

/* "0 <= e <= 1", "0 < e <= 1" or "none" */
const char *domain_text(ScreeDomain domain);
/* "1.5", or "-" where the law is no power law */
const char *exponent_text(const ScreeLawInfo *info);
/* "constant", "depends on v0" or "-" */
const char *restitution_text(const ScreeLawInfo *info);

/* Does the requested restitution enter the law itself? */
bool takes_restitution(const ScreeLawInfo *info);

#endif
