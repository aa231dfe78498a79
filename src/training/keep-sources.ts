/**
 * What a run reads again each time it is continued, besides its problems: models that do not learn, and a bank of
 * programs. If one of them has changed, the run would go on as another one; so their fingerprints are part of it.
 */
import { createHash } from "node:crypto";
import { createReadStream, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { SparringError } from "../errors.ts";
import { findWeights } from "../evaluation/find-weights.ts";
import { readRecord } from "../runs/read-record.ts";
import { writeWhole } from "../runs/write-whole.ts";
import type { TrainingConfig } from "./config.ts";
import { learns, usesGeneratedSuites } from "./open-players.ts";

interface Source {
  /** The setting that names it. */
  readonly setting: string;
  readonly path: string;
}

const damagedHint = "Remove it if nothing that the run depends on has changed since it was started.";

/** Refuses to continue a run whose sources are not those it was started with. */
export async function keepSources(folder: string, config: TrainingConfig): Promise<void> {
  const sources = sourcesOf(config);
  if (sources.length === 0) return;
  const file = path.join(folder, "sources.json");
  const kept = readRecord<Record<string, string>>(file, damagedHint) ?? {};
  for (const { setting, path: place } of sources) {
    const digest = await digestOf(place, setting);
    kept[setting] ??= digest;
    if (kept[setting] === digest) continue;
    throw new SparringError({
      code: "config-changed",
      message: `${setting}: ${place} is not what this run was started with`,
      hint: "Restore it, or start a new run with another --name.",
    });
  }
  writeWhole(file, `${JSON.stringify(kept, null, 1)}\n`);
}

function sourcesOf(config: TrainingConfig): Source[] {
  const model = (role: "code" | "test"): Source[] => {
    const wanted = config.engine[role];
    return "folder" in wanted ? [{ setting: `engine.${role}.folder`, path: wanted.folder }] : [];
  };
  const { kind: method } = config.method;
  if (usesGeneratedSuites(config)) return model("test");
  if (method === "code-a1" || method === "sft")
    return (["code", "test"] as const).filter((role) => !learns(config, role)).flatMap(model);
  if (method !== "atgen" || config.atgen.mode === "none") return [];
  const { kind, bankPath, model: adversary } = config.atgen.adversary;
  if (kind === "bank") return bankPath ? [{ setting: "atgen.adversary.bankPath", path: bankPath }] : [];
  if (kind === "mutation") return [];
  if (adversary === undefined) return model("code");
  if (adversary.toLowerCase().startsWith("openai:")) return [];
  return [{ setting: "atgen.adversary.model", path: findWeights(adversary, "code").folder }];
}

/** Of a file, or of all files of a folder with their names. */
async function digestOf(place: string, setting: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    const isFolder = statSync(place).isDirectory();
    const names = isFolder ? (readdirSync(place, { recursive: true }) as string[]).sort() : [""];
    for (const name of names) {
      const file = path.join(place, name);
      if (statSync(file).isDirectory()) continue;
      hash.update(JSON.stringify([name, statSync(file).size]));
      for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
    }
  } catch (error) {
    throw new SparringError({
      code: "file-unreadable",
      message: `${setting}: ${place} cannot be read (${(error as Error).message})`,
      hint: "Check the path in the configuration.",
      cause: error,
    });
  }
  return hash.digest("hex");
}
