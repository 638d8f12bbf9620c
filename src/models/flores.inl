/* X = 8(1-e)/(5e), MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(flores, 8.0 * (1.0 - e) / (5.0 * e))
