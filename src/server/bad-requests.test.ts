/** What a server must refuse clearly, and go on. */
import { afterEach, describe, expect, it } from "vitest";
import type { Observation } from "../sandbox/sandbox.ts";
import { scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { type LoopbackServer, serveOnLoopback } from "./loopback-server.test.support.ts";

const open: LoopbackServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serve(...options: Parameters<typeof serveOnLoopback>): Promise<LoopbackServer> {
  const server = await serveOnLoopback(...options);
  open.push(server);
  return server;
}

const printed: Observation = { kind: "printed", stdout: "42\n", stderr: "", exitCode: 0 };
const answering = () =>
  scriptedSandbox((job) =>
    job.work.style === "stdio"
      ? job.work.inputs.map(() => printed)
      : job.work.calls.map(() => ({ kind: "returned", value: { type: "int", value: 42n } })),
  );

const program = { code: "print(42)", language: "python" };

describe("bad requests", () => {
  it.each([
    ["text that is not JSON", "{", 400, "invalid-json"],
    [
      "NaN for a limit",
      '{"jobs":[{"source":"","work":{"style":"stdio","inputs":[""]},"limits":{"caseCpuSeconds":NaN}}]}',
      400,
      "invalid-json",
    ],
    [
      "an infinite limit",
      '{"jobs":[{"source":"","work":{"style":"stdio","inputs":[""]},"limits":{"caseCpuSeconds":1e999}}]}',
      422,
      "invalid-request",
    ],
    [
      "a limit below zero",
      '{"jobs":[{"source":"","work":{"style":"stdio","inputs":[""]},"limits":{"caseCpuSeconds":-1}}]}',
      422,
      "invalid-request",
    ],
    [
      "a limit nobody knows",
      '{"jobs":[{"source":"","work":{"style":"stdio","inputs":[""]},"limits":{"cpu":1}}]}',
      422,
      "invalid-request",
    ],
    ["a list", "[]", 422, "invalid-request"],
    ["nothing", "", 400, "invalid-json"],
    ["no jobs", '{"jobs":[]}', 422, "invalid-request"],
    [
      "an argument that is no value",
      '{"jobs":[{"source":"","work":{"style":"function","entryPoint":"f","calls":[{"args":[1.5]}]}}]}',
      422,
      "invalid-request",
    ],
    [
      "an argument that is no literal",
      '{"jobs":[{"source":"","work":{"style":"function","entryPoint":"f","calls":[{"args":[{"o":["x","object"]}]}]}}]}',
      422,
      "invalid-request",
    ],
    [
      "an argument that is nested without end",
      `{"jobs":[{"source":"","work":{"style":"function","entryPoint":"f","calls":[{"args":[${"[".repeat(100_000)}${"]".repeat(100_000)}]}]}}]}`,
      422,
      "invalid-request",
    ],
    [
      "a million faults",
      JSON.stringify({
        jobs: [
          {
            source: "",
            work: { style: "function", entryPoint: "f", calls: [{ args: Array(1_000_000).fill({}) }] },
          },
        ],
      }),
      422,
      "invalid-request",
    ],
    [
      "more jobs than anybody has",
      JSON.stringify({ jobs: Array(1_000_000).fill(0) }),
      422,
      "invalid-request",
    ],
    ["text that is not UTF-8", Buffer.from([0x22, 0xff, 0x22]), 400, "not-utf8"],
  ])("%s", async (_, body, status, code) => {
    const { url } = await serve(answering());
    const response = await fetch(`${url}/run`, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body,
    });
    expect(response.status).toBe(status);
    const answer = await response.text();
    expect(JSON.parse(answer)).toMatchObject({ error: { code, message: expect.any(String) } });
    expect(answer).not.toMatch(/\.ts:|node_modules/);
  });

  it("another media type", async () => {
    const { post } = await serve(answering());
    const response = await post("/run_code", program, { "content-type": "text/plain" });
    expect([response.status, await response.json()]).toMatchObject([415, { error: { code: "not-json" } }]);
  });

  it("a body over the limit, announced or not", async () => {
    const { url, get } = await serve(answering(), { mostBodyBytes: 1000 });
    const large = JSON.stringify({ ...program, code: "#".repeat(2000) });
    const pieces = new ReadableStream({
      start(controller) {
        for (let start = 0; start < large.length; start += 100) {
          controller.enqueue(Buffer.from(large.slice(start, start + 100)));
        }
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    for (const body of [large, pieces]) {
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      const response = await fetch(`${url}/run_code`, init);
      expect([response.status, await response.json()]).toMatchObject([
        413,
        { error: { code: "body-too-large" } },
      ]);
    }
    expect((await get("/health")).status).toBe(200);
  });

  it("a path or method that is not there", async () => {
    const { get, post } = await serve(answering());
    for (const response of [await get("/run_code"), await post("/nothing", {})]) {
      expect([response.status, await response.json()]).toMatchObject([404, { error: { code: "not-found" } }]);
    }
  });

  it("languages: SandboxError for those of SandboxFusion, a refusal for any other text", async () => {
    const { post } = await serve(answering());
    const java = await post("/run_code", { ...program, language: "java" });
    expect([java.status, await java.json()]).toMatchObject([
      200,
      { status: "SandboxError", run_result: null },
    ]);
    const klingon = await post("/run_code", { ...program, language: "klingon" });
    expect([klingon.status, await klingon.json()]).toMatchObject([
      422,
      { error: { code: "unknown-language" } },
    ]);
  });

  it("a program that is too large", async () => {
    const { post } = await serve(answering());
    const response = await post("/run_code", { ...program, code: "#".repeat(5_000_000) });
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error: { code: "code-too-large" } },
    ]);
  });
});
