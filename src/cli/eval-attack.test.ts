/** The command as a person meets it: real processes, a real sandbox, and a server that plays the model. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { replyOf, ScriptedServer, sendJson } from "../engine/openai/scripted-server.test.support.ts";
import { packageRoot } from "../package-root.ts";
import { arenaPairs } from "../problems/arena/attack-pairs.ts";
import { writePairs } from "../problems/write-pairs.ts";
import { lockOutput } from "./output-lock.ts";

let folder: string;
let server: ScriptedServer;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-eval-"));
  server = await ScriptedServer.start();
});
afterEach(() => server.reset());
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function evalAttack(...args: string[]): Promise<Finished> {
  const script = ["--import", "tsx", path.join(packageRoot, "src", "cli", "main.ts"), "eval", "attack"];
  const env = { ...process.env, NO_COLOR: "1", TEST_KEY: "key" };
  return new Promise((resolve) => {
    execFile(process.execPath, [...script, ...args], { cwd: packageRoot, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

const file = (name: string) => path.join(folder, name);
const common = {
  question: "Print twice the number.",
  gold_code: "print(int(input()) * 2)",
  problem_id: "double",
  gold_tests: { inputs: ["-3\n", "4\n"], outputs: ["-6\n", "8\n"] },
};
function pairFile(): string {
  const programs = {
    signless: "print(abs(int(input())) * 2)",
    squared: "print(int(input()) ** 2)",
    correct: "print(2 * int(input()))",
  };
  const rows = Object.entries(programs).map(([pair_id, buggy_code]) => ({ ...common, pair_id, buggy_code }));
  writeFileSync(file("pairs.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file("pairs.jsonl");
}
const asModel = () => [
  "--model",
  "openai:scripted",
  "--base-url",
  server.baseUrl,
  "--api-key-env",
  "TEST_KEY",
];
const answer = (input: string, output: string) =>
  `<think>so</think><answer>${JSON.stringify({ input, output })}</answer>`;

describe("spar eval attack", () => {
  it("asks a served model, records everything, and needs the model only once", async () => {
    server.script = (_, response) => sendJson(response, 200, replyOf(answer("-1", "-2")));
    const args = [...asModel(), "--pairs", pairFile(), "--out", file("good.jsonl")];
    const first = await evalAttack(...args);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toMatch(/^all +2 +100\.00 \S+ +100\.00/m);
    expect(first.stdout).toContain("correct: the wrong program is not known to be wrong");
    expect(server.calls.length).toBe(3);
    const record = readFileSync(file("good.jsonl"), "utf8");
    const again = await evalAttack(...args);
    expect(again.stdout).toBe(first.stdout);
    expect(again.stderr).toContain("3 of 3 pairs already in");
    expect(server.calls.length).toBe(3);
    expect(readFileSync(file("good.jsonl"), "utf8")).toBe(record);
    expect((await evalAttack("--from", file("good.jsonl"))).stdout).toBe(first.stdout);
  });

  it("counts rows that cannot be read and pairs that cannot be checked, also from the record", async () => {
    server.script = (_, response) => sendJson(response, 200, replyOf(answer("-1", "-2")));
    const { gold_tests: _, ...untested } = { ...common, problem_id: "untested" };
    const wrong = { buggy_code: "print(abs(int(input())) * 2)" };
    const rows = [{ ...common, ...wrong }, common, { ...untested, ...wrong }];
    const pairs = file("gaps.jsonl");
    writeFileSync(pairs, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const args = [...asModel(), "--pairs", pairs, "--out", file("gaps-record.jsonl")];
    const told = {
      refused: [
        { row: 2, reason: expect.stringContaining("line 2: the field 'buggy_code' of a pair record") },
      ],
      unchecked: { "no-gold-tests": 1 },
      torn: false,
    };
    const first = await evalAttack(...args, "--json");
    expect(JSON.parse(first.stdout)).toMatchObject(told);
    expect(first.stderr).toContain("left out: 1 row that cannot be read as pairs");
    expect((await evalAttack("--from", file("gaps-record.jsonl"), "--json")).stdout).toBe(first.stdout);
    const whole = readFileSync(file("gaps-record.jsonl"), "utf8");
    const isPair = (line: string) => line.startsWith('{"kind":"pair"');
    const part = whole.split("\n").filter((line) => !isPair(line) || line.includes("untested"));
    writeFileSync(file("part.jsonl"), `${part.join("\n")}{"kind":"pa`);
    const unfinished = await evalAttack("--from", file("part.jsonl"));
    expect(unfinished.stdout).toContain("unfinished: 1 of 2 pairs\ntorn: ");
    const both = ["--compare", file("gaps-record.jsonl"), file("part.jsonl"), "--json"];
    expect(JSON.parse((await evalAttack(...both)).stdout)).toMatchObject({
      first: { torn: false },
      second: { torn: true, unfinished: { pairs: { done: 1, asked: 2 } } },
    });
  });

  it("leaves a record alone that another process writes", async () => {
    const out = file("held.jsonl");
    const lock = lockOutput(out);
    try {
      const { code, stdout, stderr } = await evalAttack("--limit", "1", "--out", out);
      expect(stderr).toContain(`error: ${out} is in use by process ${process.pid}`);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    } finally {
      lock.release();
    }
  });

  it("does not warn of pairs that are the arena's, wherever they come from", async () => {
    const pairs = arenaPairs({ split: "held-out", perProblem: 1, limit: 1 }).slice(0, 1);
    await writePairs(file("arena.jsonl"), pairs);
    const own = await evalAttack("--pairs", file("arena.jsonl"), "--no-check-pairs", "--no-false-alarms");
    expect(own.stderr).not.toContain("do not expect");
    const foreign = await evalAttack("--pairs", pairFile(), "--no-check-pairs", "--no-false-alarms");
    expect(foreign.stderr).toContain("do not expect it to find anything here");
  });

  it("compares two records on the thirds that one of them made", async () => {
    // The weaker model's test is right for both programs and harmless for one of them.
    server.script = (_, response) => sendJson(response, 200, replyOf(answer("3", "6")));
    const args = [...asModel(), "--pairs", pairFile(), "--samples", "2"];
    const ranked = await evalAttack(
      ...args,
      "--write-thirds",
      file("thirds.json"),
      "--out",
      file("weak.jsonl"),
    );
    expect(ranked).toMatchObject({ code: 0 });
    expect(server.calls[0]!.body.temperature).toBe(1);
    expect(ranked.stderr).toContain(
      "easy 0; medium 1, attacked 100.00 to 100.00 %; hard 1, attacked 0.00 to 0.00 %",
    );
    server.script = (_, response) => sendJson(response, 200, replyOf(answer("-1", "-2")));
    await evalAttack(...args, "--out", file("strong.jsonl"));
    const records = [file("weak.jsonl"), file("strong.jsonl")];
    const { code, stdout } = await evalAttack(
      "--compare",
      ...records,
      "--thirds",
      file("thirds.json"),
      "--json",
    );
    expect(code).toBe(0);
    const { pairs, figures } = JSON.parse(stdout);
    expect(pairs).toBe(2);
    expect(figures.filter(({ figure }: { figure: string }) => figure === "attackRate")).toMatchObject([
      { group: "overall", onlyFirst: 0, onlySecond: 1, exact: 1 },
      { group: "medium", onlyFirst: 0, onlySecond: 0 },
      { group: "hard", onlyFirst: 0, onlySecond: 1 },
    ]);
  });

  it("measures the shipped model without any option that matters, as JSON", async () => {
    const { code, stdout } = await evalAttack("--limit", "12", "--json");
    expect(code).toBe(0);
    const { model, overall, alarms, skipped } = JSON.parse(stdout);
    expect(model).toContain("arena");
    expect(overall).toMatchObject({ pairs: 12, maskedPairs: 0, formatWrong: { of: 12 } });
    expect(alarms.programs).toBeGreaterThanOrEqual(4);
    expect(skipped).toEqual([]);
  });

  it.each([
    [["--thirds", "package.json"], "package.json is not a split into thirds"],
    [["--from", "package.json"], "package.json is not the record of an attack evaluation"],
    [["--compare", "package.json"], "--compare takes two records, not 1"],
    [["--from", "x.jsonl", "--model", "arena"], "cannot be used with"],
    [["--from", "x.jsonl", "--base-url", "http://localhost"], "cannot be used with option '--base-url"],
    [["--from", "x.jsonl", "--no-check-pairs"], "cannot be used with option '--no-check-pairs'"],
  ])("says what is wrong with %j before it does anything", async (args, message) => {
    const { code, stdout, stderr } = await evalAttack(...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
}, 120_000);
