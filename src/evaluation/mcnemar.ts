/**
 * Do two models differ on the same items? McNemar's exact test looks only at the items on which they disagree: if
 * neither is better, each such item falls to either side with probability ½. With b items that only the first has
 * right, c that only the second has right, n = b + c and X binomial (n, ½):
 *
 *   exact   p = min(1, 2 · P(X ≤ min(b, c)))
 *   mid-p   p = 2 · P(X ≤ min(b, c)) − P(X = min(b, c)),  and 1 − ½ · P(X = b) where b = c
 *
 * The exact test never rejects too often and therefore too seldom; the mid-p variant is closer to the level it
 * promises (Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91, 2013). Without any disagreement
 * both are 1.
 */
export interface Disagreements {
  readonly onlyFirst: number;
  readonly onlySecond: number;
}

export function mcnemar(
  { onlyFirst, onlySecond }: Disagreements,
  variant: "exact" | "mid-p" = "exact",
): number {
  const disagreements = onlyFirst + onlySecond;
  if (disagreements === 0) return 1;
  const fewer = Math.min(onlyFirst, onlySecond);
  const { atMost, exactly } = halfBinomial(disagreements, fewer);
  if (variant === "exact") return Math.min(1, 2 * atMost);
  return onlyFirst === onlySecond ? 1 - exactly / 2 : 2 * atMost - exactly;
}

/** P(X ≤ successes) and P(X = successes) for X binomial (trials, ½), in logarithms because 2⁻ⁿ underflows. */
function halfBinomial(trials: number, successes: number): { atMost: number; exactly: number } {
  let logarithm = -trials * Math.LN2;
  let atMost = Math.exp(logarithm);
  for (let each = 1; each <= successes; each += 1) {
    logarithm += Math.log((trials - each + 1) / each);
    atMost += Math.exp(logarithm);
  }
  return { atMost, exactly: Math.exp(logarithm) };
}
