/* X = 3(1-e^2)/4, MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(lankarani_nikravesh, 0.75 * (1.0 - e * e))
