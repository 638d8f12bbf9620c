/* X the exact inverse, MODELS.md 3.1. */
SCREE_HUNT_CROSSLEY(zhang_sharf, scree_exact_factor(e))
