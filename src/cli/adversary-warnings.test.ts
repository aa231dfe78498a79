import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  adversarySearches,
  adversarySummary,
  adversaryWarning,
  partialBankText,
  UnloadableWatch,
} from "./adversary-warnings.ts";

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

const record = (...lines: object[]) =>
  writeFileSync(
    path.join(folder, "metrics.jsonl"),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );

it("sums up the whole run from its metrics, and says nothing where all went well", () => {
  const step = { "adversary/due": 5, "adversary/resting": 1, "adversary/failures": 0 };
  record({ step: 0, "held-out/attack_rate": 0.5 }, step, step);
  expect(adversarySummary(adversarySearches(folder))).toEqual([]);
  record(step, { ...step, "adversary/failures": 3 });
  expect(adversarySearches(folder)).toMatchObject({ all: 8, failed: 3 });
  expect(adversarySummary(adversarySearches(folder))[0]).toMatch(/failed in 3 of 8 searches/);
  expect(adversarySearches(path.join(folder, "absent"))).toMatchObject({ all: 0, failed: 0 });
});

const tried = (tries: number, unloadable: number) => ({
  "adversary/tries": tries,
  "adversary/refused/does-not-load": unloadable,
});

it("tells once of an adversary that writes no programs", () => {
  const watch = new UnloadableWatch();
  const told = [{}, tried(6, 6), tried(6, 6), tried(6, 6)].map((metrics) => watch.see(metrics));
  expect(told).toEqual([
    undefined,
    undefined,
    expect.stringContaining("none of the adversary's 12 programs loads"),
    undefined,
  ]);
  expect(new UnloadableWatch().see(tried(20, 19))).toBeUndefined();
  record(tried(6, 6), tried(6, 6));
  expect(adversarySummary(adversarySearches(folder))).toEqual([
    expect.stringContaining("none of the adversary's 12 programs loads"),
  ]);
  record(tried(6, 6), tried(6, 5));
  expect(adversarySummary(adversarySearches(folder))).toEqual([]);
});

it("tells how much a bank covers", () => {
  expect(partialBankText({ covered: 12, problems: 40 })).toContain("programs for 12 of 40 problems");
});
