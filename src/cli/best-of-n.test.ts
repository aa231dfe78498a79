/** The command as a person meets it: real processes, real files, killed and started again. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addBestOfNCommand } from "./best-of-n.ts";
import { spar, startSpar } from "./run-cli.test.support.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-best-of-n-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bestOfN = (...args: string[]) => spar("best-of-n", ...args);

function lines(name: string, rows: readonly unknown[]): string {
  const file = path.join(folder, name);
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}

const names = ["a", "b", "c", "d", "e", "f"];
const problemFile = () =>
  lines(
    "problems.jsonl",
    names.map((id) => ({
      id,
      question: "Twice the number.",
      style: "function",
      entryPoint: "double",
      reference: "def double(x): return 2 * x",
      goldTests: ["assert double(3) == 6", "assert double(-1) == -2"],
    })),
  );
const square = "def double(x): return x * x";
// Slow enough that a run can be interrupted.
const slow = (id: string) =>
  `import time\ndef double(x):\n    end = time.process_time() + 0.1\n    while time.process_time() < end: pass\n    return 2 * x  # ${id}`;
const candidateFile = (name: string, last: object = { problem: "f", code: slow("f") }) =>
  lines(name, [
    ...names.flatMap((id) => [
      { problem: id, code: square },
      ...(id === "f" ? [last] : [{ problem: id, code: slow(id) }]),
    ]),
    { problem: "z", code: "" },
  ]);
const testFile = () =>
  lines("tests.jsonl", [
    ...names.map((id) => ({ problem: id, candidate: 0, tests: ["assert double(5) == 10"] })),
    { problem: "a", tests: ["assert double(2) == 4", "double"] },
  ]);
const flags = (out: string, candidates = candidateFile("candidates.jsonl")) => [
  "--problems",
  problemFile(),
  "--candidates",
  candidates,
  "--tests",
  testFile(),
  "--out",
  path.join(folder, out),
  "--demand",
  "limits",
  "--json",
];

async function untilExamined(file: string, count: number): Promise<void> {
  const counted = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);
  const changes = watch(path.dirname(file));
  if (counted() >= count) return;
  for await (const _ of changes) if (counted() >= count) return;
}

// Each command is a process of its own.
const patience = { timeout: 300_000 };

describe("spar best-of-n on recorded files", patience, () => {
  it("chooses by tests, measures the choice, and names what it left out", async () => {
    const { code, stdout, stderr } = await bestOfN(...flags("whole"));
    expect(stderr).toContain("candidates.jsonl, line 13: no problem of the set has the id 'z'");
    expect(stderr).toContain("tests.jsonl, line 7, tests[1]");
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ problems: 6, maskedProblems: 0, leftOut: { count: 2 }, knownBefore: 0 });
    expect(report.rows.at(-1)).toMatchObject({
      n: 2,
      k: 1,
      random: { rate: 0.5 },
      first: { count: 0, of: 6 },
      // The second candidates have no test of their own, which is no better than failing one.
      own: { count: 0 },
      pooled: { count: 6, of: 6 },
      oracle: { count: 6 },
      pooledAgainstFirst: { better: 6, worse: 0, p: expect.closeTo(0.03125) },
    });
    const { stdout: few, stderr: said } = await bestOfN(...flags("few"), "--limit", "2");
    expect(JSON.parse(few)).toMatchObject({ problems: 2, leftOut: { count: 1 } });
    expect(said).not.toContain("no problem of the set");
    const chosen = readFileSync(path.join(folder, "whole", "chosen.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    expect(chosen.map((line) => JSON.parse(line))).toEqual(
      names.map((id) => ({ problem: id, candidate: 1, code: slow(id) })),
    );
  });

  it("goes on after kill -9 without running finished problems again, and ends the same", async () => {
    const { child, finished } = startSpar(["best-of-n", ...flags("killed")]);
    const out = path.join(folder, "killed");
    await untilFolder(out);
    await untilExamined(path.join(out, "examined.jsonl"), 2);
    child.kill("SIGKILL");
    await finished;
    const after = await bestOfN(...flags("killed"));
    expect(after.code).toBe(0);
    const report = JSON.parse(after.stdout);
    expect(report.knownBefore).toBeGreaterThanOrEqual(2);
    expect(report.knownBefore).toBeLessThan(6);
    const whole = JSON.parse(readFileSync(path.join(folder, "whole", "report.json"), "utf8"));
    expect(report.rows).toEqual(whole.rows);
    const again = await bestOfN(...flags("killed"));
    expect(JSON.parse(again.stdout)).toMatchObject({ knownBefore: 6, rows: whole.rows });
    const changed = candidateFile("changed.jsonl", { problem: "f", solution: "def double(x): return x + x" });
    const other = await bestOfN(...flags("killed", changed));
    expect(JSON.parse(other.stdout)).toMatchObject({ knownBefore: 5, rows: whole.rows });
  });

  async function untilFolder(out: string): Promise<void> {
    const changes = watch(folder);
    if (existsSync(out)) return;
    for await (const _ of changes) if (existsSync(out)) return;
  }

  it("leaves out what nobody has, and says so", async () => {
    const { stdout, stderr } = await bestOfN(...flags("grid"), "--n", "1,2,4", "--k", "3");
    expect(stderr).toContain("--n: no problem has more than 2; 4 left out");
    expect(stderr).toContain("--k: no problem has more than 1; 3 left out");
    const { rows } = JSON.parse(stdout) as { rows: { n: number; k: number }[] };
    expect(rows.map(({ n, k }) => [n, k])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  it("names problems whose reference fails, and warns of a damaged journal", async () => {
    const [right, other] = ["right", "other"].map((id) => ({
      id,
      question: "Twice the number.",
      style: "function",
      entryPoint: "double",
      reference: "def double(x): return 2 * x",
      goldTests: ["assert double(3) == 6"],
    }));
    const off = { ...other, id: "off", goldTests: ["assert double(3) == 7"] };
    const out = path.join(folder, "faulty");
    const args = [
      ...["--problems", lines("faulty.jsonl", [right, off]), "--out", out, "--demand", "limits"],
      "--candidates",
      lines("faulty-programs.jsonl", [
        { problem: "right", code: square },
        { problem: "right", code: "def double(x): return x + x" },
        { problem: "off", code: square },
      ]),
      "--tests",
      lines("faulty-tests.jsonl", [{ problem: "right", tests: ["assert double(5) == 10"] }]),
    ];
    const { code, stdout, stderr } = await bestOfN(...args);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("left out off: goldTests[0]: the reference gives 6, the test wants 7"),
    ]);
    expect(stderr).toContain("1 problem in no figure: the reference fails the gold tests");
    expect(stdout).toContain("% of 1 problem whose chosen program");
    // All tests are of the problem at large.
    expect(stdout).not.toMatch(/ own/);
    expect(readFileSync(path.join(out, "chosen.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(1);
    const report = JSON.parse(readFileSync(path.join(out, "report.json"), "utf8"));
    expect(report).toMatchObject({ problems: 1, faultyProblems: 1, faults: [{ problem: "off" }] });

    appendFileSync(path.join(out, "examined.jsonl"), "{\n");
    const again = await bestOfN(...args);
    expect(again.stderr).toMatch(/warning: 1 line of .*examined\.jsonl cannot be read/);
    expect(again.stderr).toContain("2 of 2 problems (2 known before)\n");
    expect(again.stdout).toBe(stdout);
  });

  it("shows a table to people", async () => {
    const { stdout, stderr } = await bestOfN(...flags("whole").filter((flag) => flag !== "--json"));
    expect(stdout).toMatch(/ {3}N {3}k +random +first/);
    expect(stdout).toContain("100.0 (61–100)");
    expect(stdout).toContain("+6 −0, p = 0.031");
    expect(stderr).toContain("(6 known before)");
  });
});

describe("spar best-of-n with models", patience, () => {
  it("samples, chooses, and does not sample again", async () => {
    const args = [
      ...["--problems", "arena", "--limit", "4", "--code-model", "arena", "--test-model", "arena"],
      ...["--n", "1,4", "--k", "1,3", "--out", path.join(folder, "models"), "--demand", "limits", "--json"],
    ];
    const first = await bestOfN(...args);
    expect(first.code).toBe(0);
    const report = JSON.parse(first.stdout);
    expect(report.problems).toBe(4);
    expect(report.rows.map(({ n, k }: { n: number; k: number }) => [n, k])).toEqual([
      [1, 1],
      [1, 3],
      [4, 1],
      [4, 3],
    ]);
    expect(report.replies).toBeGreaterThanOrEqual(12);
    const samples = readFileSync(path.join(folder, "models", "samples.jsonl"), "utf8");
    const again = await bestOfN(...args);
    expect(JSON.parse(again.stdout)).toEqual({ ...report, knownBefore: 4 });
    expect(readFileSync(path.join(folder, "models", "samples.jsonl"), "utf8")).toBe(samples);
  });
});

describe("spar best-of-n refuses", patience, () => {
  const common = ["--problems", "arena", "--limit", "1"];
  const parsed = (...args: string[]) => {
    const program = new Command();
    addBestOfNCommand(program);
    for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
    return program.parseAsync(["node", "spar", "best-of-n", ...args]);
  };
  it.each([
    [[], /--problems/],
    [common, /--code-model and --candidates: one of them is needed/],
    [[...common, "--code-model", "arena"], /--test-model and --tests/],
    [[...common, "--code-model", "arena", "--candidates", "x"], /only one of them can be/],
    [[...common, "--code-model", "arena", "--tests", "absent.jsonl"], /absent\.jsonl does not exist/],
    [[...common, "--code-model", "arna", "--test-model", "arena"], /did you mean 'arena'/],
    [[...common, "--n", "0"], /whole numbers from 1/],
    [[...common, "--k", "1,,2"], /whole numbers from 1/],
    [[...common, "--scoring", "best"], /Allowed choices/],
  ])("%j", async (args, expected) => {
    await expect(parsed(...args, "--out", path.join(folder, "refused"))).rejects.toThrow(expected);
  });

  it("problems that a tiny model knows nothing of", async () => {
    const foreign = ["--problems", problemFile(), "--out", path.join(folder, "refused")];
    for (const sources of [
      ["--code-model", "arena", "--test-model", "arena"],
      ["--candidates", candidateFile("c.jsonl"), "--test-model", "arena"],
      ["--code-model", "arena", "--tests", testFile()],
    ]) {
      await expect(parsed(...foreign, ...sources)).rejects.toThrow(
        "the model 'arena' knows no other problems than those of the arena, and 'a' is none of them",
      );
    }
  });

  it("problems that nobody can judge, and files that hold nothing of use", async () => {
    const noGold = lines("no-gold.jsonl", [
      { id: "a", question: "?", style: "function", entryPoint: "f", reference: "", goldTests: [] },
    ]);
    const sources = ["--candidates", candidateFile("c.jsonl"), "--tests", testFile()];
    const without = await bestOfN("--problems", noGold, ...sources, "--out", path.join(folder, "refused"));
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining("has gold tests")]);
    const foreign = await bestOfN("--problems", "arena", ...sources, "--out", path.join(folder, "refused"));
    expect([foreign.code, foreign.stderr]).toEqual([
      2,
      expect.stringContaining("no program that can be used"),
    ]);
  });
});
