/* X = 5(1-e)/(4e), MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(safaeifar_farshidianfar, 5.0 * (1.0 - e) / (4.0 * e))
