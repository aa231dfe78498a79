/**
 * A real training process is killed with SIGKILL again and again and resumed; it must end with the same metrics,
 * weights and Mistake Book as one that was left alone.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";

interface Experiment {
  readonly recipe: string;
  readonly settings: readonly string[];
  /** Journals of the run that must be the same in the end. */
  readonly journals: readonly string[];
  /** Kinds of weights in the last checkpoint. */
  readonly policies: number;
}

const short = [
  "steps=4",
  "problemsPerStep=4",
  "checkpointEvery=1",
  "problems.limit=8",
  "evaluation.problems=6",
  "evaluation.every=2",
  "learning.miniBatchProblems=2",
  "learning.warmUpSteps=0",
];
const small = [...short, "method.candidates=4", "method.suites=2"];

const experiments: Record<string, Experiment> = {
  "Code-A1": { recipe: "demo", settings: small, journals: ["book/journal-0.jsonl"], policies: 2 },
  // Every kind of opponent, so that the bank of past programs has a part in what is learnt.
  league: {
    recipe: "demo",
    settings: [
      ...small,
      "problems.limit=4",
      "method.attackSignal=kill",
      "method.opponents={mutants: 1, start: 1, past: 2, adversaries: 1}",
      "method.trainedCandidates=3",
    ],
    journals: ["book/journal-0.jsonl", "adversary/past.jsonl"],
    policies: 2,
  },
  // Few pairs, so that replaced programs are met again within the run.
  ATGEN: {
    recipe: "demo-atgen",
    settings: [
      ...short,
      "problems.limit=4",
      "atgen.pairsPerProblem=1",
      "atgen.mode=unconditional",
      "atgen.startStep=1",
      "atgen.maxTries=10",
      "atgen.replayProbability=0.5",
    ],
    journals: ["adversary/pool.jsonl"],
    policies: 1,
  },
  "generated suites": {
    recipe: "code-rl-with-tests",
    settings: [...short, "method.candidates=4"],
    journals: ["suites/journal.jsonl"],
    policies: 1,
  },
};

let runs: string;
beforeAll(() => {
  runs = mkdtempSync(path.join(tmpdir(), "sparring-resume-"));
});
afterAll(() => rmSync(runs, { recursive: true, force: true }));

/** Runs until its end, or until the moment after `delay` milliseconds from the line that matches: then kills it. */
function spar(
  { recipe, settings }: Experiment,
  name: string,
  kill?: { line: RegExp; delay: number },
): Promise<number | "killed"> {
  const main = path.join(packageRoot, "dist", "cli", "main.js");
  const resume = existsSync(path.join(runs, name)) ? ["--resume"] : [];
  const sets = settings.flatMap((setting) => ["--set", setting]);
  const child = spawn(process.execPath, [
    main,
    "train",
    recipe,
    "--runs",
    runs,
    "--name",
    name,
    ...resume,
    ...sets,
  ]);
  let output = "";
  child.stderr.on("data", (piece: Buffer) => {
    output += piece.toString();
    if (kill?.line.test(output)) setTimeout(() => child.kill("SIGKILL"), kill.delay);
  });
  return new Promise((resolve, reject) => {
    child.once("close", (code, signal) => {
      if (signal === "SIGKILL") resolve("killed");
      else if (code === 0) resolve(0);
      else reject(new Error(`exit code ${code}: ${output}`));
    });
  });
}

/** In the middle of opening, of measuring, of steps and of saving. */
const moments = [
  { line: /measured on/, delay: 120 },
  { line: /held-out at step 0/, delay: 30 },
  { line: /step 1\/4/, delay: 0 },
  { line: /step 2\/4/, delay: 90 },
  { line: /step 3\/4/, delay: 10 },
];

/** Everything a run leaves behind that must not depend on when it was interrupted. */
function remains({ journals }: Experiment, name: string) {
  const folder = path.join(runs, name);
  const metrics = readFileSync(path.join(folder, "metrics.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) =>
      Object.fromEntries(Object.entries(JSON.parse(line)).filter(([key]) => !key.startsWith("time/"))),
    );
  const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
  const checkpoint = path.join(folder, "checkpoints", "step-4");
  const weights = readdirSync(checkpoint, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".safetensors"))
    .sort()
    .map((file) => [file, digest(path.join(checkpoint, file))]);
  // What happened within a step may have been written down in another order.
  const recorded = journals.map((file) => readFileSync(path.join(folder, file), "utf8").split("\n").sort());
  return { metrics, weights, recorded };
}

it.each(Object.entries(experiments))(
  "%s ends the same, killed or not",
  async (title, experiment) => {
    const kills = title === "Code-A1" ? moments : moments.slice(2, 4);
    const [whole, torn] = [`${title} whole`, `${title} torn`].map((name) => name.replaceAll(" ", "-"));
    expect(await spar(experiment, whole!)).toBe(0);
    let killed = 0;
    for (const kill of kills) if ((await spar(experiment, torn!, kill)) === "killed") killed += 1;
    expect(killed).toBeGreaterThan(kills.length / 2);
    expect(await spar(experiment, torn!)).toBe(0);
    const expected = remains(experiment, whole!);
    expect(expected.metrics.length).toBe(4 + 3);
    expect(expected.weights.length).toBeGreaterThanOrEqual(experiment.policies);
    for (const journal of expected.recorded) expect(journal.length).toBeGreaterThan(1);
    expect(remains(experiment, torn!)).toEqual(expected);
  },
  600_000,
);
