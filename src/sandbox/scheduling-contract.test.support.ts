/** The rest of the sandbox contract: queue, cancellation, misuse, closing. */
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { PythonValue } from "../values/python-value.ts";
import type { Limits } from "./limits.ts";
import { functionJob, int, returned } from "./program-jobs.test.support.ts";
import type { Observation, ProgramJob, Sandbox } from "./sandbox.ts";

/** A test that is skipped, with the reason, where there is no sandbox. */
type PromiseTest = (what: string, check: (sandbox: Sandbox) => Promise<void>) => void;

export function schedulingContract(promise: PromiseTest, limits: Limits): void {
  const quick = (n: number): ProgramJob => ({ ...functionJob("def f(n): return n + 1", [[int(n)]]), limits });
  const endless: ProgramJob = {
    ...functionJob("def f():\n    while True: pass", [[]]),
    limits: { ...limits, caseCpuSeconds: 300, caseWallSeconds: 300, programCpuSeconds: 300 },
  };
  const answers = (observations: readonly Observation[]) => observations[0];

  describe("scheduling", () => {
    promise("answers many jobs at once, each with its own answer", async (sandbox) => {
      const reports = await Promise.all(Array.from({ length: 60 }, (_, n) => sandbox.run(quick(n))));
      expect(reports.map(({ observations }) => answers(observations))).toEqual(
        reports.map((_, n) => returned(int(n + 1))),
      );
      expect(reports.some(({ underLoad }) => underLoad)).toBe(true);
    });

    promise("runs a job alone when asked to", async (sandbox) => {
      const beside = Array.from({ length: 6 }, (_, n) => sandbox.run(quick(n)));
      const alone = await sandbox.run(quick(1), { alone: true });
      expect(alone.underLoad).toBe(false);
      expect(answers(alone.observations)).toEqual(returned(int(2)));
      await Promise.all(beside);
    });

    promise("stops a job that runs or waits, and goes on with the others", async (sandbox) => {
      const reason = new Error("no longer needed");
      const controller = new AbortController();
      const stopped = Array.from({ length: 4 }, () => sandbox.run(endless, { signal: controller.signal }));
      const waiting = sandbox.run(quick(5));
      controller.abort(reason);
      for (const result of await Promise.allSettled(stopped)) {
        expect(result).toEqual({ status: "rejected", reason });
      }
      expect(answers((await waiting).observations)).toEqual(returned(int(6)));
      await expect(sandbox.run(quick(1), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });

    promise("takes one signal for as many jobs as there are, and leaves nothing on it", async (sandbox) => {
      const warnings: Error[] = [];
      const note = (warning: Error) => warnings.push(warning);
      process.on("warning", note);
      const { signal } = new AbortController();
      await Promise.all(Array.from({ length: 30 }, (_, n) => sandbox.run(quick(n), { signal })));
      await new Promise((resolve) => setImmediate(resolve));
      process.off("warning", note);
      expect(warnings).toEqual([]);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    });

    promise("refuses a malformed job and stays usable", async (sandbox) => {
      const opaque: PythonValue = { type: "opaque", typeName: "X", reason: "object" };
      let deep: PythonValue = int(1);
      for (let depth = 0; depth < 5_000; depth += 1) deep = { type: "list", items: [deep] };
      for (const argument of [opaque, deep]) {
        const job = { ...functionJob("def f(x): return x", [[argument]]), limits };
        await expect(sandbox.run(job)).rejects.toThrow(TypeError);
      }
      const reports = await Promise.all([1, 2, 3].map((n) => sandbox.run(quick(n))));
      expect(reports.map(({ observations }) => answers(observations))).toEqual(
        [2, 3, 4].map((n) => returned(int(n))),
      );
    });
  });
}

/** What happens when a sandbox is closed; it gets one of its own. */
export function closingContract(start: () => Promise<Sandbox | string>, limits: Limits): void {
  it("closes at once, whatever it is doing, and takes no more jobs", async (context) => {
    const sandbox = await start();
    if (typeof sandbox === "string") return context.skip(sandbox);
    const endless = functionJob("def f():\n    while True: pass", [[]]);
    const slow = { ...limits, caseCpuSeconds: 300, caseWallSeconds: 300, programCpuSeconds: 300 };
    await sandbox.run({ ...functionJob("def f(): pass", [[]]), limits });
    const running = Array.from({ length: 5 }, () => sandbox.run({ ...endless, limits: slow }));
    const settled = Promise.allSettled(running);
    await sandbox.close();
    for (const result of await settled) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "sandbox-closed" } });
    }
    await expect(sandbox.run({ ...endless, limits })).rejects.toMatchObject({ code: "sandbox-closed" });
    await sandbox.close();
  });
}
