import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeError } from "./append-log.ts";
import { writeWhole } from "./write-whole.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-whole-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("writeWhole", () => {
  it("writes and replaces a file, and leaves nothing beside it", () => {
    const file = path.join(folder, "a.json");
    writeWhole(file, "one");
    writeWhole(file, "zwölf");
    expect(readFileSync(file, "utf8")).toBe("zwölf");
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  it("leaves what was there when it fails", () => {
    const file = path.join(folder, "a.json");
    mkdirSync(file);
    expect(() => writeWhole(file, "one")).toThrow();
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });
});

describe("writeError", () => {
  it.each(["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES"])("tells what to do about %s", (code) => {
    expect(writeError("file", Object.assign(new Error("x"), { code }))).toMatchObject({
      code: "disk-write",
      message: expect.stringMatching(/^cannot (write|open) file: /),
      hint: expect.stringContaining("--resume"),
    });
  });
  it("leaves other errors alone", () => {
    for (const error of [new Error("x"), Object.assign(new Error("x"), { code: "ECONNRESET" }), undefined])
      expect(writeError("file", error)).toBe(error);
  });
});
