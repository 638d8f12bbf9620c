/* X = 249(1-e)/(6 + 160e), MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(zhang_2020, 249.0 * (1.0 - e) / (6.0 + 160.0 * e))
