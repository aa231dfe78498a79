/** The command as a person meets it: real processes, a real sandbox, and a server that plays the model. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { replyOf, ScriptedServer, sendJson } from "../engine/openai/scripted-server.test.support.ts";
import { packageRoot } from "../package-root.ts";

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
    expect(again.stderr).toContain("3 of 3 pairs are already in");
    expect(server.calls.length).toBe(3);
    expect(readFileSync(file("good.jsonl"), "utf8")).toBe(record);
    expect((await evalAttack("--from", file("good.jsonl"))).stdout).toBe(first.stdout);
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
  ])("says what is wrong with %j before it does anything", async (args, message) => {
    const { code, stdout, stderr } = await evalAttack(...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
}, 120_000);
