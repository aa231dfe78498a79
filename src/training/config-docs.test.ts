/** Run with UPDATE_DOCS=1 to write the documentation again after a change of the schema. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { configJsonSchema, configTable } from "./config-docs.ts";

function check(name: string, current: string): void {
  const file = path.join(packageRoot, "docs", name);
  if (process.env.UPDATE_DOCS) writeFileSync(file, current);
  expect(readFileSync(file, "utf8")).toBe(current);
}

it("is written down in docs/configuration.md", () => {
  check(
    "configuration.md",
    `# Every setting of a run\n\nA recipe is a YAML file with these settings; \`--set key=value\` changes one. The values of the paper are in the recipes \`code-a1-*\`. Made from \`src/training/config.ts\`.\n\n${configTable()}\n`,
  );
});

it("has a current JSON schema in docs/configuration.schema.json", () => {
  check("configuration.schema.json", `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
});

it("describes every setting", () => {
  expect(
    configTable()
      .split("\n")
      .filter((row) => row.endsWith("|  |")),
  ).toEqual([]);
});

it("lists the settings inside groups and choices", () => {
  const table = configTable();
  expect(table).not.toContain("`{}`");
  for (const row of [
    "| `method.generated.programs` | `4` |",
    "| `method.opponents.mutants` | `0` |",
    "| `engine.test.name` | `arena` | the model that writes tests |",
    "| `engine.test.folder` |  | the model that writes tests; instead of `engine.test.name` |",
    "| `engine.lowRank.rank` |  |",
  ])
    expect(table).toContain(row);
});
