/* X = 1/e, MODELS.md 3.2: meant for small e. */
SCREE_HUNT_CROSSLEY(gharib_hurmuzlu, 1.0 / e)
