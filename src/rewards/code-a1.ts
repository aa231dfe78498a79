/**
 * The rewards of Code-A1 (arXiv 2603.15611; the official code decides where paper text is not available).
 *
 * For one candidate and one suite, with K tests asked for, V kept tests (they run and are no duplicates), I invalid
 * ones (V and I overlap: a test with a wrong answer is invalid, and is kept with the reference's answer), p passed of
 * the kept, F failed among the first K kept, and h replayed tests of the Mistake Book, q of them passed:
 *
 *   new pass rate     P_new  = p / V                    new fail rate     Q_new  = F / K
 *   history           P_hist = q / h                    Q_hist = 1 − q / h
 *
 *   code, per suite   r = (P_hist + P_new) / 2          P_hist alone if V = 0, P_new alone if h = 0
 *   code              R_C = mean of r over the suites
 *   validity          R_val = clip(min(V / K, 1 − I / K), 0, 1)
 *   adversarial       R_adv = (Q_new − Q_hist + 1) / 2  Q_new if h = 0, and 0 if V = 0
 *   test              R_T = α·R_val + (1 − α)·R_adv, or 0 if the candidate does not load;
 *                     then minus the share of unprintable characters in the reply
 *
 * Deviations, each a switch in `CodeA1Rules`: a suite without a usable test is the tester's fault and is left out of
 * R_C (officially it counts as 0 there); `zeroFailureAdversarial: "zero"` gives what the paper's figure prints where
 * no new test fails; `wrongAnswerTests: "drop"` drops tests with a wrong answer as the figure draws it;
 * `attackSignal: "kill"` (not in the paper) makes Q_new 1 where any right test of the suite fails, and 0 otherwise;
 * `"field"` (not in the paper) makes it the share of the question's opponents that the suite's right tests kill.
 */

export interface CodeA1Rules {
  /** Weight of validity in the test reward, α. */
  readonly alpha: number;
  /** Tests asked for in a suite, K. */
  readonly testsPerSuite: number;
  readonly wrongAnswerTests: "correct" | "drop";
  readonly zeroFailureAdversarial: "baseline" | "zero";
  readonly emptySuites: "leave-out" | "zero";
  /**
   * What Q_new is: the share of failing tests (the paper), whether any test with a right answer fails, or the share
   * of the question's opponents that such tests kill.
   */
  readonly attackSignal: "share" | "kill" | "field";
}

export const codeA1Rules: CodeA1Rules = {
  alpha: 0.5,
  testsPerSuite: 8,
  wrongAnswerTests: "correct",
  zeroFailureAdversarial: "baseline",
  emptySuites: "leave-out",
  attackSignal: "share",
};

/** Replayed tests of the Mistake Book: how many, and how many the candidate passed. */
export interface History {
  readonly total: number;
  readonly passed: number;
}

/** One test of a suite, after validation against the reference and its run on the candidate. */
export type JudgedTest =
  /** Not a test, one that the reference cannot answer, or a repetition. */
  | { readonly kind: "invalid" }
  | { readonly kind: "kept"; readonly answer: "right" | "wrong"; readonly result: "passed" | "failed" };

export interface SuiteTally {
  readonly valid: number;
  readonly invalid: number;
  readonly passed: number;
  readonly failedAmongFirst: number;
  /** Of those, the ones whose answer was right. */
  readonly killsAmongFirst: number;
}

export function tallySuite(tests: readonly JudgedTest[], rules: CodeA1Rules): SuiteTally {
  const tally = { valid: 0, invalid: 0, passed: 0, failedAmongFirst: 0, killsAmongFirst: 0 };
  for (const test of tests) {
    const wrong = test.kind === "kept" && test.answer === "wrong";
    if (test.kind === "invalid" || wrong) tally.invalid += 1;
    if (test.kind === "invalid" || (wrong && rules.wrongAnswerTests === "drop")) continue;
    if (test.result === "passed") tally.passed += 1;
    else if (tally.valid < rules.testsPerSuite) {
      tally.failedAmongFirst += 1;
      if (!wrong) tally.killsAmongFirst += 1;
    }
    tally.valid += 1;
  }
  return tally;
}

/** R_C of one candidate over its suites; undefined where there is nothing to judge it by. */
export function codeReward(
  tallies: readonly SuiteTally[],
  history: History,
  rules: CodeA1Rules,
): number | undefined {
  const historyRate = history.total > 0 ? history.passed / history.total : undefined;
  const rewards: number[] = [];
  for (const tally of tallies) {
    const newRate = tally.valid > 0 ? tally.passed / tally.valid : undefined;
    if (newRate !== undefined)
      rewards.push(historyRate === undefined ? newRate : (historyRate + newRate) / 2);
    else if (rules.emptySuites === "zero") rewards.push(historyRate ?? 0);
  }
  return rewards.length > 0 ? mean(rewards) : historyRate;
}

export interface TestReward {
  readonly reward: number;
  readonly validity: number;
  readonly adversarial: number;
}

/** R_T of one suite and its parts. */
export function testReward(options: {
  tally: SuiteTally;
  history: History;
  /** Opponents that the suite's right tests kill, of how many. */
  field?: { readonly killed: number; readonly of: number };
  candidateLoads: boolean;
  reply: string;
  rules: CodeA1Rules;
}): TestReward {
  const { tally, rules } = options;
  const validity = clip(Math.min(tally.valid / rules.testsPerSuite, 1 - tally.invalid / rules.testsPerSuite));
  const adversarial = adversarialReward(options);
  const composite = options.candidateLoads ? rules.alpha * validity + (1 - rules.alpha) * adversarial : 0;
  return { reward: composite - unprintableShare(options.reply), validity, adversarial };
}

type Attacked = Pick<Parameters<typeof testReward>[0], "tally" | "history" | "field" | "rules">;

function adversarialReward(attacked: Attacked): number {
  const { tally, history, rules } = attacked;
  if (tally.valid === 0) return 0;
  const newFailRate = attackOf(attacked);
  if (history.total === 0) return newFailRate;
  if (newFailRate === 0 && rules.zeroFailureAdversarial === "zero") return 0;
  const historyFailRate = 1 - history.passed / history.total;
  return (newFailRate - historyFailRate + 1) / 2;
}

/** Q_new. */
function attackOf({ tally, field, rules }: Attacked): number {
  switch (rules.attackSignal) {
    case "share":
      return tally.failedAmongFirst / rules.testsPerSuite;
    case "kill":
      return Math.min(1, tally.killsAmongFirst);
    case "field":
      return field && field.of > 0 ? field.killed / field.of : Math.min(1, tally.killsAmongFirst);
  }
}

/** The Golden-Tests baseline: the pass rate on the data set's own tests. */
export function goldenReward(options: { loads: boolean; passed: number; total: number }): number {
  return options.loads && options.total > 0 ? options.passed / options.total : 0;
}

/** Characters outside Python's string.printable, as a share of the text. */
export function unprintableShare(text: string): number {
  if (text === "") return 0;
  let unprintable = 0;
  let length = 0;
  for (const character of text) {
    length += 1;
    const code = character.codePointAt(0)!;
    const printable = (code >= 32 && code < 127) || (code >= 9 && code <= 13);
    if (!printable) unprintable += 1;
  }
  return unprintable / length;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function clip(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}
