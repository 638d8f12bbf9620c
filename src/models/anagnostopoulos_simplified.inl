/* The factor of ye_linear, MODELS.md 3.2 and D4. */
SCREE_HUNT_CROSSLEY(anagnostopoulos_simplified, 3.0 * (1.0 - e) / (2.0 * e))
