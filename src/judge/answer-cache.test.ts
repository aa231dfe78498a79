import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileAnswerCache, MemoryAnswerCache } from "./answer-cache.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-answers-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The one file of a cache that holds one problem. */
function onlyFile(): string {
  const [name, ...others] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((entry) =>
    entry.endsWith(".jsonl"),
  );
  expect(others).toEqual([]);
  return path.join(folder, name!);
}

const entries = (answers: ReadonlyMap<string, string>) => [...answers].sort();

describe.each([
  ["memory", () => new MemoryAnswerCache()],
  ["files", () => new FileAnswerCache(folder)],
])("an answer cache in %s", (_, create) => {
  it("knows what was stored, problem by problem", async () => {
    const cache = create();
    expect(entries(await cache.load("p"))).toEqual([]);
    await cache.store("p", new Map([["call", "answer"]]));
    await cache.store("p", new Map([["other", "more"]]));
    expect(entries(await cache.load("p"))).toEqual([
      ["call", "answer"],
      ["other", "more"],
    ]);
    expect(entries(await cache.load("q"))).toEqual([]);
  });

  it("takes the answer that came last", async () => {
    const cache = create();
    await cache.store("p", new Map([["call", "old"]]));
    await cache.store("p", new Map([["call", "new"]]));
    expect(entries(await cache.load("p"))).toEqual([["call", "new"]]);
  });
});

describe("FileAnswerCache", () => {
  it("is read back by another process, whatever the texts are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })),
        fc.string({ unit: "binary" }),
        async (answers, problem) => {
          await new FileAnswerCache(folder).store(problem, new Map(Object.entries(answers)));
          const read = await new FileAnswerCache(folder).load(problem);
          for (const [call, answer] of Object.entries(answers)) expect(read.get(call)).toBe(answer);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("loses at most the line that a crash cut off, and nothing that is stored after it", async () => {
    await new FileAnswerCache(folder).store("p", new Map([["first", "one"]]));
    const file = onlyFile();
    const whole = readFileSync(file).length;
    await new FileAnswerCache(folder).store("p", new Map([["second", "two"]]));
    const both = readFileSync(file);
    for (let length = whole; length < both.length - 1; length += 1) {
      writeFileSync(file, both);
      truncateSync(file, length);
      expect(entries(await new FileAnswerCache(folder).load("p"))).toEqual([["first", "one"]]);
      await new FileAnswerCache(folder).store("p", new Map([["third", "three"]]));
      expect(entries(await new FileAnswerCache(folder).load("p"))).toEqual([
        ["first", "one"],
        ["third", "three"],
      ]);
    }
  });

  it("never throws because of what is in a file", async () => {
    await new FileAnswerCache(folder).store("p", new Map([["kept", "answer"]]));
    const file = onlyFile();
    const good = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (garbage) => {
        writeFileSync(file, Buffer.concat([garbage, Buffer.from("\n"), good]));
        expect((await new FileAnswerCache(folder).load("p")).get("kept")).toBe("answer");
      }),
      { numRuns: 50 },
    );
    writeFileSync(file, '\n[1,"a"]\n["a"]\n["a","b","c"]\n{"a":1}\nnull\n');
    expect(entries(await new FileAnswerCache(folder).load("p"))).toEqual([]);
  });

  it("says what is wrong when it cannot write", async () => {
    const occupied = path.join(folder, "a-file");
    writeFileSync(occupied, "");
    const cache = new FileAnswerCache(occupied);
    await expect(cache.store("p", new Map([["call", "answer"]]))).rejects.toMatchObject({
      code: "answer-cache",
      hint: expect.stringContaining(occupied),
    });
  });
});
