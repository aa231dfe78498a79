import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TestCase } from "../problems/problem.ts";
import { BookStore } from "./book-store.ts";

let runFolder: string;
beforeEach(() => {
  runFolder = mkdtempSync(path.join(tmpdir(), "sparring-book-"));
});
afterEach(() => rmSync(runFolder, { recursive: true }));

const test = (input: string): TestCase => ({ style: "stdio", input, expected: "\\'\n" });
const fail = (store: BookStore, problemId: string, input: string) =>
  store.record(store.book.update({ problemId, replays: [], failures: [test(input)] }));

describe("BookStore", () => {
  it("comes back as it was at the checkpoint, without what was recorded after it", () => {
    const store = new BookStore({ runFolder, mostPerProblem: 10 });
    fail(store, "p", "a");
    fail(store, "p", "a");
    const position = store.checkpoint();
    fail(store, "p", "b");
    store.close();
    const again = new BookStore({ runFolder, mostPerProblem: 10, position });
    expect(again.book.entries("p")).toEqual([{ testCase: test("a"), frequency: 2 }]);
    fail(again, "p", "c");
    const later = again.checkpoint();
    again.close();
    const last = new BookStore({ runFolder, mostPerProblem: 10, position: later });
    expect(last.book.entries("p").map(({ testCase }) => testCase)).toEqual([test("a"), test("c")]);
    last.close();
  });

  it("starts a new generation when the journal outgrows the book, and the old one stays readable until pruned", () => {
    const store = new BookStore({ runFolder, mostPerProblem: 10 });
    fail(store, "p", "a");
    const early = store.checkpoint();
    for (let count = 0; count < 5001; count += 1) fail(store, "p", "a");
    const late = store.checkpoint();
    expect(late).toEqual({ generation: 1, bytes: 0 });
    store.close();
    const fromLate = new BookStore({ runFolder, mostPerProblem: 10, position: late });
    expect(fromLate.book.entries("p")[0]?.frequency).toBe(5002);
    fromLate.close();
    const fromEarly = new BookStore({ runFolder, mostPerProblem: 10, position: early });
    expect(fromEarly.book.entries("p")[0]?.frequency).toBe(1);
    fromEarly.prune(late);
    expect(readdirSync(path.join(runFolder, "book")).sort()).toEqual(["journal-1.jsonl", "snapshot-1.jsonl"]);
    fromEarly.close();
  });

  it("names file and line of a damaged journal", () => {
    const store = new BookStore({ runFolder, mostPerProblem: 10 });
    fail(store, "p", "a");
    const position = store.checkpoint();
    store.close();
    writeFileSync(path.join(runFolder, "book", "journal-0.jsonl"), `${"x".repeat(position.bytes - 1)}\n`);
    expect(() => new BookStore({ runFolder, mostPerProblem: 10, position })).toThrow(
      /journal-0.jsonl, line 1/,
    );
  });
});
