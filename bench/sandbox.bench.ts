/**
 * Verdicts per second of the local sandboxes against a plain `python3 -I -S` per job, in the same run, in turns.
 *
 * A job is a small function and five cases. The plain spawn is handed program and asserts in one process: no
 * isolation, no values, an exit code for a verdict. Rounds alternate, so a busy machine slows all of them; the median
 * of the ratios is what counts.
 *
 *   npm run bench sandbox [-- --jobs 2000 --rounds 3]
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { judgeProgram } from "../src/judge/judge.ts";
import type { FunctionCase } from "../src/problems/problem.ts";
import { defaultLimits } from "../src/sandbox/limits.ts";
import { findPython } from "../src/sandbox/native/find-python.ts";
import { createNativeSandbox } from "../src/sandbox/native/native-sandbox.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";
import { createWasmSandbox } from "../src/sandbox/wasm/wasm-sandbox.ts";
import { exactComparison } from "../src/values/compare.ts";
import type { PythonValue } from "../src/values/python-value.ts";

const { values: options } = parseArgs({
  options: { jobs: { type: "string", default: "2000" }, rounds: { type: "string", default: "3" } },
});
const jobs = Number(options.jobs);
const rounds = Number(options.rounds);
const spawnedJobs = Math.max(50, Math.round(jobs / 10));

const program = (seed: number) => `
def f(values):
    total = ${seed}
    for value in values:
        if value > 2:
            total += value
    return total
`;
const int = (value: number): PythonValue => ({ type: "int", value: BigInt(value) });
const inputs = [5, 6, 7, 8, 9].map((length) => Array.from({ length }, (_, index) => index));
const answer = (seed: number, input: readonly number[]) =>
  input.filter((value) => value > 2).reduce((sum, value) => sum + value, seed);
const casesOf = (seed: number): FunctionCase[] =>
  inputs.map((input) => ({
    style: "function",
    call: { args: [{ type: "list", items: input.map(int) }], keywords: {} },
    expected: int(answer(seed, input)),
  }));

async function judged(sandbox: Sandbox): Promise<number> {
  const problem = { style: "function", entryPoint: "f", comparison: exactComparison } as const;
  const started = performance.now();
  const verdicts = await Promise.all(
    Array.from({ length: jobs }, (_, seed) =>
      judgeProgram({ sandbox, source: program(seed), problem, cases: casesOf(seed), limits: defaultLimits }),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  const wrong = verdicts.filter(({ outcomes }) => !outcomes.every(({ kind }) => kind === "passed")).length;
  if (wrong > 0) throw new Error(`${wrong} of ${jobs} right programs were not passed`);
  return jobs / seconds;
}

async function spawned(executable: string): Promise<number> {
  let next = 0;
  const one = (seed: number) =>
    new Promise<void>((resolve, reject) => {
      const asserts = inputs.map((input) => `assert f([${input}]) == ${answer(seed, input)}`).join("\n");
      const child = spawn(executable, ["-I", "-S", "-c", program(seed) + asserts], { stdio: "ignore" });
      child.once("error", reject);
      child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
    });
  const lane = async () => {
    while (next < spawnedJobs) await one(next++);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return spawnedJobs / ((performance.now() - started) / 1000);
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const { executable, version } = await findPython();
const sandboxes = [
  await createNativeSandbox({ demand: "full" }),
  await createWasmSandbox({ workers: availableParallelism() }),
];
console.log(
  `${jobs} jobs of 5 cases, ${rounds} rounds, ${availableParallelism()} processors, Python ${version}`,
);
for (const sandbox of sandboxes) await judged(sandbox);
const ratios = new Map<string, number[]>();
for (let round = 1; round <= rounds; round += 1) {
  const plain = await spawned(executable);
  const line = [`round ${round}: plain spawn ${plain.toFixed(0)}/s`];
  for (const sandbox of sandboxes) {
    const { kind, isolation } = sandbox.describe();
    const rate = await judged(sandbox);
    const name = `${kind} (${isolation})`;
    ratios.set(name, [...(ratios.get(name) ?? []), rate / plain]);
    line.push(`${name} ${rate.toFixed(0)}/s = ${(rate / plain).toFixed(1)}×`);
  }
  console.log(line.join(", "));
}
for (const [name, values] of ratios)
  console.log(`${name}: ${median(values).toFixed(1)}× a plain spawn (median)`);
for (const sandbox of sandboxes) await sandbox.close();
