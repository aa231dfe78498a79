/** The documentation of the configuration, made from its schema so that it cannot disagree with it. */
import { z } from "zod";
import { trainingConfigSchema } from "./config.ts";

interface Field {
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Field>>;
  /** One or the other of several groups. */
  readonly anyOf?: readonly Field[];
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

interface Setting {
  readonly key: string;
  readonly field: Field;
}

function settings(group: Field, prefix: string): Setting[] {
  return Object.entries(group.properties ?? {}).flatMap(([name, field]) => {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    const inner = innerSettings(field, key);
    if (inner.length === 0) return [{ key, field }];
    // What a group says of itself has a row of its own, unless its settings repeat it for want of words of their own.
    const isSaid = inner.some(({ field: { description } }) =>
      description?.startsWith(field.description ?? ""),
    );
    const { default: _, ...title } = field;
    return isSaid ? inner : [{ key, field: title }, ...inner];
  });
}

/** Those of a group, or of all the groups that one may choose from. */
function innerSettings(group: Field, key: string): Setting[] {
  const choices = (group.anyOf ?? [group]).filter(({ properties }) => properties);
  return choices.flatMap((choice, index) => {
    const first = `${key}.${Object.keys(choices[0]!.properties!)[0]}`;
    const instead = index === 0 ? "" : `; instead of \`${first}\``;
    return settings(withDefaults(choice, group), key).map((setting) => {
      const description = `${setting.field.description ?? group.description ?? ""}${instead}`;
      return { key: setting.key, field: { ...setting.field, description } };
    });
  });
}

/** A default of the whole group is one of each setting in it. */
function withDefaults(group: Field, { default: given }: Field): Field {
  const values = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  const properties = Object.entries(group.properties ?? {}).map(([name, field]) => [
    name,
    name in values ? { ...field, default: values[name] } : field,
  ]);
  return { ...group, properties: Object.fromEntries(properties) };
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
