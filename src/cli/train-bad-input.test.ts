/** Nonsense before `spar train`, as a person would type it: one clear message, the right exit code, nothing left. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import { smallRun, spar } from "./run-cli.test.support.ts";

let folder: string;
let runs: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-bad-input-"));
  runs = path.join(folder, "runs");
});
afterAll(() => rmSync(folder, { recursive: true }));

const good = {
  id: "good",
  question: "Double it.",
  style: "function",
  entryPoint: "double",
  reference: "def double(x):\n    return 2 * x",
  goldTests: ["assert double(2) == 4"],
};

function file(name: string, content: string): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  return target;
}

const problems = (name: string, ...records: object[]) =>
  file(name, records.map((record) => JSON.stringify(record)).join("\n"));

const from = (place: string) => ["--set", "problems.source=file", "--set", `problems.path=${place}`];

const train = (...args: string[]) =>
  spar("train", "demo", "--runs", runs, "--steps", "1", ...smallRun, ...args);

function expectRefusal({ code, stdout, stderr }: Awaited<ReturnType<typeof spar>>, expected: RegExp): void {
  expect(stderr).toMatch(expected);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.match(/^error: /gm)).toHaveLength(1);
  expect(stderr).not.toMatch(/^\s+at |defect/m);
  // The name stays free for the next attempt, which need not look through the same data again.
  const left = existsSync(runs) ? readdirSync(runs, { recursive: true, encoding: "utf8" }) : [];
  expect(left.filter((file) => file.includes(path.sep) && !file.endsWith("checks.jsonl"))).toEqual([]);
  rmSync(runs, { recursive: true, force: true });
}

describe("spar train refuses", () => {
  const without = (field: keyof typeof good) => ({ ...good, [field]: undefined });
  const files: readonly [string, () => string, RegExp][] = [
    ["a file that is not there", () => path.join(folder, "absent.jsonl"), /absent\.jsonl does not exist/],
    [
      "a column that nobody knows",
      () => problems("column.jsonl", { id: "a", prompt: "Double it.", answer: "2 * x" }),
      /column\.jsonl.*'id', 'prompt', 'answer'/,
    ],
    [
      "a misspelt column",
      () => problems("typo.jsonl", { ...good, goldtests: [] }),
      /'goldtests'[\s\S]*goldTests/,
    ],
    [
      "a problem without an entry point",
      () => problems("entry.jsonl", good, { ...without("entryPoint"), id: "other" }),
      /entry\.jsonl, line 2: .*'entryPoint'/,
    ],
    [
      "two problems of one name",
      () => problems("twice.jsonl", good, good),
      /twice\.jsonl, line 2: the id 'good' was used before \(.*line 1\)/,
    ],
    ["an empty file", () => file("empty.jsonl", ""), /empty\.jsonl is empty/],
    ["half a record", () => file("torn.jsonl", JSON.stringify(good).slice(0, 40)), /torn\.jsonl/],
  ];
  it.each(files)("%s", async (_, place, expected) => {
    expectRefusal(await train(...from(place())), expected);
  });

  const settings: readonly [string, readonly string[], RegExp][] = [
    [
      "an unknown setting, with the nearest one",
      ["method.alhpa=0.5"],
      /there is no 'method\.alhpa'[\s\S]*'method\.alpha'/,
    ],
    ["α above 1", ["method.alpha=1.5"], /'method\.alpha' is wrong.*<=1/],
    ["α below 0", ["method.alpha=-0.1"], /'method\.alpha' is wrong.*>=0/],
    ["a group of one program", ["method.candidates=1"], /'method\.candidates' is wrong.*>=2/],
    ["a group of one suite", ["method.suites=1"], /'method\.suites' is wrong.*>=2/],
    [
      "what the engine cannot do",
      ["engine.lowRank.rank=4", "engine.lowRank.alpha=8"],
      /embedded engine cannot do this run: it cannot train 'low-rank' parameters/,
    ],
    ["a model that does not exist", ["engine.code.name=moon"], /no model 'moon'[\s\S]*Known models/],
    ["a folder without weights", ["engine.code.folder=moon"], /moon.weights\.safetensors/],
    ["a file source without a file", ["problems.source=file"], /problems\.path is missing/],
  ];
  it.each(settings)("%s", async (_, sets, expected) => {
    expectRefusal(await train(...sets.flatMap((setting) => ["--set", setting])), expected);
  });

  it("an unknown setting in a recipe, with file and nearest name", async () => {
    const recipe = file("recipe.yaml", "learning:\n  learnigRate: 0.1\n");
    expectRefusal(
      await spar("train", recipe, "--runs", runs),
      /recipe\.yaml: there is no 'learning\.learnigRate'[\s\S]*'learning\.learningRate'/,
    );
  });

  it("a recipe that is not there, with the nearest name", async () => {
    expectRefusal(await spar("train", "dmeo", "--runs", runs), /'dmeo'[\s\S]*Did you mean 'demo'/);
  });

  it("problems that leave the model no room for an answer, in a dry run, too", async () => {
    const place = problems("long.jsonl", good);
    const expected = /long\.jsonl: its only problem cannot be used; 'good': its prompt .* no room/;
    expectRefusal(await train(...from(place)), expected);
    expectRefusal(await train(...from(place), "--dry-run"), expected);
  });
});

describe("a reference that fails its own tests", () => {
  const bad = { ...good, id: "bad", goldTests: ["assert double(2) == 5"] };
  let model: string;
  beforeAll(async () => {
    // Problems from files are put into words, which the shipped model has no room for.
    const shapes = { wide: { layers: 1, width: 32, hidden: 64, context: 2048 } };
    const engine = await openEmbeddedEngine({ threads: 1, shapes });
    const policy = await engine.openPolicy({ role: "any", model: { kind: "named", name: "wide" }, seed: 1 });
    model = path.join(folder, "model");
    await policy.exportWeights(model);
    await engine.close();
  });
  const trainWide = (name: string, place: string) =>
    train(
      ...["--name", name, ...from(place)],
      ...["engine.code.folder", "engine.test.folder"].flatMap((key) => ["--set", `${key}=${model}`]),
      ...["sampling.codeTokens=8", "sampling.testTokens=8"].flatMap((setting) => ["--set", setting]),
    );

  it("is left out, counted and named, and the run goes on with the others", async () => {
    const { code, stderr } = await trainWide("some", problems("some.jsonl", good, bad));
    expect(stderr).toMatch(/left out: 1 training problem .*problems\.json/);
    expect(stderr).toMatch(/ {2}bad: goldTests\[0\]: the reference gives 4, the test wants 5/);
    expect(stderr).toMatch(/^1 problem, 1 per step/m);
    expect(code).toBe(0);
    const record = JSON.parse(readFileSync(path.join(runs, "some", "problems.json"), "utf8"));
    expect(record.leftOut).toMatchObject([{ id: "bad", from: "training" }]);
    rmSync(path.join(runs, "some"), { recursive: true });
  });

  it("ends the run before it begins where nothing else is left", async () => {
    expectRefusal(
      await trainWide("none", problems("none.jsonl", bad)),
      /none\.jsonl: its only problem cannot be used; 'bad': goldTests\[0\][\s\S]*spar data validate/,
    );
  });
});
