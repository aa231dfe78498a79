import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Readable } from "node:stream";
import { Command } from "commander";
import { afterEach, describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { hasPython } from "../values/run-python.test.support.ts";
import { addServeCommand } from "./serve.ts";

const serving = (...flags: string[]) => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addServeCommand(program);
  for (const command of program.commands.flatMap((parent) => parent.commands)) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  return program.parseAsync(["node", "spar", "serve", "sandbox", ...flags]);
};

describe("spar serve sandbox refuses", () => {
  it("to listen for other machines without a token", async () => {
    const { SPARRING_TOKEN } = process.env;
    process.env.SPARRING_TOKEN = "";
    try {
      await expect(serving("--host", "0.0.0.0")).rejects.toMatchObject({ code: "token-required" });
    } finally {
      if (SPARRING_TOKEN === undefined) delete process.env.SPARRING_TOKEN;
      else process.env.SPARRING_TOKEN = SPARRING_TOKEN;
    }
  });

  it.each([
    ["--port", "70000"],
    ["--port", "x"],
    ["--queue", "0"],
    ["--workers", "0"],
    ["--sandbox", "none"],
  ])("%s %s", async (flag, value) => {
    await expect(serving(flag, value)).rejects.toMatchObject({ code: "commander.invalidArgument" });
  });
});

describe.runIf(process.platform === "linux" && hasPython)("spar serve sandbox", () => {
  const running: ChildProcessByStdio<null, Readable, Readable>[] = [];
  afterEach(() => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
  });

  async function start(environment: Record<string, string> = {}) {
    const script = path.join(packageRoot, "src", "cli", "main.ts");
    const flags = ["--port", "0", "--sandbox", "native", "--demand", "limits", "--workers", "1", "--json"];
    const child = spawn(process.execPath, ["--import", "tsx", script, "serve", "sandbox", ...flags], {
      cwd: packageRoot,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.push(child);
    let said = "";
    for await (const piece of child.stdout) {
      said += piece;
      if (said.includes("\n}")) break;
    }
    const exit = once(child, "exit") as Promise<[number | null]>;
    return { child, exit, ...(JSON.parse(said) as { url: string; token: boolean; kind: string }) };
  }

  const slow = {
    code: "import time\nprint('begun', flush=True)\ntime.sleep(0.5)\nprint('done')",
    language: "python",
  };
  const post = (url: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/run_code`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(slow),
    });

  async function untilRunning(url: string): Promise<void> {
    for (;;) {
      const health = (await (await fetch(`${url}/health`)).json()) as { queue: { running: number } };
      if (health.queue.running > 0) return;
    }
  }

  it.each([
    ["SIGTERM", 0],
    ["SIGINT", 130],
  ] as const)("finishes what it has begun on %s, then ends with %i", async (signal, code) => {
    const { child, exit, url, kind } = await start();
    expect(kind).toBe("native");
    const answer = post(url);
    await untilRunning(url);
    child.kill(signal);
    expect(await (await answer).json()).toMatchObject({ run_result: { stdout: "begun\ndone\n" } });
    expect(await exit).toEqual([code, null]);
  });

  it("takes its token from the environment", async () => {
    const { child, exit, url, token } = await start({ SPARRING_TOKEN: "secret" });
    expect(token).toBe(true);
    expect((await post(url)).status).toBe(401);
    expect((await post(url, { authorization: "Bearer secret" })).status).toBe(200);
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });
});
