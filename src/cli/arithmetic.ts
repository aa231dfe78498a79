/** What a step of a run costs, told before it starts so that nobody is surprised. */
import type { TrainingConfig } from "../training/config.ts";
import { counted } from "./counted.ts";

export function arithmetic(config: TrainingConfig, problems: number): string {
  const { problemsPerStep, steps, method } = config;
  const perStep = Math.min(problemsPerStep, problems);
  const rounds = ((steps * perStep) / Math.max(1, problems)).toFixed(1);
  const epochs = `${counted(steps, "step")} = ${rounds} times through the ${method.kind === "atgen" ? "pairs" : "problems"}`;
  if (method.kind === "sft")
    return [`${counted(problems, "problem")}, ${perStep} per step`, epochs].join("\n");
  if (method.kind === "atgen") return [...attackArithmetic(config, perStep, problems), epochs].join("\n");
  const programs = perStep * method.candidates;
  const lines = [
    `${counted(problems, "problem")}, ${perStep} per step × ${method.candidates} programs = ${programs} programs per step`,
  ];
  if (method.kind !== "golden") {
    const runs = programs * method.suites * method.testsPerSuite;
    lines.push(
      `${programs} programs × ${method.suites} suites × ${counted(method.testsPerSuite, "test")} = up to ${runs} test runs per step`,
    );
  }
  return [...lines, epochs].join("\n");
}

function attackArithmetic({ atgen }: TrainingConfig, perStep: number, pairs: number): string[] {
  const due = atgen.mode === "unconditional" ? "each pair" : "each pair that was attacked";
  return [
    `${counted(pairs, "pair")}, ${perStep} per step × ${atgen.tests} tests = ${perStep * atgen.tests} tests per step`,
    atgen.mode === "none"
      ? "no adversary: the wrong programs stay as they are"
      : `adversary '${atgen.adversary.kind}' from step ${Math.max(1, atgen.startStep)} on: for ${due} up to ${counted(atgen.maxTries, "program")} ${atgen.maxTries === 1 ? "is" : "are"} tried`,
  ];
}
