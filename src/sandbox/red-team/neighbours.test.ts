/**
 * Programs that run at the same time must not be able to spoil each other's verdicts. While one of them makes as much
 * noise as it can, an honest one that needs threads, files, memory and sockets runs beside it, again and again.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultLimits } from "../limits.ts";
import { nativeKinds, pythonForTests } from "../native/native-for-tests.test.support.ts";
import { createNativeSandbox } from "../native/native-sandbox.ts";
import type { ProgramJob, Sandbox } from "../sandbox.ts";
import { createWasmSandbox } from "../wasm/wasm-sandbox.ts";

const noises: ReadonlyArray<readonly [string, string]> = [
  ["computes", "while True: pass"],
  [
    "starts threads",
    `
    import threading
    threading.stack_size(65536)
    try:
        while True: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    except RuntimeError: pass`,
  ],
  [
    "has descriptors under way",
    `
    import array, os, socket
    ours, theirs = socket.socketpair()
    null = os.open("/dev/null", os.O_RDONLY)
    try:
        while True: ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 200))])
    except OSError: pass`,
  ],
  [
    "has signals under way",
    `
    import os, signal
    signal.pthread_sigmask(signal.SIG_BLOCK, [40])
    for _ in range(100000): os.kill(os.getpid(), 40)`,
  ],
  [
    "fills scratch, pipes and memory",
    `
    import fcntl, os
    kept = []
    try:
        for k in range(2000): open("f%d" % k, "wb").write(bytes(100000))
    except OSError: pass
    try:
        while True:
            reader, writer = os.pipe()
            kept.append(reader)
            fcntl.fcntl(writer, 1031, 1 << 20)
            os.set_blocking(writer, False)
            while True: os.write(writer, bytes(65536))
    except OSError: pass
    try:
        while True: kept.append(bytearray(1 << 20))
    except MemoryError: pass`,
  ],
];

const honest = `
import threading
def f(n):
    found = []
    threads = [threading.Thread(target=found.append, args=(k,)) for k in range(10)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    with open("mine", "wb") as file: file.write(bytes(1 << 20))
    memory = bytearray(8 << 20)
    return [n, sorted(found), len(open("mine", "rb").read()), len(memory)]
`;

function job(source: string): ProgramJob {
  return {
    source,
    work: {
      style: "function",
      entryPoint: "f",
      calls: [{ args: [{ type: "int", value: 7n }], keywords: {} }],
    },
    limits: { ...defaultLimits, memoryBytes: 128 * 1024 * 1024, caseCpuSeconds: 2, caseWallSeconds: 20 },
  };
}

const patient = (source: string): ProgramJob => {
  const asked = job(source);
  return { ...asked, limits: { ...asked.limits, caseCpuSeconds: 10, caseWallSeconds: 60 } };
};

const grounds: ReadonlyArray<readonly [string, () => Promise<Sandbox>]> = [
  ...nativeKinds
    .filter(({ level }) => level === "full")
    .map(({ name, user }) => {
      const python = pythonForTests(user);
      const options = {
        workers: 2,
        demand: "full",
        ...(python && { python }),
        ...(user && { user }),
      } as const;
      return [`native, ${name}`, () => createNativeSandbox(options)] as const;
    }),
  ["wasm", () => createWasmSandbox({ workers: 2 })],
];

describe.each(grounds)("%s: an honest program beside one that", (_, start) => {
  let sandbox: Sandbox | undefined;
  let why = "";
  beforeAll(async () => {
    sandbox = await start().catch((error: Error) => {
      why = error.message;
      return undefined;
    });
  });
  afterAll(() => sandbox?.close());

  it.for(noises)("%s", async ([, body], context) => {
    if (!sandbox) return context.skip(why);
    const alone = await sandbox.run(patient(honest));
    expect(alone.observations[0]!.kind).toBe("returned");
    const enough = new AbortController();
    const noisy = job(`import time\ndef f(n):\n    ${body}\n    time.sleep(600)`);
    const noise = sandbox.run(noisy, { signal: enough.signal }).then(
      ({ observations }) => observations[0]!.kind,
      () => "stopped",
    );
    for (let round = 0; round < 5; round += 1) {
      const beside = await sandbox.run(patient(honest));
      expect(beside.observations).toEqual(alone.observations);
    }
    enough.abort();
    expect(["stopped", "timed-out", "raised", "out-of-memory"]).toContain(await noise);
  });
});
