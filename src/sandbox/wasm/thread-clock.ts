/**
 * CPU time of one thread, in seconds. On Linux the kernel says it to the nanosecond, for any thread of the process,
 * and how long the thread was kept waiting for a processor. Elsewhere newer Node versions know it inside the thread
 * itself. Where nothing does, the smaller of elapsed time and CPU time of the whole process stands in for it: never
 * less than the true value, so no limit is missed.
 */
import { closeSync, openSync, readlinkSync, readSync } from "node:fs";

export interface ThreadTimes {
  /** On a processor. */
  readonly cpu: number;
  /** Ready to run, but kept waiting for a processor. */
  readonly waiting: number;
}

export interface ThreadClock {
  readonly kind: "kernel" | "thread" | "process";
  read(): ThreadTimes;
  close(): void;
}

/** The kernel's name of the calling thread, by which others can watch its clock. */
export function ownThreadName(): string | undefined {
  try {
    return readlinkSync("/proc/thread-self");
  } catch {
    return undefined;
  }
}

/** The clock of the thread with this name; undefined where the kernel does not offer it. */
export function kernelClock(threadName: string | undefined): ThreadClock | undefined {
  if (threadName === undefined) return undefined;
  let file: number;
  try {
    file = openSync(`/proc/${threadName}/schedstat`, "r");
  } catch {
    return undefined;
  }
  const buffer = Buffer.alloc(128);
  let times: ThreadTimes = { cpu: 0, waiting: 0 };
  let closed = false;
  const clock: ThreadClock = {
    kind: "kernel",
    read() {
      if (closed) return times;
      try {
        const length = readSync(file, buffer, 0, buffer.length, 0);
        const [cpu, waiting] = buffer.toString("latin1", 0, length).split(" ");
        times = { cpu: Number(cpu) / 1e9, waiting: Number(waiting) / 1e9 };
      } catch {
        // The thread is gone: its clock stands still.
      }
      return times;
    },
    close() {
      if (!closed) closeSync(file);
      closed = true;
    },
  };
  // Some kernels have the file but do not count.
  return clock.read().cpu > 0 ? clock : undefined;
}

/** The best clock that the calling thread has for itself. */
export function ownClock(): ThreadClock {
  return kernelClock(ownThreadName()) ?? nodeThreadClock() ?? processClock();
}

function nodeThreadClock(): ThreadClock | undefined {
  const usage = (process as { threadCpuUsage?: () => NodeJS.CpuUsage }).threadCpuUsage;
  if (!usage) return undefined;
  return {
    kind: "thread",
    read() {
      const { user, system } = usage.call(process);
      return { cpu: (user + system) / 1e6, waiting: 0 };
    },
    close() {},
  };
}

/** For where nothing better is to be had. */
export function processClock(): ThreadClock {
  let wall = performance.now();
  let processCpu = 0;
  let total = 0;
  return {
    kind: "process",
    read() {
      const { user, system } = process.cpuUsage();
      const [nowWall, nowCpu] = [performance.now(), (user + system) / 1e6];
      total += Math.min((nowWall - wall) / 1e3, nowCpu - processCpu);
      [wall, processCpu] = [nowWall, nowCpu];
      return { cpu: total, waiting: 0 };
    },
    close() {},
  };
}
