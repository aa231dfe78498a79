import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { adversarySearches, adversarySummary, adversaryWarning } from "./adversary-warnings.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-warnings-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

it("tells of a step, and of a server that is not there yet", () => {
  const event = { kind: "adversary-failed", reason: "HTTP 503\u001b[2J" } as const;
  expect(adversaryWarning({ ...event, step: 51, failures: 3 })).toBe(
    "warning: step 51: the adversary failed in 3 searches for a harder program: HTTP 503\\u001b[2J",
  );
  expect(adversaryWarning({ ...event, step: 51, failures: 1 })).toContain("failed in a search for");
  expect(adversaryWarning({ ...event, step: undefined, failures: 0 })).toContain("does not answer yet: HTTP");
});

it("sums up the whole run from its metrics, and says nothing where all went well", () => {
  const record = (...lines: object[]) =>
    writeFileSync(
      path.join(folder, "metrics.jsonl"),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
  const step = { "adversary/due": 5, "adversary/resting": 1, "adversary/failures": 0 };
  record({ step: 0, "held-out/attack_rate": 0.5 }, step, step);
  expect(adversarySummary(adversarySearches(folder))).toEqual([]);
  record(step, { ...step, "adversary/failures": 3 });
  expect(adversarySearches(folder)).toEqual({ all: 8, failed: 3 });
  expect(adversarySummary(adversarySearches(folder))[0]).toMatch(/failed in 3 of 8 searches/);
  expect(adversarySearches(path.join(folder, "absent"))).toEqual({ all: 0, failed: 0 });
});
