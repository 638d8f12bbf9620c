/* X = 3(1-e)/(2e), MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(hu_guo, 3.0 * (1.0 - e) / (2.0 * e))
