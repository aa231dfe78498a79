/**
 * Do verdicts depend on how busy the machine is? 64 correct programs of 0.7 s of CPU each, all at once, each with a
 * limit of 1 s of CPU: none may time out. With a limit of wall time, which is what others use, nearly all would.
 *
 *   npm run bench load -- --sandbox native
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { judgeProgram } from "../src/judge/judge.ts";
import { createSandbox } from "../src/sandbox/create-sandbox.ts";
import { defaultLimits } from "../src/sandbox/limits.ts";
import { exactComparison } from "../src/values/compare.ts";

const { values: options } = parseArgs({
  options: {
    programs: { type: "string", default: "64" },
    sandbox: { type: "string", default: "native" },
    workers: { type: "string" },
  },
});
const count = Number(options.programs);
const kind = options.sandbox;
if (!(count > 0) || (kind !== "native" && kind !== "wasm")) {
  console.error("usage: load [--programs N] [--sandbox native|wasm] [--workers N]");
  process.exit(2);
}

const cpuSeconds = 0.7;
const programOf = (rounds: number) => `
def f(n):
    for _ in range(${rounds}): pass
    return n * 2
`;
// Twice as many programs at once as there are processors: they do get in each other's way.
const workers = Number(options.workers ?? 2 * availableParallelism());
const sandbox = await createSandbox({ kind, workers });
const limits = { ...defaultLimits, caseCpuSeconds: 1 };
const source = programOf(await roundsFor(cpuSeconds));
const started = performance.now();
const verdicts = await Promise.all(
  Array.from({ length: count }, (_, n) =>
    judgeProgram({
      sandbox,
      source,
      problem: { style: "function", entryPoint: "f", comparison: exactComparison },
      cases: [
        {
          style: "function",
          call: { args: [{ type: "int", value: BigInt(n) }], keywords: {} },
          expected: { type: "int", value: BigInt(n * 2) },
        },
      ],
      limits,
    }),
  ),
);
const seconds = (performance.now() - started) / 1000;
await sandbox.close();
const kinds = new Map<string, number>();
for (const { outcomes } of verdicts) {
  const outcome = outcomes[0]!.kind;
  kinds.set(outcome, (kinds.get(outcome) ?? 0) + 1);
}
const cpu = verdicts.reduce((sum, verdict) => sum + verdict.cpuSeconds, 0) / count;
console.log(
  `${count} programs of ${cpuSeconds} s CPU, limit 1 s, ${workers} at a time on ${availableParallelism()} processors: ${[...kinds].map(([outcome, times]) => `${times} ${outcome}`).join(", ")}; ${cpu.toFixed(2)} s CPU each, ${seconds.toFixed(1)} s in all`,
);
process.exit(kinds.get("passed") === count ? 0 : 1);

/** How often a loop goes round in that time here, when nothing else of this sandbox runs. */
async function roundsFor(seconds: number): Promise<number> {
  const rounds = 5_000_000;
  const { cpuSeconds: used } = await sandbox.run({
    source: programOf(rounds),
    work: {
      style: "function",
      entryPoint: "f",
      calls: [{ args: [{ type: "int", value: 1n }], keywords: {} }],
    },
    limits: { ...defaultLimits, caseCpuSeconds: 60 },
  });
  return Math.round((rounds / used) * seconds);
}
