/**
 * From what was seen of one interpreter to what the cases it was given did. Pure, so that every odd ending can be
 * tested. The program decides what its frames say and how its interpreter ends, so both are only ever read as the
 * program's own doing: `infrastructure` cannot come out of here.
 */
import type { DecodingBudget } from "../values/wire.ts";
import { protocolViolation, readFrame } from "./frames.ts";
import type { Observation, ProgramError } from "./sandbox.ts";

/** How an interpreter ended. */
export type PartEnd =
  /** It came to its end or ended itself. */
  | { readonly kind: "exited"; readonly code: number }
  /** It crashed; `how` completes "the program's process …". */
  | { readonly kind: "died"; readonly how: string }
  /** There was not even memory to begin. */
  | { readonly kind: "out-of-memory" }
  | { readonly kind: "timed-out"; readonly limit: "cpu" | "wall" | "program" }
  | { readonly kind: "flooded"; readonly what: "printed" | "value" };

export interface PartOutcome {
  readonly loaded: boolean;
  /** Of the cases that were reached, in order; the last one may be the one that ended the interpreter. */
  readonly observations: readonly Observation[];
}

export interface FunctionPart {
  readonly frames: readonly string[];
  readonly end: PartEnd;
  /** How many calls the interpreter was given. */
  readonly cases: number;
  /** What the program's values may still take. */
  readonly budget: DecodingBudget;
}

export function functionOutcome({ frames, end, cases, budget }: FunctionPart): PartOutcome {
  const [first, ...rest] = frames.slice(0, cases + 1).map((text) => readFrame(text, budget));
  if (first === undefined) return notLoaded(endObservation(end), cases);
  if (first.kind === "failed") return notLoaded(loadFailure(first.error), cases);
  if (first.kind !== "loaded") return notLoaded({ kind: "did-not-load", error: protocolViolation }, cases);
  const observations: Observation[] = [];
  for (const frame of rest) {
    if (frame.kind === "full") return { loaded: true, observations: afterFull(observations) };
    observations.push(
      frame.kind === "case" ? frame.observation : { kind: "raised", error: protocolViolation },
    );
  }
  if (observations.length < cases) observations.push(endObservation(end));
  return { loaded: true, observations };
}

/** An answer that finds no room even in an empty interpreter is too large; without that rule a program could stall. */
function afterFull(observations: Observation[]): Observation[] {
  return observations.length > 0 ? observations : [{ kind: "output-flood", what: "value" }];
}

export function stdioOutcome(
  frameTexts: readonly string[],
  end: PartEnd,
  text: { readonly stdout: string; readonly stderr: string },
): Observation {
  const [first] = frameTexts.slice(0, 1).map((text) => readFrame(text, { left: 0 }));
  if (first?.kind === "exited") return { kind: "printed", ...text, exitCode: first.code };
  if (first === undefined) {
    // os._exit without flushing is a legal way to end a program: what it printed until then counts.
    if (end.kind === "exited") return { kind: "printed", ...text, exitCode: end.code };
    return withText(endObservation(end), text);
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

/** What the end of an interpreter says about the case it was in. */
function endObservation(end: PartEnd): Observation {
  switch (end.kind) {
    case "timed-out":
      return { kind: "timed-out", limit: end.limit };
    case "out-of-memory":
      return { kind: "out-of-memory" };
    case "flooded":
      return { kind: "output-flood", what: end.what };
    case "exited": {
      const message = `the program ended its process (code ${end.code})`;
      return { kind: "raised", error: { type: "Exited", message } };
    }
    case "died":
      return { kind: "raised", error: { type: "Killed", message: `the program's process ${end.how}` } };
  }
}
