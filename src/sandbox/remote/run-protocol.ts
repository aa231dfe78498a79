/**
 * The sandbox port as JSON: what `POST /run` of `spar serve sandbox` takes and answers, one line per job. Both ends
 * read through these schemas, because neither may trust the other: the server's callers are strangers, and a host may
 * be broken or lie. Values are in the form of src/values/wire.ts. No expected answer has a place in it.
 */
import { z } from "zod";
import { type Call, isLiteral, type PythonValue } from "../../values/python-value.ts";
import { decodeWire, encodeWire } from "../../values/wire.ts";
import { limitsSchema } from "../limits.ts";
import {
  caseCount,
  isolationLevels,
  type Observation,
  type ProgramJob,
  type RunOptions,
  type SandboxReport,
} from "../sandbox.ts";

export const maximumCases = 10_000;
export const maximumJobs = 10_000;

const decoded = (accept: (value: PythonValue) => boolean, complaint: string) =>
  z.unknown().transform((wire, context): PythonValue => {
    const value = decodeWire(wire);
    if (value && accept(value)) return value;
    context.addIssue({ code: "custom", message: complaint });
    return z.NEVER;
  });

export const literalSchema = decoded(isLiteral, "is not a literal value in wire form");
const valueSchema = decoded(() => true, "is not a value in wire form");

/** Read by hand and refused as a whole: a complaint about each of a million bad arguments helps nobody. */
export const argumentsSchema = z
  .unknown()
  .default([])
  .transform((wires, context): readonly PythonValue[] => {
    const values = Array.isArray(wires) ? allLiterals(wires) : undefined;
    if (values) return values;
    context.addIssue({ code: "custom", message: "is not a list of literal values in wire form" });
    return z.NEVER;
  });

export const keywordsSchema = z
  .unknown()
  .default({})
  .transform((wires, context): Readonly<Record<string, PythonValue>> => {
    const isObject = typeof wires === "object" && wires !== null && !Array.isArray(wires);
    const values = isObject ? allLiterals(Object.values(wires)) : undefined;
    if (values) {
      return Object.fromEntries(Object.keys(wires as object).map((name, index) => [name, values[index]!]));
    }
    context.addIssue({ code: "custom", message: "is not an object of literal values in wire form" });
    return z.NEVER;
  });

function allLiterals(wires: readonly unknown[]): PythonValue[] | undefined {
  const values: PythonValue[] = [];
  for (const wire of wires) {
    const value = decodeWire(wire);
    if (!value || !isLiteral(value)) return undefined;
    values.push(value);
  }
  return values;
}

const callSchema: z.ZodType<Call> = z.strictObject({ args: argumentsSchema, keywords: keywordsSchema });

export const entryPointSchema = z.string().min(1).max(200);

const workSchema: z.ZodType<ProgramJob["work"]> = z.discriminatedUnion("style", [
  z.strictObject({
    style: z.literal("function"),
    entryPoint: entryPointSchema,
    calls: z.array(callSchema).max(maximumCases),
  }),
  z.strictObject({ style: z.literal("stdio"), inputs: z.array(z.string()).min(1).max(maximumCases) }),
]);

export const jobIdSchema = z.union([z.string().max(200), z.number()]);

export const runRequestSchema = z.strictObject({
  jobs: z
    .array(
      z.strictObject({
        id: jobIdSchema.optional(),
        source: z.string(),
        work: workSchema,
        limits: limitsSchema.prefault({}),
        alone: z.boolean().default(false),
      }),
    )
    .min(1)
    .max(maximumJobs),
});

const errorSchema = z.object({
  type: z.string().max(200),
  message: z.string().max(2000),
  line: z.int().exactOptional(),
});
const text = { stdout: z.string().exactOptional(), stderr: z.string().exactOptional() };

const observationSchema: z.ZodType<Observation> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("returned"), value: valueSchema }),
  z.object({ kind: z.literal("printed"), stdout: z.string(), stderr: z.string(), exitCode: z.int() }),
  z.object({ kind: z.literal("raised"), error: errorSchema, ...text }),
  z.object({ kind: z.literal("timed-out"), limit: z.enum(["cpu", "wall", "program"]), ...text }),
  z.object({ kind: z.literal("out-of-memory") }),
  z.object({ kind: z.literal("output-flood"), what: z.enum(["printed", "value"]) }),
  z.object({ kind: z.literal("did-not-load"), error: errorSchema }),
  z.object({ kind: z.literal("infrastructure"), message: z.string().max(5000) }),
]);

const reportSchema: z.ZodType<SandboxReport> = z.object({
  loaded: z.boolean(),
  observations: z.array(observationSchema),
  denied: z.int().nonnegative(),
  cpuSeconds: z.number().nonnegative(),
  wallSeconds: z.number().nonnegative(),
  underLoad: z.boolean(),
  isolation: z.enum(isolationLevels),
});

export function encodeRunJob(job: ProgramJob, options: Pick<RunOptions, "alone">): unknown {
  const { source, work, limits } = job;
  const encodedWork =
    work.style === "stdio"
      ? work
      : { style: work.style, entryPoint: work.entryPoint, calls: work.calls.map(encodeCall) };
  return { source, work: encodedWork, limits, alone: options.alone === true };
}

function encodeCall(call: Call): unknown {
  const keywords = Object.entries(call.keywords).map(([name, value]) => [name, encodeWire(value)]);
  return { args: call.args.map(encodeWire), keywords: Object.fromEntries(keywords) };
}

export function encodeReport(report: SandboxReport): unknown {
  return { ...report, observations: report.observations.map(encodeObservation) };
}

function encodeObservation(observation: Observation): unknown {
  return observation.kind === "returned"
    ? { kind: "returned", value: encodeWire(observation.value) }
    : observation;
}

/** The report of a host, or what is wrong with it. */
export function decodeReport(body: unknown, work: ProgramJob["work"]): SandboxReport | { complaint: string } {
  const parsed = reportSchema.safeParse(body);
  if (!parsed.success) return { complaint: z.prettifyError(parsed.error).slice(0, 300) };
  const { observations } = parsed.data;
  const expected = caseCount(work);
  if (observations.length !== expected) {
    return { complaint: `${observations.length} observations for ${expected} cases` };
  }
  const foreign = work.style === "function" ? "printed" : "returned";
  if (observations.some(({ kind }) => kind === foreign)) {
    return { complaint: `"${foreign}" observed of a ${work.style} program` };
  }
  return parsed.data;
}
