/**
 * A host that does with a script what SandboxFusion does: a plain python3 in a temporary folder, without isolation,
 * and little is read of its output before it ends, so that a script which prints too much hangs until its time is up.
 * Only for programs that are harmless without walls.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { type Stranger, startStranger } from "../../server/loopback-server.test.support.ts";

const bufferedBytes = 128 * 1024;

interface RunCode {
  readonly code: string;
  readonly stdin: string;
  readonly run_timeout: number;
  readonly fetch_files: readonly string[];
}

export function startPlainFusionHost(): Promise<Stranger> {
  return startStranger(async (request, response) => {
    if (request.url !== "/run_code") {
      response.writeHead(404).end('{"detail":"Not Found"}');
      return;
    }
    const answer = await runCode(JSON.parse(await bodyOf(request)) as RunCode);
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
}

async function runCode(request: RunCode): Promise<unknown> {
  const folder = await mkdtemp(path.join(tmpdir(), "plain-fusion-"));
  try {
    const script = path.join(folder, "script.py");
    await writeFile(script, request.code);
    const started = performance.now();
    const child = spawn("python3", [script], { cwd: folder });
    child.stdin.on("error", () => {});
    child.stdin.end(request.stdin);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, request.run_timeout * 1000);
    const outputs = [child.stdout, child.stderr].map(readReluctantly);
    const closed = once(child, "close");
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    const seconds = (performance.now() - started) / 1000;
    for (const { readRest } of outputs) readRest();
    await closed;
    const [stdout, stderr] = outputs.map(({ pieces }) => Buffer.concat(pieces).toString("utf8"));
    const return_code = late ? null : (code ?? -signalNumber(signal));
    const run_result = {
      status: late ? "TimeLimitExceeded" : "Finished",
      execution_time: seconds,
      return_code,
      stdout,
      stderr,
    };
    const status = return_code === 0 ? "Success" : "Failed";
    const files = await filesIn(folder, request.fetch_files);
    return { status, message: "", compile_result: null, run_result, executor_pod_name: null, files };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function filesIn(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of names) {
    const contents = await readFile(path.join(folder, name)).catch(() => undefined);
    if (contents) files[name] = contents.toString("base64");
  }
  return files;
}

/** As much as SandboxFusion's buffers take; the rest waits in the pipe, and the script with it. */
function readReluctantly(stream: Readable): { pieces: Buffer[]; readRest(): void } {
  const pieces: Buffer[] = [];
  let room = bufferedBytes;
  stream.on("data", (piece: Buffer) => {
    pieces.push(piece);
    room -= piece.length;
    if (room <= 0) stream.pause();
  });
  const readRest = () => {
    room = Number.POSITIVE_INFINITY;
    stream.resume();
  };
  return { pieces, readRest };
}

async function bodyOf(request: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function signalNumber(signal: NodeJS.Signals | null): number {
  const numbers: Partial<Record<NodeJS.Signals, number>> = {
    SIGALRM: 14,
    SIGKILL: 9,
    SIGPROF: 27,
    SIGSEGV: 11,
    SIGXFSZ: 25,
  };
  return numbers[signal ?? "SIGKILL"] ?? 1;
}
