/**
 * A worker thread: takes messages, works, answers. While there is anything to do it runs without returning to the
 * event loop and looks for new messages between steps: a step is one micro-batch or one token of every running
 * completion, so training of one policy and sampling of another share the thread fairly.
 */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { messageOf } from "../../errors.ts";
import { Decoder } from "./decoder.ts";
import { instantiateKernels } from "./kernels.ts";
import type { FinishedSample } from "./sample-unit.ts";
import type { FromThread, ThreadData, ToThread, WorkResult } from "./thread-messages.ts";
import { doWork, openPass, type ThreadTools } from "./thread-work.ts";

const port = parentPort!;
const { module, memory } = workerData as ThreadData;
const tools: ThreadTools = {
  kernels: instantiateKernels(module, memory),
  views: { floats: new Float32Array(memory.buffer), integers: new Int32Array(memory.buffer) },
};
const decoders = new Map<number, Decoder>();
const jobs: { job: number; steps: Generator<void, WorkResult> }[] = [];

const say = (message: FromThread) => port.postMessage(message);

function take(message: ToThread): void {
  switch (message.kind) {
    case "work":
      jobs.push({ job: message.job, steps: doWork(tools, message.work) });
      break;
    case "open-decoder": {
      const { parameters: _, ...pass } = openPass(tools, { ...message.place, parameters: 0 }, "inference");
      const finished = (sample: FinishedSample) => say({ kind: "sampled", sample });
      decoders.set(
        message.decoder,
        new Decoder({ pass, views: tools.views, place: message.cache, finished }),
      );
      break;
    }
    case "close-decoder":
      decoders.delete(message.decoder);
      say({ kind: "done", job: message.job, result: {} });
      break;
    case "sample":
      decoders.get(message.decoder)?.add(message.unit);
      break;
    case "cancel":
      decoders.get(message.decoder)?.cancel(message.unit);
      say({ kind: "done", job: message.job, result: {} });
      break;
  }
}

function advanceJob(): void {
  const current = jobs.shift();
  if (current === undefined) return;
  try {
    const { done, value } = current.steps.next();
    if (done) say({ kind: "done", job: current.job, result: value });
    else jobs.unshift(current);
  } catch (error) {
    say({ kind: "failed", job: current.job, message: messageOf(error) });
  }
}

port.on("message", (first: ToThread) => {
  take(first);
  for (;;) {
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port))
      take(more.message as ToThread);
    const busy = [...decoders.values()].filter((decoder) => decoder.busy);
    if (jobs.length === 0 && busy.length === 0) return;
    advanceJob();
    for (const decoder of busy) decoder.tick();
  }
});
