/** Tests of programs by the shipped model, asked for together and one program at a time. */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { SparringError } from "../errors.ts";
import { packageRoot } from "../package-root.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { arenaDialect } from "../prompts/dialect.ts";
import { samplePrograms, sampleTests, sampleTestsUnlessRefused, type Writer } from "./sample-writers.ts";

let engine: Engine;
let writer: Writer;
beforeAll(async () => {
  engine = await openEmbeddedEngine({ threads: 1 });
  const model = { kind: "folder" as const, path: path.join(packageRoot, "models", "arena") };
  const policy = await engine.openFrozen({ role: "test", model, seed: 0 });
  writer = { policy, dialect: arenaDialect, sampling: { temperature: 1, topP: 1, maxTokens: 96 } };
});
afterAll(() => engine.close());

const problem = arenaProblems({ split: "held-out", limit: 1 })[0]!;

async function asked() {
  const written = await samplePrograms(writer, { problem, seed: 1, programs: 8 });
  const programs = [...new Set(written)];
  return { problem, seed: 1, programs, testsPerProgram: 3 };
}

/** The writer whose model fails at the tests of these programs. */
function failingAt(fails: (key: string) => SparringError | undefined): Writer {
  const { policy } = writer;
  const sample: typeof policy.sample = (requests, ...rest) => {
    const error = fails(requests[0]!.key ?? "");
    if (error) throw error;
    return policy.sample(requests, ...rest);
  };
  const failing = { describe: () => policy.describe(), tokenizer: policy.tokenizer, sample };
  return { ...writer, policy: { ...failing } as typeof policy };
}

describe("sampleTestsUnlessRefused", () => {
  it("gives what is given when all are asked for together, whichever are wanted", async () => {
    const options = await asked();
    const together = await sampleTests(writer, options);
    expect(together.flat().length).toBe(3 * options.programs.length);
    const all = await sampleTestsUnlessRefused(writer, { ...options, isWanted: () => true });
    expect([...all.values()]).toEqual(together.map((replies) => ({ ok: true, replies })));
    const last = options.programs.length - 1;
    const some = await sampleTestsUnlessRefused(writer, { ...options, isWanted: (index) => index === last });
    expect([...some]).toEqual([[last, { ok: true, replies: together[last] }]]);
  });

  it("goes on without a program whose prompt is refused, and ends with any other failure", async () => {
    const options = { ...(await asked()), isWanted: () => true };
    const failing = (code: string) =>
      failingAt((key) => (key.endsWith("/0") ? new SparringError({ code, message: "no" }) : undefined));
    const [first, ...others] = [...(await sampleTestsUnlessRefused(writer, options)).values()];
    const sampled = await sampleTestsUnlessRefused(failing("engine-prompt-refused"), options);
    expect(first).toMatchObject({ ok: true });
    expect([...sampled.values()]).toEqual([{ ok: false, reason: "no" }, ...others]);
    await expect(sampleTestsUnlessRefused(failing("engine-endpoint"), options)).rejects.toMatchObject({
      code: "engine-endpoint",
    });
  });
});
