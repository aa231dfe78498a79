/**
 * What a SandboxFusion host answered, read with suspicion. Two things are told apart here: what the host did wrong
 * (a HostFault: tried elsewhere) and what the program did (its ending). Our script says `begin` before the program
 * gets control; an answer without it is the host's failure, whatever else it says.
 */
import { constants } from "node:os";
import { z } from "zod";
import type { PartEnd } from "../part-outcome.ts";
import { HostFault } from "./host-fault.ts";

export const answerSchema = z.object({
  status: z.enum(["Success", "Failed", "SandboxError"]),
  message: z.string().nullish(),
  run_result: z
    .object({
      status: z.enum(["Finished", "Error", "TimeLimitExceeded"]),
      execution_time: z.number().nonnegative().nullish(),
      return_code: z.int().nullish(),
      stdout: z.string().nullish(),
      stderr: z.string().nullish(),
    })
    .nullish(),
  files: z.record(z.string(), z.string()).nullish(),
});

export type FusionAnswer = z.infer<typeof answerSchema>;
export type FusionRun = NonNullable<FusionAnswer["run_result"]>;

/** The part of an answer that says how the script ended; a HostFault if the host did not run it. */
export function runOf(body: unknown): { run: FusionRun; files: Readonly<Record<string, string>> } {
  const parsed = answerSchema.safeParse(body);
  if (!parsed.success) throw new HostFault("malformed", z.prettifyError(parsed.error).slice(0, 300));
  const { status, message, run_result: run, files } = parsed.data;
  if (status === "SandboxError" || run?.status === "Error") {
    throw new HostFault("unreachable", `SandboxError: ${(message || run?.stderr || "").slice(0, 300)}`);
  }
  if (!run) throw new HostFault("malformed", "an answer without run_result");
  if (run.status === "Finished" && typeof run.return_code !== "number") {
    throw new HostFault("malformed", "a finished run without return_code");
  }
  return { run, files: files ?? {} };
}

export interface Records {
  readonly began: boolean;
  readonly frames: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  /** CPU seconds at the last frame. */
  readonly cpuSeconds: number;
  /** What there was too much of. */
  readonly flooded: "printed" | "value" | undefined;
  /** The rest is in the file. */
  readonly spilled: boolean;
}

/** Lines that do not begin with the marker are none of ours. */
export function readRecords(text: string, marker: string): Records {
  const frames: string[] = [];
  const printed = { out: "", err: "" };
  let [began, spilled, cpuSeconds] = [false, false, 0];
  let flooded: Records["flooded"];
  for (const line of text.split("\n")) {
    if (!line.startsWith(`${marker} `)) continue;
    const [kind = "", ...words] = line
      .slice(marker.length + 1)
      .trimEnd()
      .split(" ");
    if (kind === "begin") began = true;
    else if (kind === "spill") spilled = true;
    else if (kind === "out" || kind === "err") printed[kind] = decodeBase64(words[0]);
    else if (kind === "stop") flooded = words[0] === "value" ? "value" : "printed";
    else if (kind === "frame") {
      const seconds = Number(words[0]);
      if (seconds > cpuSeconds && Number.isFinite(seconds)) cpuSeconds = seconds;
      frames.push(words.slice(1).join(" "));
    }
  }
  return { began, frames, stdout: printed.out, stderr: printed.err, cpuSeconds, flooded, spilled };
}

export function decodeBase64(text: string | undefined): string {
  return Buffer.from(text ?? "", "base64").toString("utf8");
}

/** Hosts that end a script for printing too much (ours do) may keep nothing of what it printed. */
export function floodedOutput(run: FusionRun): boolean {
  return run.status === "Finished" && signalOf(run.return_code ?? 0) === outputSignal;
}

const outputSignal = 25;

/** The signals by which our script has limits enforced (python/sandbox/remote_driver.py). */
const endBySignal: Readonly<Record<number, PartEnd>> = {
  14: { kind: "timed-out", limit: "wall" },
  [outputSignal]: { kind: "flooded", what: "printed" },
  27: { kind: "timed-out", limit: "cpu" },
};

/** How the script's process ended. */
export function endOf(run: FusionRun, records: Records): PartEnd {
  if (records.flooded) return { kind: "flooded", what: records.flooded };
  if (run.status === "TimeLimitExceeded") return { kind: "timed-out", limit: "wall" };
  const code = run.return_code ?? 0;
  const signal = signalOf(code);
  if (signal === undefined) return { kind: "exited", code };
  return endBySignal[signal] ?? { kind: "died", how: `was ended by ${signalName(signal)}` };
}

/** A return code of −n, or of 128 + n where a shell stands between. */
function signalOf(code: number): number | undefined {
  if (code < 0) return -code;
  return code > 128 && code <= 128 + 64 ? code - 128 : undefined;
}

function signalName(signal: number): string {
  const known = Object.entries(constants.signals).find(([, number]) => number === signal);
  return known ? known[0] : `signal ${signal}`;
}
