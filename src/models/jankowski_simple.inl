/* MODELS.md 4.3. */
SCREE_JANKOWSKI(jankowski_simple, sqrt(5.0) / (2.0 * acos(-1.0)) * (1.0 - e * e) / e)
