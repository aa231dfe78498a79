/** The adversary as a run opens it, with a real server on loopback in the part of the code model. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAdversary } from "../adversaries/find-adversary.ts";
import { courtWith, openTestSandbox } from "../evaluation/court.test.support.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { checkConfig } from "./load-config.ts";
import { openTeam, type Team } from "./open-players.ts";
import { loadProblemSet } from "./problem-set.ts";
import { RunAdversaries } from "./run-adversaries.ts";

/** Undefined leaves the call unanswered. */
let answer: (prompt: string) => string | { readonly status: number } | undefined;
/** What the run is answered when it opens; "OK" unless said. */
let greeting: { readonly status: number } | undefined;
const isGreeting = (prompt: string) => prompt === "Reply with OK.";
const asked: { prompt: string; authorization: string | undefined }[] = [];
/** Why the server was taken to be down when the run opened. */
const down: string[] = [];
let server: Server;
let sandbox: Sandbox;
let court: Court;
let folder: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const { messages, n = 1 } = JSON.parse(body);
      const prompt = messages.at(-1).content as string;
      const content = isGreeting(prompt) ? (greeting ?? "OK") : answer(prompt);
      if (!isGreeting(prompt)) asked.push({ prompt, authorization: request.headers.authorization });
      if (content === undefined) return;
      response.setHeader("content-type", "application/json");
      if (typeof content !== "string") {
        response.statusCode = content.status;
        response.end(JSON.stringify({ error: { message: "scripted" } }));
        return;
      }
      const choices = Array.from({ length: n }, (_, index) => ({
        index,
        finish_reason: "stop",
        message: { role: "assistant", content },
      }));
      response.end(JSON.stringify({ choices }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  sandbox = await openTestSandbox();
  court = courtWith(sandbox);
  folder = mkdtempSync(path.join(tmpdir(), "sparring-adversary-"));
});
afterAll(async () => {
  server.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  asked.length = 0;
  down.length = 0;
  greeting = undefined;
});

async function search(adversary: Record<string, unknown>) {
  const config = checkConfig(
    {
      method: { kind: "atgen" },
      problems: { limit: 1 },
      evaluation: { problems: 1 },
      atgen: { pairsPerProblem: 1, maxTries: 6, adversary },
    },
    "test",
  );
  const problemSet = await loadProblemSet(config);
  const team = { players: {} } as unknown as Team; // the adversary is somebody else's model
  const onDown = (reason: string) => void down.push(reason);
  const opened = await RunAdversaries.open(config, { folder, problemSet, team, position: undefined, onDown });
  try {
    const { problem } = problemSet.pairs.training[0]!;
    const tests = problem.goldTests.slice(0, 1);
    return await findAdversary(opened.ground.adversary!, court, { problem, tests, most: 6, seed: 1 });
  } finally {
    await opened.close();
  }
}

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const served = (more: object = {}) => ({
  kind: "sampling",
  model: "openai:coder",
  baseUrl: address(),
  ...more,
});

describe("an adversary behind a server", () => {
  it("sees the question and not the tests, and prose is a program that does not load", async () => {
    answer = () => "I would rather not write any code.";
    const found = await search(served());
    expect(found).toMatchObject({ source: undefined, tries: 6, verdicts: { "does-not-load": 6 } });
    expect(asked[0]!.prompt).not.toContain("assert");
  });

  it("shows the tests where it is told to be wrong elsewhere", async () => {
    answer = () => "```python\ndef f(a):\n    return None\n```";
    const found = await search(served({ kind: "instruction" }));
    expect(asked[0]!.prompt).toContain("assert f(");
    expect(found.verdicts).toEqual({ "fails-tests": 6 });
  });

  it("fails by name where nobody answers, and costs only the replacement", async () => {
    const found = await search(served({ baseUrl: "http://127.0.0.1:9/v1", retries: 0 }));
    expect(found).toMatchObject({ source: undefined, tries: 0 });
    expect(found.failure).toMatch(/127\.0\.0\.1:9/);
    expect(down).toEqual([expect.stringContaining("127.0.0.1:9")]);
  });

  it("is asked once at the start: what will not pass ends the run before its first step", async () => {
    for (const status of [401, 404, 400]) {
      greeting = { status };
      await expect(search(served())).rejects.toMatchObject({
        code: "engine-endpoint-refused",
        message: expect.stringContaining(`HTTP ${status}`),
      });
    }
    expect([asked, down]).toEqual([[], []]);
  });

  it("may be down at the start and answer later", async () => {
    greeting = { status: 503 };
    answer = () => "Let me think.";
    expect(await search(served())).toMatchObject({ tries: 6 });
    expect(down).toEqual([expect.stringContaining("HTTP 503")]);
  });

  it("may be overloaded or silent later, which is counted; a key that is withdrawn ends the run", async () => {
    answer = () => ({ status: 500 });
    expect(await search(served({ retries: 0 }))).toMatchObject({
      failure: expect.stringContaining("HTTP 500"),
    });
    expect(asked).toHaveLength(1);
    answer = () => undefined;
    const impatient = served({ retries: 0, timeoutSeconds: 0.2 });
    expect((await search(impatient)).failure).toContain("no answer within 0.2 s");
    answer = () => ({ status: 403 });
    await expect(search(served())).rejects.toMatchObject({ code: "engine-endpoint-refused" });
    // Only this problem's prompt is too long.
    answer = () => ({ status: 400 });
    expect((await search(served())).failure).toContain("does not answer this prompt");
  });
});

it("refuses to tell a model that only continues text to be wrong", async () => {
  await expect(search({ kind: "instruction", model: "arena" })).rejects.toThrow(/takes orders/);
});

it("opens the run's own code model where none is named", async () => {
  const config = checkConfig(
    {
      method: { kind: "atgen" },
      problems: { limit: 1 },
      evaluation: { problems: 1 },
      engine: { threads: 1 },
    },
    "test",
  );
  const team = await openTeam(config, path.join(folder, "start"));
  try {
    const problemSet = await loadProblemSet(config);
    const opened = await RunAdversaries.open(config, { folder, problemSet, team, position: undefined });
    const { problem } = problemSet.pairs.training[0]!;
    const sources: string[] = [];
    for await (const source of opened.ground.adversary!.propose({ problem, tests: [], most: 3, seed: 1 }))
      sources.push(source);
    expect(sources).toHaveLength(3);
    for (const source of sources) expect(source).toContain("def f(a):");
    await opened.close();
  } finally {
    await team.engine.close();
  }
});
