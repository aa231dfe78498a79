/**
 * The Best-of-N filter at full size: HumanEval's 164 problems × 100 candidates × 100 tests. Candidates are the canonical
 * solution in different words and mutants of it, tests are inputs of HumanEval+ that the canonical solution answers in a
 * fifth of a second (extreme ones would measure nothing but themselves), with its answers, of which every tenth is
 * wrong. Beside it, in the same run, the plain way on a small sample: one `python3 -I -S` for each program and test,
 * without isolation.
 *
 *   npm run bench best-of-n -- HumanEval.jsonl.gz HumanEvalPlus.jsonl.gz [--problems 164] [--candidates 100] [--tests 100]
 *     [--sandbox native|wasm|auto] [--cpu 2] [--write FOLDER]
 *
 * `--write` also leaves the samples as candidates.jsonl and tests.jsonl, for `spar best-of-n`.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { examineProblem, type ProblemSamples } from "../src/evaluation/best-of-n/examine-problem.ts";
import { bestOfNFigures } from "../src/evaluation/best-of-n/figures.ts";
import { inLanes } from "../src/in-lanes.ts";
import { MemoryAnswerCache } from "../src/judge/answer-cache.ts";
import { ReferenceAnswers } from "../src/judge/reference-answers.ts";
import { chooseMutants } from "../src/mutants/choose-mutants.ts";
import { mutantsOf } from "../src/mutants/mutants-of.ts";
import { seededRandom, shuffled } from "../src/problems/arena/random.ts";
import { readRows } from "../src/problems/json-rows.ts";
import type { FunctionCase, Problem } from "../src/problems/problem.ts";
import { readProblems } from "../src/problems/read-problem.ts";
import { readTextFile } from "../src/problems/read-text-file.ts";
import { assertText } from "../src/problems/test-text.ts";
import { createSandbox, type SandboxKind, sandboxKinds } from "../src/sandbox/create-sandbox.ts";
import { defaultLimits } from "../src/sandbox/limits.ts";
import { findPython } from "../src/sandbox/native/find-python.ts";
import type { Call, PythonValue } from "../src/values/python-value.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    problems: { type: "string", default: "164" },
    candidates: { type: "string", default: "100" },
    tests: { type: "string", default: "100" },
    sandbox: { type: "string", default: "auto" },
    cpu: { type: "string", default: String(defaultLimits.caseCpuSeconds) },
    write: { type: "string" },
  },
});
const [problemFile, inputFile] = positionals;
const kind = sandboxKinds.find((each) => each === options.sandbox) as SandboxKind | undefined;
if (!problemFile || !inputFile || !kind) {
  console.error(
    "usage: npm run bench best-of-n -- HumanEval.jsonl.gz HumanEvalPlus.jsonl.gz [--problems N] [--candidates N] [--tests N] [--sandbox KIND] [--cpu SECONDS] [--write FOLDER]",
  );
  process.exit(2);
}
const candidateCount = Number(options.candidates);
const testCount = Number(options.tests);
const limits = { ...defaultLimits, caseCpuSeconds: Number(options.cpu) };

const problems = (await readProblems(problemFile)).slice(0, Number(options.problems));
const inputsById = new Map(
  readRows(await readTextFile(inputFile), inputFile).map(({ value }) => {
    const row = value as { task_id: string; base_input: unknown[][]; plus_input: unknown[][] };
    return [row.task_id, [...row.base_input, ...row.plus_input]];
  }),
);
const sandbox = await createSandbox({ kind });
const answers = new ReferenceAnswers({
  sandbox,
  cache: new MemoryAnswerCache(),
  limits: { ...limits, caseCpuSeconds: 0.2 },
});

function pythonValue(value: unknown): PythonValue {
  if (value === null) return { type: "none" };
  if (typeof value === "boolean") return { type: "bool", value };
  if (typeof value === "string") return { type: "str", value };
  if (typeof value === "number") {
    return Number.isInteger(value) ? { type: "int", value: BigInt(value) } : { type: "float", value };
  }
  if (Array.isArray(value)) return { type: "list", items: value.map(pythonValue) };
  const entries = Object.entries(value as object);
  return { type: "dict", entries: entries.map(([key, item]) => [pythonValue(key), pythonValue(item)]) };
}

/** A third are right by construction; of the mutants some are too. */
function candidatesFor(problem: Problem): string[] {
  const wrong = chooseMutants(mutantsOf(problem.reference), {
    count: Math.floor((2 * candidateCount) / 3),
    seed: problem.id,
  }).map(({ source }) => source);
  const same = Array.from({ length: candidateCount - wrong.length }, (_, index) =>
    index === 0 ? problem.reference : `${problem.reference}\n# in other words ${index}\n`,
  );
  return shuffled(seededRandom(`order of ${problem.id}`), [...same, ...wrong]);
}

async function testsFor(problem: Problem): Promise<FunctionCase[]> {
  const calls = (inputsById.get(problem.id) ?? [])
    .slice(0, testCount)
    .map((args): Call => ({ args: args.map(pythonValue), keywords: {} }));
  const found = await answers.answer(problem, calls);
  const right = calls.flatMap((call, index): FunctionCase[] => {
    const answer = found[index]!;
    return answer.kind === "value" ? [{ style: "function", call, expected: answer.value }] : [];
  });
  const wrongAnswer: PythonValue = { type: "str", value: "wrong" };
  return right.map((test, index) => (index % 10 === 9 ? { ...test, expected: wrongAnswer } : test));
}

// Two problems at a time, so that the end of one does not leave a processor idle.
const samples = await inLanes(problems, {
  atOnce: 2,
  run: async (problem): Promise<ProblemSamples> => {
    const tests = await testsFor(problem);
    const written = tests.map((testCase) => ({ candidate: null, testCase }));
    return { problem, candidates: candidatesFor(problem), tests: written };
  },
});
const pairs = samples.reduce((sum, { candidates, tests }) => sum + candidates.length * tests.length, 0);
console.log(
  `${problems.length} problems, ${candidateCount} candidates each, ${pairs} pairs of candidate and test; ` +
    `sandbox ${sandbox.describe().kind} (${sandbox.describe().isolation}), ${availableParallelism()} processors`,
);
if (options.write !== undefined) {
  mkdirSync(options.write, { recursive: true });
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const candidates = samples.flatMap(({ problem, candidates }) =>
    candidates.map((code) => ({ task_id: problem.id, solution: code })),
  );
  const tests = samples.map(({ problem, tests }) => ({
    task_id: problem.id,
    tests: tests.map(({ testCase }) => assertText(testCase as FunctionCase, problem.entryPoint ?? "")),
  }));
  writeFileSync(path.join(options.write, "candidates.jsonl"), lines(candidates));
  writeFileSync(path.join(options.write, "tests.jsonl"), lines(tests));
}

/** Processor seconds of this process and everything below it, ended or not; Linux only. */
function treeSeconds(): number {
  if (process.platform !== "linux") return Number.NaN;
  const processes = readdirSync("/proc").flatMap((entry) => {
    try {
      const stat = readFileSync(`/proc/${Number(entry)}/stat`, "utf8");
      const fields = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
      return [{ pid: Number(entry), parent: fields[1]!, seconds: ticks / 100 }];
    } catch {
      return []; // not a process, or one that has just ended
    }
  });
  const tree = new Set([process.pid]);
  for (let before = 0; before < tree.size; ) {
    before = tree.size;
    for (const { pid, parent } of processes) if (tree.has(parent)) tree.add(pid);
  }
  return processes.reduce((sum, { pid, seconds }) => sum + (tree.has(pid) ? seconds : 0), 0);
}

const usedBefore = treeSeconds();
const started = performance.now();
const slowest: { id: string; seconds: number }[] = [];
const examined = await inLanes(samples, {
  atOnce: 2,
  run: async (each) => {
    const begun = performance.now();
    const result = await examineProblem(each, { sandbox, limits });
    slowest.push({ id: each.problem.id, seconds: (performance.now() - begun) / 1000 });
    return result;
  },
});
const seconds = (performance.now() - started) / 1000;
const programs = examined.reduce((sum, { gold }) => sum + gold.length, 0);
const cases = examined.reduce(
  (sum, { answers }) => sum + answers.reduce((all, row) => all + row.length, 0),
  0,
);
console.log(
  `examined in ${seconds.toFixed(0)} s: ${(programs / seconds).toFixed(0)} programs/s, ${(cases / seconds).toFixed(0)} cases/s, gold tests beside them; ` +
    `${(treeSeconds() - usedBefore).toFixed(0)} processor seconds`,
);
slowest.sort((left, right) => right.seconds - left.seconds);
console.log(
  `slowest: ${slowest
    .slice(0, 5)
    .map(({ id, seconds }) => `${id} ${seconds.toFixed(1)} s`)
    .join(", ")}`,
);
const { rows, maskedProblems, lostPairs } = bestOfNFigures(examined, {
  n: [candidateCount],
  k: [1, 5, 20, testCount],
});
for (const { n, k, random, public: shown, pooled, agreement, oracle } of rows) {
  const [chance, examples, chosen, alike, best] = [random, shown, pooled, agreement, oracle].map(
    (share) => `${((share?.rate ?? 0) * 100).toFixed(1)}`,
  );
  console.log(
    `N ${n}, k ${k}: random ${chance}, public ${examples}, pooled ${chosen}, agreement ${alike}, oracle ${best}`,
  );
}
console.log(`lost: ${maskedProblems} problems, ${lostPairs} pairs`);

/** The plain way on the first candidates and tests of a few problems. */
async function plainRate(executable: string): Promise<number> {
  const work = samples.slice(0, 10).flatMap(({ problem, candidates, tests }) =>
    candidates.slice(0, 3).flatMap((source) =>
      tests.slice(0, 10).map(({ testCase }) => {
        const text = assertText(testCase as FunctionCase, problem.entryPoint ?? "");
        return `${source}\n${text}\n`;
      }),
    ),
  );
  let begun = 0;
  const one = (program: string) =>
    new Promise<void>((resolve, reject) => {
      const child = spawn(executable, ["-I", "-S", "-"], { stdio: ["pipe", "ignore", "ignore"] });
      const timer = setTimeout(() => child.kill("SIGKILL"), limits.caseCpuSeconds * 1000);
      child.once("error", reject);
      child.stdin.on("error", () => {});
      child.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      child.stdin.end(program);
    });
  const worker = async () => {
    while (begun < work.length) await one(work[begun++]!);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return work.length / ((performance.now() - start) / 1000);
}

const { executable } = await findPython();
const plain = await plainRate(executable);
console.log(
  `one process for each program and test: ${plain.toFixed(0)} cases/s; ` +
    `the filter does ${(cases / seconds / plain).toFixed(1)} × as many`,
);
await sandbox.close();
