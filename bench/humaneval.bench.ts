/**
 * The published HumanEval file through the judge: every canonical solution must pass all of its gold tests and its
 * check program, and a program of the same name that always answers None must not. Prints counts; exits with 1 where
 * a verdict is wrong.
 *
 *   npm run bench humaneval -- HumanEval.jsonl.gz [--sandbox native|wasm|auto]
 */
import { parseArgs } from "node:util";
import { judgeProblem, limitsFor } from "../src/judge/judge-problem.ts";
import type { Problem } from "../src/problems/problem.ts";
import { readProblems } from "../src/problems/read-problem.ts";
import { createSandbox, type SandboxKind, sandboxKinds } from "../src/sandbox/create-sandbox.ts";
import { defaultLimits } from "../src/sandbox/limits.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sandbox: { type: "string", default: "auto" } },
});
const [file] = positionals;
const kind = sandboxKinds.find((each) => each === values.sandbox) as SandboxKind | undefined;
if (!file || !kind) {
  console.error("usage: npm run bench humaneval -- HumanEval.jsonl.gz [--sandbox native|wasm|auto]");
  process.exit(2);
}

const problems = await readProblems(file);
const withCheck = problems.filter(({ check }) => check !== undefined);
const sandbox = await createSandbox({ kind });

/** The problems whose verdict on this program is not the wanted one, with the first outcome that says so. */
async function disagreeing(wanted: "passes" | "fails", sourceOf: (problem: Problem) => string) {
  const verdicts = await Promise.all(
    problems.map((problem) =>
      judgeProblem({
        sandbox,
        source: sourceOf(problem),
        problem,
        limits: limitsFor(problem, defaultLimits),
      }),
    ),
  );
  return problems.flatMap((problem, index) => {
    const { outcomes } = verdicts[index]!;
    const failure = outcomes.find((outcome) => outcome.kind !== "passed");
    // A check of its own must notice, not only the gold tests beside it.
    const noticed = problem.check ? outcomes.at(-1)!.kind !== "passed" : failure !== undefined;
    if (wanted === "passes") return failure ? [`${problem.id}: ${JSON.stringify(failure)}`] : [];
    return noticed && failure?.kind !== "infrastructure" ? [] : [`${problem.id} passes`];
  });
}

const { kind: chosen, isolation, python } = sandbox.describe();
console.log(
  `${problems.length} problems, ${withCheck.length} of them with a check program, ` +
    `${problems.reduce((sum, { goldTests }) => sum + goldTests.length, 0)} gold tests; ` +
    `sandbox ${chosen} (${isolation}, Python ${python})`,
);
const started = performance.now();
const failing = await disagreeing("passes", (problem) => problem.reference);
const seconds = (performance.now() - started) / 1000;
console.log(`canonical solutions: ${problems.length - failing.length} pass (${seconds.toFixed(1)} s)`);
const accepted = await disagreeing(
  "fails",
  (problem) => `def ${problem.entryPoint}(*args, **keywords):\n    return None\n`,
);
console.log(`programs that always answer None: ${problems.length - accepted.length} fail`);
for (const line of [...failing, ...accepted]) console.log(`  ${line}`);
await sandbox.close();
process.exitCode = failing.length + accepted.length > 0 ? 1 : 0;
