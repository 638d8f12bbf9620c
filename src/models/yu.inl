/* X = d(e)/e with a piecewise cubic d, MODELS.md 3.2. */
SCREE_HOST(
  static double yu_fit(double e) {
    if (e <= 0.25) return 1.0;
    if (e <= 0.40) return ((2.1663 * e - 3.7216) * e + 0.8724) * e + 0.9409;
    if (e <= 0.60) return ((1.1664 * e - 2.4893) * e + 0.3625) * e + 1.0117;
    if (e <= 0.80) return ((0.5048 * e - 1.3255) * e - 0.3236) * e + 1.1472;
    return ((0.2256 * e - 0.6663) * e - 0.8437) * e + 1.2844;
  })
SCREE_HUNT_CROSSLEY(yu, yu_fit(e) / e)
