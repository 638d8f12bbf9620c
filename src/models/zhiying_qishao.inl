/* X = 3/4 (1-e^2) exp(2(1-e)), MODELS.md 3.2. */
SCREE_HUNT_CROSSLEY(zhiying_qishao, 0.75 * (1.0 - e * e) * exp(2.0 * (1.0 - e)))
