/* The ratio that gives e exactly, MODELS.md 4.3. */
SCREE_JANKOWSKI(jankowski_exact, 0.5 * sqrt(5.0) * scree_ratio_for_jankowski(e))
