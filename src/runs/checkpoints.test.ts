import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Checkpoints } from "./checkpoints.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-checkpoints-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const save = async (target: string) => writeFileSync(path.join(target, "weights"), "w");

describe("checkpoints", () => {
  it("come back whole, the newest first", async () => {
    const checkpoints = new Checkpoints<{ cursor: number }>(folder);
    expect(checkpoints.latest()).toBeUndefined();
    await checkpoints.write(9, { cursor: 1 }, save);
    await checkpoints.write(10, { cursor: 2 }, save);
    expect(checkpoints.steps()).toEqual([9, 10]);
    expect(checkpoints.latest()).toMatchObject({ step: 10, state: { cursor: 2 } });
    expect(existsSync(path.join(checkpoints.latest()!.folder, "weights"))).toBe(true);
  });

  it("do not exist without their marker", async () => {
    const checkpoints = new Checkpoints(folder);
    await checkpoints.write(1, {}, save);
    mkdirSync(path.join(folder, "checkpoints", "step-2"));
    mkdirSync(path.join(folder, "checkpoints", ".step-3.partial"));
    expect(checkpoints.latest()?.step).toBe(1);
    await checkpoints.prune(3);
    expect(existsSync(path.join(folder, "checkpoints", ".step-3.partial"))).toBe(false);
  });

  it("leave the older one untouched when saving fails", async () => {
    const checkpoints = new Checkpoints(folder);
    await checkpoints.write(1, { good: true }, save);
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
    await expect(checkpoints.write(2, {}, () => Promise.reject(full))).rejects.toMatchObject({
      code: "disk-write",
    });
    expect(checkpoints.latest()).toMatchObject({ step: 1, state: { good: true } });
  });

  it("keep only the newest ones when pruned", async () => {
    const checkpoints = new Checkpoints(folder);
    for (const step of [1, 2, 3, 4]) await checkpoints.write(step, {}, save);
    await checkpoints.prune(2);
    expect(checkpoints.steps()).toEqual([3, 4]);
  });

  it("say so when one cannot be read", async () => {
    const checkpoints = new Checkpoints(folder);
    await checkpoints.write(1, {}, save);
    writeFileSync(path.join(folder, "checkpoints", "step-1", "complete.json"), "{");
    expect(() => checkpoints.latest()).toThrow(/cannot be read/);
  });
});
