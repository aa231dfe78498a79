/** The real command in a process of its own, for tests: run to its end, or watched while it runs. */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { packageRoot } from "../package-root.ts";

export const mainFile = path.join(packageRoot, "dist", "cli", "main.js");

export interface Finished {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves once standard error matches; rejects with what was said when the process ends before. */
  saying(pattern: RegExp): Promise<void>;
}

export interface StartOptions {
  readonly cwd?: string;
  /** Put before the command, for example a shell that lowers a limit. */
  readonly wrapper?: readonly string[];
}

export function startSpar(args: readonly string[], options: StartOptions = {}): Running {
  const line = [...(options.wrapper ?? []), process.execPath, mainFile, ...args];
  const child = spawn(line[0]!, line.slice(1), {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  let [stdout, stderr] = ["", ""];
  const listeners = new Set<() => void>();
  child.stdout.on("data", (piece: Buffer) => {
    stdout += piece;
  });
  child.stderr.on("data", (piece: Buffer) => {
    stderr += piece;
    for (const look of listeners) look();
  });
  const finished = new Promise<Finished>((resolve) => {
    child.once("close", (code, signal) =>
      resolve({ code: code ?? undefined, signal: signal ?? undefined, stdout, stderr }),
    );
  });
  const saying = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!pattern.test(stderr)) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
      void finished.then(() => reject(new Error(`it ended before saying ${pattern}:\n${stderr}`)));
    });
  return { child, finished, saying };
}

export function spar(...args: string[]): Promise<Finished> {
  return startSpar(args).finished;
}

/** Settings that make a step of the demo small enough for a test. */
export const smallRun = [
  "problemsPerStep=3",
  "problems.limit=6",
  "method.candidates=3",
  "method.suites=2",
  "evaluation.problems=4",
  "evaluation.every=0",
  "checkpointEvery=1",
  "learning.miniBatchProblems=3",
  "learning.warmUpSteps=0",
].flatMap((setting) => ["--set", setting]);
