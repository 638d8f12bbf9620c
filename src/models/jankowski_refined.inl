/* MODELS.md 4.3. */
SCREE_JANKOWSKI(jankowski_refined, 4.5 * sqrt(5.0) * (1.0 - e * e) / (e * (e * (9.0 * acos(-1.0) - 16.0) + 16.0)))
