import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { plainFieldNames, problemJsonSchema } from "./problem-schema.ts";

const document = (name: string) => readFileSync(path.join(packageRoot, "docs", name), "utf8");

describe("the documents about the plain format", () => {
  it("hold the schema that the code checks by (spar data schema > docs/problem.schema.json)", () => {
    expect(JSON.parse(document("problem.schema.json"))).toEqual(problemJsonSchema());
  });

  it("describe every field", () => {
    const text = document("problem-format.md");
    expect(plainFieldNames.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

describe("the JSON schema", () => {
  it("asks for what the code asks for, and describes every field", () => {
    const schema = problemJsonSchema() as {
      required: string[];
      additionalProperties: boolean;
      properties: Record<string, { description?: string }>;
    };
    expect(schema.required).toEqual(["id", "question", "style", "reference", "goldTests"]);
    expect(schema.additionalProperties).toBe(false);
    expect(Object.keys(schema.properties)).toEqual(plainFieldNames);
    expect(Object.values(schema.properties).filter(({ description }) => !description)).toEqual([]);
  });
});
