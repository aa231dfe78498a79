import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clearUnstarted, isUnstarted, leaveUnstarted } from "./unstarted-run.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-unstarted-"));
  for (const name of ["answers", "start"]) mkdirSync(path.join(folder, name));
  for (const name of ["lock.json", "config.yaml", "problems.json", path.join("answers", "a")])
    writeFileSync(path.join(folder, name), "{}");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a run without a checkpoint", () => {
  it("is one until its first step is saved", () => {
    expect(isUnstarted(path.join(folder, "nowhere"))).toBe(true);
    expect(isUnstarted(folder)).toBe(true);
    mkdirSync(path.join(folder, "checkpoints", "step-0"), { recursive: true });
    writeFileSync(path.join(folder, "checkpoints", "step-0", "complete.json"), "{}");
    expect(isUnstarted(folder)).toBe(false);
  });

  it("loses its settings, and keeps the lock and what was found out about the data", () => {
    writeFileSync(path.join(folder, "checks.jsonl"), "{}\n");
    clearUnstarted(folder);
    expect(readdirSync(folder).sort()).toEqual(["answers", "checks.jsonl", "lock.json"]);
  });

  it("goes altogether after a failure, unless data was looked through", () => {
    writeFileSync(path.join(folder, "checks.jsonl"), "");
    leaveUnstarted(folder);
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    writeFileSync(path.join(folder, "checks.jsonl"), "{}\n");
    writeFileSync(path.join(folder, "config.yaml"), "");
    leaveUnstarted(folder);
    expect(readdirSync(folder)).toEqual(["checks.jsonl"]);
  });
});
