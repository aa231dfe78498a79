/** Problems from real files, their references in a real sandbox, their prompts before a real model. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine, FrozenPolicy } from "../engine/engine.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { checkConfig } from "./load-config.ts";
import { loadProblemSet } from "./problem-set.ts";
import type { CheckProgress } from "./start-checks.ts";
import { usableProblems } from "./usable-problems.ts";

let engine: Engine;
let wide: FrozenPolicy;
let narrow: FrozenPolicy;
let sandbox: Sandbox;
beforeAll(async () => {
  const shapes = { wide: { layers: 1, width: 32, hidden: 64, context: 2048 } };
  engine = await openEmbeddedEngine({ threads: 1, shapes });
  const open = (name: string) => engine.openFrozen({ role: name, model: { kind: "named", name }, seed: 1 });
  [wide, narrow] = [await open("wide"), await open("tiny")];
  sandbox = await createSandbox({ workers: 2 });
});
afterAll(async () => {
  await engine.close();
  await sandbox.close();
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-usable-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const good = {
  id: "good",
  question: "Double it.",
  style: "function",
  entryPoint: "double",
  reference: "def double(x):\n    return 2 * x",
  goldTests: ["assert double(2) == 4"],
};
const wrong = { ...good, id: "wrong", goldTests: ["assert double(2) == 5"] };
const broken = { ...good, id: "broken", reference: "def double(x) return x" };
const untested = { ...good, id: "untested", goldTests: [] };
const untestedBroken = { ...broken, id: "untested and broken", goldTests: [] };

function file(name: string, problems: readonly object[]): string {
  const target = path.join(folder, name);
  writeFileSync(target, problems.map((problem) => JSON.stringify(problem)).join("\n"));
  return target;
}

interface Trial {
  readonly training: readonly object[];
  readonly heldOut?: readonly object[];
  readonly method?: string;
  readonly code?: FrozenPolicy;
  readonly test?: FrozenPolicy;
  readonly sandbox?: Sandbox;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CheckProgress) => void;
}

async function look({ training, heldOut, method = "code-a1", ...given }: Trial) {
  const problems = {
    source: "file",
    path: file("training.jsonl", training),
    ...(heldOut && { heldOutPath: file("held-out.jsonl", heldOut) }),
  };
  const config = checkConfig({ problems, method: { kind: method } }, "a test");
  const { problemSet, leftOut } = await usableProblems(await loadProblemSet(config), {
    config,
    players: { code: given.code ?? wide, test: given.test ?? wide },
    sandbox: given.sandbox ?? sandbox,
    limits: defaultLimits,
    folder,
    signal: given.signal ?? new AbortController().signal,
    clock: () => 0,
    onProgress: given.onProgress ?? (() => {}),
  });
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
  const pairs = ids(problemSet.pairs.training);
  return { training: ids(problemSet.training), heldOut: ids(problemSet.heldOut), pairs, leftOut };
}

describe("usableProblems", () => {
  it("leaves out references that fail or do not load, and says why", async () => {
    const { training, leftOut } = await look({ training: [good, wrong, broken, untested, untestedBroken] });
    expect(training).toEqual(["good", "untested"]);
    expect(leftOut).toEqual([
      {
        kind: "problem",
        id: "wrong",
        from: "training",
        reason: "goldTests[0]: the reference gives 4, the test wants 5: assert double(2) == 5",
      },
      {
        kind: "problem",
        id: "broken",
        from: "training",
        reason: expect.stringMatching(/^reference: .*SyntaxError/),
      },
      { kind: "problem", id: "untested and broken", from: "training", reason: "the reference does not load" },
    ]);
  });

  const pair = {
    question: "Read a number and print its double.",
    gold_code: "print(2 * int(input()))",
    gold_tests: { inputs: ["2\n", "3\n"], outputs: ["4\n", "6\n"] },
  };

  it("leaves out pairs whose program is not wrong, does not load, or whose gold code fails", async () => {
    const { pairs, leftOut } = await look({
      method: "atgen",
      training: [
        { ...pair, problem_id: "a", buggy_code: "print(4)" },
        { ...pair, problem_id: "a", buggy_code: "print(int(input()) + int('0') + 0 or 1, end='')" },
        { ...pair, problem_id: "b", buggy_code: "n = int(input())\nprint(n + n)" },
        { ...pair, problem_id: "c", buggy_code: "print(" },
        { ...pair, problem_id: "d", buggy_code: "print(4)", gold_code: "print(5)" },
      ],
    });
    expect(pairs).toHaveLength(2);
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/5/),
      expect.stringMatching(/not known to be wrong: it passes all 2 gold tests/),
      expect.stringMatching(/does not load \(SyntaxError/),
    ]);
  });

  it("refuses pairs of which none can be used", async () => {
    const training = [{ ...pair, problem_id: "b", buggy_code: pair.gold_code }];
    await expect(look({ method: "atgen", training })).rejects.toThrow(/cannot be used/);
  });

  it("needs tests where tests are the measure", async () => {
    const others = [
      { ...good, id: "measured" },
      { ...untested, id: "unmeasured" },
    ];
    const { training, heldOut, leftOut } = await look({ training: [good, untested], heldOut: others });
    expect({ training, heldOut }).toEqual({ training: ["good", "untested"], heldOut: ["measured"] });
    expect(leftOut).toEqual([
      { kind: "problem", id: "unmeasured", from: "held-out", reason: "it has no test to measure by" },
    ]);
    rmSync(path.join(folder, "problems.json"));
    expect((await look({ training: [good, untested], method: "golden" })).training).toEqual(["good"]);
  });

  it("leaves out what leaves a model no room to answer", async () => {
    const long = { ...good, id: "long", question: "Double it. ".repeat(200) };
    const { training, leftOut } = await look({ training: [good, long] });
    expect(training).toEqual(["good"]);
    expect(leftOut[0]!.reason).toMatch(/^its prompt for the code model has \d+ tokens, .* context of 2048$/);
  });

  it("refuses a file of which nothing can be used", async () => {
    await expect(look({ training: [wrong, broken] })).rejects.toThrow(
      /training\.jsonl: none of its 2 problems can be used; 'wrong': goldTests\[0\]/,
    );
    await expect(look({ training: [good], test: narrow })).rejects.toThrow(
      /its only problem cannot be used; 'good': its prompt for the test model has \d+ tokens/,
    );
    expect(existsSync(path.join(folder, "problems.json"))).toBe(false);
  });

  it("is decided once: a continued run keeps its problems, and refuses others", async () => {
    const first = await look({ training: [good, wrong] });
    const unused = scriptedSandbox(() => {
      throw new Error("nothing is run again");
    });
    expect(await look({ training: [good, wrong], sandbox: unused })).toEqual(first);
    await expect(look({ training: [{ ...good, question: "Twice it." }, wrong] })).rejects.toThrow(
      /training\.jsonl has changed/,
    );
    writeFileSync(path.join(folder, "problems.json"), "{");
    await expect(look({ training: [good, wrong] })).rejects.toThrow(/problems\.json cannot be read/);
  });

  it("does not take our own failure for the problem's", async () => {
    const lost = scriptedSandbox(() => [{ kind: "infrastructure", message: "worker lost" }]);
    await expect(look({ training: [good], sandbox: lost })).rejects.toThrow(
      /reference of 'good' could not be run: worker lost/,
    );
  });

  describe("a start that did not come to its end", () => {
    const buggy = ["print(1)", "print(2)", "print(3)", "print(int(input()) * 2)", "print(5)", "print(6)"];
    const training = buggy.map((buggy_code, index) => ({ ...pair, problem_id: `p${index}`, buggy_code }));

    /** The real sandbox with one worker, and what it was asked to run; a program may be lost or end the start. */
    function watched(on: (source: string) => "run" | "lose" = () => "run") {
      const ran: string[] = [];
      const watching: Sandbox = {
        ...sandbox,
        describe: () => ({ ...sandbox.describe(), workers: 1 }),
        run: async (job, options) => {
          ran.push(job.source);
          const fate = on(job.source);
          const report = await sandbox.run(job, options);
          const lost = { kind: "infrastructure", message: "worker lost" } as const;
          return fate === "run" ? report : { ...report, observations: report.observations.map(() => lost) };
        },
      };
      return { ran, sandbox: watching };
    }

    it("keeps what was found when our own infrastructure ends it", async () => {
      const lossy = watched((source) => (source === buggy[4] ? "lose" : "run"));
      await expect(look({ method: "atgen", training, sandbox: lossy.sandbox })).rejects.toThrow(
        /the wrong program of '.*' could not be run: worker lost/,
      );
      expect(existsSync(path.join(folder, "problems.json"))).toBe(false);
      const before = new Set(lossy.ran);
      const { ran, sandbox: whole } = watched();
      const { pairs, leftOut } = await look({ method: "atgen", training, sandbox: whole });
      expect(pairs).toHaveLength(5);
      expect(leftOut.map(({ reason }) => reason)).toEqual([expect.stringMatching(/not known to be wrong/)]);
      expect(new Set(ran)).toEqual(new Set(buggy.filter((source, at) => at === 4 || !before.has(source))));
      expect(readdirSync(folder).sort()).toEqual(["checks.jsonl", "problems.json", "training.jsonl"]);
    });

    it("stops when it is told to, and goes on later", async () => {
      const controller = new AbortController();
      const first = watched((source) => {
        if (source === buggy[2]) controller.abort(new Error("stopped"));
        return "run";
      });
      await expect(
        look({ method: "atgen", training, sandbox: first.sandbox, signal: controller.signal }),
      ).rejects.toThrow("stopped");
      expect(first.ran).not.toContain(buggy[5]);
      const { ran, sandbox: whole } = watched();
      expect((await look({ method: "atgen", training, sandbox: whole })).pairs).toHaveLength(5);
      expect(ran).toEqual(expect.arrayContaining([buggy[2], buggy[5]]));
      // The third is begun when one of the first two has ended.
      expect(ran).not.toEqual(expect.arrayContaining([buggy[0], buggy[1]]));
      expect(ran).not.toContain(pair.gold_code);
    });
  });

  it("tells of references and of wrong programs", async () => {
    const told: CheckProgress[] = [];
    const training = [{ ...pair, problem_id: "a", buggy_code: "print(4)" }];
    await look({ method: "atgen", training, onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([
      { what: "reference", done: 0, total: 1 },
      { what: "wrong program", done: 0, total: 1 },
    ]);
  });

  it("writes down what was left out", async () => {
    await look({ training: [good, wrong] });
    const { leftOut } = JSON.parse(readFileSync(path.join(folder, "problems.json"), "utf8"));
    expect(leftOut).toMatchObject([{ id: "wrong", from: "training" }]);
  });
});
