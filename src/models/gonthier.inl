/* X = (1-e^2)/e, MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(gonthier, (1.0 - e * e) / e)
