import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

  it("loses nothing but what stands on a line that cannot be read, and counts such lines", () => {
    const file = path.join(folder, "damaged.jsonl");
    const first = new KeyedJournal<number>(file);
    first.set("a", 1);
    first.set("b", 2);
    first.close();
    const damaged = ["null", '{"key":"a","val', "", '{"key":3,"value":3}', '{"key":"b"}', "\u0000\u0000"];
    appendFileSync(file, `${damaged.join("\n")}\n{"key":"a","value":4}\n{"key":"c","value":5}\n{"key":"d`);
    const second = new KeyedJournal<number>(file);
    expect(second.damagedLines).toBe(damaged.length);
    expect(["a", "b", "c", "d"].map((key) => second.get(key))).toEqual([4, 2, 5, undefined]);
    second.set("d", 6);
    second.close();
    const third = new KeyedJournal<number>(file);
    expect(third.damagedLines).toBe(damaged.length);
    expect(["a", "b", "c", "d"].map((key) => third.get(key))).toEqual([4, 2, 5, 6]);
    third.close();
  });

  it("has no damaged lines where the last one was merely cut off", () => {
    const file = path.join(folder, "cut.jsonl");
    writeFileSync(file, '{"key":"a","value":1}\n{"key":"b","value":2}');
    const journal = new KeyedJournal<number>(file);
    expect([journal.damagedLines, journal.get("a"), journal.get("b")]).toEqual([0, 1, undefined]);
    journal.close();
    expect(readFileSync(file, "utf8")).toBe('{"key":"a","value":1}\n');
  });
});
