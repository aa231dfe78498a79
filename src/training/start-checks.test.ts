import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { doubling } from "../evaluation/court.test.support.ts";
import type { Problem } from "../problems/problem.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { type CheckProgress, StartChecks, type StartChecksOptions } from "./start-checks.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-checks-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sandbox = scriptedSandbox(() => []);
const opened = (changed: Partial<StartChecksOptions> = {}) =>
  new StartChecks({
    folder,
    sandbox,
    limits: defaultLimits,
    signal: new AbortController().signal,
    clock: () => 0,
    onProgress: () => {},
    ...changed,
  });
const numbers = Array.from({ length: 7 }, (_, index) => index);

describe("each", () => {
  it("has two under way for each worker, and gives the findings in order", async () => {
    const checks = opened();
    let [underWay, most] = [0, 0];
    const faults = await checks.each("reference", numbers, async (number) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      return number % 2 === 0 ? undefined : `odd ${number}`;
    });
    checks.close();
    expect(most).toBe(2);
    expect(faults).toEqual([undefined, "odd 1", undefined, "odd 3", undefined, "odd 5", undefined]);
  });

  it("tells of its progress at the beginning and then every two seconds", async () => {
    let seconds = 100;
    const told: CheckProgress[] = [];
    const checks = opened({ clock: () => seconds, onProgress: (progress) => told.push(progress) });
    await checks.each("wrong program", numbers, async () => {
      seconds += 0.5;
      return undefined;
    });
    await checks.each("reference", [], async () => undefined);
    checks.close();
    const event = (done: number) => ({ what: "wrong program", done, total: 7 });
    expect(told).toEqual([event(0), event(3)]);
  });

  it("begins nothing after it was told to stop", async () => {
    const controller = new AbortController();
    const checks = opened({ signal: controller.signal });
    const begun: number[] = [];
    const all = checks.each("reference", numbers, async (number) => {
      begun.push(number);
      if (number === 2) controller.abort(new Error("stopped"));
      return undefined;
    });
    await expect(all).rejects.toThrow("stopped");
    checks.close();
    expect(begun).toEqual([0, 1, 2]);
  });
});

describe("once", () => {
  /** Opens the folder's journal anew, as another process would. */
  async function finds(
    program: { problem?: Problem; source?: string; what?: "reference" },
    fault: string | undefined,
    changed: Partial<StartChecksOptions> = {},
  ): Promise<{ fault: string | undefined; ran: boolean }> {
    const checks = opened(changed);
    let ran = false;
    const { problem = doubling, source = "print(1)", what = "wrong program" } = program;
    try {
      const found = await checks.once({ what, problem, source }, async () => {
        ran = true;
        return fault;
      });
      return { fault: found, ran };
    } finally {
      checks.close();
    }
  }

  it("knows what an earlier start found, good or bad, whatever the problem is called", async () => {
    expect(await finds({}, "bad")).toEqual({ fault: "bad", ran: true });
    expect(await finds({ source: "good" }, undefined)).toEqual({ fault: undefined, ran: true });
    expect(await finds({ problem: { ...doubling, id: "other" } }, "?")).toEqual({ fault: "bad", ran: false });
    expect(await finds({ source: "good" }, "?")).toEqual({ fault: undefined, ran: false });
  });

  it("looks again where anything is different that a verdict depends on", async () => {
    await finds({}, "bad");
    const [test] = doubling.goldTests;
    const newPython = { ...sandbox, describe: () => ({ ...sandbox.describe(), python: "3.99.0" }) };
    const again = [
      await finds({ source: "print(2)" }, "new"),
      await finds({ what: "reference" }, "new"),
      await finds({ problem: { ...doubling, goldTests: [test!] } }, "new"),
      await finds({ problem: { ...doubling, limits: { caseCpuSeconds: 1 } } }, "new"),
      await finds({}, "new", { limits: { ...defaultLimits, caseCpuSeconds: 99 } }),
      await finds({}, "new", { sandbox: newPython }),
    ];
    expect(again.map(({ ran }) => ran)).toEqual(again.map(() => true));
  });

  it("keeps nothing of a check that failed", async () => {
    const checks = opened();
    const lost = checks.once({ what: "reference", problem: doubling, source: "print(1)" }, async () => {
      throw new Error("worker lost");
    });
    await expect(lost).rejects.toThrow("worker lost");
    checks.close();
    expect((await finds({ what: "reference" }, undefined)).ran).toBe(true);
  });
});
