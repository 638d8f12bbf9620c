/* Damps both phases, MODELS.md D12; see pant_wijeyewickrema. */
SCREE_HUNT_CROSSLEY(pant_wijeyewickrema_two_phase, 3.0 * (1.0 - e * e) / (2.0 * e * e))
