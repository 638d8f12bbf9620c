/* dem.c: the suites of the particle engine: dem.contact, single contacts and small worlds; dem.bulk, many grains;
 * dem.machines, equipment.
 * Limits that are not 1 are explained beside the oracle; where the limit is 1, the oracle divides by a bound it
 * derives. */
#include "dem_oracles.h"

static const Oracle contact[] = {
    {"free fall", "10 m, 1 s: 5.095 m; body forces move light grains faster; energy closes", 1e-9, scree_dem_free_fall,
     NULL},
    {"static overlap", "a ball rests on a fixed sphere (3.2977e-4 m), on a plane and in a groove as Hertz says", 1e-8,
     scree_dem_static_overlap, NULL},
    {"slide to roll", "a sliding ball rolls after 2 v0/(7 mu g) at 5/7 v0, with every tangential law", 2e-4,
     scree_dem_slide_to_roll, NULL},
    {"sticking", "a tangential spring that holds gives back what it stores, F^2/(2 kt)", 1e-4, scree_dem_sticking,
     NULL},
    {"rolling resistance", "each model brakes a rolling ball by its torque and books what it takes", 1e-4,
     scree_dem_rolling, NULL},
    {"rolling spring", "below its limit the rolling spring rings with its period and its damping", 1e-4,
     scree_dem_rolling_spring, NULL},
    {"twisting", "spin about the normal goes down by mu_t R Fn/I", 1e-4, scree_dem_twisting, NULL},
    {"walls", "every shape is where it should be and pushes along its normal: faces, edges, corners, rims", 1e-5,
     scree_dem_walls, NULL},
    {"moving frames", "a ball against walls that move evenly does what it does against walls at rest", 1e-7,
     scree_dem_moving_frame, NULL},
    {"turning walls", "a wall that turns under a ball at rest twists, drags and rolls it as its own spin would", 1e-9,
     scree_dem_turning_wall, NULL},
    {"carried motions", "velocities of a wall with three motions are the rates of its place and its rotation", 1e-6,
     scree_dem_carried_motions, NULL},
    {"moving walls' balance", "force, torque and work of a tumbling box are what its grains gain and lose", 1e-4,
     scree_dem_moving_balance, NULL},
    {"free walls", "a ball and a wall under no load exchange momentum and energy; a load's work is booked", 1e-5,
     scree_dem_free_wall, NULL},
    {"removed walls", "a wall that goes leaves its grain to fall, and what it stored is lost", 1e-3,
     scree_dem_removed_wall, NULL},
    {"meshes", "planes and boxes of triangles are planes and boxes, over seams, edges and corners", 1e-9,
     scree_dem_meshes, NULL},
    {"valleys of meshes", "between facets there is one contact, and its force has an energy", 1e-5,
     scree_dem_mesh_valleys, NULL},
    {"ledger's entries", "dashpots, plastic flow, the clamp and friction are booked as what each of them took", 1e-4,
     scree_dem_ledger_terms, NULL},
    {"ledger's steps", "at the automatic step too, every step's work is booked", 1e-4, scree_dem_ledger_step, NULL},
    {"work", "moving fixed grains do the work that the others gain and lose", 1e-6, scree_dem_work, NULL},
    {"momentum", "momentum and angular momentum of a rubbing cluster stay, to rounding", 1e-12, scree_dem_momentum,
     NULL},
    {"threads", "bits do not depend on the number of threads", 0.0, scree_dem_threads, NULL},
    {"rebuilds", "rebuilding the neighbour list leaves no trace in the bits", 0.0, scree_dem_rebuilds, NULL},
    {"periodic images", "a shifted periodic world is the same world", 1e-9, scree_dem_periodic, NULL},
    {"sizes", "a size ratio of twenty loses no contact", 0.0, scree_dem_sizes, NULL},
    {"coming and going", "a grain that is put in or taken out leaves no trace elsewhere, and its energy is booked", 1.0,
     scree_dem_coming_and_going, NULL},
    {"streams and outlets", "streams keep their rates within half a grain, outlets miss nobody, nothing overlaps", 1.0,
     scree_dem_streams, NULL},
    {"time step", "the automatic step is a tenth of the laboratory's limit; too long ones are refused", 1e-12,
     scree_dem_timestep, NULL},
    {"Chung & Ooi 1", "two spheres meet as Hertz says, in overlap, force and duration", 1e-4, scree_dem_chung_1, NULL},
    {"Chung & Ooi 2", "a sphere meets a rigid wall as Hertz says", 1e-4, scree_dem_chung_2, NULL},
    {"Chung & Ooi 3", "calibrated contacts with a wall deliver the requested restitution", 1e-3, scree_dem_chung_3,
     NULL},
    {"Chung & Ooi 4, sliding", "oblique impacts beyond 32.5 degrees follow the closed form within half a per cent",
     5e-3, scree_dem_chung_4_sliding, NULL},
    {"Chung & Ooi 4, all angles", "oblique impacts converge to the laboratory's, within the arm's shortening", 1.0,
     scree_dem_chung_4_laboratory, NULL},
    {"Chung & Ooi 4, published",
     "10 to 30 degrees within 5 % of the published curve; at 5 degrees the law's own integration, while the published "
     "codes' law, F = -kt(d) x, gives their value",
     1.0, scree_dem_chung_4_published, NULL},
    {"Chung & Ooi 5", "small elastic spheres: spin and recoil of sliding impacts, the laboratory's of others", 1.0,
     scree_dem_chung_5, NULL},
    {"Chung & Ooi 6", "spinning spheres: beta = x - 1 while sliding, the laboratory's beyond", 1.0, scree_dem_chung_6,
     NULL},
    {"Chung & Ooi 6, published",
     "the published peak of beta is that of codes with a tangential dashpot, which mindlin has not", 1.0,
     scree_dem_chung_6_published, NULL},
    {"Chung & Ooi 7", "surfaces that move together feel no friction", 1e-12, scree_dem_chung_7, NULL},
    {"Chung & Ooi 8", "a large heavy sphere is as good as a wall", 1.0, scree_dem_chung_8, NULL},
    {"two grains in space", "spinning pairs with friction, rolling and twisting follow their differential equations",
     1e-3, scree_dem_couple, NULL},
    {"restitution", "each law rebounds as in the laboratory, and converges at the order its force allows", 1.0,
     scree_dem_restitution, scree_dem_in_engine},
    {"unlike grains", "grains of unlike size and material rebound as in the laboratory, whoever is named first", 1.0,
     scree_dem_unlike, scree_dem_in_engine},
};

static const Oracle bulk[] = {
    {"elastic gas", "1,000 grains over 100,000 steps keep their energy and momentum", 1e-6, scree_dem_elastic_gas,
     NULL},
    {"Haff's law", "a cooling gas follows kinetic theory, within three standard deviations", 1.0, scree_dem_haff, NULL},
    {"ledger of a bed", "energy closes in a bed that settles with friction and rolling", 1e-3, scree_dem_ledger_bed,
     NULL},
    {"ledger of a chute", "energy closes in a flow over a rough base", 1e-3, scree_dem_ledger_chute, NULL},
    {"ledger of a shear cell", "energy closes between plates that do work", 1e-3, scree_dem_ledger_shear, NULL},
    {"Janssen's silo", "the load on the bottom saturates with the filling, by Janssen's formula", 1.0,
     scree_dem_janssen, NULL},
    {"angle of repose", "heaps grow steeper with friction and with rolling resistance", 1.0, scree_dem_repose, NULL},
};

static const Oracle machines[] = {
    {"drum", "a drum's power is its weight's lever times its speed, and becomes heat; friction steepens the filling",
     1.0, scree_dem_drum, NULL},
    {"Beverloo's law", "a bin discharges through three orifices by Beverloo's constant and exponent", 1.0,
     scree_dem_beverloo, NULL},
};

const Suite scree_suite_dem_contact = {
    .name = "dem.contact", .oracles = contact, .count = sizeof contact / sizeof *contact};
const Suite scree_suite_dem_bulk = {.name = "dem.bulk", .oracles = bulk, .count = sizeof bulk / sizeof *bulk};
const Suite scree_suite_machines = {
    .name = "dem.machines", .oracles = machines, .count = sizeof machines / sizeof *machines, .apart = true};
