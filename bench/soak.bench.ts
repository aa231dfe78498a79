/**
 * Does a sandbox get tired? Thousands of mixed jobs, one in twenty of them hostile: every outcome is checked, memory
 * must stay flat, and in the end there must be no zombie, no process and no file. Ends with code 1 on any deviation.
 *
 *   npm run bench soak -- --jobs 50000 --sandbox native
 */
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createSandbox } from "../src/sandbox/create-sandbox.ts";
import { defaultLimits, type Limits } from "../src/sandbox/limits.ts";
import type { Observation, ProgramJob } from "../src/sandbox/sandbox.ts";

const { values: options } = parseArgs({
  options: {
    jobs: { type: "string", default: "2000" },
    sandbox: { type: "string", default: "native" },
    workers: { type: "string" },
  },
});
const total = Number(options.jobs);
const kind = options.sandbox;
if (!(total > 0) || (kind !== "native" && kind !== "wasm")) {
  console.error("usage: soak [--jobs N] [--sandbox native|wasm] [--workers N]");
  process.exit(2);
}

const inFlight = 64;
const hostileShare = 0.05;
const reports = 10;
const limits: Limits = {
  ...defaultLimits,
  caseCpuSeconds: kind === "wasm" ? 1 : 0.3,
  caseWallSeconds: 20,
  memoryBytes: 96 * 1024 * 1024,
};

interface Example {
  readonly name: string;
  readonly source: string;
  readonly limits?: Partial<Limits>;
  /** What must be seen for the argument `n`; kinds are alternatives. */
  readonly expected: (n: number) => readonly Observation["kind"][] | bigint | string;
}

const ordinary: readonly Example[] = [
  { name: "adds", source: "def f(n): return n + 1", expected: (n) => BigInt(n + 1) },
  {
    name: "sorts",
    source:
      "import random\ndef f(n):\n    xs = [(k * 7919) % 101 for k in range(n % 50 + 3)]\n    return sum(sorted(xs)[:2])",
    expected: (n) => {
      const numbers = Array.from({ length: (n % 50) + 3 }, (_, k) => (k * 7919) % 101).sort((a, b) => a - b);
      return BigInt(numbers[0]! + numbers[1]!);
    },
  },
  {
    name: "speaks",
    source: "def f(n):\n    print('x' * n)\n    return 'n' + str(n)",
    expected: (n) => `n${n}`,
  },
  {
    name: "writes a file",
    source:
      "def f(n):\n    with open('file', 'w') as file: file.write('x' * (n + 1))\n    return len(open('file').read())",
    expected: (n) => BigInt(n + 1),
  },
  {
    name: "computes a while",
    source:
      "def f(n):\n    total = 0\n    for k in range(20000): total += k % (n + 2)\n    return total % 1 + n",
    expected: (n) => BigInt(n),
  },
  { name: "raises", source: "def f(n): return [][n]", expected: () => ["raised"] },
  { name: "does not parse", source: "def f(n: return n", expected: () => ["did-not-load"] },
  { name: "lacks its function", source: "def g(n): return n", expected: () => ["did-not-load"] },
  { name: "leaves", source: "import sys\ndef f(n): sys.exit(0)", expected: () => ["raised"] },
  { name: "returns an object", source: "def f(n): return object()", expected: () => ["returned"] },
];

const hostile: readonly Example[] = [
  { name: "loops", source: "def f(n):\n    while True: pass", expected: () => ["timed-out"] },
  { name: "loops in C", source: "def f(n): return sum(range(10 ** 13))", expected: () => ["timed-out"] },
  {
    name: "sleeps",
    source: "import time\ndef f(n): time.sleep(100)",
    limits: { caseWallSeconds: 0.1 },
    expected: () => ["timed-out"],
  },
  {
    name: "takes memory",
    source: "def f(n): return len(bytearray(1 << 30))",
    expected: () => ["out-of-memory"],
  },
  {
    name: "takes memory slowly",
    source: "def f(n):\n    kept = []\n    while True: kept.append(bytearray(1 << 20))",
    limits: { caseCpuSeconds: 5 },
    expected: () => ["out-of-memory"],
  },
  {
    name: "floods",
    source: "def f(n):\n    while True: print('x' * 100000)",
    expected: () => ["output-flood"],
  },
  { name: "returns too much", source: "def f(n): return 'x' * 20_000_000", expected: () => ["output-flood"] },
  { name: "leaves at once", source: "import os\ndef f(n): os._exit(0)", expected: () => ["raised"] },
  { name: "aborts", source: "import os\ndef f(n): os.abort()", expected: () => ["raised"] },
  { name: "forks", source: "import os\ndef f(n): return os.fork()", expected: () => ["raised"] },
  {
    name: "starts threads",
    source:
      "import threading, time\ndef f(n):\n    threading.stack_size(65536)\n    for _ in range(500): threading.Thread(target=time.sleep, args=(100,), daemon=True).start()",
    limits: { caseWallSeconds: 0.5 },
    expected: () => ["raised", "timed-out", "returned", "out-of-memory"],
  },
  {
    name: "fills the scratch",
    source:
      "def f(n):\n    k = 0\n    while True:\n        k += 1\n        open(str(k), 'wb').write(bytes(1 << 20))",
    limits: { caseCpuSeconds: 5 },
    expected: () => ["raised", "out-of-memory"],
  },
  {
    name: "reads a secret",
    source: "def f(n): return open('/etc/passwd').read()",
    expected: () => ["raised"],
  },
  {
    name: "calls home",
    source: "import socket\ndef f(n): return socket.create_connection(('127.0.0.1', 9), 1)",
    limits: { caseCpuSeconds: 5 },
    expected: () => ["raised"],
  },
];

/** Mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function jobOf(example: Example, n: number): ProgramJob {
  return {
    source: example.source,
    work: {
      style: "function",
      entryPoint: "f",
      calls: [{ args: [{ type: "int", value: BigInt(n) }], keywords: {} }],
    },
    limits: { ...limits, ...example.limits },
  };
}

/** What is wrong with an outcome, or undefined. */
function deviation(example: Example, n: number, observation: Observation): string | undefined {
  const expected = example.expected(n);
  const right =
    typeof expected === "object"
      ? expected.includes(observation.kind)
      : observation.kind === "returned" &&
        "value" in observation.value &&
        observation.value.value === expected;
  if (right) return undefined;
  const seen = JSON.stringify(observation, (_, part) => (typeof part === "bigint" ? `${part}` : part));
  return `a program that ${example.name} (n = ${n}): ${seen.slice(0, 200)}`;
}

function descendants(): number[] {
  const found: number[] = [];
  const waiting = [process.pid];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    try {
      for (const task of readdirSync(`/proc/${parent}/task`)) {
        const children = readFileSync(`/proc/${parent}/task/${task}/children`, "utf8").split(" ");
        found.push(...children.filter(Boolean).map(Number));
        waiting.push(...children.filter(Boolean).map(Number));
      }
    } catch {
      // it has ended meanwhile
    }
  }
  return found;
}

/** Fields of /proc/PID/status as numbers (KiB) or words. */
function status(pid: number | "self", field: string): string {
  try {
    return (
      new RegExp(`^${field}:\\s+(\\S+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0"
    );
  } catch {
    return "0";
  }
}

const workerProcesses = () => descendants().filter((pid) => status(pid, "Name").startsWith("python"));
const megabytes = (kibibytes: number) => kibibytes / 1024;
const leftFiles = () => readdirSync(tmpdir()).filter((name) => /^sparring-[a-z0-9_]{8}$/.test(name));

const filesBefore = new Set(leftFiles());
const sandbox = await createSandbox({
  kind,
  ...(options.workers ? { workers: Number(options.workers) } : {}),
});
const { isolation, python, workers } = sandbox.describe();
console.log(`${total} jobs, ${kind} (${isolation}, Python ${python}), ${workers} workers`);

const random = randomNumbers(1);
const deviations: string[] = [];
const memory: number[] = [];
const started = performance.now();
let next = 0;
let finished = 0;
let hostileJobs = 0;
let deadBefore = new Set<number>();

function report(): void {
  const processes = workerProcesses();
  const dead = descendants().filter((pid) => status(pid, "State") === "Z");
  // One that has just ended is about to be collected; one that was there at the last report is not.
  const zombies = dead.filter((pid) => deadBefore.has(pid)).length;
  deadBefore = new Set(dead);
  const nodeMemory = megabytes(Number(status("self", "VmRSS")));
  const workerMemory = megabytes(processes.reduce((sum, pid) => sum + Number(status(pid, "VmRSS")), 0));
  memory.push(nodeMemory + workerMemory);
  const rate = finished / ((performance.now() - started) / 1000);
  const descriptors = readdirSync("/proc/self/fd").length;
  console.log(
    `${String(finished).padStart(6)} jobs  ${rate.toFixed(0).padStart(4)}/s  node ${nodeMemory.toFixed(0)} MB  workers ${workerMemory.toFixed(0)} MB in ${processes.length}  descriptors ${descriptors}  zombies ${zombies}  deviations ${deviations.length}`,
  );
  if (zombies > 0) deviations.push(`${zombies} zombies after ${finished} jobs`);
}

async function lane(): Promise<void> {
  while (next < total) {
    const n = next % 97;
    next += 1;
    const examples = random() < hostileShare ? hostile : ordinary;
    if (examples === hostile) hostileJobs += 1;
    const example = examples[Math.floor(random() * examples.length)]!;
    const { observations } = await sandbox.run(jobOf(example, n));
    const wrong = deviation(example, n, observations[0]!);
    if (wrong) deviations.push(wrong);
    finished += 1;
    if (finished % Math.ceil(total / reports) === 0) report();
  }
}

await Promise.all(Array.from({ length: inFlight }, lane));
const seconds = (performance.now() - started) / 1000;
await sandbox.close();

const left = workerProcesses();
if (left.length > 0) deviations.push(`processes left: ${left.join(", ")}`);
const files = leftFiles().filter((name) => !filesBefore.has(name));
if (kind === "native" && files.length > 0) deviations.push(`files left: ${files.join(", ")}`);
// The first reports see memory that is still warming up. After that the least of each half is compared.
const settled = memory.slice(Math.ceil(memory.length / 4));
const half = Math.ceil(settled.length / 2);
const growth = Math.min(...settled.slice(half)) - Math.min(...settled.slice(0, half));
console.log(
  `${finished} jobs (${hostileJobs} hostile) in ${seconds.toFixed(1)} s: ${(finished / seconds).toFixed(0)} jobs/s; growth ${growth.toFixed(0)} MB; ${deviations.length} deviations`,
);
if (Number.isFinite(growth) && growth > 64) deviations.push(`memory grew by ${growth.toFixed(0)} MB`);
for (const text of deviations.slice(0, 20)) console.log(`  ${text}`);
process.exit(deviations.length > 0 ? 1 : 0);
