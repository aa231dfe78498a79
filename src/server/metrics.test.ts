import { describe, expect, it } from "vitest";
import { Metrics } from "./metrics.ts";

const queue = { waiting: 3, running: 2, limit: 10 };

describe("Metrics", () => {
  it("counts jobs, cases, seconds and what went wrong", () => {
    const metrics = new Metrics();
    const job = {
      endpoint: "judge",
      denied: 2,
      cpuSeconds: 0.02,
      kinds: ["passed", "passed", "infrastructure"],
    } as const;
    metrics.finished(job);
    metrics.finished({ ...job, endpoint: "run_code", cpuSeconds: 100, kinds: ["timed-out"] });
    metrics.refused("queue-full");
    metrics.left(1.5);
    const lines = metrics.text(queue).split("\n");
    for (const line of [
      'sparring_jobs_total{endpoint="judge"} 1',
      'sparring_cases_total{endpoint="judge",outcome="passed"} 2',
      'sparring_cases_total{endpoint="run_code",outcome="timed-out"} 1',
      'sparring_refused_requests_total{code="queue-full"} 1',
      'sparring_job_cpu_seconds_bucket{le="0.01"} 0',
      'sparring_job_cpu_seconds_bucket{le="0.025"} 1',
      'sparring_job_cpu_seconds_bucket{le="60"} 1',
      'sparring_job_cpu_seconds_bucket{le="+Inf"} 2',
      "sparring_job_cpu_seconds_sum 100.02",
      "sparring_job_cpu_seconds_count 2",
      "sparring_job_here_seconds_total 1.5",
      "sparring_denied_total 4",
      "sparring_infrastructure_total 1",
      "sparring_queue_waiting 3",
      "sparring_queue_running 2",
      "sparring_queue_limit 10",
    ]) {
      expect(lines).toContain(line);
    }
  });

  it("writes a line that Prometheus can read for everything, also when nothing happened", () => {
    const shape = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[^}]*\})? [0-9.e+-]+)$/;
    for (const line of new Metrics().text(queue).trimEnd().split("\n")) expect(line).toMatch(shape);
  });
});
