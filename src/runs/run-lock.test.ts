import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SparringError } from "../errors.ts";
import { RunLock } from "./run-lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const holder = (fields: object) =>
  writeFileSync(
    path.join(folder, "lock.json"),
    JSON.stringify({ pid: process.pid, host: hostname(), started: "", ...fields }),
  );

describe("RunLock", () => {
  it("keeps others out until it is released", () => {
    const lock = new RunLock(folder);
    expect(() => new RunLock(folder)).toThrow(/in use by process/);
    lock.release();
    new RunLock(folder).release();
  });

  it("takes over from a process that is gone", async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => child.once("close", resolve));
    holder({ pid: child.pid });
    new RunLock(folder).release();
  });

  it("takes over a torn lock, and respects another machine's", () => {
    writeFileSync(path.join(folder, "lock.json"), '{"pid": 1');
    new RunLock(folder).release();
    holder({ host: "another-machine" });
    expect(() => new RunLock(folder)).toThrow(/another-machine/);
  });

  it("says what to remove where nobody can tell whether the holder is gone, and only there", () => {
    const hintOf = (words = {}) => {
      try {
        new RunLock(folder, words);
      } catch (error) {
        return (error as SparringError).hint;
      }
      throw new Error("it was free");
    };
    holder({ pid: 7, host: "another-machine" });
    expect(hintOf()).toContain(
      `if process 7 on another-machine is surely gone, remove ${path.join(folder, "lock.json")} `,
    );
    expect(hintOf({ hint: "Wait.", removable: "all of it" })).toMatch(/^Wait\. .* remove all of it /);
    rmSync(path.join(folder, "lock.json"));
    const lock = new RunLock(folder);
    expect(hintOf()).not.toContain("remove");
    lock.release();
  });

  it.runIf(process.platform === "linux")("is not fooled by a process id that is used again", () => {
    holder({ started: "1" });
    new RunLock(folder).release();
  });
});
