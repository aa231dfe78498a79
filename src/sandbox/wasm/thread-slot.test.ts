import { describe, expect, it } from "vitest";
import type { PartRecord } from "../run-in-parts.ts";
import type { RunRequest } from "./program-run.ts";
import { type ProgramThread, ThreadLost, ThreadSlot } from "./thread-slot.ts";

const request = {} as RunRequest;
const record: PartRecord = {
  frames: ["answer"],
  end: { kind: "exited", code: 0 },
  stdout: "",
  stderr: "",
  denied: 0,
  cpuSeconds: 0,
  wallSeconds: 0,
};

/** Threads whose runs end as told, in order; what happened to them is noted down. */
function slotWith(...runs: Array<() => Promise<PartRecord>>) {
  const notes: string[] = [];
  let started = 0;
  const start = async (): Promise<ProgramThread> => {
    const name = `thread ${++started}`;
    notes.push(`${name} starts`);
    const thread = {
      alive: true,
      served: 0,
      ballastBytes: 0,
      async run() {
        thread.served++;
        notes.push(`${name} runs`);
        try {
          return await runs.shift()!();
        } catch (error) {
          thread.alive = !(error instanceof ThreadLost);
          throw error;
        }
      },
      async stop() {
        notes.push(`${name} stops`);
      },
    };
    return thread;
  };
  return { slot: new ThreadSlot(start), notes };
}
const answers = async () => record;
const isLost = async () => {
  throw new ThreadLost("gone");
};

describe("ThreadSlot", () => {
  it("starts a thread when it is first needed and keeps it", async () => {
    const { slot, notes } = slotWith(answers, answers);
    expect(notes).toEqual([]);
    expect(await slot.run(request)).toBe(record);
    expect(await slot.run(request)).toBe(record);
    expect(notes).toEqual(["thread 1 starts", "thread 1 runs", "thread 1 runs"]);
  });

  it("runs the program again in a new thread when one is lost", async () => {
    const { slot, notes } = slotWith(isLost, answers);
    expect(await slot.run(request)).toBe(record);
    expect(notes).toEqual(["thread 1 starts", "thread 1 runs", "thread 2 starts", "thread 2 runs"]);
  });

  it("blames the program that ends two threads, so that nobody can cause a failure of ours", async () => {
    const { slot } = slotWith(isLost, isLost, answers);
    expect(await slot.run(request)).toMatchObject({ frames: [], end: { kind: "died" } });
    expect(await slot.run(request)).toBe(record);
  });

  it("calls it our failure when no thread can be started", async () => {
    const slot = new ThreadSlot(async () => {
      throw new Error("no memory");
    });
    expect(await slot.run(request)).toEqual({
      failure: "no interpreter could be started: no memory",
    });
  });

  it("passes on an abort, before and while a program runs", async () => {
    const stop = new AbortController();
    const { slot } = slotWith(async () => {
      stop.abort(new Error("enough"));
      throw stop.signal.reason;
    });
    await expect(slot.run(request, stop.signal)).rejects.toThrow("enough");
    await expect(slot.run(request, stop.signal)).rejects.toThrow("enough");
  });
});

describe("ThreadSlot.close", () => {
  it("ends the thread and gives its program, and any later one, the reason", async () => {
    let lose = () => {};
    const hangs = () =>
      new Promise<PartRecord>((_, reject) => {
        lose = () => reject(new ThreadLost("ended"));
      });
    const { slot, notes } = slotWith(answers, hangs);
    await slot.run(request);
    const running = slot.run(request);
    await new Promise((resolve) => setImmediate(resolve));
    const closing = slot.close(new Error("closed"));
    lose();
    await expect(running).rejects.toThrow("closed");
    await closing;
    expect(notes.at(-1)).toBe("thread 1 stops");
    await expect(slot.run(request)).rejects.toThrow("closed");
    expect(notes.filter((note) => note.endsWith("starts"))).toHaveLength(1);
  });

  it("leaves no thread behind that was just being started", async () => {
    const notes: string[] = [];
    let started = (_: ProgramThread) => {};
    const slot = new ThreadSlot(
      () =>
        new Promise((resolve) => {
          started = resolve;
        }),
    );
    const running = slot.run(request);
    await slot.close(new Error("closed"));
    const thread = {
      alive: true,
      served: 0,
      ballastBytes: 0,
      run: isLost,
      async stop() {
        notes.push("stopped");
      },
    };
    started(thread);
    await expect(running).rejects.toThrow("closed");
    expect(notes).toEqual(["stopped"]);
  });
});

describe("ThreadSlot.retireIfTired", () => {
  const thread = (state: { served: number; ballastBytes: number }) => {
    const notes: string[] = [];
    const stop = async () => {
      notes.push("stopped");
    };
    const ready: ProgramThread = { alive: true, ...state, run: answers, stop };
    return { slot: new ThreadSlot(async () => ready, ready), notes };
  };

  it.each([
    ["fresh", { served: 1, ballastBytes: 20e6 }, []],
    ["old", { served: 10_000, ballastBytes: 0 }, ["stopped"]],
    ["large", { served: 1, ballastBytes: 500e6 }, ["stopped"]],
  ])("a %s thread", async (_, state, expected) => {
    const { slot, notes } = thread(state);
    await slot.retireIfTired();
    expect(notes).toEqual(expected);
    await slot.retireIfTired();
    expect(notes).toEqual(expected);
  });
});
