/** The documentation of the configuration, made from its schema so that it cannot disagree with it. */
import { z } from "zod";
import { trainingConfigSchema } from "./config.ts";

interface Field {
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Field>>;
}

/** JSON Schema, for editors and other tools. */
export function configJsonSchema(): unknown {
  return z.toJSONSchema(trainingConfigSchema, { io: "input" });
}

/** One row for each setting, in the order of the schema. */
export function configTable(): string {
  const rows = settings(configJsonSchema() as Field, "").map(
    ({ key, field }) => `| \`${key}\` | ${defaultOf(field)} | ${describe(field)} |`,
  );
  return ["| setting | default | meaning |", "|---|---|---|", ...rows].join("\n");
}

function settings(group: Field, prefix: string): { key: string; field: Field }[] {
  return Object.entries(group.properties ?? {}).flatMap(([name, field]) => {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    // A group of settings has no description of its own; an object that is one setting has.
    return field.properties && !field.description ? settings(field, key) : [{ key, field }];
  });
}

function defaultOf(field: Field): string {
  return field.default === undefined
    ? ""
    : `\`${typeof field.default === "string" ? field.default : JSON.stringify(field.default)}\``;
}

function describe(field: Field): string {
  const choices = field.enum ? ` (${field.enum.map((choice) => `\`${choice}\``).join(", ")})` : "";
  return `${field.description ?? ""}${choices}`.replaceAll("|", "\\|");
}
