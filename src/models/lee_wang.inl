/* X = 3(1-e)/4, MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(lee_wang, 0.75 * (1.0 - e))
