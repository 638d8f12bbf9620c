#!/bin/sh
# What the engine's promises cost: the energy ledger, sums that do not depend on an order, and roundings that are the
# same on every machine (no fused multiply-add). Builds the library without each of them, and runs a settled bed with
# each build in turn: the best of some rounds, on one core, by CPU time.
#   bench/price.sh [ROUNDS [FILE]]      FILE: results as JSON
set -e
cd "$(dirname "$0")/.."
rounds=${1:-5}
file=${2:-}
promises="none ledger order rounding"
for promise in $promises; do
  without=$promise
  [ "$promise" = none ] && without=
  cmake -S . -B "build/price-$promise" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSCREE_TESTS=OFF -DSCREE_WITHOUT="$without" >/dev/null
  cmake --build "build/price-$promise" --target scree >/dev/null
done
results=$(mktemp)
trap 'rm -f "$results"' EXIT
for round in $(seq "$rounds"); do
  for promise in $promises; do
    printf '%s ' "$promise" >>"$results"
    "build/price-$promise/scree" bench dem --smallest 32e3 --largest 32e3 --seconds 1.5 --json |
      sed -n 's/.*"particle_steps_per_second": *\([0-9.e+]*\).*/\1/p' >>"$results"
  done
done
awk -v rounds="$rounds" -v file="$file" '
  $2 > best[$1] { best[$1] = $2 }
  END {
    names["ledger"] = "energy ledger"; names["order"] = "sums of no order"; names["rounding"] = "no fused multiply-add"
    split("ledger order rounding", all, " ")
    printf "with all promises       %6.2f million particle-steps per second (bed of 34,000, one core)\n", best["none"] / 1e6
    for (k = 1; k <= 3; k++) {
      price = 100 * (1 - best["none"] / best[all[k]])
      printf "without %-22s %6.2f   price %5.1f %% (limit 10 %%)\n", names[all[k]], best[all[k]] / 1e6, price
      json = json sprintf("%s\n  {\"promise\": \"%s\", \"without\": %.4g, \"price_percent\": %.3g}", k > 1 ? "," : "", names[all[k]], best[all[k]], price)
    }
    if (file != "") printf "{\"rounds\": %d, \"with_all\": %.4g, \"prices\": [%s\n]}\n", rounds, best["none"], json >file
  }' "$results"
