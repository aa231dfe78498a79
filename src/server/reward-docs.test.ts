/** The Python of docs/reward-source.md, as it stands there, against a real server. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Suite } from "../evaluation/suite-file.ts";
import { packageRoot } from "../package-root.ts";
import { parseTestStatement } from "../prompts/parse-tests.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { exactComparison } from "../values/compare.ts";
import { hasPython } from "../values/run-python.test.support.ts";
import { type LoopbackServer, serveOnLoopback } from "./loopback-server.test.support.ts";

const page = readFileSync(path.join(packageRoot, "docs", "reward-source.md"), "utf8");
const blocks = [...page.matchAll(/```python\n(.*?)```/gs)].map((match) => match[1]!);

function suite(...tests: string[]): Suite {
  const cases = tests.map((test) => {
    const parsed = parseTestStatement(test, "add");
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.case;
  });
  return { style: "function", entryPoint: "add", comparison: exactComparison, tests: cases };
}

describe.runIf(hasPython)("docs/reward-source.md", { timeout: 300_000 }, () => {
  let sandbox: Sandbox;
  let server: LoopbackServer;
  /** How many of the next programs the machine fails under. */
  let failures = 0;
  beforeAll(async () => {
    sandbox = await createSandbox({ workers: 1, demand: "limits" });
    const shaky: Sandbox = {
      describe: () => sandbox.describe(),
      close: () => sandbox.close(),
      run: async (job, options) => {
        const report = await sandbox.run(job, options);
        if (failures === 0 && !job.source.includes("# lost")) return report;
        failures = Math.max(0, failures - 1);
        const lost = { kind: "infrastructure", message: "no worker" } as const;
        return { ...report, observations: report.observations.map(() => lost) };
      },
    };
    const suites = new Map([["add", suite("assert add(1, 2) == 3", "assert add(2, 2) == 4")]]);
    server = await serveOnLoopback(shaky, { suites, token: "secret" });
  });
  afterAll(async () => {
    await server.close();
    await sandbox.close();
  });

  function python(driver: string): Promise<unknown> {
    const program = [...blocks, `print(json.dumps(${driver}))`].join("\n");
    const env = { ...process.env, SPARRING_URL: server.url, SPARRING_TOKEN: "secret" };
    return new Promise((resolve, reject) => {
      execFile("python3", ["-c", program], { env }, (error, stdout, stderr) =>
        error ? reject(new Error(stderr)) : resolve(JSON.parse(stdout)),
      );
    });
  }

  const right = "'```python\\ndef add(a, b): return a + b\\n```'";
  const wrong = "'def add(a, b): return a * b'";

  it("has a client, a function for verl and one for TRL", () => {
    expect(blocks).toHaveLength(3);
  });

  it("scores for verl", async () => {
    const call = (solution: string) => `compute_score('x', ${solution}, '', {'problem': 'add'})`;
    expect(await python(`[${call(right)}, ${call(wrong)}, ${call("'no'")}]`)).toEqual([1, 0.5, 0]);
  });

  it("scores lists of texts and of messages for TRL", async () => {
    const texts = `test_reward([${right}, ${wrong}], problem=['add', 'add'], prompts=[])`;
    const messages = `test_reward([[{'role': 'assistant', 'content': ${right}}]], problem=['add'])`;
    expect(await python(`[${texts}, ${messages}]`)).toEqual([[1, 0.5], [1]]);
  });

  it("asks again for what was lost", async () => {
    failures = 2;
    expect(await python(`test_reward([${right}, ${wrong}], problem=['add', 'add'])`)).toEqual([1, 0.5]);
    expect(failures).toBe(0);
  });

  it("gives what stays lost no advantage in TRL, and stops verl", async () => {
    const lost = "'def add(a, b): return a + b  # lost'";
    const group = `test_reward([${wrong}, ${lost}, ${right}], problem=['add'] * 3)`;
    expect(await python(group)).toEqual([0.5, 0.75, 1]);
    expect(await python(`test_reward([${lost}, ${lost}], problem=['add'] * 2)`)).toEqual([0, 0]);
    await expect(python(`compute_score('x', ${lost}, '', {'problem': 'add'})`)).rejects.toThrow(/no score/);
  });

  it("hears of a problem that the server does not know", async () => {
    await expect(python(`test_reward([${wrong}], problem=['other'])`)).rejects.toThrow(/422/);
  });
});
