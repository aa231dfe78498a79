/** A host that runs `spar serve sandbox`: the port itself over HTTP, one job per request. */
import { z } from "zod";
import {
  caseCount,
  isolationLevels,
  type ProgramJob,
  type RunOptions,
  type SandboxReport,
} from "../sandbox.ts";
import { type Endpoint, jsonOf, smallAnswerBytes } from "./endpoint.ts";
import { HostFault } from "./host-fault.ts";
import type { HostLink, Patience } from "./host-link.ts";
import { decodeReport, encodeRunJob } from "./run-protocol.ts";

/** What `GET /health` answers to somebody with the right token. */
const healthSchema = z.object({
  service: z.literal("sparring-sandbox"),
  sandbox: z.object({
    isolation: z.enum(isolationLevels),
    python: z.string().max(100),
    workers: z.int().positive().max(100_000),
    layers: z
      .array(z.object({ name: z.string().max(200), active: z.boolean(), detail: z.string().max(2000) }))
      .max(100),
  }),
});

const megabyte = 1024 * 1024;

export async function connectSparring(endpoint: Endpoint, patience: Patience): Promise<HostLink> {
  const answer = await endpoint.ask({
    path: "/health",
    silenceSeconds: patience.connectSeconds,
    totalSeconds: patience.connectSeconds,
    mostBytes: smallAnswerBytes,
  });
  const health = jsonOf(answer.body);
  const parsed = healthSchema.safeParse(health);
  if (!parsed.success) throw new HostFault(...whyNot(health));
  return {
    protocol: "sparring",
    ...parsed.data.sandbox,
    run: (job, options) => run(endpoint, patience, job, options),
  };
}

function whyNot(health: unknown): ["refused" | "malformed", string] {
  const said = health as { service?: unknown; sandbox?: unknown } | null;
  return said?.service === "sparring-sandbox" && said.sandbox === undefined
    ? ["refused", "the host wants a token, and this one is missing or wrong"]
    : ["malformed", "this is not a `spar serve sandbox` host"];
}

async function run(
  endpoint: Endpoint,
  patience: Patience,
  job: ProgramJob,
  options: RunOptions,
): Promise<SandboxReport> {
  const answer = await endpoint.ask({
    path: "/run",
    body: { jobs: [encodeRunJob(job, options)] },
    silenceSeconds: patience.silenceSeconds,
    totalSeconds: patience.queueSeconds + longestSeconds(job),
    mostBytes: mostAnswerBytes(job),
    signal: options.signal,
  });
  // Blank lines only say that the host is alive.
  const lines = answer.body.split("\n").filter((line) => line !== "");
  if (lines.length !== 1) throw new HostFault("malformed", `${lines.length} answers to one job`);
  const line = jsonOf(lines[0]!) as { report?: unknown; error?: { message?: unknown } } | null;
  if (line?.error) throw new HostFault("unreachable", String(line.error.message ?? "").slice(0, 300));
  const report = decodeReport(line?.report, job.work);
  if ("complaint" in report) throw new HostFault("malformed", report.complaint);
  return report;
}

/** Wall time of all cases, doubled: a busy host stretches its limits. */
function longestSeconds({ work, limits }: ProgramJob): number {
  return 2 * (caseCount(work) + 1) * limits.caseWallSeconds + limits.programCpuSeconds;
}

/** More than any honest answer. A byte can take six characters in JSON. */
function mostAnswerBytes({ work, limits }: ProgramJob): number {
  const perCase = work.style === "function" ? limits.valueBytes : limits.outputBytes;
  return 16 * megabyte + 6 * Math.min(caseCount(work) * perCase, 64 * megabyte);
}
