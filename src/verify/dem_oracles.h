/* dem_oracles.h: the oracles of the suites dem.contact and dem.bulk, which dem.c lists. */
#ifndef SCREE_VERIFY_DEM_ORACLES_H
#define SCREE_VERIFY_DEM_ORACLES_H

#include "oracle.h"

typedef void ScreeDemOracle(ScreeCheck *check, const ScreeLawInfo *info);

/* dem_chung.c */
ScreeDemOracle scree_dem_chung_1, scree_dem_chung_2, scree_dem_chung_3, scree_dem_chung_4_sliding,
    scree_dem_chung_4_laboratory, scree_dem_chung_4_published, scree_dem_chung_5, scree_dem_chung_6,
    scree_dem_chung_6_published, scree_dem_chung_7, scree_dem_chung_8;

/* dem_single.c, dem_walls.c */
ScreeDemOracle scree_dem_free_fall, scree_dem_static_overlap, scree_dem_slide_to_roll, scree_dem_sticking,
    scree_dem_rolling, scree_dem_rolling_spring, scree_dem_twisting, scree_dem_walls;

/* dem_resistance.c */
ScreeDemOracle scree_dem_resistance, scree_dem_rolling_laws, scree_dem_rests, scree_dem_pressed_start;

/* dem_bodies.c */
ScreeDemOracle scree_dem_bodies, scree_dem_sums, scree_dem_valley_moments;

/* dem_moving.c */
ScreeDemOracle scree_dem_moving_frame, scree_dem_turning_wall, scree_dem_carried_motions, scree_dem_moving_balance,
    scree_dem_free_wall, scree_dem_removed_wall;

/* dem_mesh.c */
ScreeDemOracle scree_dem_meshes, scree_dem_mesh_valleys;

/* dem_laws.c */
ScreeDemOracle scree_dem_restitution, scree_dem_unlike;
bool scree_dem_in_engine(const ScreeLawInfo *info);

/* dem_small.c */
ScreeDemOracle scree_dem_ledger_terms, scree_dem_ledger_step, scree_dem_work, scree_dem_company, scree_dem_couple,
    scree_dem_momentum, scree_dem_momentum, scree_dem_rebuilds, scree_dem_fast, scree_dem_threads, scree_dem_periodic,
    scree_dem_sizes, scree_dem_timestep;

/* dem_flow.c */
ScreeDemOracle scree_dem_coming_and_going, scree_dem_streams;

/* dem_opening.c */
ScreeDemOracle scree_dem_openings;

/* dem_bulk.c */
ScreeDemOracle scree_dem_elastic_gas, scree_dem_haff, scree_dem_ledger_bed, scree_dem_ledger_chute,
    scree_dem_ledger_shear, scree_dem_janssen, scree_dem_repose;

/* dem_machines.c */
ScreeDemOracle scree_dem_drum, scree_dem_beverloo;

#endif
