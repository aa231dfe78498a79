import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkConfig } from "../training/load-config.ts";
import { loadProblemSet } from "../training/problem-set.ts";
import { measuredOn } from "./measured-on.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-measured-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const before = (problems: number) => ({
  step: 0,
  programs: Array.from({ length: problems }, () => ({
    problemId: "",
    question: "",
    source: "",
    passed: true,
  })),
  kills: [],
  wrongPrograms: [],
});

it("counts the problems that were measured, not those that were asked for", async () => {
  const config = checkConfig({ evaluation: { problems: 200 } }, "test");
  const run = (problems: number) => ({ config, folder, outcome: { before: before(problems) } });
  expect(await measuredOn([run(37), run(37)])).toBe("37 held-out problems");
  expect(await measuredOn([run(1)])).toBe("1 held-out problem");
  expect(await measuredOn([run(37), run(35)])).toBe("35 to 37 held-out problems");
});

it("counts the pairs that were not left out", async () => {
  const config = checkConfig(
    { method: { kind: "atgen" }, problems: { limit: 1 }, evaluation: { problems: 2 } },
    "test",
  );
  const { pairs } = await loadProblemSet(config);
  const leftOut = [{ kind: "pair", id: pairs.heldOut[0]!.id, from: "held-out", reason: "it is right" }];
  writeFileSync(path.join(folder, "problems.json"), JSON.stringify({ leftOut }));
  expect(await measuredOn([{ config, folder, outcome: { before: before(0) } }])).toBe(
    `${pairs.heldOut.length - 1} held-out pairs`,
  );
});
