/** The two local sandboxes are different Pythons on different machines, and must see the same programs do the same. */
import { describe, expect, it } from "vitest";
import { messageOf } from "../errors.ts";
import { type EquivalenceProgram, equivalencePrograms } from "./equivalence-programs.test.support.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { pythonForTests } from "./native/native-for-tests.test.support.ts";
import { createNativeSandbox } from "./native/native-sandbox.ts";
import type { Observation, Sandbox } from "./sandbox.ts";
import { createWasmSandbox } from "./wasm/wasm-sandbox.ts";

const programs = equivalencePrograms(620);

/** One Python is twice as fast as the other: what one can do in time the other must be able to do as well. */
const limits: Limits = {
  ...defaultLimits,
  caseCpuSeconds: 1,
  caseWallSeconds: 60,
  programCpuSeconds: 2,
  memoryBytes: 128 * 1024 * 1024,
  valueBytes: 1024 * 1024,
};

/** What must be the same. Messages differ between versions of Python, tracebacks between builds. */
function seen(observation: Observation, program: EquivalenceProgram): unknown {
  switch (observation.kind) {
    case "returned":
      return observation;
    case "printed":
      return { ...observation, stderr: "" };
    case "raised":
    case "did-not-load":
      return [observation.kind, observation.error.type];
    case "timed-out":
    case "out-of-memory":
      return program.mutated ? "did not end" : observation.kind;
    default:
      return observation;
  }
}

async function seenBy(sandbox: Sandbox): Promise<unknown[][]> {
  const reports = await Promise.all(programs.map(({ job }) => sandbox.run({ ...job, limits })));
  return reports.map(({ observations }, index) =>
    observations.map((observation) => seen(observation, programs[index]!)),
  );
}

describe("native and wasm", () => {
  it("see the same programs do the same", async (context) => {
    const python = pythonForTests();
    const native = await createNativeSandbox({ demand: "full", workers: 2, ...(python && { python }) }).catch(
      messageOf,
    );
    if (typeof native === "string") return context.skip(native);
    const wasm = await createWasmSandbox({ workers: 2 });
    try {
      const [byNative, byWasm] = [await seenBy(native), await seenBy(wasm)];
      const different = programs.flatMap(({ job: { source } }, index) => {
        const [left, right] = [byNative[index], byWasm[index]];
        return shown(left) === shown(right) ? [] : [{ source, native: shown(left), wasm: shown(right) }];
      });
      expect(different).toEqual([]);
      const kinds = new Set(
        byNative.flat().map((each) => (shown(each).match(/^[["{]*(?:kind":")?([a-z- ]+)/) ?? [])[1]),
      );
      // The programs must not all do the same thing, or the comparison would say nothing.
      expect([...kinds].sort()).toEqual(
        [
          "did not end",
          "did-not-load",
          "out-of-memory",
          "output-flood",
          "printed",
          "raised",
          "returned",
          "timed-out",
        ].sort(),
      );
    } finally {
      await native.close();
      await wasm.close();
    }
  }, 300_000);
});

function shown(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return `${part}n`;
    return typeof part === "number" && !Number.isFinite(part) ? `${part}` : Object.is(part, -0) ? "-0" : part;
  });
}
