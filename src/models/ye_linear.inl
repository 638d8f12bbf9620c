/* X = 3(1-e)/(2e) over a linear spring, MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(ye_linear, 3.0 * (1.0 - e) / (2.0 * e))
