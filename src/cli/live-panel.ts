/** The live view of a run on a terminal: what has happened so far, as a few lines that are drawn again every step. */
import pc from "picocolors";
import type { Metrics } from "../training/step-metrics.ts";

export interface PanelState {
  readonly step: number;
  readonly steps: number;
  /** Of all steps seen by this process, oldest first. */
  readonly history: readonly Metrics[];
  /** Of the last held-out measurement. */
  readonly heldOut: string;
  readonly note: string;
}

const barWidth = 30;
const curveWidth = 40;
const blocks = "▁▂▃▄▅▆▇█";

export function renderPanel(state: PanelState): string[] {
  const last = state.history.at(-1) ?? {};
  const row = (name: string, metric: string) => {
    const values = state.history.map((metrics) => metrics[metric]);
    const value = last[metric];
    return value === undefined
      ? []
      : [`  ${name.padEnd(16)} ${value.toFixed(3).padStart(7)}  ${pc.cyan(curve(values))}`];
  };
  return [
    `${pc.bold(`step ${state.step} of ${state.steps}`)}  ${bar(state.step / state.steps)}  ${timeLeft(state)}`,
    ...row("code reward", "code/reward/mean"),
    ...row("test reward", "test/reward/mean"),
    ...row("  validity", "test/reward/validity"),
    ...row("  attack", "test/reward/adversarial"),
    ...row("right tests", "test/io_accuracy"),
    ...row("attack rate", "test/attack_rate"),
    ...(last["book/size"] === undefined
      ? []
      : [`  mistake book     ${String(last["book/size"]).padStart(7)}  tests`]),
    `  test runs        ${outcomes(last)}`,
    ...(last["adversary/accepted"] === undefined
      ? []
      : [
          `  harder programs  ${String(last["adversary/accepted"]).padStart(7)}  of ${last["adversary/due"]} due`,
        ]),
    ...(state.heldOut ? [`  held-out         ${state.heldOut}`] : []),
    pc.dim(`  ${state.note}`),
  ];
}

function bar(share: number): string {
  const full = Math.round(barWidth * Math.min(1, share));
  return pc.green("█".repeat(full)) + pc.dim("░".repeat(barWidth - full));
}

/** One character for each step, or for each few steps when there are many; rewards lie between 0 and 1. */
export function curve(values: readonly (number | undefined)[]): string {
  const size = Math.max(1, Math.ceil(values.length / curveWidth));
  let text = "";
  for (let start = 0; start < values.length; start += size) {
    const known = values.slice(start, start + size).filter((value) => value !== undefined);
    if (known.length === 0) {
      text += " ";
      continue;
    }
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    text += blocks[Math.min(blocks.length - 1, Math.max(0, Math.floor(mean * blocks.length)))];
  }
  return text;
}

function timeLeft({ step, steps, history }: PanelState): string {
  const recent = history.slice(-10).flatMap((metrics) => metrics["time/step"] ?? []);
  if (recent.length === 0) return "";
  const perStep = recent.reduce((sum, seconds) => sum + seconds, 0) / recent.length;
  return `${perStep.toFixed(1)} s a step, ${minutes((steps - step) * perStep)} left`;
}

export function minutes(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
}

function outcomes(metrics: Metrics): string {
  const shown = ["passed", "wrong-answer", "raised", "timed-out", "did-not-load"];
  const counts = shown.flatMap((kind) => {
    const count = metrics[`sandbox/${kind}`] ?? 0;
    return count > 0 ? [`${count} ${kind}`] : [];
  });
  return counts.join(", ") || "none";
}
