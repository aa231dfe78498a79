/** Suites from the shipped models, and a server that rewards programs by them: real processes from end to end. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSuites } from "../evaluation/suite-file.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { spar, startSpar } from "./run-cli.test.support.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-generate-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const generating = (out: string, ...more: string[]) => [
  ...["tests", "generate", "--problems", "arena", "--limit", "3", "--code-model", "arena"],
  ...["--test-model", "arena", "--out", path.join(folder, out), "--demand", "limits", "--json", ...more],
];

// Each command is a process of its own.
const patience = { timeout: 300_000 };

describe("spar tests generate", patience, () => {
  it("writes suites that a server rewards programs by", async () => {
    const { code, stdout } = await spar(...generating("suites.jsonl", "--most", "5", "--check"));
    expect(code).toBe(0);
    const counts = JSON.parse(stdout);
    expect(counts).toMatchObject({ problems: 3, checked: { lost: 0 } });
    const { right, wrong, unanswered } = counts.checked;
    expect(right + wrong + unanswered).toBe(counts.tests);
    expect(existsSync(path.join(folder, "suites.jsonl.journal"))).toBe(false);
    const suites = await readSuites(path.join(folder, "suites.jsonl"));
    const problems = arenaProblems({ split: "train", limit: 3 });
    expect([...suites.keys()]).toEqual(problems.map(({ id }) => id));
    for (const { tests } of suites.values()) expect(tests.length).toBeLessThanOrEqual(5);

    const { child: server, finished } = startSpar([
      ...["serve", "sandbox", "--port", "0", "--demand", "limits", "--workers", "1", "--json"],
      ...["--suites", path.join(folder, "suites.jsonl")],
    ]);
    try {
      let said = "";
      for await (const piece of server.stdout!) {
        said += piece;
        if (said.includes("\n}")) break;
      }
      const { url } = JSON.parse(said) as { url: string };
      const items = problems.map(({ id, reference }) => ({ problem: id, code: reference }));
      const answer = await fetch(`${url}/reward`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ items }),
      });
      const scored = (await answer.json()) as { items: { passed: number; masked: boolean }[] };
      // A reference passes exactly the tests whose answer it would give itself.
      expect(scored.items.reduce((sum, { passed }) => sum + passed, 0)).toBe(right);
      expect(scored.items.every(({ masked }) => !masked)).toBe(true);
    } finally {
      server.kill("SIGTERM");
      await finished;
    }
  });

  it("gives the same file for the same seed, and does not overwrite one unasked", async () => {
    await spar(...generating("once.jsonl"));
    const refused = await spar(...generating("once.jsonl"));
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--force")]);
    const once = readFileSync(path.join(folder, "once.jsonl"), "utf8");
    await spar(...generating("once.jsonl", "--force"));
    expect(readFileSync(path.join(folder, "once.jsonl"), "utf8")).toBe(once);
  });

  it("has help with an example", async () => {
    for (const command of [["tests", "generate"], ["best-of-n"]]) {
      const { code, stdout } = await spar(...command, "--help");
      expect(code).toBe(0);
      expect(stdout).toMatch(/Examples?:\n {2}\$ spar/);
    }
  });
});
