/**
 * Which problems of a file a run can use, found out before the first step and written down in the run folder. Left
 * out, counted and named are:
 *
 *   - a problem whose reference does not load or fails the problem's own tests: its answers would be no measure;
 *   - a problem without tests where tests are what counts (held-out problems, the Golden-Tests baseline);
 *   - a pair whose program is not known to be wrong (usable-pairs.ts);
 *   - a problem whose prompt leaves the model no room for an answer (the official code drops those, too).
 *
 * A continued run uses the problems it started with; a file that was changed since is refused.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import type { FrozenPolicy } from "../engine/engine.ts";
import { SparringError } from "../errors.ts";
import { hasRoom, promptTokens } from "../evaluation/engine-prompt.ts";
import { judgeProgram } from "../judge/judge.ts";
import { limitsFor } from "../judge/judge-problem.ts";
import { validateReference } from "../judge/validate-references.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { encodeCase } from "../problems/case-codec.ts";
import { otherReferences } from "../problems/other-references.ts";
import type { Problem } from "../problems/problem.ts";
import type { RolePrompt } from "../prompts/dialect.ts";
import { readRecord } from "../runs/read-record.ts";
import { writeWhole } from "../runs/write-whole.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { TrainingConfig } from "./config.ts";
import { usesGeneratedSuites } from "./open-players.ts";
import type { ProblemSet } from "./problem-set.ts";
import { type CheckProgress, StartChecks } from "./start-checks.ts";
import type { Players } from "./train-step.ts";
import { unusablePairs } from "./usable-pairs.ts";

export interface LeftOut {
  readonly kind: "problem" | "pair";
  readonly id: string;
  readonly from: "training" | "held-out";
  readonly reason: string;
}

export interface UsableProblems {
  readonly problemSet: ProblemSet;
  readonly leftOut: readonly LeftOut[];
}

interface Check {
  readonly config: TrainingConfig;
  readonly players: Pick<Players, "code" | "test">;
  readonly sandbox: Sandbox;
  readonly limits: Limits;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Seconds. */
  readonly clock: () => number;
  readonly onProgress: (progress: CheckProgress) => void;
}

export const problemsFile = "problems.json";
const damagedHint = "Remove it: the problems are then looked through again.";

export async function usableProblems(problemSet: ProblemSet, check: Check): Promise<UsableProblems> {
  // The arena's references are right by construction, and its prompts are made for its models.
  if (check.config.problems.source === "arena") return { problemSet, leftOut: [] };
  const file = path.join(check.folder, problemsFile);
  const fingerprint = fingerprintOf(problemSet);
  const known = readRecord<{ fingerprint: string; leftOut: LeftOut[] }>(file, damagedHint);
  if (known && known.fingerprint !== fingerprint) throw changedError(check.config);
  const leftOut = known?.leftOut ?? (await findUnusable(problemSet, check));
  const remaining = without(problemSet, leftOut);
  if (remaining.training.length === 0) throw noneError(check.config, problemSet, leftOut);
  if (!known) writeWhole(file, `${JSON.stringify({ fingerprint, leftOut }, null, 1)}\n`);
  return { problemSet: remaining, leftOut };
}

async function findUnusable(problemSet: ProblemSet, check: Check): Promise<LeftOut[]> {
  const { problemSet: fitting, leftOut: long } = leaveOutLongPrompts(problemSet, check);
  const fits = ({ problem, buggy }: AttackPair) =>
    hasRoom(check.players.test, fitting.dialect.attackPrompt(problem, buggy));
  const checks = new StartChecks(check);
  try {
    const bad = await badReferences(fitting, { ...check, checks });
    const { sandbox, limits, signal } = check;
    const pairs = await unusablePairs(without(fitting, bad), { sandbox, limits, signal, checks, fits });
    return [...long, ...bad, ...pairs];
  } finally {
    checks.close();
  }
}

/** What `usableProblems` does first; it needs nothing but the models. */
export function leaveOutLongPrompts(
  problemSet: ProblemSet,
  { config, players }: Pick<Check, "config" | "players">,
): UsableProblems {
  if (config.problems.source === "arena") return { problemSet, leftOut: [] };
  const leftOut = promptsWithoutRoom(problemSet, { config, players });
  const remaining = without(problemSet, leftOut);
  if (remaining.training.length === 0) throw noneError(config, problemSet, leftOut);
  return { problemSet: remaining, leftOut };
}

function without(problemSet: ProblemSet, leftOut: readonly LeftOut[]): ProblemSet {
  const isOut = (kind: LeftOut["kind"], from: LeftOut["from"]) =>
    new Set(leftOut.flatMap((entry) => (entry.kind === kind && entry.from === from ? [entry.id] : [])));
  const sift = (from: LeftOut["from"]) => {
    const [problems, pairs] = [isOut("problem", from), isOut("pair", from)];
    return {
      keep: ({ id }: Problem) => !problems.has(id),
      keepPair: ({ id, problem }: AttackPair) => !pairs.has(id) && !problems.has(problem.id),
    };
  };
  const [trained, measured] = [sift("training"), sift("held-out")];
  const { pairs } = problemSet;
  const training = pairs.training.filter(trained.keepPair);
  return {
    ...problemSet,
    // Without a single pair there is nothing to train on, however good the problems are.
    training:
      pairs.training.length > 0 && training.length === 0 ? [] : problemSet.training.filter(trained.keep),
    heldOut: problemSet.heldOut.filter(measured.keep),
    pairs: { training, heldOut: pairs.heldOut.filter(measured.keepPair) },
  };
}

function everyProblem({ training, heldOut }: ProblemSet): { problem: Problem; from: LeftOut["from"] }[] {
  return [
    ...training.map((problem) => ({ problem, from: "training" as const })),
    ...heldOut.map((problem) => ({ problem, from: "held-out" as const })),
  ];
}

/** With the reference in place of a candidate: one of the usual length, whatever the models will write. */
function promptsWithoutRoom(
  problemSet: ProblemSet,
  { config, players }: Pick<Check, "config" | "players">,
): LeftOut[] {
  const { dialect } = problemSet;
  const tests = config.method.testsPerSuite;
  const room = (policy: FrozenPolicy, role: string, prompt: RolePrompt): string | undefined => {
    if (hasRoom(policy, prompt)) return undefined;
    const { contextLength } = policy.describe();
    return `its prompt for the ${role} model has ${promptTokens(policy, prompt)} tokens, which leaves no room in a context of ${contextLength}`;
  };
  const testerPrompt = (problem: Problem): RolePrompt | undefined => {
    if (config.method.kind === "atgen" || usesGeneratedSuites(config))
      return dialect.attackPrompt(problem, problem.reference);
    if (config.method.kind === "golden") return undefined;
    return dialect.testPrompt(problem, { candidate: problem.reference, tests });
  };
  return everyProblem(problemSet).flatMap(({ problem, from }) => {
    const shown = testerPrompt(problem);
    const reason =
      room(players.code, "code", dialect.codePrompt(problem)) ?? (shown && room(players.test, "test", shown));
    return reason === undefined ? [] : [{ kind: "problem", id: problem.id, from, reason }];
  });
}

async function badReferences(
  problemSet: ProblemSet,
  check: Check & { readonly checks: StartChecks },
): Promise<LeftOut[]> {
  const { kind, testSource } = check.config.method;
  const entries = everyProblem(problemSet);
  const faults = await check.checks.each("reference", entries, async ({ problem, from }) => {
    const hasTests = problem.goldTests.length > 0 || problem.check !== undefined;
    const needsTests = from === "held-out" || (kind === "golden" && testSource === "gold");
    if (!hasTests && needsTests) return "it has no test to measure by";
    return check.checks.once({ what: "reference", problem, source: problem.reference }, () =>
      hasTests ? referenceFault(problem, check) : loadFault(problem, check),
    );
  });
  return entries.flatMap(({ problem, from }, index) => {
    const reason = faults[index];
    return reason === undefined ? [] : [{ kind: "problem", id: problem.id, from, reason }];
  });
}

type Running = Pick<Check, "sandbox" | "limits" | "signal">;

async function loadFault(
  problem: Problem,
  { sandbox, limits, signal }: Running,
): Promise<string | undefined> {
  const { loads } = await judgeProgram({
    sandbox,
    source: problem.reference,
    problem,
    cases: [],
    limits: limitsFor(problem, limits),
    signal,
  });
  return loads ? undefined : "the reference does not load";
}

async function referenceFault(
  problem: Problem,
  { sandbox, limits, signal }: Running,
): Promise<string | undefined> {
  const finding = await validateReference({ sandbox, problem, limits, signal });
  if (finding.kind === "fails") return `${finding.field}: ${finding.reason}`;
  if (finding.kind === "passes") return undefined;
  throw new SparringError({
    code: "sandbox-lost",
    message: `the reference of '${problem.id}' could not be run: ${finding.message}`,
    hint: "This is a failure of the machine or the sandbox, not of the problem; `spar doctor` looks into it. What was found before is kept: run the same command again.",
  });
}

/** What the run depends on; the order of the problems is part of it. */
function fingerprintOf(problemSet: ProblemSet): string {
  const hash = createHash("sha256");
  for (const { problem, from } of everyProblem(problemSet)) {
    const { id, question, style, entryPoint, reference, goldTests, check, comparison, limits } = problem;
    const tests = goldTests.map(encodeCase);
    const others = otherReferences(problem);
    hash.update(
      JSON.stringify([from, id, question, style, entryPoint, reference, tests, check, comparison, limits]),
    );
    if (others.length > 0) hash.update(JSON.stringify(others));
  }
  const { training, heldOut } = problemSet.pairs;
  for (const { id, buggy } of [...training, ...heldOut]) hash.update(JSON.stringify([id, buggy]));
  return hash.digest("hex");
}

function changedError({ problems }: TrainingConfig): SparringError {
  const files = [problems.path, problems.heldOutPath].filter((name) => name !== undefined).join(" or ");
  return new SparringError({
    code: "config-changed",
    message: `the problems are not those that this run was started with: ${files} has changed`,
    hint: "Restore the file, or start a new run with another --name.",
  });
}

function noneError(
  { problems }: TrainingConfig,
  problemSet: ProblemSet,
  leftOut: readonly LeftOut[],
): SparringError {
  const [first] = leftOut.filter(({ from }) => from === "training");
  const count = problemSet.training.length;
  return new SparringError({
    code: "problem-invalid",
    message: `${problems.path}: ${count === 1 ? "its only problem cannot" : `none of its ${count} problems can`} be used${first ? `; '${first.id}': ${first.reason}` : ""}`,
    hint: first?.reason.includes("no room in a context")
      ? "Use a model with a longer context, or shorter questions."
      : `\`spar data validate ${problems.path}\` says what is wrong with each.`,
  });
}
