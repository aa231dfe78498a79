/** What a program may use in a run: the run's own limits over the usual ones. */
import { defaultLimits, type Limits } from "../sandbox/limits.ts";
import type { TrainingConfig } from "./config.ts";

export function runLimits({ sandbox }: Pick<TrainingConfig, "sandbox">): Limits {
  const { caseCpuSeconds, programCpuSeconds, memoryMegabytes } = sandbox;
  return { ...defaultLimits, caseCpuSeconds, programCpuSeconds, memoryBytes: memoryMegabytes * 1024 ** 2 };
}
