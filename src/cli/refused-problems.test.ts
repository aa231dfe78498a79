/** The commands that ask models, against a real server that turns down one prompt, or everything. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Command } from "commander";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  replyOf,
  type Script,
  ScriptedServer,
  sendError,
  sendJson,
} from "../engine/openai/scripted-server.test.support.ts";
import { readPairs } from "../problems/read-pairs.ts";
import { addBestOfNCommand } from "./best-of-n.ts";
import { addBugsCommand } from "./data-bugs.ts";
import { addGenerateCommand } from "./tests-generate.ts";

let server: ScriptedServer;
let folder: string;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
beforeEach(() => {
  server.reset();
  folder = mkdtempSync(path.join(tmpdir(), "sparring-refused-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});
afterAll(() => server.close());

const ids = ["long", "a", "b"];
const problemOf = (id: string) => ({
  id,
  question: `Print twice the number. (${id})`,
  style: "stdio",
  reference: "print(2 * int(input()))\n",
  goldTests: [
    { input: "2\n", output: "4\n" },
    { input: "3\n", output: "6\n" },
  ],
});
const place = (name: string) => path.join(folder, name);

/** Wrong programs, and for whoever asks for an answer in tags a right test of them. */
const answers: Script = ({ body }, response) => {
  const isAsked = JSON.stringify(body.messages).includes("<answer>");
  const text = (index: number) =>
    isAsked
      ? `<think>${index}</think><answer>{"input": "3\\n", "output": "6\\n"}</answer>`
      : `\`\`\`python\nprint(2 + int(input()))  # ${index}\n\`\`\``;
  sendJson(response, 200, replyOf(...Array.from({ length: body.n ?? 1 }, (_, index) => text(index))));
};
const refusesLong: Script = (call, response, number) =>
  JSON.stringify(call.body.messages).includes("(long)")
    ? sendError(response, 400, "maximum context length exceeded")
    : answers(call, response, number);

const commands: Record<string, (out: string) => readonly string[]> = {
  "best-of-n": (out) => [
    ...["best-of-n", "--code-model", "openai:m", "--test-model", "openai:m"],
    ...["--n", "2", "--k", "1", "--out", out],
  ],
  bugs: (out) => ["bugs", "--from", "model", "--model", "openai:m", "--tries", "2", "--out", out],
  generate: (out) => [
    ...["generate", "--code-model", "openai:m", "--test-model", "openai:m"],
    ...["--programs", "1", "--tests-per-program", "1", "--out", out],
  ],
};

async function spar(name: string, ...more: string[]) {
  writeFileSync(place("problems.jsonl"), ids.map((id) => `${JSON.stringify(problemOf(id))}\n`).join(""));
  const program = new Command();
  addBestOfNCommand(program);
  addBugsCommand(program);
  addGenerateCommand(program);
  let [stdout, stderr] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += text;
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
  const common = ["--problems", place("problems.jsonl"), "--base-url", server.baseUrl];
  const line = [
    ...commands[name]!(place("out")),
    ...common,
    "--workers",
    "1",
    "--demand",
    "limits",
    "--json",
    ...more,
  ];
  try {
    await program.parseAsync(["node", "spar", ...line]);
  } finally {
    vi.restoreAllMocks();
  }
  return { report: JSON.parse(stdout), stderr };
}

const refusedText = "does not answer this prompt: HTTP 400: maximum context length exceeded";

describe("one prompt that is refused", { timeout: 120_000 }, () => {
  it("is left out of best-of-n, now and when it is started again", async () => {
    server.script = refusesLong;
    const { report, stderr } = await spar("best-of-n");
    expect(stderr).toContain("left out long: the model 'm'");
    expect(report).toMatchObject({
      problems: 2,
      refused: { count: 1, first: [{ problem: "long", reason: expect.stringContaining(refusedText) }] },
    });
    const samples = readFileSync(place("out/samples.jsonl"), "utf8");
    expect((await spar("best-of-n")).report).toMatchObject({
      problems: 2,
      knownBefore: 2,
      refused: { count: 1 },
    });
    expect(readFileSync(place("out/samples.jsonl"), "utf8")).toBe(samples);
    // Once the server takes it, it is a problem like the others.
    server.script = answers;
    expect((await spar("best-of-n")).report).toMatchObject({
      problems: 3,
      knownBefore: 2,
      refused: { count: 0 },
    });
  });

  it("is left out of the pairs", async () => {
    server.script = refusesLong;
    const { report, stderr } = await spar("bugs");
    expect(stderr).toContain("left out long: the model 'm'");
    expect(report).toMatchObject({
      problemCounts: { all: 3, withPairs: 2, leftOut: { "prompt-refused": 1 } },
      leftOut: [
        { row: 1, id: "long", fault: "prompt-refused", reason: expect.stringContaining(refusedText) },
      ],
    });
    await expectOnlyMissingAsked("bugs", { kept: place("out.unfinished"), stderr });
    expect((await readPairs(place("out"))).map(({ problem }) => problem.id)).toContain("long");
  });

  it("is left out of the suites", async () => {
    server.script = refusesLong;
    const { report, stderr } = await spar("generate");
    expect(stderr).toContain("left out long: the model 'm'");
    expect(report).toMatchObject({ problems: 2, refused: [{ problem: "long" }] });
    const lines = readFileSync(place("out"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).problem)).toEqual(["a", "b"]);
    await expectOnlyMissingAsked("generate", { kept: place("out.journal"), stderr });
    const [first, ...others] = readFileSync(place("out"), "utf8").trimEnd().split("\n");
    expect([JSON.parse(first!).problem, others]).toEqual(["long", lines]);
  });

  /** Started again as the command says itself, with a server that takes the prompt by now. */
  async function expectOnlyMissingAsked(name: string, { kept, stderr }: { kept: string; stderr: string }) {
    expect(stderr).toContain(
      "1 problem missing: the same command with --force asks only for what is missing, the others are kept in",
    );
    expect(existsSync(kept)).toBe(true);
    await expect(spar(name)).rejects.toMatchObject({ code: "file-exists" });
    server.reset();
    server.script = answers;
    const again = await spar(name, "--force");
    expect(again.stderr).not.toContain("missing");
    expect(server.calls.length).toBeGreaterThan(0);
    for (const { body } of server.calls) expect(JSON.stringify(body.messages)).toContain("(long)");
    expect(existsSync(kept)).toBe(false);
  }

  it("is no suite where there is no other", async () => {
    server.script = ({ body }, response) =>
      JSON.stringify(body.messages).includes("Print twice") ? sendError(response, 400, "too long") : "model";
    await expect(spar("generate")).rejects.toMatchObject({ code: "no-suites" });
    expect(existsSync(place("out"))).toBe(false);
  });
});

describe("one program that a test model refuses", { timeout: 120_000 }, () => {
  const isAttack = (messages: unknown) => JSON.stringify(messages).includes("<answer>");
  const refusesFirstPrograms: Script = (call, response, number) =>
    isAttack(call.body.messages) && JSON.stringify(call.body.messages).includes("# 0")
      ? sendError(response, 400, "maximum context length exceeded")
      : answers(call, response, number);

  it("has no tests, and costs the problem and its other programs nothing", async () => {
    server.script = refusesFirstPrograms;
    const { report, stderr } = await spar("best-of-n");
    expect(report).toMatchObject({
      problems: 3,
      refused: { count: 0 },
      withoutTests: 0,
      replies: 3,
      refusedPrograms: {
        count: 3,
        first: ids.map((problem) => ({
          problem,
          programs: 1,
          reason: expect.stringContaining(refusedText),
        })),
      },
    });
    expect(stderr.split("the test model refuses the prompt")).toHaveLength(2);
    expect(stderr).toContain("3 programs of 3 problems without tests: the test model refuses the prompt");

    // Whatever is whole is kept, and only that: the refused ones are asked for again, and nothing else is.
    const samples = readFileSync(place("out/samples.jsonl"), "utf8");
    server.calls.length = 0;
    const again = await spar("best-of-n");
    expect(again.report).toEqual({ ...report, knownBefore: 3 });
    expect(readFileSync(place("out/samples.jsonl"), "utf8")).toBe(samples);
    const asked = server.calls.map(({ body }) => body.messages).filter(isAttack);
    expect(asked.length).toBeGreaterThan(0);
    for (const messages of asked) expect(JSON.stringify(messages)).toContain("# 0");
    const others = server.calls.map(({ body }) => body.messages).filter((messages) => !isAttack(messages));
    for (const [message] of others) expect(message.content).toBe("Reply with OK.");

    server.calls.length = 0;
    server.script = answers;
    const whole = await spar("best-of-n");
    expect(whole.report).toMatchObject({ problems: 3, replies: 6, refusedPrograms: { count: 0, first: [] } });
    expect(server.calls).toHaveLength(3);
    server.calls.length = 0;
    expect((await spar("best-of-n")).report).toEqual({ ...whole.report, knownBefore: 3 });
    expect(server.calls).toHaveLength(0);
  });

  it("ends the command where nothing else is answered either", async () => {
    server.script = (call, response, number) =>
      isAttack(call.body.messages) || call.body.messages[0].content === "Reply with OK."
        ? sendError(response, 400, "no credit left")
        : answers(call, response, number);
    await expect(spar("best-of-n")).rejects.toMatchObject({ code: "engine-endpoint-refused" });
  });
});

describe("what concerns all prompts still ends the command", { timeout: 120_000 }, () => {
  it.each(Object.keys(commands))("%s", async (name) => {
    for (const [status, message] of [
      [401, "wrong key"],
      [404, "no such model"],
      [400, "'m' is not a valid model"],
    ] as const) {
      server.script = (_, response) => sendError(response, status, message);
      await expect(spar(name)).rejects.toMatchObject({
        code: "engine-endpoint-refused",
        message: expect.stringContaining(`HTTP ${status}: ${message}`),
      });
    }
  });
});
