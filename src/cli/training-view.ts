/** What a person sees of a run: the arithmetic before it, a line for each step, a table at its end. */
import pc from "picocolors";
import type { TrainingConfig } from "../training/config.ts";
import type { Measurement } from "../training/measure.ts";
import type { Metrics } from "../training/step-metrics.ts";
import type { TrainingEvent, TrainingOutcome } from "../training/train.ts";
import { printProgress } from "./output.ts";

/** What a step costs, so that nobody is surprised. */
export function arithmetic(config: TrainingConfig, problems: number): string {
  const { problemsPerStep, steps, method } = config;
  const perStep = Math.min(problemsPerStep, problems);
  const programs = perStep * method.candidates;
  const epochs = (steps * perStep) / Math.max(1, problems);
  const lines = [
    `${problems} problems, ${perStep} per step × ${method.candidates} programs = ${programs} programs per step`,
  ];
  if (method.kind !== "golden") {
    const suites = programs * method.suites;
    lines.push(
      `${programs} programs × ${method.suites} suites × ${method.testsPerSuite} tests = up to ${suites * method.testsPerSuite} test runs per step`,
    );
  }
  lines.push(`${steps} steps = ${epochs.toFixed(1)} times through the problems`);
  return lines.join("\n");
}

export class TrainingView {
  readonly #config: TrainingConfig;
  readonly #live = Boolean(process.stderr.isTTY) && !process.env.NO_COLOR;
  readonly #durations: number[] = [];
  #lineOpen = false;

  constructor(config: TrainingConfig) {
    this.#config = config;
  }

  show(event: TrainingEvent): void {
    switch (event.kind) {
      case "opened": {
        const { engine, sandbox } = event;
        this.#line(
          `models: ${engine.kind} engine (${Object.values(engine.details).join(", ")}); programs: ${sandbox.kind} sandbox, isolation ${sandbox.isolation}, Python ${sandbox.python}`,
        );
        this.#line(arithmetic(this.#config, event.problems));
        this.#line(`measured on ${event.heldOut} held-out problems`);
        if (event.firstStep > 0) this.#line(`continuing after step ${event.firstStep}`);
        break;
      }
      case "measuring":
        this.#transient(`measuring on held-out problems …`);
        break;
      case "measured":
        this.#line(pc.bold(`held-out at step ${event.measurement.step}: ${measured(event.measurement)}`));
        break;
      case "stepped":
        this.#durations.push(event.metrics["time/step"] ?? 0);
        this.#step(event.step, event.metrics);
        break;
      case "saved":
        this.#transient(`checkpoint of step ${event.step} saved`);
        break;
    }
  }

  end(): void {
    if (this.#lineOpen) process.stderr.write("\n");
    this.#lineOpen = false;
  }

  #step(step: number, metrics: Metrics): void {
    const number = (name: string, digits = 2) =>
      metrics[name] === undefined ? "–" : metrics[name].toFixed(digits);
    const recent = this.#durations.slice(-10);
    const secondsPerStep = recent.reduce((sum, seconds) => sum + seconds, 0) / recent.length;
    const left = (this.#config.steps - step) * secondsPerStep;
    this.#line(
      [
        `step ${String(step).padStart(String(this.#config.steps).length)}/${this.#config.steps}`,
        `code ${number("code/reward/mean")}`,
        ...(metrics["test/reward/mean"] === undefined
          ? []
          : [
              `test ${number("test/reward/mean")} (valid ${number("test/reward/validity")}, attack ${number("test/reward/adversarial")})`,
            ]),
        `book ${metrics["book/size"] ?? 0}`,
        `${number("time/step", 1)} s`,
        `${minutes(left)} left`,
      ].join("  "),
    );
  }

  #line(text: string): void {
    this.#clear();
    printProgress(text);
  }

  /** Overwritten by whatever comes next; only where somebody is looking. */
  #transient(text: string): void {
    if (!this.#live) return;
    this.#clear();
    process.stderr.write(pc.dim(text));
    this.#lineOpen = true;
  }

  #clear(): void {
    if (this.#lineOpen) process.stderr.write("\r\u001b[2K");
    this.#lineOpen = false;
  }
}

function minutes(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
}

function measured({ passAt1, validTests, killRate }: Measurement): string {
  const parts = [
    ["code pass@1", passAt1],
    ["valid tests", validTests],
    ["kill rate", killRate],
  ] as const;
  return parts
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value.toFixed(3)}`]))
    .join(", ");
}

/** The table of before and after, and one example for each role. */
export function summary({ before, after, steps }: TrainingOutcome, folder: string): string {
  if (!after) return "";
  const row = (name: string, from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined
      ? []
      : [`  ${name.padEnd(22)} ${from.toFixed(3).padStart(6)}  →  ${pc.bold(to.toFixed(3).padStart(6))}`];
  return [
    "",
    `After ${steps} steps, on held-out problems:`,
    ...row("code: pass@1", before.passAt1, after.passAt1),
    ...row("test: valid tests", before.validTests, after.validTests),
    ...row("test: kill rate", before.killRate, after.killRate),
    ...codeExample(before, after),
    ...testExample(after),
    "",
    `Everything is in ${folder}`,
  ].join("\n");
}

function codeExample(before: Measurement, after: Measurement): string[] {
  const broken = new Map(
    before.programs.filter(({ passed }) => !passed).map((entry) => [entry.problemId, entry]),
  );
  const mended = after.programs.find(({ problemId, passed }) => passed && broken.has(problemId));
  if (!mended) return [];
  return [
    "",
    `A program that was broken before and is right now: "${mended.question}"`,
    ...indented(pc.yellow("before"), broken.get(mended.problemId)!.source),
    ...indented(pc.green("after"), mended.source),
  ];
}

function testExample(after: Measurement): string[] {
  const kill = after.kills[0];
  if (!kill) return [];
  return [
    "",
    `A test that found a bug: "${kill.question}"`,
    ...indented("program", kill.program),
    `    ${kill.test}   ${pc.yellow(`got ${kill.actual.trim()}`)}`,
  ];
}

function indented(title: string, source: string): string[] {
  return [
    `  ${title}`,
    ...source
      .trimEnd()
      .split("\n")
      .map((line) => `    ${line}`),
  ];
}
