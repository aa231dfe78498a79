/** The command as a person meets it: real processes, real files, nonsense included. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function spar(...args: string[]): Promise<Finished> {
  const main = path.join(packageRoot, "dist", "cli", "main.js");
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args],
      { env: { ...process.env, NO_COLOR: "1" } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

function file(name: string, content: string | Uint8Array): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  return target;
}

const problem = {
  id: "half",
  question: "Half of it.",
  style: "function",
  entryPoint: "half",
  reference: "def half(x):\n    return x / 2",
  goldTests: ["assert half(4) == 2", "assert half(-1) == -0.5", "assert half(0) == 0"],
};
const problemFile = () => file("half.json", JSON.stringify(problem));

describe("spar judge", () => {
  it("prints the public JSON shape", async () => {
    const candidate = file(
      "wrong.py",
      "def half(x):\n    if x == 0: raise ValueError('zero')\n    return abs(x) / 2",
    );
    const { code, stdout } = await spar(
      "judge",
      "--problem",
      problemFile(),
      "--candidate",
      candidate,
      "--json",
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      loads: true,
      cases: [
        { test: "assert half(4) == 2", outcome: "passed", actual: "2.0" },
        { test: "assert half(-1) == -0.5", outcome: "wrong-answer", actual: "0.5" },
        {
          test: "assert half(0) == 0",
          outcome: "raised",
          error: { type: "ValueError", message: "zero", line: 2 },
        },
      ],
      passed: 1,
      total: 3,
    });
  });

  it("takes other tests, and stdin problems", async () => {
    const tests = file("tests.json", JSON.stringify([{ input: "3\n4\n", output: "7" }]));
    const sum = file(
      "sum.json",
      JSON.stringify({
        ...problem,
        id: "sum",
        style: "stdio",
        entryPoint: null,
        reference: "",
        goldTests: [],
      }),
    );
    const candidate = file("sum.py", "print(int(input()) + int(input()))");
    const { stdout } = await spar(
      "judge",
      "--problem",
      sum,
      "--candidate",
      candidate,
      "--tests",
      tests,
      "--json",
    );
    expect(JSON.parse(stdout)).toMatchObject({ passed: 1, total: 1 });
  });

  it.each([
    ["not UTF-8", new Uint8Array([0x64, 0x65, 0xff, 0xfe])],
    ["5 MB of source", "x = 1\n".repeat(900_000)],
    ["a syntax error", "def half(x:\n"],
    ["nothing of use", "def other(): pass"],
  ])("calls a candidate with %s a program that does not load", async (_, source) => {
    const candidate = file("odd.py", source);
    const { code, stdout } = await spar(
      "judge",
      "--problem",
      problemFile(),
      "--candidate",
      candidate,
      "--json",
    );
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.loads).toBe(false);
    expect(report.cases.map(({ outcome }: { outcome: string }) => outcome)).toEqual(
      Array(3).fill("did-not-load"),
    );
  });

  it.each([
    ["a missing file", () => path.join(folder, "absent.json"), /absent\.json/],
    ["no JSON", () => file("bad.json", "{"), /bad\.json/],
    [
      "a missing field",
      () => file("short.json", JSON.stringify({ ...problem, question: undefined })),
      /question/,
    ],
    ["a misspelt field", () => file("typo.json", JSON.stringify({ ...problem, goldtests: [] })), /goldTests/],
    [
      "a gold test that is none",
      () => file("loop.json", JSON.stringify({ ...problem, goldTests: ["assert half(1) > 0"] })),
      /half\(1\) > 0|goldTests/,
    ],
  ])("refuses a problem file with %s in one clear sentence", async (_, problemPath, expected) => {
    const candidate = file("any.py", "");
    const { code, stdout, stderr } = await spar(
      "judge",
      "--problem",
      problemPath(),
      "--candidate",
      candidate,
    );
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(expected);
    expect(stderr).not.toMatch(/at .*\.js:\d+/);
  });
});

describe("wrong use", () => {
  it.each([
    [["judge"], /--problem/],
    [["nonsense"], /unknown command/],
    [["toString"], /unknown command 'toString'/],
    [["constructor"], /unknown command 'constructor'/],
    [["judge", "--sandbox", "moon", "--problem", "a", "--candidate", "b"], /Allowed choices/],
    [["train", "no-such-recipe"], /no-such-recipe/],
    [["train", "demo", "--set", "method.alhpa=1", "--dry-run"], /method\.alpha/],
    [["train", "demo", "--set", "method.alpha=2", "--dry-run"], /method\.alpha/],
  ])("%j exits with 2 and says what is wrong", async (args, expected) => {
    const { code, stderr } = await spar(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(expected);
  });

  it("has help with an example for every command", async () => {
    for (const command of [
      ["judge"],
      ["doctor"],
      ["referee"],
      ["train"],
      ["compare"],
      ["recipes"],
      ["export"],
      ["pretrain", "arena"],
      ["serve", "sandbox"],
    ]) {
      const { code, stdout } = await spar(...command, "--help");
      expect(code).toBe(0);
      expect(stdout).toMatch(/Examples?:\n {2}\$ spar/);
    }
  });
});

describe("spar train --dry-run", () => {
  it("prints the arithmetic and starts nothing", async () => {
    const { code, stdout } = await spar("train", "demo", "--dry-run", "--runs", path.join(folder, "runs"));
    expect(code).toBe(0);
    expect(stdout).toContain("24 per step × 8 programs = 192 programs per step");
    expect(stdout).toContain("Nothing was started");
    expect(existsSync(path.join(folder, "runs"))).toBe(false);
  });

  it("tells machines the same, with the whole configuration", async () => {
    const { code, stdout } = await spar("train", "demo", "--dry-run", "--json", "--set", "method.alpha=0.25");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: true,
      engineChecked: true,
      problems: { heldOut: 200, leftOut: [] },
      config: { name: expect.stringMatching(/^demo/), method: { alpha: 0.25, candidates: 8 } },
    });
  });
});
