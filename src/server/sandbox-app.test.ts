import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { SparringError } from "../errors.ts";
import type { Observation, Sandbox } from "../sandbox/sandbox.ts";
import { scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { type LoopbackServer, linesOf, serveOnLoopback } from "./loopback-server.test.support.ts";
import { startServer } from "./start-server.ts";

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

/** Runs nothing and answers only when told to; knows who gave up waiting. */
function waitingSandbox() {
  const seen = { running: 0, aborted: 0 };
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const sandbox = scriptedSandbox(async (job, { signal }) => {
    seen.running += 1;
    await Promise.race([ended, signal && once(signal, "abort")]);
    if (signal?.aborted) {
      seen.aborted += 1;
      throw signal.reason;
    }
    return job.work.style === "stdio" ? job.work.inputs.map(() => printed) : [];
  });
  return { sandbox, seen, end: () => end() };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const program = { code: "print(42)", language: "python" };

describe("tokens", () => {
  it("are needed for everything but a sign of life", async () => {
    const { get, post } = await serve(answering(), { token: "right" });
    for (const headers of [{}, { authorization: "Bearer wrong" }]) {
      expect((await post("/run_code", program, headers)).status).toBe(401);
      expect((await get("/metrics", headers)).status).toBe(401);
      expect(await (await get("/v1/ping", headers)).json()).toBe("pong");
      expect(await (await get("/health", headers)).json()).toEqual({
        status: "ok",
        service: "sparring-sandbox",
      });
    }
    const right = { authorization: "Bearer right" };
    expect((await post("/run_code", program, right)).status).toBe(200);
    expect(await (await get("/health", right)).json()).toMatchObject({
      sandbox: { isolation: "full", workers: 1 },
      queue: { running: 0, waiting: 0 },
    });
  });

  it("without one, a request for another name is refused", async () => {
    const { server } = await serve(answering());
    const request = http.get({
      host: "127.0.0.1",
      port: server.port,
      path: "/health",
      headers: { host: "evil.example" },
    });
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(403);
  });
});

describe("/run", () => {
  it("gives one line for each job, with its id or its place", async () => {
    const sandbox = answering();
    const { post } = await serve(sandbox);
    const work = {
      style: "function",
      entryPoint: "f",
      calls: [{ args: [{ t: [1, 2] }], keywords: { k: null } }],
    };
    const response = await post("/run", {
      jobs: [
        { id: "a", source: "x", work, alone: true },
        { source: "y", work },
      ],
    });
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = (await linesOf(response)) as { id: unknown; report: unknown }[];
    expect(lines.map(({ id }) => id).sort()).toEqual([1, "a"].sort());
    expect(lines[0]!.report).toMatchObject({ loaded: true, observations: [{ kind: "returned", value: 42 }] });
    expect(sandbox.asked.find(({ job }) => job.source === "x")).toMatchObject({
      job: { work: { calls: [{ args: [{ type: "tuple" }], keywords: { k: { type: "none" } } }] } },
      options: { alone: true },
    });
  });

  it("sends blank lines while a job takes its time", async () => {
    const { sandbox, end } = waitingSandbox();
    const { post } = await serve(sandbox, { heartbeatSeconds: 0.01 });
    const response = await post("/run", { jobs: [{ source: "", work: { style: "stdio", inputs: [""] } }] });
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value!).toString()).toBe("\n");
    end();
    let rest = "";
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      rest += Buffer.from(piece.value);
    expect(JSON.parse(rest)).toMatchObject({ id: 0, report: { observations: [printed] } });
  });

  it("tells of a job that could not be run in its own line", async () => {
    const broken = scriptedSandbox(() => {
      throw new SparringError({ code: "sandbox-closed", message: "closed" });
    });
    const { post } = await serve(broken);
    const response = await post("/run", { jobs: [{ source: "", work: { style: "stdio", inputs: [""] } }] });
    expect(await linesOf(response)).toEqual([
      { id: 0, error: { code: "sandbox-closed", message: "closed" } },
    ]);
  });
});

describe("load", () => {
  const job = { source: "", work: { style: "stdio", inputs: [""] } };

  it("refuses more than the queue holds and says when to come again", async () => {
    const { sandbox, seen, end } = waitingSandbox();
    const { post, get } = await serve(sandbox, { queueLimit: 2 });
    const first = post("/run", { jobs: [job, job] });
    await until(() => seen.running > 0);
    const refused = await post("/run_code", program);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await (await get("/metrics")).text()).toContain(
      'sparring_refused_requests_total{code="queue-full"} 1',
    );
    end();
    expect(await linesOf(await first)).toHaveLength(2);
    expect((await post("/run_code", program)).status).toBe(200);
  });

  it("refuses bodies that would not fit into memory together", async () => {
    const { sandbox, seen, end } = waitingSandbox();
    const { post } = await serve(sandbox, { mostHeldBytes: 100 });
    const first = post("/run_code", program);
    await until(() => seen.running > 0);
    const refused = await post("/run_code", { ...program, code: "#".repeat(60) });
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: "bodies-full" } }]);
    end();
    await (await first).text();
    // The room is free a moment after the answer has been read.
    const again = () => post("/run_code", { ...program, code: "#".repeat(60) });
    let answer = await again();
    while (answer.status === 429) answer = await again();
    expect(answer.status).toBe(200);
  });

  it.each(["/run_code", "/run"])("cancels the jobs of a caller who leaves %s", async (path) => {
    const { sandbox, seen } = waitingSandbox();
    const { url, get } = await serve(sandbox);
    const leaving = new AbortController();
    const body = JSON.stringify(path === "/run" ? { jobs: [job, job, job] } : program);
    const headers = { "content-type": "application/json" };
    const asking = fetch(url + path, { method: "POST", headers, body, signal: leaving.signal });
    asking.then((response) => response.text()).catch(() => {});
    await until(() => seen.running > 0);
    leaving.abort();
    await until(() => seen.aborted === seen.running);
    const health = async () => ((await (await get("/health")).json()) as { queue: object }).queue;
    expect(await health()).toMatchObject({ running: 0, waiting: 0 });
  });

  it("finishes what it has accepted before it ends, and accepts nothing more", async () => {
    const { sandbox, seen, end } = waitingSandbox();
    const { post, get, drain } = await serve(sandbox);
    const first = post("/run_code", program);
    await until(() => seen.running > 0);
    let drained = false;
    const draining = drain().then(() => {
      drained = true;
    });
    expect([(await post("/run_code", program)).status, drained]).toEqual([503, false]);
    expect((await get("/health")).status).toBe(503);
    end();
    expect((await first).status).toBe(200);
    await draining;
  });

  it("stops at once when told to", async () => {
    const { sandbox, seen } = waitingSandbox();
    const { post, stop } = await serve(sandbox);
    const first = post("/run_code", program);
    await until(() => seen.running > 0);
    stop();
    expect((await first).status).toBe(503);
    expect(seen.aborted).toBe(1);
  });
});

describe("failures", () => {
  it("of the sandbox are told without details, and logged", async () => {
    const log: string[] = [];
    const broken: Sandbox = scriptedSandbox(() => {
      throw new TypeError("secret path");
    });
    const { post } = await serve(broken, { log: (line) => log.push(line) });
    const response = await post("/run_code", program);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
    expect(log.join()).toContain("secret path");
  });

  it("a port that is taken is named", async () => {
    const { app, server } = await serve(answering());
    await expect(startServer({ app, host: "127.0.0.1", port: server.port })).rejects.toMatchObject({
      code: "port-in-use",
      hint: expect.stringContaining("--port"),
    });
    await expect(startServer({ app, host: "203.0.113.1", port: 0 })).rejects.toMatchObject({
      code: "host-unknown",
    });
  });

  it("garbage instead of HTTP does not disturb the server", async () => {
    const { server, get } = await serve(answering());
    const socket = net.connect(server.port, "127.0.0.1");
    socket.end("\0\0garbage\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    expect((await get("/health")).status).toBe(200);
  });
});
