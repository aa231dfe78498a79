import { afterAll, describe, expect, it } from "vitest";
import { type NativeKind, nativeKinds, startNative } from "./native/native-for-tests.test.support.ts";
import { text } from "./program-jobs.test.support.ts";
import type { IsolationLevel, Observation, ProgramJob, Sandbox } from "./sandbox.ts";
import { scriptedSandbox } from "./scripted-sandbox.test.support.ts";
import { selfTest } from "./self-test.ts";
import { createWasmSandbox } from "./wasm/wasm-sandbox.ts";

const open: Sandbox[] = [];
afterAll(async () => {
  await Promise.all(open.map((sandbox) => sandbox.close()));
});

describe("selfTest", () => {
  it.for(nativeKinds)("passes the native sandbox, $name", async (kind: NativeKind, context) => {
    const started = await startNative(kind, 1);
    if (typeof started === "string") return context.skip(started);
    try {
      await selfTest(started.sandboxes[0]!);
    } finally {
      await started.sandboxes[0]!.close();
      started.release();
    }
  });

  it("passes the wasm sandbox", async () => {
    const sandbox = await createWasmSandbox({ workers: 1 });
    open.push(sandbox);
    await selfTest(sandbox);
  });

  /** What a sandbox without a hole observes, by a word of the probe's source. */
  const good: ReadonlyArray<readonly [string, Observation]> = [
    ["join([", { kind: "returned", value: text("ok") }],
    ["/etc/passwd", { kind: "returned", value: text("") }],
    ["socket", { kind: "returned", value: text("") }],
    ["fork", { kind: "returned", value: text("") }],
    ["while True: pass", { kind: "timed-out", limit: "cpu" }],
    ["bytearray", { kind: "out-of-memory" }],
    ["while True: print", { kind: "output-flood", what: "printed" }],
  ];
  const observe = (job: ProgramJob, hole?: readonly [string, Observation]) => {
    const found = [...(hole ? [hole] : []), ...good].find(([word]) => job.source.includes(word));
    if (!found) throw new Error(`unknown probe: ${job.source}`);
    return [found[1]];
  };

  it("passes a sandbox in which every probe fails to get through", async () => {
    await selfTest(scriptedSandbox((job) => observe(job)));
  });

  it.each<[string, string, Observation]>([
    ["an honest program", "join([", { kind: "infrastructure", message: "worker lost" }],
    ["files", "/etc/passwd", { kind: "returned", value: text("read") }],
    ["network", "socket", { kind: "returned", value: text("tcp") }],
    ["processes", "fork", { kind: "returned", value: text("shell") }],
    ["loop", "while True: pass", { kind: "infrastructure", message: "stuck" }],
    ["memory", "bytearray", { kind: "returned", value: text("1073741824") }],
    ["output", "while True: print", { kind: "timed-out", limit: "wall" }],
  ])("refuses a sandbox with a hole, and names it: %s", async (name, word, observation) => {
    const sandbox = scriptedSandbox((job) => observe(job, [word, observation]));
    await expect(selfTest(sandbox)).rejects.toMatchObject({
      code: "sandbox-leaks",
      message: expect.stringContaining(name),
    });
  });

  it("expects of the lowest level only what it promises", async () => {
    const level: IsolationLevel = "limits";
    const sandbox = scriptedSandbox((job) => observe(job));
    const lower: Sandbox = { ...sandbox, describe: () => ({ ...sandbox.describe(), isolation: level }) };
    await selfTest(lower);
    const asked = sandbox.asked.map(({ job }) => job.source).join();
    expect(asked).not.toContain("/etc/passwd");
    expect(asked).toContain("while True: pass");
  });
});
