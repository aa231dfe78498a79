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

const settings = [
  "steps=4",
  "problemsPerStep=4",
  "checkpointEvery=1",
  "problems.limit=8",
  "method.candidates=4",
  "method.suites=2",
  "evaluation.problems=6",
  "evaluation.every=2",
  "learning.miniBatchProblems=2",
  "learning.warmUpSteps=0",
];

let runs: string;
beforeAll(() => {
  runs = mkdtempSync(path.join(tmpdir(), "sparring-resume-"));
});
afterAll(() => rmSync(runs, { recursive: true, force: true }));

/** Runs until its end, or until the moment after `delay` milliseconds from the line that matches: then kills it. */
function spar(name: string, kill?: { line: RegExp; delay: number }): Promise<number | "killed"> {
  const main = path.join(packageRoot, "dist", "cli", "main.js");
  const resume = existsSync(path.join(runs, name)) ? ["--resume"] : [];
  const sets = settings.flatMap((setting) => ["--set", setting]);
  const child = spawn(process.execPath, [
    main,
    "train",
    "demo",
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

/** Everything a run leaves behind that must not depend on when it was interrupted. */
function remains(name: string) {
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
  const journal = digest(path.join(folder, "book", "journal-0.jsonl"));
  return { metrics, weights, journal };
}

it("ends the same, killed or not", async () => {
  expect(await spar("whole")).toBe(0);
  const kills = [
    { line: /measured on/, delay: 120 },
    { line: /held-out at step 0/, delay: 30 },
    { line: /step 1\/4/, delay: 0 },
    { line: /step 2\/4/, delay: 90 },
    { line: /step 3\/4/, delay: 10 },
  ];
  let killed = 0;
  for (const kill of kills) if ((await spar("torn", kill)) === "killed") killed += 1;
  expect(killed).toBeGreaterThanOrEqual(3);
  expect(await spar("torn")).toBe(0);
  const whole = remains("whole");
  expect(whole.metrics.length).toBe(4 + 3);
  expect(whole.weights.length).toBeGreaterThanOrEqual(2);
  expect(remains("torn")).toEqual(whole);
}, 300_000);
