import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Journal } from "./journal.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-journal-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(file: string, bytes: number | undefined) {
  const seen: number[] = [];
  const journal = new Journal<number>({ file, bytes, apply: (change) => seen.push(change) });
  return { seen, journal };
}

describe("Journal", () => {
  it("replays up to the checkpoint and forgets what came after, whole lines or torn ones", () => {
    const file = path.join(folder, "replay.jsonl");
    const first = open(file, undefined);
    first.journal.record([1, 2]);
    const position = first.journal.checkpoint();
    first.journal.record([3]);
    expect(first.seen).toEqual([1, 2, 3]);
    first.journal.close();
    appendFileSync(file, "4"); // killed in the middle of a line
    const second = open(file, position);
    expect(second.seen).toEqual([1, 2]);
    second.journal.record([5]);
    second.journal.close();
    expect(readFileSync(file, "utf8")).toBe("1\n2\n5\n");
  });

  it("begins anew without a position", () => {
    const file = path.join(folder, "anew.jsonl");
    writeFileSync(file, "1\n");
    const { seen, journal } = open(file, undefined);
    expect(seen).toEqual([]);
    expect(journal.checkpoint()).toBe(0);
    journal.close();
  });

  it("names the line that somebody changed", () => {
    const file = path.join(folder, "changed.jsonl");
    writeFileSync(file, "1\n{]\n");
    expect(() => open(file, 5)).toThrow(/changed\.jsonl, line 2/);
  });
});
