/** A job in the JSON form that python/sandbox/harness.py takes. */
import { type Call, isDeeperThan, isLiteral, maximumDepth } from "../values/python-value.ts";
import { encodeWire } from "../values/wire.ts";
import type { ProgramJob } from "./sandbox.ts";

/** The program with the calls from `first` on, or with the single input `first` of a stdio program. */
export function encodeJob(job: ProgramJob, first: number): string {
  const { work, limits } = job;
  return work.style === "function"
    ? JSON.stringify({
        style: "function",
        source: job.source,
        entry: work.entryPoint,
        calls: work.calls.slice(first).map(encodeCall),
        valueBytes: limits.valueBytes,
      })
    : JSON.stringify({ style: "stdio", source: job.source, input: work.inputs[first] });
}

function encodeCall(call: Call): unknown {
  const values = [...call.args, ...Object.values(call.keywords)];
  if (values.some((value) => isDeeperThan(value, maximumDepth))) {
    throw new TypeError(`a call's arguments must not be nested more than ${maximumDepth} deep`);
  }
  if (!values.every(isLiteral)) throw new TypeError("a call's arguments must be literal values");
  const keywords = Object.fromEntries(
    Object.entries(call.keywords).map(([name, value]) => [name, encodeWire(value)]),
  );
  return [call.args.map(encodeWire), keywords];
}
