import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { SparringError } from "../../errors.ts";
import { encodeJob } from "../encode-job.ts";
import { defaultLimits, scratchBytes } from "../limits.ts";
import { functionJob, int, returned } from "../program-jobs.test.support.ts";
import type { IsolationLevel, ProgramJob, Sandbox } from "../sandbox.ts";
import { pythonForTests } from "./native-for-tests.test.support.ts";
import { createNativeSandbox } from "./native-sandbox.ts";
import { WorkerLost, WorkerProcess } from "./worker-process.ts";

const python = pythonForTests() ?? "";
const here = process.platform === "linux" && python !== "";
const settings = (wanted: IsolationLevel) => ({ executable: python, wanted, scratchBytes });

const folder = mkdtempSync(path.join(tmpdir(), "sparring-workers-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A python3 of our own making: the worker's script is its last argument but two. */
function fakePython(name: string, script: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const request = (job: ProgramJob) => ({
  body: Buffer.from(encodeJob(job, 0)),
  input: Buffer.alloc(0),
  limits: { ...defaultLimits, caseCpuSeconds: 100 },
  caseWallSeconds: 100,
  programCpuSeconds: 100,
  programWallSeconds: 100,
});

const endless = functionJob("def f():\n    while True: pass", [[]]);

describe.runIf(here)("WorkerProcess", () => {
  it("greets with its level and layers, serves and closes", async () => {
    const { worker, greeting } = await WorkerProcess.start(settings("limits"));
    expect(greeting).toMatchObject({ level: "limits", python: expect.stringMatching(/^3\./) });
    expect(greeting.layers.map(({ name }) => name)).toContain("limits");
    const record = await worker.request(request(functionJob("def f(): return 5", [[]])));
    expect(record.channel.toString("latin1")).toContain('{"k":"returned","v":5}');
    expect(worker.served).toBe(1);
    await worker.close();
    expect(worker.alive).toBe(false);
  });

  it("says what a worker said that did not start", async () => {
    const executable = fakePython("fails", "echo 'cannot be isolated here: no' >&2; exit 1");
    await expect(WorkerProcess.start({ ...settings("full"), executable })).rejects.toMatchObject({
      code: "worker-start",
      message: expect.stringMatching(/ended with code 1: cannot be isolated here: no$/),
      hint: expect.stringContaining("wasm"),
    });
    await expect(WorkerProcess.start({ ...settings("full"), executable: "/no/such" })).rejects.toMatchObject({
      code: "worker-start",
      message: expect.stringContaining("ENOENT"),
    });
  });

  it("is lost, with everything below it, when it is killed in the middle of a job", async () => {
    const { worker } = await WorkerProcess.start(settings("full"));
    const answer = worker.request(request(endless));
    const lost = expect(answer).rejects.toThrow(WorkerLost);
    worker.kill();
    await lost;
    expect(worker.alive).toBe(false);
    await expect(worker.request(request(endless))).rejects.toThrow(WorkerLost);
  });

  it.each<[string, string]>([
    ["-v 300000", "ulimit -v"],
    ["-t 7", "ulimit -t"],
  ])("does not pass a low limit (ulimit %s) off as the program's failure", async (limit, named) => {
    const executable = fakePython("low", `ulimit ${limit}\nexec ${python} "$@"`);
    const { worker } = await WorkerProcess.start({ ...settings("limits"), executable });
    await expect(worker.request(request(functionJob("def f(): pass", [[]])))).rejects.toThrow(named);
  });

  it.each(["-n 32", "-s 1000", "-f 10"])("does not start under ulimit %s", async (limit) => {
    const executable = fakePython("lower", `ulimit ${limit}\nexec ${python} "$@"`);
    await expect(WorkerProcess.start({ ...settings("limits"), executable })).rejects.toThrow(/ulimit -/);
  });
});

describe.runIf(here)("a native sandbox whose workers die", () => {
  const answer = async (sandbox: Sandbox, n: number) =>
    (await sandbox.run(functionJob("def f(n): return n", [[int(n)], [int(n)]]))).observations;

  it("runs the job again in a new worker", async (context) => {
    const dieOnce = path.join(folder, "died");
    // The first worker greets as a real one does and ends at its first job; the next ones are real.
    const greeting = {
      level: "limits",
      layers: [{ name: "user", active: true, detail: "" }],
      python: "3.11.0",
    };
    const pretender = path.join(folder, "pretender.py");
    writeFileSync(
      pretender,
      `import os, struct
text = ${JSON.stringify(JSON.stringify(greeting))}.encode()
os.write(1, struct.pack("<IIII", len(text), 0, 0, 0) + text)
os.read(0, 1)`,
    );
    const executable = fakePython(
      "dies-once",
      `if [ -e ${dieOnce} ]; then exec ${python} "$@"; fi
touch ${dieOnce}
exec ${python} ${pretender}`,
    );
    const sandbox = await sandboxWith(executable, "limits");
    if (typeof sandbox === "string") return context.skip(sandbox);
    try {
      expect(await answer(sandbox, 1)).toEqual([returned(int(1)), returned(int(1))]);
      expect(existsSync(dieOnce)).toBe(true);
    } finally {
      await sandbox.close();
    }
  });

  it("says that it is our failure when they keep dying, and recovers when they stop", async (context) => {
    const broken = path.join(folder, "broken");
    const executable = fakePython(
      "dies",
      `[ -e ${broken} ] && exit 9
exec ${python} "$@"`,
    );
    const sandbox = await sandboxWith(executable, "full");
    if (typeof sandbox === "string") return context.skip(sandbox);
    try {
      expect(await answer(sandbox, 1)).toEqual([returned(int(1)), returned(int(1))]);
      writeFileSync(broken, "");
      for (const worker of workersBelow()) process.kill(worker, "SIGKILL");
      expect(await answer(sandbox, 2)).toMatchObject([
        { kind: "infrastructure", message: expect.stringContaining("ended with code 9") },
        { kind: "infrastructure" },
      ]);
      rmSync(broken);
      expect(await answer(sandbox, 3)).toEqual([returned(int(3)), returned(int(3))]);
    } finally {
      await sandbox.close();
    }
  });

  /** The executable stays the script: findPython would resolve it to the Python behind. */
  function sandboxWith(executable: string, atMost: IsolationLevel): Promise<Sandbox | string> {
    const asking = fakePython(`${path.basename(executable)}-found`, `echo ${executable}; echo 3.11.0`);
    return createNativeSandbox({ python: asking, workers: 1, atMost }).catch((error: SparringError) => {
      if (error.code === "isolation-too-low") return error.message;
      throw error;
    });
  }

  function workersBelow(): number[] {
    return readdirSync(`/proc/${process.pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${process.pid}/task/${task}/children`, "utf8")
        .split(" ")
        .filter(Boolean)
        .map(Number)
        .filter((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("worker.py")),
    );
  }
});
