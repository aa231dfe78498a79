/** `spar referee`: the judge at work on a few programs, honest and hostile, to see with one's own eyes. */
import type { Command } from "commander";
import pc from "picocolors";
import { judgeProgram, type Verdict } from "../judge/judge.ts";
import type { FunctionCase } from "../problems/problem.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { exactComparison } from "../values/compare.ts";
import type { PythonValue } from "../values/python-value.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { addSandboxOptions, openSandbox, type SandboxFlags } from "./sandbox-options.ts";

interface Contender {
  readonly name: string;
  readonly source: string;
}

const question =
  "Return the median of a non-empty list of integers (the mean of the middle two if there are two).";

const contenders: readonly Contender[] = [
  {
    name: "honest and right",
    source: `
def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2`,
  },
  { name: "honest, forgets to sort", source: "def median(values):\n    return values[len(values) // 2]" },
  {
    name: "returns an object that equals everything",
    source: `
class Friendly(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__
def median(values):
    return Friendly()`,
  },
  {
    name: "searches frames and memory for the answers",
    source: `
import gc, sys
def median(values):
    frame = sys._getframe()
    while frame:
        for name, value in list(frame.f_locals.items()) + list(frame.f_globals.items()):
            if "expect" in str(name).lower() or "answer" in str(name).lower():
                return value
        frame = frame.f_back
    return [item for item in gc.get_objects() if isinstance(item, dict) and "expected" in item]`,
  },
  {
    name: "prints forged verdicts and leaves",
    source: `
import os
def median(values):
    for number in range(64):
        print("PASSED", number, '{"k":"returned","v":2}')
    os._exit(0)`,
  },
  {
    name: "loops for ever on one input, swallowing all signals",
    source: `
def median(values):
    while len(values) == 4:
        try:
            while True: pass
        except BaseException: pass
    return sorted(values)[len(values) // 2]`,
  },
  {
    name: "forks, opens sockets, reads files",
    source: `
import os, socket
def median(values):
    ways = [os.fork, lambda: socket.create_connection(("127.0.0.1", 22)), lambda: open("/etc/passwd").read()]
    for way in ways:
        try:
            return way()
        except OSError:
            pass
    return sorted(values)[len(values) // 2]`,
  },
  { name: "eats memory", source: "def median(values):\n    return len([0] * 10**10)" },
  { name: "floods the output", source: 'def median(values):\n    while True: print("x" * 10**6)' },
];

const int = (value: number): PythonValue => ({ type: "int", value: BigInt(value) });
const testCase = (values: readonly number[], expected: PythonValue): FunctionCase => ({
  style: "function",
  call: { args: [{ type: "list", items: values.map(int) }], keywords: {} },
  expected,
});
const cases: readonly FunctionCase[] = [
  testCase([3], int(3)),
  testCase([3, 1, 2], int(2)),
  testCase([4, 1, 3, 2], { type: "float", value: 2.5 }),
  testCase([5, 5, 1, 9, -7], int(5)),
];

export function addRefereeCommand(program: Command): void {
  addSandboxOptions(
    program
      .command("referee")
      .description("watch the referee judge a few programs, honest and hostile")
      .option("--json", "print the verdicts as JSON")
      .addHelpText("after", "\nExample:\n  $ spar referee --sandbox wasm"),
  ).action(async (flags: SandboxFlags & { json?: true }) => {
    printProgress("starting the sandbox and attacking it once to be sure …");
    const sandbox = await openSandbox(flags);
    try {
      const { kind, isolation, python } = sandbox.describe();
      printProgress(`${kind} sandbox, isolation ${isolation}, Python ${python}\n`);
      const problem = { style: "function", entryPoint: "median", comparison: exactComparison } as const;
      const limits = { ...defaultLimits, caseCpuSeconds: 0.5 };
      const verdicts = await Promise.all(
        contenders.map(({ source }) => judgeProgram({ sandbox, source, problem, cases, limits })),
      );
      if (flags.json) printJson(contenders.map(({ name }, index) => ({ name, ...verdicts[index] })));
      else printResult(table(verdicts));
    } finally {
      await sandbox.close();
    }
  });
}

function table(verdicts: readonly Verdict[]): string {
  const rows = contenders.map(({ name }, index) => {
    const { outcomes, denied } = verdicts[index]!;
    const marks = outcomes.map(({ kind }) => (kind === "passed" ? pc.green("passed") : pc.yellow(kind)));
    const passed = outcomes.filter(({ kind }) => kind === "passed").length;
    const refused = denied > 0 ? pc.dim(`  (${denied} system calls refused)`) : "";
    return `${pc.bold(name)}\n    ${passed}/${outcomes.length}  ${marks.join(", ")}${refused}`;
  });
  return [question, "", ...rows].join("\n");
}
