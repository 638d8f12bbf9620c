/* scree.h: the whole public interface. */
#ifndef SCREE_H
#define SCREE_H

#include "base.h"
#include "exact.h"
#include "impact.h"
#include "models.h"
#include "rim.h"
#include "world.h"

#endif
