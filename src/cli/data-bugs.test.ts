/** `spar data bugs`, and what the other data commands make of pairs: real processes, real files, real programs. */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { readPairs } from "../problems/read-pairs.ts";
import { lockOutput } from "./output-lock.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-bugs-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const main = path.join(packageRoot, "dist", "cli", "main.js");
const options = { env: { ...process.env, NO_COLOR: "1" } };

function spar(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, "data", ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

const place = (name: string) => path.join(folder, name);
function file(name: string, ...records: object[]): string {
  writeFileSync(place(name), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return place(name);
}

const double = {
  id: "double",
  question: "Print twice the number.",
  style: "stdio",
  reference: "x = int(input())\nprint(2 * x)\n",
  goldTests: [
    { input: "2\n", output: "4\n" },
    { input: "-3\n", output: "-6\n" },
  ],
};
const choice = { ...double, id: "choice", question: "Print any of them." };
const broken = { ...double, id: "broken", reference: "print(1)\n" };

describe("spar data bugs", () => {
  it("makes pairs of mutants, names what it leaves out, and gives the same again", async () => {
    const problems = file("set.jsonl", double, choice, broken, { id: "none" });
    const args = ["bugs", "--problems", problems, "--workers", "1", "--max-per-problem", "3", "--tries", "8"];
    const { code, stdout } = await spar(...args, "--out", place("mutants.jsonl"), "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      problems,
      source: "mutants of the reference",
      problemCounts: {
        all: 3,
        withPairs: 1,
        withoutBugs: 0,
        leftOut: { "several-answers": 1, "reference-fails": 1 },
      },
      pairs: 3,
      programs: { verdicts: { kept: 3 } },
      files: [{ file: place("mutants.jsonl"), pairs: 3, problems: 1 }],
      refused: [{ row: 4, reason: expect.stringContaining("line 4: the record is of no known kind") }],
      leftOut: [
        { row: 2, id: "choice", fault: "several-answers", reason: expect.stringContaining('"Print any"') },
        { row: 3, id: "broken", fault: "reference-fails", reason: expect.stringContaining("goldTests[0]") },
      ],
    });
    await spar(...args, "--out", place("again.jsonl"));
    expect(readFileSync(place("again.jsonl"), "utf8")).toBe(readFileSync(place("mutants.jsonl"), "utf8"));
    expect(readdirSync(folder).filter((name) => name.endsWith("unfinished"))).toEqual([]);
    const valid = await spar("validate", place("mutants.jsonl"), "--workers", "1");
    expect(valid.stdout).toBe(
      "3 of 3 rows: the reference passes its own tests and the wrong program fails some; 0 fail\n",
    );
  });

  it("takes recorded programs, and keeps only those that are wrong", async () => {
    const problems = file("one.jsonl", double);
    const recorded = file(
      "programs.jsonl",
      { problem: "double", code: "print(int(input()) + 2)" },
      { problem: "double", code: "print(2*int(input()))" },
      { problem: "double", code: "print(" },
      { problem: "other", code: "print(1)" },
    );
    const out = place("recorded.parquet");
    const result = await spar(
      ...["bugs", "--problems", problems, "--from", "recorded", "--recorded", recorded],
      ...["--out", out, "--workers", "1"],
    );
    expect(result.code).toBe(0);
    expect(result.stderr).toContain("programs.jsonl, line 4: no problem of the set has the id 'other'");
    expect(result.stdout).toContain("programs  3 looked at: 1 kept (33.3 %), ");
    expect(result.stdout).toContain(`wrote 1 pair of 1 problem to ${out}\n`);
    expect(await readPairs(out)).toMatchObject([
      { id: "double#1", buggy: "print(int(input()) + 2)", problem: { reference: double.reference } },
    ]);
  });

  it("counts the tests and the recorded lines that it leaves out", async () => {
    const long = { input: `${" ".repeat(100)}7\n`, output: "14\n" };
    const problems = file("long.jsonl", { ...double, goldTests: [...double.goldTests, long] });
    const recorded = file(
      "some.jsonl",
      { problem: "double", code: "print(int(input()) + 2)" },
      { problem: "other", code: "print(1)" },
    );
    const args = ["bugs", "--problems", problems, "--from", "recorded", "--recorded", recorded];
    const few = [...args, "--max-input", "50", "--workers", "1"];
    const { stdout } = await spar(...few, "--out", place("few.jsonl"), "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      longTests: { tests: 1, problems: 1 },
      leftOutPrograms: [{ where: expect.stringContaining("line 2"), reason: expect.any(String) }],
    });
    const text = (await spar(...few, "--out", place("few-again.jsonl"))).stdout;
    expect(text).toContain(
      "tests     1 gold test of 1 problem left out: the input is longer than --max-input\n",
    );
    expect(text).toContain(`recorded  1 line of ${recorded} left out\n`);
  });

  it("leaves a file alone that another process works on, and tells of damage in what was kept", async () => {
    const out = place("held.jsonl");
    const args = ["bugs", "--problems", file("held-set.jsonl", double), "--out", out, "--workers", "1"];
    const lock = lockOutput(out);
    const refused = await spar(...args).finally(() => lock.release());
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`error: ${out} is in use by process ${process.pid}`);
    expect(refused.stderr).not.toContain("    at ");
    writeFileSync(`${out}.unfinished`, "not JSON\n");
    const { code, stderr } = await spar(...args);
    expect(code).toBe(0);
    expect(stderr).toContain("warning: 1 line of ");
    expect(readdirSync(folder).filter((name) => name.startsWith("held.jsonl"))).toEqual(["held.jsonl"]);
  });

  it("works on the arena with nothing else, with mutants and with a model, split by problem", async () => {
    const out = place("arena.jsonl");
    const { code, stdout } = await spar(
      ...[
        "bugs",
        "--limit",
        "4",
        "--out",
        out,
        "--max-per-problem",
        "2",
        "--held-out-share",
        "0.5",
        "--seed",
        "4",
      ],
      ...["--workers", "2"],
    );
    expect(code).toBe(0);
    expect(stdout).toContain("problems  4: 4 with pairs, 0 without, 0 left out");
    const sides = [await readPairs(out), await readPairs(place("arena.held-out.jsonl"))];
    expect(sides.flat()).toHaveLength(8);
    const [training, heldOut] = sides.map((side) => new Set(side.map(({ problem }) => problem.id)));
    expect([...heldOut!].filter((id) => training!.has(id))).toEqual([]);
    const sampled = await spar(
      ...[
        "bugs",
        "--from",
        "model",
        "--temperature",
        "1",
        "--limit",
        "2",
        "--tries",
        "4",
        "--out",
        place("model.jsonl"),
      ],
      ...["--workers", "2", "--json"],
    );
    expect(JSON.parse(sampled.stdout)).toMatchObject({ problemCounts: { all: 2 }, programs: { all: 8 } });
  });

  it("writes nothing and ends with 1 where nothing is found", async () => {
    const problems = file("hopeless.jsonl", {
      ...double,
      reference: "pass",
      goldTests: [{ input: "", output: "" }],
    });
    const { code, stdout } = await spar(
      "bugs",
      "--problems",
      problems,
      "--out",
      place("no.jsonl"),
      "--workers",
      "1",
    );
    expect(code).toBe(1);
    expect(stdout).toContain("no pair was found; nothing is written");
    expect(existsSync(place("no.jsonl"))).toBe(false);
  });

  it.each([
    [["--from", "recorded"], "--from recorded needs a file"],
    [["--recorded", "x"], "--recorded does not go with --from mutants"],
    [["--from", "dreams"], "Allowed choices are mutants, model, recorded"],
    [["--held-out-share", "1.5"], "It must be above 0 and at most 1"],
    [["--from", "model"], "the model 'arena' knows no other problems than those of the arena"],
  ])("refuses %j", async (args, message) => {
    const problems = file("wrong-use.jsonl", double);
    const result = await spar("bugs", "--problems", problems, "--out", place("never.jsonl"), ...args);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
    expect(existsSync(place("never.jsonl"))).toBe(false);
  });

  it("does not overwrite, and does not take pairs for problems", async () => {
    const pairs = file("taken.jsonl", { question: "q", gold_code: "", buggy_code: "" });
    expect(await spar("bugs", "--out", pairs)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("already exists"),
    });
    expect((await spar("bugs", "--problems", pairs, "--out", place("never.jsonl"))).stderr).toContain(
      "the record is a pair of a problem and a wrong program, where a problem is needed",
    );
  });

  it("keeps what is finished at Ctrl-C and goes on from there", async () => {
    const endless = {
      ...double,
      id: "endless",
      reference: "while True: pass",
      limits: { caseCpuSeconds: 600 },
    };
    const problems = file("endless.jsonl", double, endless);
    const out = place("interrupted.jsonl");
    const child = spawn(
      process.execPath,
      [main, "data", "bugs", "--problems", problems, "--out", out, "--workers", "2"],
      options,
    );
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const unfinished = `${out}.unfinished`;
    try {
      await expect
        .poll(() => existsSync(unfinished) && readFileSync(unfinished, "utf8"), { timeout: 50_000 })
        .toContain("\n");
    } finally {
      child.kill("SIGINT"); // whatever happened, it must not run on
    }
    expect(await ended).toBe(130);
    expect(existsSync(out)).toBe(false);
    const only = file("endless.jsonl", double);
    const { stdout } = await spar("bugs", "--problems", only, "--out", out, "--workers", "2");
    expect(stdout).toContain("problems  1: 1 with pairs");
    expect(existsSync(unfinished)).toBe(false);
  }, 120_000);
});

const pair = {
  problem_id: "double",
  question: "Print twice the number.",
  gold_code: "print(2 * int(input()))",
  buggy_code: "print(2 + int(input()))",
  gold_tests: { inputs: ["1\n", "2\n"], outputs: ["2\n", "4\n"] },
};

describe("pairs", () => {
  it("are validated row by row", async () => {
    const target = file(
      "pairs.jsonl",
      pair,
      { ...pair, buggy_code: "print(int(input()) * 2)" },
      { ...pair, buggy_code: "print(" },
      { ...pair, problem_id: "bad", gold_code: "print(3)" },
      { ...pair, problem_id: "bare", gold_tests: undefined },
      { ...pair, buggy_code: 1 },
    );
    const out = place("usable.jsonl");
    const { code, stdout } = await spar("validate", target, "--json", "--workers", "1", "--out", out);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 6,
      passed: 1,
      failed: [
        {
          row: 2,
          id: "double#2",
          field: "buggy_code",
          reason: expect.stringContaining("passes all 2 gold tests"),
        },
        { row: 3, id: "double#3", field: "buggy_code", reason: expect.stringContaining("does not load") },
        {
          row: 4,
          id: "bad#1",
          field: "gold_code",
          reason: expect.stringContaining('the reference gives "3\\n"'),
        },
        { row: 5, id: "bare#1", field: "gold_tests", reason: "the problem has no test" },
        {
          row: 6,
          id: null,
          reason: expect.stringContaining("line 6: the field 'buggy_code' of a pair record is wrong"),
        },
      ],
    });
    expect(await readPairs(out)).toMatchObject([{ id: "double#1" }]);
  });

  it("are told by name what they lack, in the first row as well", async () => {
    const { buggy_code: _, ...rest } = pair;
    const { stdout } = await spar("validate", file("lacking.jsonl", rest, pair), "--json", "--workers", "1");
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 2,
      passed: 1,
      failed: [
        {
          row: 1,
          reason: expect.stringContaining("line 1: the field 'buggy_code' of a pair record is missing"),
        },
      ],
    });
  });

  it("are shown, and converted to parquet and back", async () => {
    const target = file("shown.jsonl", pair);
    const { stdout } = await spar("show", target, "--id", "double#1");
    expect(stdout).toContain("double#1");
    expect(stdout).toContain("wrong program\n  print(2 + int(input()))");
    expect((await spar("show", target, "--id", "nothing")).stderr).toContain(
      "no pair or problem has the id 'nothing'",
    );
    const shown = await spar("show", target, "--json");
    expect(JSON.parse(shown.stdout)).toEqual([{ ...pair, pair_id: "double#1", code_type: "standard_input" }]);
    await spar("convert", target, place("shown.parquet"));
    const back = await spar("convert", place("shown.parquet"), place("back.jsonl"), "--json");
    expect(JSON.parse(back.stdout)).toMatchObject({ rows: 1, pairs: 1, leftOut: [] });
    expect(await readPairs(place("back.jsonl"))).toEqual(await readPairs(target));
    const problems = file("plain.jsonl", double);
    expect(await spar("convert", problems, place("plain.parquet"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("only pairs can be written as parquet"),
    });
  });
});
