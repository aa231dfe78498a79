/** Reads a run's configuration: a YAML file, then `key=value` settings on top. What is wrong is named with its fix. */
import { readFile } from "node:fs/promises";
import { parse, YAMLParseError } from "yaml";
import type { z } from "zod";
import { SparringError } from "../errors.ts";
import { nearestName } from "../nearest-name.ts";
import { safeToChange, type TrainingConfig, trainingConfigSchema } from "./config.ts";

export async function loadConfig(
  file: string | undefined,
  settings: readonly string[] = [],
): Promise<TrainingConfig> {
  const base = file === undefined ? {} : await readYaml(file);
  let merged = base;
  for (const setting of settings) merged = applySetting(merged, setting);
  return checkConfig(merged, file ?? "the configuration", settings);
}

/** `settings` are those of the value's keys that came from the command line. */
export function checkConfig(value: unknown, where: string, settings: readonly string[] = []): TrainingConfig {
  const result = trainingConfigSchema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issues = result.error.issues;
  // An unknown key first: it is most often a known one misspelt.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
  const key = [...issue.path, ...(issue.code === "unrecognized_keys" ? [issue.keys[0]!] : [])].join(".");
  const isSetting = settings.some((setting) => `${setting.split("=")[0]}.`.startsWith(`${key}.`));
  throw configError(isSetting ? "the command line" : where, issue);
}

async function readYaml(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new SparringError({
      code: "config-missing",
      message: `cannot read ${file}: ${readFault(error as NodeJS.ErrnoException)}`,
      hint: "`spar recipes` lists the ready-made configurations.",
      cause: error,
    });
  }
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    const line = error.linePos?.[0]?.line;
    throw new SparringError({
      code: "config-invalid",
      message: `${file}${line === undefined ? "" : `, line ${line}`}: ${error.message.split("\n")[0]}`,
      hint: "The file must be YAML.",
      cause: error,
    });
  }
}

function readFault({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "there is no such file";
  return code === "EISDIR" ? "it is a folder" : message;
}

/** `method.alpha=0.25`: the value is read as YAML, so numbers, booleans and lists work. */
function applySetting(config: unknown, setting: string): unknown {
  const at = setting.indexOf("=");
  if (at < 1) {
    throw new SparringError({
      code: "config-invalid",
      message: `--set ${setting}: it must have the form key=value`,
      hint: "For example --set method.alpha=0.25",
    });
  }
  const path = setting.slice(0, at).split(".");
  return withValue(config, path, parse(setting.slice(at + 1)));
}

function withValue(config: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  const fields = typeof config === "object" && config !== null && !Array.isArray(config) ? config : {};
  const inner = (fields as Record<string, unknown>)[key!];
  return { ...fields, [key!]: rest.length === 0 ? value : withValue(inner, rest, value) };
}

function configError(where: string, issue: z.core.$ZodIssue): SparringError {
  if (issue.code === "unrecognized_keys") {
    const unknown = [...issue.path, issue.keys[0]!].join(".");
    const known = keysAt(issue.path);
    const nearest = nearestName(issue.keys[0]!, known);
    return new SparringError({
      code: "config-invalid",
      message: `${where}: there is no '${unknown}'`,
      hint: nearest
        ? `Did you mean '${[...issue.path, nearest].join(".")}'?`
        : `Known here: ${known.join(", ")}.`,
    });
  }
  const key = issue.path.join(".");
  return new SparringError({
    code: "config-invalid",
    message: `${where}: '${key}' is wrong: ${issue.message}`,
    hint: `${key}: ${descriptionAt(issue.path) ?? "see docs/configuration.md"}`,
  });
}

type Shape = Record<string, { description?: string | undefined }>;

function shapeAt(path: readonly PropertyKey[]): Shape | undefined {
  let shape = trainingConfigSchema.shape as unknown as Shape;
  for (const key of path) {
    const field = shape[String(key)] as { unwrap?: () => unknown } | undefined;
    const inner = (field?.unwrap?.() ?? field) as { shape?: Shape } | undefined;
    if (!inner?.shape) return undefined;
    shape = inner.shape;
  }
  return shape;
}

function keysAt(path: readonly PropertyKey[]): string[] {
  return Object.keys(shapeAt(path) ?? {});
}

function descriptionAt(path: readonly PropertyKey[]): string | undefined {
  return shapeAt(path.slice(0, -1))?.[String(path.at(-1))]?.description;
}

/** Refuses to continue a run with a field changed that would make it another run. */
export function checkResumedConfig(saved: TrainingConfig, wanted: TrainingConfig): void {
  const changed = changedKeys(saved, wanted).filter((key) => !safeToChange.has(key));
  if (changed.length === 0) return;
  throw new SparringError({
    code: "config-changed",
    message: `this run was started with another ${changed.map((key) => `'${key}'`).join(", ")}`,
    hint: `Continue with the run's own config.yaml, or start a new run with another --name or --runs. Safe to change: ${[...safeToChange].join(", ")}.`,
  });
}

function changedKeys(left: unknown, right: unknown, prefix = ""): string[] {
  const isGroup = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isGroup(left) || !isGroup(right)) {
    return JSON.stringify(left) === JSON.stringify(right) ? [] : [prefix];
  }
  const [a, b] = [left as Record<string, unknown>, right as Record<string, unknown>];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => changedKeys(a[key], b[key], prefix === "" ? key : `${prefix}.${key}`));
}
