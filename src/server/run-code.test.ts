/** `/run_code` over the real sandbox, asked as verl and SandboxFusion's own client ask. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNativeSandbox } from "../sandbox/native/native-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { hasPython } from "../values/run-python.test.support.ts";
import { type LoopbackServer, serveOnLoopback } from "./loopback-server.test.support.ts";
import type { RunCodeAnswer } from "./run-code-protocol.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe.runIf(process.platform === "linux" && hasPython)("/run_code", () => {
  let sandbox: Sandbox;
  let server: LoopbackServer;

  beforeAll(async () => {
    sandbox = await createNativeSandbox({ workers: 2 });
    server = await serveOnLoopback(sandbox);
  });
  afterAll(async () => {
    await server.close();
    await sandbox.close();
  });

  async function run(fields: object): Promise<RunCodeAnswer> {
    const response = await server.post("/run_code", { language: "python", run_timeout: 10, ...fields });
    expect(response.status).toBe(200);
    return (await response.json()) as RunCodeAnswer;
  }

  it("takes all eight fields and answers with all of SandboxFusion's", async () => {
    const answer = await run({
      compile_timeout: 10,
      code: "import sys\nprint(input())\nprint('note', file=sys.stderr)",
      stdin: "ä line\n",
      memory_limit_MB: 1024,
      files: {},
      fetch_files: [],
    });
    expect(answer).toEqual({
      status: "Success",
      message: "",
      compile_result: null,
      run_result: {
        status: "Finished",
        execution_time: expect.any(Number),
        return_code: 0,
        stdout: "ä line\n",
        stderr: "note\n",
      },
      executor_pod_name: null,
      files: {},
    });
  });

  it("takes as little as Code-A1 sends", async () => {
    expect((await run({ code: "print('__GEN_PASS__0_0')" })).run_result).toMatchObject({
      return_code: 0,
      stdout: "__GEN_PASS__0_0\n",
    });
  });

  it("shows where an error was, with the lines of the program", async () => {
    const { status, run_result } = await run({ code: "x = 1\ndef g():\n    assert x == 2, 'no'\ng()" });
    expect([status, run_result]).toMatchObject(["Failed", { status: "Finished", return_code: 1 }]);
    expect(run_result!.stderr).toMatch(/Traceback[\s\S]*line 4[\s\S]*line 3[\s\S]*AssertionError: no/);
  });

  it.each([
    ["a syntax error", "def (", { return_code: 1, stderr: expect.stringContaining("SyntaxError") }],
    ["an exit", "import sys; sys.exit(3)", { return_code: 3 }],
    ["a hard exit", "import os; os._exit(4)", { return_code: 4 }],
    ["a signal", "import os; os.kill(os.getpid(), 11)", { return_code: -11 }],
    [
      "too much memory",
      "x = bytearray(1 << 33)",
      { return_code: 1, stderr: expect.stringContaining("Memory") },
    ],
  ])("tells %s by its return code", async (_, code, result) => {
    expect(await run({ code })).toMatchObject({
      status: "Failed",
      run_result: { status: "Finished", ...result },
    });
  });

  it("stops a program at its time and keeps what it printed", async () => {
    const { status, run_result } = await run({
      code: "print('so far', flush=True)\nwhile True: pass",
      run_timeout: 0.3,
    });
    expect([status, run_result]).toMatchObject([
      "Failed",
      { status: "TimeLimitExceeded", return_code: null, stdout: "so far\n" },
    ]);
  });

  it("gives a memory limit to the program", async () => {
    const code = "x = bytearray(300 << 20); print(len(x))";
    expect((await run({ code, memory_limit_MB: 100 })).run_result).toMatchObject({ return_code: 1 });
    expect((await run({ code, memory_limit_MB: 400 })).run_result).toMatchObject({ return_code: 0 });
  });

  it.each([200_000, 1_000_000, 5_000_000])("gives back %i bytes of output whole", async (size) => {
    const { status, run_result } = await run({ code: `print("x" * ${size})` });
    expect([status, run_result!.stdout!.length]).toEqual(["Success", size + 1]);
  });

  it("ends a flood without hanging", async () => {
    expect((await run({ code: "while True: print('x' * 99999)" })).run_result).toMatchObject({
      return_code: -25,
    });
  });

  it("brings files, lets the program import them, and fetches what it wrote", async () => {
    const answer = await run({
      code: [
        "import helper, os",
        "print(open('data/in.txt').read(), input(), __name__, sorted(os.listdir('.')))",
        "open('out.bin', 'wb').write(bytes(range(256)))",
        "open('other', 'w').write('not asked for')",
        "helper.leave()",
      ].join("\n"),
      stdin: "typed",
      files: {
        "data/in.txt": base64("brought"),
        "helper.py": base64("def leave(): print('left')"),
        skipped: null,
      },
      fetch_files: ["out.bin", "missing"],
    });
    expect(answer).toMatchObject({
      status: "Success",
      files: { "out.bin": Buffer.from([...Array(256).keys()]).toString("base64") },
    });
    expect(Object.keys(answer.files)).toEqual(["out.bin"]);
    expect(answer.run_result!.stdout).toBe("brought typed __main__ ['data', 'helper.py']\nleft\n");
  });

  it.each([
    ["raises", "raise ValueError", 1],
    ["exits", "import sys; sys.exit(3)", 3],
    ["leaves", "import os; os._exit(4)", 4],
  ])("fetches the files of a program that %s", async (_, end, code) => {
    const answer = await run({ code: `open('a', 'w').write('x')\n${end}`, fetch_files: ["a"] });
    expect(answer).toMatchObject({
      run_result: { return_code: code, stdout: "" },
      files: { a: base64("x") },
    });
  });

  it("does not let one program see what another wrote", async () => {
    const code = "import os; print(os.listdir('.')); open('trace', 'w').write('x')";
    for (let round = 0; round < 4; round += 1) {
      expect((await run({ code, fetch_files: ["trace"] })).run_result!.stdout).toBe("[]\n");
    }
  });
});
