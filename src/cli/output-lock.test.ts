import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockOutput } from "./output-lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-output-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("lockOutput", () => {
  it("keeps others from the same file, not from the same folder, and leaves nothing behind", () => {
    const file = path.join(folder, "pairs.jsonl");
    const lock = lockOutput(file);
    expect(() => lockOutput(file)).toThrow(`${file} is in use by process ${process.pid}`);
    lockOutput(path.join(folder, "others.jsonl")).release();
    lock.release();
    lockOutput(file).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("takes over what a killed process left", () => {
    const file = path.join(folder, "pairs.jsonl");
    mkdirSync(`${file}.lock`);
    writeFileSync(path.join(`${file}.lock`, "lock.json"), '{"pid": 1');
    lockOutput(file).release();
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it("says which folder to remove if a holder with another host name is gone", () => {
    const file = path.join(folder, "pairs.jsonl");
    mkdirSync(`${file}.lock`);
    const holder = { pid: 7, host: "old-container", started: "1" };
    writeFileSync(path.join(`${file}.lock`, "lock.json"), JSON.stringify(holder));
    expect(() => lockOutput(file)).toThrow(
      expect.objectContaining({
        code: "run-in-use",
        message: `${file} is in use by process 7 on old-container`,
        hint: expect.stringMatching(
          /^Wait for it, or choose another --out\..* surely gone, remove .*pairs\.jsonl\.lock and/,
        ),
      }),
    );
    rmSync(`${file}.lock`, { recursive: true });
    lockOutput(file).release();
  });

  it("says so where nothing can be written", () => {
    writeFileSync(path.join(folder, "file"), "");
    expect(() => lockOutput(path.join(folder, "file", "pairs.jsonl"))).toThrow("cannot be written");
  });
});
