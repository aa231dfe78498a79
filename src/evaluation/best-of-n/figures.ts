/**
 * What the filter is worth: the share of problems whose chosen program passes all gold tests, for each number of
 * candidates N and of tests per candidate k. All rows use the same samples: the first N, and their first k tests.
 *
 *   random     expected value of taking any of the N         Σ (right among the first N) / N
 *   first      taking the first candidate: what one sample gives
 *   public     chosen by the tests that are shown with the problem, over the problems that have some
 *   own        chosen by generated tests, each candidate on those written for it, over the problems where some of the
 *              first N have such tests
 *   pooled     chosen by generated tests, every candidate on all of them (the filter itself)
 *   agreement  the same inputs without their answers: the largest group of candidates that answer alike
 *   oracle     chosen by the gold tests: right if any of the first N is
 *   pass@N     the same over all M candidates in expectation: 1 − C(M − c, N) / C(M, N) with c right ones
 *              (Chen et al., arXiv 2107.03374), which varies less than the oracle
 *
 * Intervals are Wilson's over problems, 95 %; for the two expected values they are those of as many yes-or-no
 * outcomes, which is too wide rather than too narrow. A problem of which a gold verdict was lost to infrastructure is
 * in no figure, nor is one whose reference fails its own gold tests.
 */
import { type Share, shareOf } from "../attack/attack-figures.ts";
import { mcnemar } from "../mcnemar.ts";
import { chooseCandidate, type Scoring } from "./choose-candidate.ts";
import { type Budget, type ExaminedProblem, testsWithin } from "./examined-problem.ts";
import { lostAnswer } from "./question-book.ts";

/** A share of nothing is undefined. */
export interface BestOfNRow extends Budget {
  readonly random: Share | undefined;
  readonly first: Share | undefined;
  readonly public: Share | undefined;
  readonly own: Share | undefined;
  readonly pooled: Share | undefined;
  readonly agreement: Share | undefined;
  readonly oracle: Share | undefined;
  readonly passAtN: Share | undefined;
  /** Problems on which the pooled choice and the first candidate differ, and McNemar's exact test of it. */
  readonly pooledAgainstFirst: { readonly better: number; readonly worse: number; readonly p: number };
}

export interface BestOfNFigures {
  /** Problems in the figures. */
  readonly problems: number;
  /** Problems with a lost gold verdict: in no figure. */
  readonly maskedProblems: number;
  /** Problems whose reference fails their gold tests: in no figure. */
  readonly faultyProblems: number;
  /** Pairs of program and question that were lost, and all of them. */
  readonly lostPairs: number;
  readonly pairs: number;
  readonly rows: readonly BestOfNRow[];
}

export function bestOfNFigures(
  examined: readonly ExaminedProblem[],
  grid: { readonly n: readonly number[]; readonly k: readonly number[] },
): BestOfNFigures {
  const sound = examined.filter(({ referenceFault }) => referenceFault === undefined);
  const counted = sound.filter(({ gold, candidates }) => candidates.length > 0 && !gold.includes("lost"));
  const answerRows = counted.flatMap(({ answers }) => answers);
  return {
    problems: counted.length,
    maskedProblems: sound.filter(({ gold }) => gold.includes("lost")).length,
    faultyProblems: examined.length - sound.length,
    lostPairs: answerRows.reduce((sum, row) => sum + row.filter((answer) => answer === lostAnswer).length, 0),
    pairs: answerRows.reduce((sum, row) => sum + row.length, 0),
    rows: grid.n.flatMap((n) => grid.k.map((k) => rowOf(counted, { n, k }))),
  };
}

function rowOf(problems: readonly ExaminedProblem[], budget: Budget): BestOfNRow {
  const rights = problems.map((problem) => rightsOf(problem));
  const chosenRight = (scoring: Scoring) =>
    problems.map((problem, index) => {
      const chosen = chooseCandidate(problem, { ...budget, scoring });
      return chosen === undefined ? undefined : rights[index]![chosen]!;
    });
  const firsts = rights.map((right) => right[0]!);
  const pooled = chosenRight("pooled");
  const better = pooled.filter((right, index) => right === true && !firsts[index]).length;
  const worse = pooled.filter((right, index) => right === false && firsts[index]).length;
  const own = chosenRight("own").filter((_, index) => hasOwnTests(problems[index]!, budget));
  const shown = chosenRight("public").filter((_, index) => problems[index]!.publicTests.length > 0);
  return {
    ...budget,
    random: expected(rights.map((right) => share(right.slice(0, budget.n)))),
    first: known(firsts),
    public: known(shown),
    own: known(own),
    pooled: known(pooled),
    agreement: known(chosenRight("agreement")),
    oracle: known(rights.map((right) => right.slice(0, budget.n).includes(true))),
    passAtN: expected(rights.map((right) => passAt(budget.n, right))),
    pooledAgainstFirst: { better, worse, p: mcnemar({ onlyFirst: better, onlySecond: worse }) },
  };
}

/** Whether any test within the budget was written for one of its candidates. */
export function hasOwnTests(problem: ExaminedProblem, budget: Budget): boolean {
  return testsWithin(problem, budget).some(({ candidate }) => candidate !== null);
}

/** Whether each candidate passes all gold tests. */
export function rightsOf({ candidates, gold }: ExaminedProblem): boolean[] {
  return candidates.map((program) => gold[program] === "right");
}

/** Choices that could not be made for want of any outcome are left out. */
function known(rights: readonly (boolean | undefined)[]): Share | undefined {
  const made = rights.filter((right) => right !== undefined);
  return shareOf(made.filter((right) => right).length, made.length);
}

function expected(rates: readonly number[]): Share | undefined {
  return shareOf(
    rates.reduce((sum, rate) => sum + rate, 0),
    rates.length,
  );
}

function share(rights: readonly boolean[]): number {
  return rights.filter((right) => right).length / rights.length;
}

/** With fewer than N candidates: whether any of them is right. */
function passAt(n: number, rights: readonly boolean[]): number {
  const drawn = Math.min(n, rights.length);
  const wrong = rights.filter((right) => !right).length;
  if (wrong < drawn) return 1;
  let missed = 1;
  for (let each = 0; each < drawn; each += 1) missed *= (wrong - each) / (rights.length - each);
  return 1 - missed;
}
