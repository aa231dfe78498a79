import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeyedJournal } from "./keyed-journal.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-keyed-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("KeyedJournal", () => {
  it("finds what an earlier process wrote, without the line it died in", () => {
    const file = path.join(folder, "torn.jsonl");
    const first = new KeyedJournal<number>(file);
    first.set("a", 1);
    first.set("b", 2);
    first.set("a", 3);
    first.close();
    appendFileSync(file, '{"key":"c","val');
    const second = new KeyedJournal<number>(file);
    expect([second.get("a"), second.get("b"), second.get("c")]).toEqual([3, 2, undefined]);
    second.set("c", 4);
    second.close();
    expect(
      readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { key: "a", value: 1 },
      { key: "b", value: 2 },
      { key: "a", value: 3 },
      { key: "c", value: 4 },
    ]);
  });

  it("goes no further than the first line that is none of its own", () => {
    const file = path.join(folder, "foreign.jsonl");
    const first = new KeyedJournal<number>(file);
    first.set("a", 1);
    first.close();
    appendFileSync(file, 'null\n{"key":"b","value":2}\n');
    const second = new KeyedJournal<number>(file);
    expect([second.get("a"), second.get("b")]).toEqual([1, undefined]);
    second.close();
    expect(readFileSync(file, "utf8")).toBe('{"key":"a","value":1}\n');
  });
});
