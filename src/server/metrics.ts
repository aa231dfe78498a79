/** Counts what happened and writes it in Prometheus' text format. */

export interface FinishedJob {
  readonly endpoint: "run_code" | "judge" | "run" | "reward";
  /** What each case did: outcomes for /judge and /reward, observations elsewhere. */
  readonly kinds: readonly string[];
  readonly denied: number;
  readonly cpuSeconds: number;
}

export interface QueueState {
  readonly waiting: number;
  readonly running: number;
  readonly limit: number;
}

const bucketEdges = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export class Metrics {
  readonly #jobs = new Map<string, number>();
  readonly #cases = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  readonly #buckets = bucketEdges.map(() => 0);
  #count = 0;
  #cpuSeconds = 0;
  #hereSeconds = 0;
  #denied = 0;
  #infrastructure = 0;

  finished(job: FinishedJob): void {
    add(this.#jobs, labels({ endpoint: job.endpoint }));
    for (const kind of job.kinds) {
      add(this.#cases, labels({ endpoint: job.endpoint, outcome: kind }));
      if (kind === "infrastructure") this.#infrastructure += 1;
    }
    this.#count += 1;
    this.#cpuSeconds += job.cpuSeconds;
    this.#denied += job.denied;
    const bucket = bucketEdges.findIndex((edge) => job.cpuSeconds <= edge);
    if (bucket >= 0) this.#buckets[bucket]! += 1;
  }

  /** How long a job was here, from being accepted to being done. */
  left(seconds: number): void {
    this.#hereSeconds += seconds;
  }

  refused(code: string): void {
    add(this.#refused, labels({ code }));
  }

  text(queue: QueueState): string {
    let below = 0;
    const histogram = bucketEdges.map((edge, index): Sample => {
      below += this.#buckets[index]!;
      return [`_bucket${labels({ le: String(edge) })}`, below];
    });
    histogram.push([`_bucket${labels({ le: "+Inf" })}`, this.#count]);
    histogram.push(["_sum", this.#cpuSeconds], ["_count", this.#count]);
    return [
      family("sparring_jobs_total", "counter", "Programs run, by endpoint.", [...this.#jobs]),
      family("sparring_cases_total", "counter", "Cases by endpoint and what they did.", [...this.#cases]),
      family("sparring_refused_requests_total", "counter", "Requests answered with an error.", [
        ...this.#refused,
      ]),
      family("sparring_job_cpu_seconds", "histogram", "CPU seconds of a program.", histogram),
      family("sparring_job_here_seconds_total", "counter", "Seconds from accepting a job to its end.", [
        ["", this.#hereSeconds],
      ]),
      family("sparring_denied_total", "counter", "System calls and imports refused to programs.", [
        ["", this.#denied],
      ]),
      family("sparring_infrastructure_total", "counter", "Cases that failed because of this server.", [
        ["", this.#infrastructure],
      ]),
      family("sparring_queue_waiting", "gauge", "Jobs accepted and not started.", [["", queue.waiting]]),
      family("sparring_queue_running", "gauge", "Jobs running.", [["", queue.running]]),
      family("sparring_queue_limit", "gauge", "Jobs accepted at most.", [["", queue.limit]]),
    ].join("");
  }
}

type Sample = readonly [suffix: string, value: number];

function add(counters: Map<string, number>, key: string): void {
  counters.set(key, (counters.get(key) ?? 0) + 1);
}

function labels(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, "_")}"`);
  return `{${pairs.join(",")}}`;
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([suffix, value]) => `${name}${suffix} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
