/**
 * Draws a token from weights with one uniform number. Tokens are visited in the order of their ids (or, with topP,
 * from the heaviest down, ties by id), so a draw depends on the weights and the number alone.
 */

/** `weights` need not sum to 1. */
export function chooseToken(weights: Float32Array, topP: number, uniform: number): number {
  let total = 0;
  for (let id = 0; id < weights.length; id++) total += weights[id]!;
  if (topP < 1) return chooseFromHeaviest(weights, { total, topP, uniform });
  let left = uniform * total;
  for (let id = 0; id < weights.length; id++) {
    left -= weights[id]!;
    if (left < 0) return id;
  }
  // Rounding may leave a crumb behind the last token.
  return heaviest(weights);
}

function chooseFromHeaviest(
  weights: Float32Array,
  { total, topP, uniform }: { total: number; topP: number; uniform: number },
): number {
  const ids = Array.from(weights.keys()).sort((a, b) => weights[b]! - weights[a]! || a - b);
  let kept = 0;
  let count = 0;
  while (count < ids.length && kept < topP * total) kept += weights[ids[count++]!]!;
  let left = uniform * kept;
  for (let i = 0; i < count; i++) {
    left -= weights[ids[i]!]!;
    if (left < 0) return ids[i]!;
  }
  return ids[0]!;
}

/** The smallest id among the heaviest. */
export function heaviest(weights: Float32Array): number {
  let best = 0;
  for (let id = 1; id < weights.length; id++) if (weights[id]! > weights[best]!) best = id;
  return best;
}
