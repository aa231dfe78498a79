/** The configuration of a run, written into its folder once and compared with what it is continued with. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { writeWhole } from "../runs/write-whole.ts";
import type { TrainingConfig } from "./config.ts";
import { checkConfig, checkResumedConfig } from "./load-config.ts";

export function configFile(folder: string): string {
  return path.join(folder, "config.yaml");
}

/** Refuses settings that differ from the run's own in a way that would change what was learnt. */
export function checkKeptConfig(folder: string, config: TrainingConfig): void {
  const file = configFile(folder);
  if (existsSync(file)) checkResumedConfig(checkConfig(parse(readFileSync(file, "utf8")), file), config);
}

export function keepConfig(folder: string, config: TrainingConfig): void {
  checkKeptConfig(folder, config);
  writeWhole(configFile(folder), stringify(config));
}
