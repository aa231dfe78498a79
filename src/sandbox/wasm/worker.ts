/** An interpreter's thread: boots or loads a sealed interpreter, then runs one program after the other in it. */
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../errors.ts";
import { bootTwice } from "./boot.ts";
import { Interpreter, type RunEnd } from "./interpreter.ts";
import { JournalWriter } from "./journal.ts";
import { ProgramRun } from "./program-run.ts";
import { ownClock, ownThreadName } from "./thread-clock.ts";
import type { FromThread, ThreadSettings, ToThread } from "./thread-messages.ts";

// Programs cause errors by the thousand (a missing file is one); nobody reads where they came from.
Error.stackTraceLimit = 0;

const port = parentPort!;
const settings = workerData as ThreadSettings;
const send = (message: FromThread) => port.postMessage(message);

function start(): void {
  const { module, origin, library } = settings;
  const { interpreter, image } =
    "image" in origin
      ? { interpreter: new Interpreter(module), image: origin.image }
      : bootTwice(module, new Map([...library, ...origin.ownFiles]));
  interpreter.restore(image);
  const clock = ownClock();
  const journal = new JournalWriter(settings.journal, (bytes) => send({ kind: "spill", bytes }));
  port.on("message", (request: ToThread) => {
    const run = new ProgramRun({ request, library, imageBytes: image.memory.byteLength, clock, journal });
    const end = reasonFor(interpreter.run(image, run), run);
    send({
      kind: "ended",
      end,
      stdout: run.stdout.copy(),
      stderr: run.stderr.copy(),
      cpuSeconds: run.cpuSeconds(),
      memoryBytes: interpreter.memory.size,
    });
    // After the answer, so that our thread can already work on it.
    interpreter.restore(image);
  });
  send({ kind: "ready", image, threadName: ownThreadName() });
}

/** Where memory was refused, a crash after that is for want of memory: few places in C code survive it. */
function reasonFor(end: RunEnd, run: ProgramRun): RunEnd {
  const crashed = end.kind === "fault" || end.kind === "aborted";
  return crashed && run.wantedMemory ? { kind: "out-of-memory" } : end;
}

try {
  start();
} catch (error) {
  send({ kind: "not-ready", message: messageOf(error) });
}
