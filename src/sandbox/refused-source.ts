import { maximumSourceBytes } from "./limits.ts";
import {
  caseCount,
  type IsolationLevel,
  type Observation,
  type ProgramJob,
  type SandboxReport,
} from "./sandbox.ts";

/** The report for a source that is too large to be a program: nothing is run. Undefined for all others. */
export function refusedSource(job: ProgramJob, isolation: IsolationLevel): SandboxReport | undefined {
  const bytes = job.source.length > maximumSourceBytes ? job.source.length : Buffer.byteLength(job.source);
  if (bytes <= maximumSourceBytes) return undefined;
  const error = {
    type: "SourceTooLarge",
    message: `the program has ${bytes} bytes; at most ${maximumSourceBytes} are taken`,
  };
  const observation: Observation = { kind: "did-not-load", error };
  return {
    loaded: false,
    observations: Array.from({ length: caseCount(job.work) }, () => observation),
    denied: 0,
    cpuSeconds: 0,
    wallSeconds: 0,
    underLoad: false,
    isolation,
  };
}
