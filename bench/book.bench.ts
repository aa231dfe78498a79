/**
 * What the Mistake Book costs a training step, empty and with 100,000 tests: replay and update of a step's problems,
 * the journal, and a checkpoint. The difference is what a full book adds; a step of the demo takes a second or more.
 *
 *   npm run bench book
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestCase } from "../src/problems/problem.ts";
import { BookStore } from "../src/runs/book-store.ts";

const problemsPerStep = 256;
const failuresPerProblem = 50;
const steps = 20;

const test = (argument: number): TestCase => ({
  style: "function",
  call: { args: [{ type: "int", value: BigInt(argument) }], keywords: {} },
  expected: { type: "int", value: 0n },
});

function millisecondsPerStep(entries: number): number {
  const runFolder = mkdtempSync(path.join(tmpdir(), "sparring-book-"));
  const store = new BookStore({ runFolder, mostPerProblem: 256 });
  for (let index = 0; index < entries; index += 100) {
    const failures = Array.from({ length: 100 }, (_, offset) => test(1_000_000 + offset));
    store.record(store.book.update({ problemId: `old-${index}`, replays: [], failures }));
  }
  store.checkpoint();
  const started = performance.now();
  for (let step = 0; step < steps; step += 1) {
    for (let problem = 0; problem < problemsPerStep; problem += 1) {
      // Every other problem is one that the full book knows.
      const problemId = problem % 2 === 0 ? `new-${problem}` : `old-${problem * 100}`;
      const replays = store.book.replay(problemId, 8).map((testCase) => ({ testCase, passes: 1 }));
      const failures = Array.from({ length: failuresPerProblem }, (_, index) => test(step * 10 + index));
      store.record(store.book.update({ problemId, replays, failures }));
    }
    store.checkpoint();
  }
  const milliseconds = (performance.now() - started) / steps;
  store.close();
  rmSync(runFolder, { recursive: true });
  return milliseconds;
}

millisecondsPerStep(0);
const empty = millisecondsPerStep(0);
const full = millisecondsPerStep(100_000);
console.log(
  `${problemsPerStep} problems a step, ${failuresPerProblem} failures each, a checkpoint every step`,
);
console.log(`empty book: ${empty.toFixed(1)} ms a step; 100,000 tests: ${full.toFixed(1)} ms a step`);
console.log(
  `difference: ${(full - empty).toFixed(1)} ms, ${(((full - empty) / 1000) * 100).toFixed(2)} % of a step of one second`,
);
