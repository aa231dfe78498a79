/**
 * Runs a program, and does not believe a time-out that happened beside other programs: a busy machine must not make
 * a verdict.
 *
 * The first time-out is run again alone. If it hangs alone as well, it stands for the others of the same program: a
 * program with sixty hanging cases must not cost sixty limits twice. If it does not, the machine was to blame for
 * what followed too (a case that seems to hang uses up the whole program's budget), so the whole program is run again
 * alone, with the budget it would have had on a quiet machine.
 */
import type { ProgramJob, Sandbox, SandboxReport } from "../sandbox/sandbox.ts";

export async function runConfirmed(
  sandbox: Sandbox,
  job: ProgramJob,
  signal?: AbortSignal,
): Promise<SandboxReport> {
  const options = signal ? { signal } : {};
  const report = await sandbox.run(job, options);
  const suspect = report.observations.findIndex(({ kind }) => kind === "timed-out");
  if (!report.underLoad || suspect === -1) return report;
  const alone = { ...options, alone: true };
  const observation = report.observations[suspect]!;
  let spent = report;
  // A program whose cases took too long together hit no limit in any one of them.
  if (observation.kind === "timed-out" && observation.limit !== "program") {
    const again = await sandbox.run({ ...job, work: onlyCase(job.work, suspect) }, alone);
    const confirmed = again.observations[0]!;
    spent = { ...report, ...together(report, again) };
    if (confirmed.kind === "timed-out") {
      return { ...spent, observations: report.observations.with(suspect, confirmed) };
    }
  }
  const quiet = await sandbox.run(job, alone);
  return { ...quiet, ...together(spent, quiet) };
}

function onlyCase(work: ProgramJob["work"], index: number): ProgramJob["work"] {
  return work.style === "function"
    ? { ...work, calls: [work.calls[index]!] }
    : { ...work, inputs: [work.inputs[index]!] };
}

function together(
  left: SandboxReport,
  right: SandboxReport,
): Pick<SandboxReport, "denied" | "cpuSeconds" | "wallSeconds"> {
  return {
    denied: left.denied + right.denied,
    cpuSeconds: left.cpuSeconds + right.cpuSeconds,
    wallSeconds: left.wallSeconds + right.wallSeconds,
  };
}
