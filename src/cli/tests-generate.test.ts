/** Suites from the shipped models, and a server that rewards programs by them: real processes from end to end. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSuites } from "../evaluation/suite-file.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { lockOutput } from "./output-lock.ts";
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

  it("writes no file where there is no test, and fails", async () => {
    const { code, stdout, stderr } = await spar(...generating("none.jsonl", "--max-tokens", "1"));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/error: no test was written for any of 3 problems, in \d+ replies; nothing is/),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ problems: 3, withoutTests: 3, tests: 0, out: null });
    expect(leftBehind("none.jsonl")).toEqual([false, false]);
  });

  it("asks no tiny model about problems that it does not know, and leaves nothing behind", async () => {
    const foreign = path.join(folder, "foreign.jsonl");
    const problem = { id: "one", question: "Print 1.", style: "stdio", reference: "print(1)", goldTests: [] };
    writeFileSync(foreign, JSON.stringify(problem));
    const { code, stderr } = await spar(...generating("foreign-suites.jsonl", "--problems", foreign));
    expect([code, stderr]).toEqual([2, expect.stringContaining("knows no other problems than those of the")]);
    expect(leftBehind("foreign-suites.jsonl")).toEqual([false, false]);
  });

  it("warns of a damaged journal, and speaks of one problem as one", async () => {
    writeFileSync(path.join(folder, "damaged.jsonl.journal"), "{\nnonsense\n");
    const args = generating("damaged.jsonl", "--limit", "1").filter((arg) => arg !== "--json");
    const { code, stdout, stderr } = await spar(...args);
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: 2 lines of .*damaged\.jsonl\.journal cannot be read/);
    expect(stderr).toContain("1 of 1 problem done");
    expect(stdout).toMatch(/^\d+ tests? for 1 problem \(0 without any\), from \d+ replies, \d+ of them/);
  });

  it("leaves a file alone that another process works on", async () => {
    const lock = lockOutput(path.join(folder, "held.jsonl"));
    const held = await spar(...generating("held.jsonl", "--limit", "1")).finally(() => lock.release());
    expect([held.code, held.stderr]).toEqual([
      2,
      expect.stringContaining(`held.jsonl is in use by process ${process.pid}`),
    ]);
    expect(leftBehind("held.jsonl")).toEqual([false, false]);
    expect((await spar(...generating("held.jsonl", "--limit", "1"))).code).toBe(0);
    expect(existsSync(path.join(folder, "held.jsonl.lock"))).toBe(false);
  });

  function leftBehind(out: string): boolean[] {
    return [out, `${out}.journal`].map((name) => existsSync(path.join(folder, name)));
  }

  it("has help with an example", async () => {
    for (const command of [["tests", "generate"], ["best-of-n"]]) {
      const { code, stdout } = await spar(...command, "--help");
      expect(code).toBe(0);
      expect(stdout).toMatch(/Examples?:\n {2}\$ spar/);
    }
  });
});
