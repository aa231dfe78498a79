/** Runs that are stopped, shared, or run out of room: real processes, real signals, a real full disk. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Finished, type StartOptions, smallRun, spar, startSpar } from "./run-cli.test.support.ts";

const patience = 240_000;
let runs: string;
beforeAll(() => {
  runs = mkdtempSync(path.join(tmpdir(), "sparring-interrupted-"));
});
afterAll(() => rmSync(runs, { recursive: true }));

const commandOf = (name: string, steps: number, place = runs) => [
  ...["train", "demo", "--runs", place, "--name", name, "--steps", String(steps), ...smallRun],
];
const start = (name: string, steps: number, options: StartOptions = {}) =>
  startSpar(commandOf(name, steps), options);
const resume = (name: string, steps: number, place = runs) =>
  spar(...commandOf(name, steps, place), "--resume");
const checkpoints = (name: string, place = runs) => readdirSync(path.join(place, name, "checkpoints")).sort();

function weightsOf(name: string, step: number): string[] {
  const folder = path.join(runs, name, "checkpoints", `step-${step}`);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".safetensors"))
    .sort()
    .map(
      (file) =>
        `${file} ${createHash("sha256")
          .update(readFileSync(path.join(folder, file)))
          .digest("hex")}`,
    );
}

function expectPlainError({ stdout, stderr }: Finished, expected: RegExp): void {
  expect(stderr).toMatch(expected);
  expect(stdout).toBe("");
  expect(stderr).not.toMatch(/^\s+at |defect/m);
}

describe("Ctrl-C", () => {
  it("once: the step is finished and saved, and the run can go on", { timeout: patience }, async () => {
    const { child, finished, saying } = start("once", 500);
    await saying(/^step +1\/500/m);
    child.kill("SIGINT");
    const { code, stdout, stderr } = await finished;
    expect(stderr).toMatch(/finishing this step and saving/);
    const step = Number(
      /saved after step (\d+); continue with --resume --name once --runs/.exec(stderr)?.[1],
    );
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(checkpoints("once")).toContain(`step-${step}`);
    const more = await resume("once", step + 1);
    expect(more.stderr).toContain(`continuing after step ${step}`);
    expect(more.code).toBe(0);
  });

  it("twice: the run ends at once, and what was saved is whole", { timeout: patience }, async () => {
    const { child, finished, saying } = start("twice", 500);
    await saying(/^step +1\/500/m);
    child.kill("SIGINT");
    await saying(/finishing this step/);
    child.kill("SIGINT");
    const { code, stderr } = await finished;
    // The step may have been finished between the two.
    expect(stderr).toMatch(/stopping now; what was saved stays|saved after step/);
    expect(code).toBe(130);
    const last = Math.max(...checkpoints("twice").map((name) => Number(/^step-(\d+)$/.exec(name)?.[1] ?? 0)));
    expect((await resume("twice", last + 1)).code).toBe(0);
  });
});

describe("a run folder", () => {
  it("belongs to one process at a time", { timeout: patience }, async () => {
    const { child, finished, saying } = start("shared", 500);
    await saying(/^held-out at step 0/m);
    const second = await resume("shared", 500);
    expectPlainError(second, new RegExp(`shared is in use by process ${child.pid} on`));
    expect(second.code).toBe(2);
    expectPlainError(
      await spar(...commandOf("shared", 500)),
      /already holds a run[\s\S]*--resume --name shared/,
    );
    child.kill("SIGKILL");
    await finished;
    // The lock of a process that is gone holds nobody up.
    expect((await resume("shared", 1)).code === 0 || checkpoints("shared").length > 2).toBe(true);
  });

  it("is continued only as the run that it is", { timeout: patience }, async () => {
    expect((await start("same", 1).finished).code).toBe(0);
    const changed = await spar(
      ...commandOf("same", 2),
      "--resume",
      "--set",
      "method.alpha=0.9",
      "--seed",
      "7",
    );
    expectPlainError(changed, /this run was started with another 'seed', 'method\.alpha'/);
    expect(changed.code).toBe(2);
    const shorter = await spar("train", "--runs", runs, "--name", "same", "--resume", "--set", "steps=1");
    expect(shorter.code).toBe(0);
    expect((await resume("same", 2)).code).toBe(0);
    expectPlainError(await resume("same", 1), /has already taken 2 steps, and 1 are asked for/);
    const json = await spar("train", "--runs", runs, "--name", "same", "--resume", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ steps: 2, finished: true, run: path.join(runs, "same") });
  });
});

describe("a full disk", () => {
  const posix = process.platform !== "win32";

  /** Room for the weights, not for the optimizer's state beside them: the second checkpoint does not fit. */
  it.runIf(posix)(
    "damages nothing that was saved, and the run can go on",
    { timeout: patience },
    async () => {
      const wrapper = ["sh", "-c", 'ulimit -f 6000 && exec "$@"', "sh"];
      const stopped = await start("full", 2, { wrapper }).finished;
      expectPlainError(
        stopped,
        /^error: cannot write .*full.*: the file would be larger than the system allows$/m,
      );
      expect(stopped.stderr).toMatch(/^hint: Nothing that was saved before is damaged.*--resume/m);
      expect(stopped.code).toBe(1);
      expect(checkpoints("full")).toEqual(["step-0"]);
      expect((await resume("full", 2)).code).toBe(0);
      expect((await start("undisturbed", 2).finished).code).toBe(0);
      expect(weightsOf("full", 2)).toEqual(weightsOf("undisturbed", 2));
    },
  );

  const disk = path.join(tmpdir(), `sparring-disk-${process.pid}`);
  const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
  const mount = (...options: string[]) =>
    works("mount", "-t", "tmpfs", "-o", options.join(","), "tmpfs", disk);
  const canMount = () => {
    if (!posix || process.getuid?.() !== 0) return false;
    mkdirSync(disk, { recursive: true });
    return mount("size=14m");
  };
  afterAll(() => {
    works("umount", disk);
    rmSync(disk, { recursive: true, force: true });
  });

  it("is told as such, on a small disk of its own", { timeout: patience }, async ({ skip }) => {
    if (!canMount()) skip("a disk of its own needs root and the right to mount");
    const stopped = await spar(...commandOf("small", 2, disk));
    expectPlainError(stopped, /^error: cannot write .*: the disk is full$/m);
    expect(stopped.code).toBe(1);
    expect(checkpoints("small", disk)).toEqual(["step-0"]);
    expect(mount("remount", "size=200m")).toBe(true);
    expect((await resume("small", 2, disk)).code).toBe(0);
    expect(checkpoints("small", disk)).toContain("step-2");
  });
});
