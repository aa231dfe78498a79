/** What a person sees of a run: what it will cost before it, a live panel or a line for each step, a table at its end. */
import pc from "picocolors";
import type { TrainingConfig } from "../training/config.ts";
import type { Measurement } from "../training/measure.ts";
import type { Metrics } from "../training/step-metrics.ts";
import type { TrainingOutcome } from "../training/train.ts";
import type { TrainingEvent } from "../training/training-event.ts";
import {
  adversarySearches,
  adversarySummary,
  adversaryWarning,
  partialBankText,
  UnloadableWatch,
} from "./adversary-warnings.ts";
import { arithmetic } from "./arithmetic.ts";
import { counted } from "./counted.ts";
import { checkingText, leftOutText } from "./left-out.ts";
import { minutes, renderPanel } from "./live-panel.ts";
import { printProgress } from "./output.ts";

/** On a terminal the panel is drawn over itself; elsewhere every event is a line of its own. */
export class TrainingView {
  readonly #config: TrainingConfig;
  readonly #live = Boolean(process.stderr.isTTY);
  readonly #history: Metrics[] = [];
  #step = 0;
  #heldOut = "";
  #note = "";
  #warned = "";
  readonly #unloadable = new UnloadableWatch();
  #drawnLines = 0;

  constructor(config: TrainingConfig) {
    this.#config = config;
  }

  show(event: TrainingEvent): void {
    switch (event.kind) {
      case "checking":
        printProgress(checkingText(event));
        return;
      case "left-out":
        printProgress(leftOutText(event.leftOut));
        return;
      case "opened":
        this.#step = event.firstStep;
        for (const line of this.#opening(event)) printProgress(line);
        break;
      case "measuring":
        this.#note = "measuring on held-out problems …";
        break;
      case "measured":
        this.#heldOut = `${measured(event.measurement)} (step ${event.measurement.step})`;
        this.#note = "";
        if (measured(event.measurement) !== "")
          this.#line(`held-out at step ${event.measurement.step}: ${measured(event.measurement)}`);
        break;
      case "stepped":
        this.#step = event.step;
        this.#note = "";
        this.#history.push(event.metrics);
        this.#line(this.#stepLine(event.metrics));
        this.#warn(this.#unloadable.see(event.metrics));
        break;
      case "partial-bank":
        printProgress(partialBankText(event));
        return;
      case "adversary-failed":
        this.#warn(adversaryWarning(event));
        break;
      case "saved":
        this.#note = `checkpoint of step ${event.step} saved`;
        break;
    }
    this.#draw();
  }

  /** Leaves the panel as it is; what is printed afterwards comes below it. */
  end(): void {
    this.#drawnLines = 0;
  }

  #opening({
    engine,
    sandbox,
    heldOut,
    problems,
    firstStep,
  }: Extract<TrainingEvent, { kind: "opened" }>): string[] {
    const { threads, kernels } = engine.details;
    return [
      `models: ${engine.kind} engine${threads ? `, ${counted(Number(threads), "thread")}` : ""}${kernels ? `, ${kernels} kernels` : ""}; programs: ${sandbox.kind} sandbox, isolation ${sandbox.isolation}, Python ${sandbox.python}`,
      arithmetic(this.#config, problems),
      `measured on ${counted(heldOut, this.#config.method.kind === "atgen" ? "held-out pair" : "held-out problem")}`,
      ...(firstStep > 0 ? [`continuing after step ${firstStep}`] : []),
    ];
  }

  #stepLine(metrics: Metrics): string {
    const number = (name: string, digits = 2) => metrics[name]?.toFixed(digits) ?? "–";
    const recent = this.#history.slice(-10).map((entry) => entry["time/step"] ?? 0);
    const left =
      ((this.#config.steps - this.#step) * recent.reduce((sum, seconds) => sum + seconds, 0)) / recent.length;
    const tester = `test ${number("test/reward/mean")} (valid ${number("test/reward/validity")}, attack ${number("test/reward/adversarial")})`;
    const start = `step ${String(this.#step).padStart(String(this.#config.steps).length)}/${this.#config.steps}`;
    const end = [`${number("time/step", 1)} s`, `${minutes(left)} left`];
    if (this.#config.method.kind === "atgen") {
      const accepted = metrics["adversary/accepted"];
      return [
        start,
        `reward ${number("test/reward/mean")} (right ${number("test/io_accuracy")}, attack ${number("test/attack_rate")})`,
        ...(accepted === undefined
          ? []
          : [
              `harder programs ${accepted} of ${metrics["adversary/due"]}, generation ${number("adversary/generation/mean", 1)}`,
            ]),
        ...end,
      ].join("  ");
    }
    return [
      start,
      metrics["code/loss"] === undefined
        ? `code ${number("code/reward/mean")}`
        : `code loss ${number("code/loss")}`,
      ...(metrics["test/loss"] === undefined ? [] : [`test loss ${number("test/loss")}`]),
      ...(metrics["test/reward/mean"] === undefined ? [] : [tester]),
      `book ${metrics["book/size"] ?? 0}`,
      ...end,
    ].join("  ");
  }

  /** On a terminal once for each reason: a server that is down for hundreds of steps must not fill it. */
  #warn(text: string | undefined): void {
    if (text === undefined) return;
    const reason = text.replace(/^warning: step \d+/, "");
    if (!this.#live || reason !== this.#warned) {
      this.end();
      printProgress(pc.yellow(text));
    }
    this.#warned = reason;
    this.#note = text;
  }

  #line(text: string): void {
    if (!this.#live) printProgress(text);
  }

  #draw(): void {
    if (!this.#live) return;
    const lines = renderPanel({
      step: this.#step,
      steps: this.#config.steps,
      history: this.#history,
      heldOut: this.#heldOut,
      note: this.#note,
    });
    const back = this.#drawnLines > 0 ? `\u001b[${this.#drawnLines}A` : "";
    process.stderr.write(`${back}${lines.map((line) => `\u001b[2K${line}\n`).join("")}`);
    this.#drawnLines = lines.length;
  }
}

function measured({ passAt1, validTests, killRate, attack }: Measurement): string {
  const parts = [
    ["code pass@1", passAt1],
    ["valid tests", validTests],
    ["kill rate", killRate],
    ["IO accuracy", attack?.ioAccuracy],
    ["attack rate", attack?.attackRate],
    ["on the hard third", attack?.hard.attackRate],
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
      : [`  ${name.padEnd(24)} ${from.toFixed(3).padStart(6)}  →  ${pc.bold(to.toFixed(3).padStart(6))}`];
  return [
    "",
    `After ${counted(steps, "step")}, on held-out problems:`,
    ...row("code: pass@1", before.passAt1, after.passAt1),
    ...row("test: valid tests", before.validTests, after.validTests),
    ...row("test: kill rate", before.killRate, after.killRate),
    ...row("IO accuracy", before.attack?.ioAccuracy, after.attack?.ioAccuracy),
    ...row("attack rate", before.attack?.attackRate, after.attack?.attackRate),
    ...row("attack rate, hard third", before.attack?.hard.attackRate, after.attack?.hard.attackRate),
    ...row("input attack rate", before.attack?.inputAttackRate, after.attack?.inputAttackRate),
    ...row("false alarms", before.attack?.falseAlarmRate, after.attack?.falseAlarmRate),
    ...adversarySummary(adversarySearches(folder)),
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
