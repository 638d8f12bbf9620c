/* dem.c: the suites of the particle engine: dem.contact, single contacts and small worlds, in seconds; dem.bulk, many
 * grains. */
#include "dem_oracles.h"

static const Oracle contact[] = {
    {"free fall", "x", 1e-9, scree_dem_free_fall, NULL},
    {"static overlap", "x", 1e-4, scree_dem_static_overlap, NULL},
    {"slide to roll", "x", 2e-4, scree_dem_slide_to_roll, NULL},
    {"rolling resistance", "x", 1e-4, scree_dem_rolling, NULL},
    {"rolling spring", "x", 1e-4, scree_dem_rolling_spring, NULL},
    {"twisting", "x", 1e-4, scree_dem_twisting, NULL},
    {"walls", "x", 1e-5, scree_dem_walls, NULL},
    {"ledger's entries", "x", 1e-4, scree_dem_ledger_terms, NULL},
    {"work", "x", 1e-4, scree_dem_work, NULL},
    {"two grains in space", "x", 1e-3, scree_dem_couple, NULL},
    {"momentum", "x", 1e-12, scree_dem_momentum, NULL},
    {"rebuilds", "x", 0.0, scree_dem_rebuilds, NULL},
    {"periodic images", "x", 1e-9, scree_dem_periodic, NULL},
    {"sizes", "x", 0.0, scree_dem_sizes, NULL},
    {"time step", "x", 1e-12, scree_dem_timestep, NULL},
    {"Chung & Ooi 1", "two spheres meet as Hertz says, in overlap, force and duration", 1e-4, scree_dem_chung_1, NULL},
    {"Chung & Ooi 2", "a sphere meets a rigid wall as Hertz says", 1e-4, scree_dem_chung_2, NULL},
    {"Chung & Ooi 3", "calibrated contacts with a wall deliver the requested restitution", 5e-3, scree_dem_chung_3,
     NULL},
    {"Chung & Ooi 4, sliding", "oblique", 5e-3, scree_dem_chung_4_sliding, NULL},
    {"Chung & Ooi 4, all angles", "oblique", 1.0, scree_dem_chung_4_laboratory, NULL},
    {"Chung & Ooi 4, published", "oblique", 1.0, scree_dem_chung_4_published, NULL},
    {"Chung & Ooi 5", "oblique", 1.0, scree_dem_chung_5, NULL},
    {"Chung & Ooi 6", "oblique", 1.0, scree_dem_chung_6, NULL},
    {"Chung & Ooi 7", "oblique", 1e-12, scree_dem_chung_7, NULL},
    {"Chung & Ooi 8", "oblique", 1.0, scree_dem_chung_8, NULL},
    {"restitution", "x", 1.0, scree_dem_restitution, scree_dem_in_engine},
};

const Suite scree_suite_dem_contact = {
    .name = "dem.contact", .oracles = contact, .count = sizeof contact / sizeof *contact};
