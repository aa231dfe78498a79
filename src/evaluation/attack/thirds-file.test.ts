import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readThirds, writeThirds } from "./thirds-file.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-thirds-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const how = { model: "base", samples: 8, temperature: 1 };

it("is read back as it was written", async () => {
  const file = path.join(folder, "thirds.json");
  const rates = ["x", "y", "z"].map((id, index) => ({ id, rate: index / 2 }));
  const { pairs } = writeThirds(file, { ...how, rates });
  expect(pairs.map(({ id }) => id)).toEqual(["z", "y", "x"]);
  expect([...(await readThirds(file))]).toEqual([
    ["z", "easy"],
    ["y", "medium"],
    ["x", "hard"],
  ]);
});

it.each([
  ["{", "is not a split into thirds"],
  ["[]", "is not a split into thirds"],
  ['{"kind":"difficulty-thirds","version":1}', "'model' is missing or wrong"],
  [
    JSON.stringify({
      kind: "difficulty-thirds",
      version: 1,
      ...how,
      pairs: [{ id: "a", rate: 1, third: "odd" }],
    }),
    "'pairs.0.third' is missing or wrong",
  ],
])("is not taken from any other file (%#)", async (content, message) => {
  const file = path.join(folder, "other.json");
  writeFileSync(file, content);
  await expect(readThirds(file)).rejects.toThrow(message);
});

it("says where it cannot be written", () => {
  const file = path.join(folder, "missing", "thirds.json");
  expect(() => writeThirds(file, { ...how, rates: [] })).toThrow(`${file} cannot be written`);
});
