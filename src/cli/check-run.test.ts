/** What a dry run, and a comparison before its first run, finds wrong with the adversary. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arenaPairs } from "../problems/arena/attack-pairs.ts";
import { checkConfig } from "../training/load-config.ts";
import { checkRun } from "./check-run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-check-run-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function check(adversary: object, mode = "adaptive") {
  const config = checkConfig(
    {
      method: { kind: "atgen" },
      problems: { limit: 3 },
      evaluation: { problems: 1 },
      engine: { threads: 1 },
      atgen: { mode, pairsPerProblem: 1, adversary },
    },
    "test",
  );
  return checkRun(config, path.join(folder, "start"));
}

/** A bank with a wrong program for each of these problems. */
function bank(name: string, ...ids: string[]): string {
  const pair = { question: "Add one.", gold_code: "print(int(input()) + 1)", buggy_code: "print(1)" };
  const tests = { inputs: ["1\n"], outputs: ["2\n"] };
  const file = path.join(folder, name);
  writeFileSync(file, ids.map((id) => JSON.stringify({ problem_id: id, ...pair, tests })).join("\n"));
  return file;
}

describe("checkRun", () => {
  it.each([
    [{ kind: "bank", bankPath: "absent.jsonl" }, /absent\.jsonl/],
    [{ model: "no/such/model" }, /no\/such\/model/],
    [{ model: "openai:coder", baseUrl: "localhost:8000" }, /'localhost:8000' is not the address of a server/],
    [{ kind: "instruction", model: "arena" }, /takes orders/],
  ])("refuses %j", async (adversary, expected) => {
    await expect(check(adversary)).rejects.toThrow(expected);
    await check(adversary, "none"); // nobody would open it
  });

  it("makes no request to a server", async () => {
    await check({ model: "openai:coder", baseUrl: "http://127.0.0.1:9/v1" });
  });

  it("names the settings of a run where a key is missing, not the options of other commands", async () => {
    const keyless = check({
      model: "openai:coder",
      baseUrl: "http://127.0.0.1:9/v1",
      apiKeyVariable: "SPARRING_NO_SUCH_KEY",
    });
    await expect(keyless).rejects.toMatchObject({
      hint: expect.stringMatching(/atgen\.adversary\.apiKeyVariable.*atgen\.adversary\.baseUrl/),
    });
  });

  it("refuses a bank that has no program for any problem, and tells of one that has some", async () => {
    const ids = arenaPairs({ split: "train", limit: 3, perProblem: 1 }).map(({ problem }) => problem.id);
    await expect(check({ kind: "bank", bankPath: bank("foreign.jsonl", "x", "y") })).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringMatching(/foreign\.jsonl has no program for any of the 3 training problems/),
    });
    expect((await check({ kind: "bank", bankPath: bank("some.jsonl", "x", ids[1]!) })).bank).toEqual({
      covered: 1,
      problems: 3,
    });
    expect((await check({ kind: "bank", bankPath: bank("all.jsonl", ...ids) })).bank).toBeUndefined();
    expect((await check({ kind: "bank" })).bank).toBeUndefined();
  });
});
