/**
 * One warm Python worker as seen from Node: started, asked, replaced. It runs one request at a time.
 *
 * The worker and everything below it die with this process: the worker asks the kernel for that, and its end of
 * the pipe closes.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { SparringError } from "../../errors.ts";
import { packageRoot } from "../../package-root.ts";
import type { IsolationLevel, Layer } from "../sandbox.ts";
import { encodeRequest, type PartRequest, RecordReader, type WorkerRecord } from "./records.ts";

export interface WorkerSettings {
  readonly executable: string;
  /** The strongest isolation to try for. */
  readonly wanted: IsolationLevel;
  readonly scratchBytes: number;
  /** Run the worker as another user; only root can. */
  readonly user?: number;
}

/** What a worker says of itself when it is ready. */
export interface WorkerGreeting {
  readonly level: IsolationLevel;
  readonly layers: readonly Layer[];
  readonly python: string;
}

/** The worker ended while it was needed. Nothing that a fully isolated program does can cause it. */
export class WorkerLost extends Error {
  override readonly name = "WorkerLost";
}

// -s and -S keep site packages out, -B leaves no files; -I would silently ignore the hash seed.
const pythonFlags = ["-s", "-S", "-B"];
const environment = { PYTHONHASHSEED: "0", PYTHONUTF8: "1", PYTHONDONTWRITEBYTECODE: "1", TZ: "UTC" };
const workerScript = path.join(packageRoot, "python", "sandbox", "worker.py");
const startSeconds = 60;
const politeSeconds = 2;
const keptErrorCharacters = 2000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class WorkerProcess {
  readonly #child: Child;
  readonly #reader = new RecordReader();
  readonly #ended: Promise<void>;
  #waiting: { resolve: (record: WorkerRecord) => void; reject: (error: Error) => void } | undefined;
  #errorText = "";
  #lost: WorkerLost | undefined;
  /** How many requests it has served, for recycling. */
  served = 0;

  static async start(settings: WorkerSettings): Promise<{ worker: WorkerProcess; greeting: WorkerGreeting }> {
    const worker = new WorkerProcess(settings);
    const giveUp = setTimeout(() => worker.kill(), startSeconds * 1000);
    try {
      const { description } = await worker.#nextRecord();
      return { worker, greeting: description as WorkerGreeting };
    } catch (error) {
      throw new SparringError({
        code: "worker-start",
        message: `the sandbox worker did not start with ${settings.executable}: ${(error as Error).message}`,
        hint: "`spar doctor` shows what this machine allows; the wasm sandbox needs no Python.",
        cause: error,
      });
    } finally {
      clearTimeout(giveUp);
      worker.#holdProcess("no");
    }
  }

  private constructor(settings: WorkerSettings) {
    const args = [...pythonFlags, workerScript, settings.wanted, String(settings.scratchBytes)];
    this.#child = spawn(settings.executable, args, {
      env: environment,
      stdio: ["pipe", "pipe", "pipe"],
      // Ctrl-C in a terminal goes to the whole group; the worker must outlive the step that is being finished.
      detached: true,
      ...(settings.user === undefined ? {} : { uid: settings.user, gid: settings.user }),
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        const said = this.#errorText.trim();
        this.#lose(`ended with ${signal ?? `code ${code}`}${said ? `: ${said}` : ""}`);
        resolve();
      });
    });
    this.#child.once("error", (error) => this.#lose(error.message));
    this.#child.stdin.on("error", () => {}); // the end of the process says it better
    this.#child.stderr.on("data", (piece: Buffer) => {
      this.#errorText = (this.#errorText + piece.toString()).slice(-keptErrorCharacters);
    });
    this.#child.stdout.on("data", (piece: Buffer) => this.#take(piece));
  }

  get alive(): boolean {
    return this.#lost === undefined;
  }

  /** Rejects with WorkerLost when the worker ends, or is killed, before it has answered. */
  async request(part: PartRequest): Promise<WorkerRecord> {
    this.#holdProcess("yes");
    try {
      const answer = this.#nextRecord();
      this.#child.stdin.write(encodeRequest(part));
      const record = await answer;
      this.served += 1;
      return record;
    } finally {
      this.#holdProcess("no");
    }
  }

  /** Ends it at once, whatever it is doing, but leaves it the time to take a program and its files along. */
  kill(): void {
    this.#child.kill("SIGTERM");
    const insist = setTimeout(() => this.#child.kill("SIGKILL"), politeSeconds * 1000).unref();
    this.#child.once("close", () => clearTimeout(insist));
  }

  async close(): Promise<void> {
    this.#holdProcess("yes");
    this.#child.stdin.end();
    const insist = setTimeout(() => this.kill(), politeSeconds * 1000);
    await this.#ended;
    clearTimeout(insist);
  }

  #nextRecord(): Promise<WorkerRecord> {
    return new Promise((resolve, reject) => {
      if (this.#lost) reject(this.#lost);
      else this.#waiting = { resolve, reject };
    });
  }

  #take(piece: Buffer): void {
    let record: WorkerRecord | undefined;
    try {
      record = this.#reader.add(piece);
    } catch {
      this.kill();
    }
    if (record && this.#waiting) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      resolve(record);
    }
  }

  #lose(how: string): void {
    this.#lost ??= new WorkerLost(how);
    this.#waiting?.reject(this.#lost);
    this.#waiting = undefined;
  }

  /** An idle worker must not keep a finished script from ending. */
  #holdProcess(held: "yes" | "no"): void {
    const parts = [this.#child, ...[this.#child.stdin, this.#child.stdout, this.#child.stderr]];
    for (const part of parts as unknown as Pick<Socket, "ref" | "unref">[]) {
      if (held === "yes") part.ref();
      else part.unref();
    }
  }
}
