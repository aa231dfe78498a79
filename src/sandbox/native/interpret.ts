/**
 * From what the worker saw of a child to what its cases did. Pure, so that every odd ending can be tested.
 *
 * The program decides what its frames say and how its process ends, so both are only ever read as the program's own
 * doing. `infrastructure` cannot come out of here.
 */
import { protocolViolation, readFrame } from "../frames.ts";
import type { Observation, ProgramError } from "../sandbox.ts";
import { type Ending, splitFrames } from "./records.ts";

export interface PartOutcome {
  readonly loaded: boolean;
  /** Observations of the cases that were reached, in order; the last one may be the one that ended the child. */
  readonly observations: readonly Observation[];
}

const signalNames: Record<number, string> = {
  4: "SIGILL",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM",
  25: "SIGXFSZ",
  31: "SIGSYS",
};

/** `cases` is how many calls the child was given. */
export function interpretFunctionPart(channel: Buffer, ending: Ending, cases: number): PartOutcome {
  const [first, ...rest] = splitFrames(channel, cases + 1).map(readFrame);
  if (first === undefined) return notLoaded(endObservation(ending), cases);
  if (first.kind === "failed") return notLoaded(loadFailure(first.error), cases);
  if (first.kind !== "loaded") return notLoaded({ kind: "did-not-load", error: protocolViolation }, cases);
  const observations: Observation[] = [];
  for (const frame of rest) {
    if (frame.kind === "full") return { loaded: true, observations: afterFull(observations) };
    observations.push(
      frame.kind === "case" ? frame.observation : { kind: "raised", error: protocolViolation },
    );
  }
  if (observations.length < cases) observations.push(endObservation(ending));
  return { loaded: true, observations };
}

/** An answer that finds no room even in an empty process is too large; without that rule a program could stall. */
function afterFull(observations: Observation[]): Observation[] {
  return observations.length > 0 ? observations : [{ kind: "output-flood", what: "value" }];
}

export function interpretStdioPart(
  channel: Buffer,
  ending: Ending,
  stdout: Buffer,
  stderr: Buffer,
): Observation {
  const text = { stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8") };
  const [first] = splitFrames(channel, 1).map(readFrame);
  if (first?.kind === "exited") return { kind: "printed", ...text, exitCode: first.code };
  if (first === undefined) {
    // os._exit without flushing is a legal way to end a program: what it printed until then counts.
    if (ending.killedFor === null && ending.code !== null) {
      return { kind: "printed", ...text, exitCode: ending.code };
    }
    return withText(endObservation(ending), text);
  }
  return first.kind === "case"
    ? withText(first.observation, text)
    : { kind: "raised", error: protocolViolation, ...text };
}

function withText(observation: Observation, text: { stdout: string; stderr: string }): Observation {
  return observation.kind === "raised" || observation.kind === "timed-out"
    ? { ...observation, ...text }
    : observation;
}

/** A program that never loaded has no other cases to look at: what stopped it stands for all of them. */
function notLoaded(observation: Observation, cases: number): PartOutcome {
  const loading: Observation =
    observation.kind === "raised" ? { kind: "did-not-load", error: observation.error } : observation;
  return { loaded: false, observations: Array.from({ length: cases }, () => loading) };
}

function loadFailure(error: ProgramError): Observation {
  return error.type === "MemoryError" ? { kind: "out-of-memory" } : { kind: "did-not-load", error };
}

/** What the end of a child says about the case it was in. */
function endObservation(ending: Ending): Observation {
  switch (ending.killedFor) {
    case "cpu":
    case "wall":
    case "program":
      return { kind: "timed-out", limit: ending.killedFor };
    case "output":
      return { kind: "output-flood", what: "printed" };
    case "value":
      return { kind: "output-flood", what: "value" };
    case "refused":
      return { kind: "raised", error: died("kept making refused system calls") };
  }
  if (ending.signal === null) {
    return {
      kind: "raised",
      error: { type: "Exited", message: `the program ended its process (code ${ending.code})` },
    };
  }
  return {
    kind: "raised",
    error: died(`was ended by ${signalNames[ending.signal] ?? `signal ${ending.signal}`}`),
  };
}

function died(how: string): ProgramError {
  return { type: "Killed", message: `the program's process ${how}` };
}
