/**
 * From what the worker saw of a child to what the cases are read from. The program decides what it leaves behind and
 * how its process ends, so nothing here can be our own failure.
 */
import type { PartEnd } from "../part-outcome.ts";
import type { PartRecord } from "../run-in-parts.ts";
import { type Ending, splitFrames, type WorkerRecord } from "./records.ts";

const signalNames: Record<number, string> = {
  4: "SIGILL",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM",
  24: "SIGXCPU",
  25: "SIGXFSZ",
  31: "SIGSYS",
};

/** `mostFrames` is how many can mean something: one for the loading and one for each case. */
export function readPart(record: WorkerRecord, mostFrames: number): PartRecord {
  const ending = record.description as Ending;
  return {
    // A program that took back what it had said before has said nothing.
    frames: ending.killedFor === "tampered" ? [] : splitFrames(record.channel, mostFrames),
    end: endOf(ending),
    stdout: record.stdout.toString("utf8"),
    stderr: record.stderr.toString("utf8"),
    denied: ending.denied,
    cpuSeconds: ending.cpu,
    wallSeconds: ending.wall,
  };
}

function endOf(ending: Ending): PartEnd {
  switch (ending.killedFor) {
    case "cpu":
    case "wall":
    case "program":
      return { kind: "timed-out", limit: ending.killedFor };
    case "output":
      return { kind: "flooded", what: "printed" };
    case "refused":
      return { kind: "died", how: "kept making refused system calls" };
    case "tampered":
      return { kind: "died", how: "rewrote answers that it had already given" };
  }
  if (ending.signal === null) return { kind: "exited", code: ending.code ?? 0 };
  return { kind: "died", how: `was ended by ${signalNames[ending.signal] ?? `signal ${ending.signal}`}` };
}
