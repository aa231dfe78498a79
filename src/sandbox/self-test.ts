/**
 * Proves at start-up that the walls stand, by attacking them: what `describe()` claims is checked with hostile
 * programs before the first real one runs. It takes a few tens of milliseconds.
 */
import { SparringError } from "../errors.ts";
import { defaultLimits } from "./limits.ts";
import type { IsolationLevel, Observation, ProgramJob, Sandbox } from "./sandbox.ts";

interface Probe {
  readonly name: string;
  readonly source: string;
  /** The levels at which the probe must fail to get through. */
  readonly from: IsolationLevel;
  readonly stopped: (observation: Observation) => boolean;
}

const answered = (text: string) => (observation: Observation) =>
  observation.kind === "returned" && observation.value.type === "str" && observation.value.value === text;

/** Each tries what it must not be able to do and says which ways were open. */
const reaching = (body: string) => `
def f():
    open_ways = []
    def attempt(name, action):
        try:
            action()
            open_ways.append(name)
        except BaseException:
            pass
${body.replace(/^/gm, "    ")}
    return ",".join(open_ways)
`;

const probes: readonly Probe[] = [
  {
    name: "an honest program gets its answer through",
    source: 'def f():\n    return "".join(["o", "k"])',
    from: "limits",
    stopped: answered("ok"),
  },
  {
    name: "files outside the scratch are closed",
    source: reaching(`
attempt("read", lambda: open("/etc/passwd").read())
attempt("write", lambda: open("/etc/sparring-probe", "w"))
attempt("processes", lambda: open("/proc/1/status").read())`),
    from: "filtered",
    stopped: answered(""),
  },
  {
    name: "no network",
    source: reaching(`
import socket
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", 9), 0.2))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)))`),
    from: "filtered",
    stopped: answered(""),
  },
  {
    name: "no other processes",
    source: reaching(`
import os
attempt("fork", lambda: os.fork())
attempt("shell", lambda: os.system("true") == 0 or 1 / 0)
attempt("signal", lambda: os.kill(os.getppid(), 0))`),
    from: "filtered",
    stopped: answered(""),
  },
  {
    name: "an endless loop ends",
    source:
      "def f():\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    from: "limits",
    stopped: ({ kind }) => kind === "timed-out",
  },
  {
    name: "memory is bounded",
    source: "def f():\n    return len(bytearray(1 << 30))",
    from: "limits",
    stopped: ({ kind }) => kind === "out-of-memory",
  },
  {
    name: "output is bounded",
    source: 'def f():\n    while True: print("x" * 100000)',
    from: "limits",
    stopped: ({ kind }) => kind === "output-flood",
  },
];

const order: Record<IsolationLevel, number> = { limits: 0, filtered: 1, full: 2 };

/** Rejects, naming the wall that has a hole. */
export async function selfTest(sandbox: Sandbox): Promise<void> {
  const { isolation } = sandbox.describe();
  const due = probes.filter((probe) => order[probe.from] <= order[isolation]);
  const reports = await Promise.all(due.map((probe) => sandbox.run(probeJob(probe))));
  const holes = due.filter((probe, index) => !probe.stopped(reports[index]!.observations[0]!));
  if (holes.length === 0) return;
  const found = reports[due.indexOf(holes[0]!)]!.observations[0]!;
  throw new SparringError({
    code: "sandbox-leaks",
    message: `the ${sandbox.describe().kind} sandbox failed its self-test: ${holes.map(({ name }) => name).join("; ")} (seen: ${JSON.stringify(found, (_, value) => (typeof value === "bigint" ? String(value) : value)).slice(0, 300)})`,
    hint: "Do not run untrusted programs with it on this machine; `spar doctor` shows the details.",
  });
}

function probeJob(probe: Probe): ProgramJob {
  return {
    source: probe.source,
    work: { style: "function", entryPoint: "f", calls: [{ args: [], keywords: {} }] },
    limits: { ...defaultLimits, caseCpuSeconds: 0.3, memoryBytes: 256 * 1024 * 1024 },
  };
}
