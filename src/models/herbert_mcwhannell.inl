/* X = 6(1-e)/((2e-1)^2 + 3), MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(herbert_mcwhannell, 6.0 * (1.0 - e) / ((2.0 * e - 1.0) * (2.0 * e - 1.0) + 3.0))
