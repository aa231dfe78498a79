/**
 * The judged program's process for a check program: it is run on the calls that the check makes, in their order, in one
 * process, and what it does on each becomes an entry of the log that the check's stubs answer from. It sees arguments
 * and nothing else of the check.
 */
import type { CheckProgram } from "../problems/problem.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Observation, Sandbox, SandboxReport } from "../sandbox/sandbox.ts";
import { shortLiteralText } from "../values/literal-text.ts";
import { ownText } from "../values/own-text.ts";
import { isDeeperThan, isLiteral, maximumDepth, type PythonValue } from "../values/python-value.ts";
import { stringText } from "../values/string-text.ts";
import { encodeWire } from "../values/wire.ts";
import { type CheckCall, checkFile } from "./check-program-tests.ts";
import { runConfirmed } from "./run-confirmed.ts";

export interface CandidateOrder {
  readonly sandbox: Sandbox;
  readonly source: string;
  readonly check: CheckProgram;
  readonly entryPoint: string;
  readonly calls: readonly CheckCall[];
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** What the program did on one call. */
export type CallAnswer =
  | {
      readonly kind: "answer";
      /** For the log: what the stub is to do. */
      readonly entry: PythonValue;
      /** What a person is told: "gave 5". */
      readonly shown: string;
    }
  /** No answer: the check cannot go on after this. */
  | { readonly kind: "ended"; readonly entry: PythonValue; readonly observation: Observation }
  /** An answer that is not plain data. */
  | { readonly kind: "opaque"; readonly entry: PythonValue; readonly value: PythonValue };

export interface CandidateRun {
  readonly answers: readonly CallAnswer[];
  readonly report: SandboxReport;
}

export async function runCandidate(order: CandidateOrder): Promise<CandidateRun> {
  const report = await runConfirmed(
    order.sandbox,
    {
      source: withCaller(order),
      work: {
        style: "function",
        entryPoint: callerName,
        calls: order.calls.map(({ name, args, keywords }) => ({
          args: [{ type: "str", value: name }, args, keywords],
          keywords: {},
        })),
      },
      // Data sets bring test inputs made to be extreme.
      limits: { ...order.limits, valueBytes: Math.max(order.limits.valueBytes, 16 * 1024 * 1024) },
    },
    order.signal,
  );
  const answers = order.calls.map((call, index) => answerOf(call, report.observations[index]!));
  return { answers, report };
}

const callerName = "__sparring_call__";

/** Whether the test code can see what a program prints. */
const looksAtOutput = /\bstdout\b|\bcapsys\b|\bprint\b/;

function withCaller({ source, check, entryPoint }: CandidateOrder): string {
  const given = `{"__builtins__": __sparring_builtins__, "program": __sparring_builtins__.globals(), "entry": ${stringText(entryPoint)}, "captures": ${looksAtOutput.test(check.source) ? "True" : "False"}}`;
  return [
    source,
    // Through the module, because a program may have its own `exec`.
    "import builtins as __sparring_builtins__",
    `__sparring_caller__ = ${given}`,
    `__sparring_builtins__.exec(${stringText(checkFile("call_program"))}, __sparring_caller__)`,
    `${callerName} = __sparring_caller__["call"]`,
    "",
  ].join("\n");
}

function answerOf(call: CheckCall, observation: Observation): CallAnswer {
  if (observation.kind !== "returned") return ended(call, observation);
  const outcome = readOutcome(observation.value);
  if (!outcome) {
    return ended(call, {
      kind: "raised",
      error: { type: "ProtocolViolation", message: "the program gave an answer of its own form" },
    });
  }
  const changed = changedArguments(call, outcome.arguments);
  for (const value of [...outcome.values, ...changed.map(({ value }) => value)]) {
    if (!canCross(value)) return { kind: "opaque", entry: entryOf(call, ["ended"]), value };
  }
  const changes: PythonValue = {
    type: "list",
    items: changed.map(({ place, value }) => ({ type: "tuple", items: [place, value] })),
  };
  return {
    kind: "answer",
    entry: entryOf(call, [outcome.kind, ...outcome.values, changes, outcome.printed]),
    shown: outcome.shown,
  };
}

function ended(call: CheckCall, observation: Observation): CallAnswer {
  return { kind: "ended", entry: entryOf(call, ["ended"]), observation };
}

function entryOf(call: CheckCall, parts: readonly (string | PythonValue)[]): PythonValue {
  const items = [call.digest, ...parts].map(
    (part): PythonValue => (typeof part === "string" ? { type: "str", value: part } : part),
  );
  return { type: "tuple", items };
}

interface ProgramOutcome {
  readonly kind: "returned" | "object" | "raised";
  readonly values: readonly PythonValue[];
  readonly shown: string;
  /** Mutable arguments as the call left them. */
  readonly arguments: readonly PythonValue[];
  readonly printed: PythonValue;
}

/** Undefined for anything that call_program.py does not give: the program can put anything in its place. */
function readOutcome(value: PythonValue): ProgramOutcome | undefined {
  if (value.type !== "tuple") return undefined;
  const [kind, ...rest] = value.items;
  const printed = rest.pop();
  const left = rest.pop();
  if (kind?.type !== "str" || printed?.type !== "str" || left?.type !== "list") return undefined;
  const common = { arguments: left.items, printed };
  if (kind.value === "returned" && rest.length === 1) {
    return { kind: "returned", values: rest, shown: `gave ${shortLiteralText(rest[0]!, 100)}`, ...common };
  }
  const [first, second, third] = rest;
  if (kind.value === "object" && rest.length === 2 && first?.type === "str" && second?.type === "bool") {
    const shown = `gave a ${ownText(first.value, 100)} object`;
    return { kind: "object", values: [first, second], shown, ...common };
  }
  return kind.value === "raised" && rest.length === 3
    ? readError(first!, second!, third!, common)
    : undefined;
}

function readError(
  names: PythonValue,
  args: PythonValue,
  message: PythonValue,
  common: Pick<ProgramOutcome, "arguments" | "printed">,
): ProgramOutcome | undefined {
  if (names.type !== "list" || args.type !== "tuple" || message.type !== "str") return undefined;
  const [name] = names.items;
  if (name?.type !== "str" || names.items.some(({ type }) => type !== "str")) return undefined;
  // An error may carry anything; its text is enough where that cannot cross.
  const carried: PythonValue = canCross(args) ? args : { type: "tuple", items: [message] };
  const shown = `raised ${ownText(name.value, 100)}: ${ownText(message.value, 200)}`;
  return { kind: "raised", values: [names, carried, message], shown, ...common };
}

interface ChangedArgument {
  readonly place: PythonValue;
  readonly value: PythonValue;
}

function changedArguments(call: CheckCall, left: readonly PythonValue[]): ChangedArgument[] {
  return left.flatMap((entry) => {
    if (entry.type !== "tuple") return [];
    const [place, value] = entry.items;
    const before = place && argumentAt(call, place);
    if (!place || !value || !before || before.type !== value.type) return [];
    return JSON.stringify(encodeWire(before)) === JSON.stringify(encodeWire(value)) ? [] : [{ place, value }];
  });
}

function argumentAt({ args, keywords }: CheckCall, place: PythonValue): PythonValue | undefined {
  if (place.type === "int" && args.type === "tuple") return args.items[Number(place.value)];
  if (place.type !== "str" || keywords.type !== "dict") return undefined;
  return keywords.entries.find(([name]) => name.type === "str" && name.value === place.value)?.[1];
}

/** The log puts an answer a few levels deeper than it was. */
function canCross(value: PythonValue): boolean {
  return isLiteral(value) && !isDeeperThan(value, maximumDepth - 10);
}
