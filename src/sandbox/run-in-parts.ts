/**
 * Takes one program through as many fresh interpreters as its cases need: a case that ends its interpreter (a hang, a
 * crash, an exit) costs only itself, and the cases after it go on in the next one.
 */
import { availableParallelism, loadavg } from "node:os";
import { encodeJob } from "./encode-job.ts";
import { functionOutcome, type PartEnd, stdioOutcome } from "./part-outcome.ts";
import { caseCount, type Observation, type ProgramJob, type SandboxReport } from "./sandbox.ts";

/** What one interpreter is to do. */
export interface PartOrder {
  /** The job for python/sandbox/harness.py. */
  readonly body: string;
  /** Calls in it; 0 for a stdio program, whose one input follows. */
  readonly cases: number;
  readonly input: string;
  /** Wall seconds of one case: a backstop for sleepers, stretched on a busy machine. */
  readonly caseWallSeconds: number;
  /** What is left of the program's budget. */
  readonly programCpuSeconds: number;
  /** The same for a program that waits instead of computing: as many waited cases as there could be busy ones. */
  readonly programWallSeconds: number;
}

export interface PartRecord {
  /** What the harness said, frame by frame. */
  readonly frames: readonly string[];
  readonly end: PartEnd;
  readonly stdout: string;
  readonly stderr: string;
  readonly denied: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

/** The sandbox itself failed. */
export interface PartFailure {
  readonly failure: string;
}

export type RunPart = (order: PartOrder) => Promise<PartRecord | PartFailure>;

const mostBusyFactor = 10;
/** All answers of a program are in memory at once: they may take as much as this many of the largest. */
const valuesPerProgram = 4;

type PartsReport = Pick<SandboxReport, "loaded" | "observations" | "denied" | "cpuSeconds" | "wallSeconds">;

export async function runInParts(job: ProgramJob, runPart: RunPart): Promise<PartsReport> {
  const { work, limits } = job;
  const total = caseCount(work);
  const observations: Observation[] = [];
  const used = { denied: 0, cpuSeconds: 0, wallSeconds: 0 };
  const caseWallSeconds = limits.caseWallSeconds * busyFactor();
  const wallPerCpu = caseWallSeconds / limits.caseCpuSeconds;
  const budget = { left: limits.valueBytes * valuesPerProgram };
  let spent = 0;
  const report = (loaded: boolean): PartsReport => ({ loaded, observations, ...used });
  const fill = (observation: Observation) => {
    while (observations.length < total) observations.push(observation);
  };
  do {
    const first = observations.length;
    const programCpuSeconds = limits.programCpuSeconds - spent;
    if (programCpuSeconds <= 0) {
      fill({ kind: "timed-out", limit: "program" });
      break;
    }
    const programWallSeconds = programCpuSeconds * wallPerCpu;
    const times = { caseWallSeconds, programCpuSeconds, programWallSeconds };
    const part = await runPart({ ...orderFrom(job, first), ...times });
    if ("failure" in part) {
      fill({ kind: "infrastructure", message: part.failure });
      break;
    }
    used.denied += part.denied;
    used.cpuSeconds += part.cpuSeconds;
    used.wallSeconds += part.wallSeconds;
    // A case that sleeps to the end of its wall time has cost as much as one that computes to the end of its own.
    spent += Math.max(part.cpuSeconds, part.wallSeconds / wallPerCpu);
    if (work.style === "stdio") {
      const { frames, end, stdout, stderr } = part;
      observations.push(stdioOutcome(frames, end, { stdout, stderr }));
      continue;
    }
    const outcome = functionOutcome({ ...part, cases: total - first, budget });
    observations.push(...outcome.observations);
    if (!outcome.loaded) return report(first > 0);
  } while (observations.length < total);
  return report(true);
}

/** How much longer than on an idle machine an honest program may have to wait for a processor. */
function busyFactor(): number {
  return Math.min(Math.max(1, loadavg()[0]! / availableParallelism()), mostBusyFactor);
}

function orderFrom(job: ProgramJob, first: number): Pick<PartOrder, "body" | "cases" | "input"> {
  const { work } = job;
  if (work.style === "function") {
    return { body: encodeJob(job, first), cases: work.calls.length - first, input: "" };
  }
  // The input goes to the interpreter's standard input; it need not travel in the job as well.
  const withoutInput: ProgramJob = { ...job, work: { style: "stdio", inputs: [""] } };
  return { body: encodeJob(withoutInput, 0), cases: 0, input: work.inputs[first] ?? "" };
}
