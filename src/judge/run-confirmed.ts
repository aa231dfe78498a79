/**
 * Runs a program, and runs its time-outs again alone if other programs were running beside it: a busy machine must
 * not make a verdict.
 *
 * The first confirmed time-out stands for the others of the same program: a loop that hangs alone hangs alone every
 * time, and a program with sixty hanging cases must not cost sixty limits twice.
 */
import type { ProgramJob, Sandbox, SandboxReport } from "../sandbox/sandbox.ts";

export async function runConfirmed(
  sandbox: Sandbox,
  job: ProgramJob,
  signal?: AbortSignal,
): Promise<SandboxReport> {
  const options = signal ? { signal } : {};
  const report = await sandbox.run(job, options);
  const suspects = report.observations.flatMap(({ kind }, index) => (kind === "timed-out" ? [index] : []));
  if (!report.underLoad || suspects.length === 0) return report;
  const observations = [...report.observations];
  let { loaded, denied, cpuSeconds, wallSeconds } = report;
  // If the first one turns out to be innocent, the others are suspects too and share one more run.
  for (const indexes of [suspects.slice(0, 1), suspects.slice(1)]) {
    if (indexes.length === 0) break;
    const again = await sandbox.run(
      { ...job, work: onlyCases(job.work, indexes) },
      { ...options, alone: true },
    );
    for (const [position, index] of indexes.entries()) observations[index] = again.observations[position]!;
    loaded ||= again.loaded;
    denied += again.denied;
    cpuSeconds += again.cpuSeconds;
    wallSeconds += again.wallSeconds;
    if (again.observations[0]!.kind === "timed-out") break;
  }
  return { ...report, observations, loaded, denied, cpuSeconds, wallSeconds };
}

function onlyCases(work: ProgramJob["work"], indexes: readonly number[]): ProgramJob["work"] {
  return work.style === "function"
    ? { ...work, calls: indexes.map((index) => work.calls[index]!) }
    : { ...work, inputs: indexes.map((index) => work.inputs[index]!) };
}
