/**
 * A host that speaks SandboxFusion's `POST /run_code`. Such a host only runs scripts, so it is sent our harness with
 * the program and its calls (fusion-script.ts), never an expected answer; a lying host can return wrong values, which
 * then fail, but cannot make a wrong program right. Each part of a program is one request.
 *
 * What differs from our own sandboxes: isolation is whatever the host has (taken as `limits`); refused calls are not
 * counted; what a timed-out program had printed is lost; a program may not write a file larger than its output limit;
 * and as the host may be busy with others' work, every report counts as under load unless it was run alone.
 */
import { randomBytes } from "node:crypto";
import { type PartOrder, type PartRecord, runInParts } from "../run-in-parts.ts";
import type { ProgramJob, RunOptions, SandboxReport } from "../sandbox.ts";
import { type Endpoint, jsonOf, smallAnswerBytes } from "./endpoint.ts";
import { decodeBase64, endOf, type FusionRun, floodedOutput, readRecords, runOf } from "./fusion-answer.ts";
import { type FusionParcel, fusionScript } from "./fusion-script.ts";
import { HostFault } from "./host-fault.ts";
import type { HostLink, Patience } from "./host-link.ts";

const isolation = "limits";
const megabyte = 1024 * 1024;
const probeSeconds = 20;
/** For a busy host to start Python. */
const startSeconds = 5;

export async function connectFusion(endpoint: Endpoint, patience: Patience): Promise<HostLink> {
  const { marker, spill } = newNames();
  const { run, files } = await runScript(endpoint, {
    parcel: { marker, spill, job: null, limits: null },
    seconds: probeSeconds,
    waitSeconds: patience.connectSeconds,
    mostBytes: smallAnswerBytes,
  });
  const python = readProbe(run.stdout ?? "", marker);
  if (!python) throw new HostFault("malformed", "the host does not give back whole what a script prints");
  const givesFiles = decodeBase64(files[spill]).includes(`${marker} spilled`);
  return {
    protocol: "sandbox-fusion",
    isolation,
    python,
    workers: undefined,
    layers: [{ name: "host", active: false, detail: "a SandboxFusion host does not say how it isolates" }],
    run: (job, options) => new FusionJob(endpoint, patience, { job, options, givesFiles }).run(),
  };
}

class FusionJob {
  readonly #endpoint: Endpoint;
  readonly #patience: Patience;
  readonly #job: ProgramJob;
  readonly #options: RunOptions;
  #givesFiles: boolean;

  constructor(
    endpoint: Endpoint,
    patience: Patience,
    work: { job: ProgramJob; options: RunOptions; givesFiles: boolean },
  ) {
    this.#endpoint = endpoint;
    this.#patience = patience;
    this.#job = work.job;
    this.#options = work.options;
    this.#givesFiles = work.givesFiles;
  }

  async run(): Promise<SandboxReport> {
    const report = await runInParts(this.#job, (order) => this.#runPart(order));
    return { ...report, underLoad: this.#options.alone !== true, isolation };
  }

  async #runPart(order: PartOrder): Promise<PartRecord> {
    const { limits } = this.#job;
    const { marker, spill } = newNames();
    const { run, files } = await runScript(this.#endpoint, {
      parcel: {
        marker,
        spill: this.#givesFiles ? spill : null,
        job: JSON.parse(order.body) as unknown,
        limits,
      },
      input: order.input,
      memoryBytes: limits.memoryBytes,
      // The script itself ends a case that takes too long; this is for what gets around it.
      seconds: startSeconds + (Math.max(order.cases, 1) + 1) * limits.caseWallSeconds,
      waitSeconds: this.#patience.queueSeconds,
      mostBytes: 128 * megabyte + 3 * limits.outputBytes,
      signal: this.#options.signal,
    });
    let records = readRecords(run.stdout ?? "", marker);
    if (!records.began && !floodedOutput(run)) {
      const said = (run.stderr ?? "").trim().slice(-300);
      throw new HostFault("malformed", `the host did not run the script${said ? `: ${said}` : ""}`);
    }
    if (records.spilled && this.#givesFiles) {
      const file = files[spill];
      if (file === undefined) return this.#runPartWithoutFiles(order);
      records = readRecords(`${run.stdout}${decodeBase64(file)}`, marker);
    }
    const end = endOf(run, records);
    const { frames, stdout, stderr } = records;
    // A killed script cannot say how much it used; what killed it can.
    const killed = end.kind === "timed-out" && end.limit === "cpu" ? limits.caseCpuSeconds : 0;
    const cpuSeconds = records.cpuSeconds + killed;
    return { frames, end, stdout, stderr, denied: 0, cpuSeconds, wallSeconds: run.execution_time ?? 0 };
  }

  /** Some hosts lose the files of a script that was killed: once more, with everything on standard output. */
  #runPartWithoutFiles(order: PartOrder): Promise<PartRecord> {
    this.#givesFiles = false;
    return this.#runPart(order);
  }
}

interface ScriptRun {
  readonly parcel: FusionParcel;
  readonly input?: string;
  readonly memoryBytes?: number;
  readonly seconds: number;
  readonly waitSeconds: number;
  readonly mostBytes: number;
  readonly signal?: AbortSignal | undefined;
}

async function runScript(
  endpoint: Endpoint,
  script: ScriptRun,
): Promise<{ run: FusionRun; files: Readonly<Record<string, string>> }> {
  const { parcel, seconds, memoryBytes } = script;
  const answer = await endpoint.ask({
    path: "/run_code",
    body: {
      code: await fusionScript(parcel),
      language: "python",
      compile_timeout: seconds,
      run_timeout: seconds,
      // The script sets the exact limit itself; this one is for hosts where it cannot.
      memory_limit_MB: memoryBytes === undefined ? -1 : Math.ceil(memoryBytes / megabyte) + 128,
      stdin: script.input ?? "",
      files: {},
      fetch_files: parcel.spill === null ? [] : [parcel.spill],
    },
    // SandboxFusion says nothing until it is done.
    silenceSeconds: script.waitSeconds + seconds,
    totalSeconds: script.waitSeconds + seconds,
    mostBytes: script.mostBytes,
    signal: script.signal,
  });
  return runOf(jsonOf(answer.body));
}

function newNames(): { marker: string; spill: string } {
  const nonce = randomBytes(16).toString("hex");
  return { marker: `sparring-${nonce}`, spill: `records-${randomBytes(8).toString("hex")}` };
}

/** The host's Python version, if the whole line of the probe came through. */
function readProbe(stdout: string, marker: string): string | undefined {
  const begin = `${marker} probe `;
  const line = stdout.split("\n").find((text) => text.startsWith(begin));
  try {
    const { python } = JSON.parse(line?.slice(begin.length) ?? "") as { python?: unknown };
    return typeof python === "string" && /^\d+\.\d+/.test(python) ? python.slice(0, 50) : undefined;
  } catch {
    return undefined;
  }
}
