import { describe, expect, it } from "vitest";
import { kernelClock, ownClock, ownThreadName, processClock } from "./thread-clock.ts";

/** Computes until the process has used that much more CPU time. */
function compute(seconds: number): void {
  const start = process.cpuUsage();
  for (let used = 0; used < seconds; ) {
    const { user, system } = process.cpuUsage(start);
    used = (user + system) / 1e6;
  }
}

describe.each([
  ["ownClock", ownClock],
  ["processClock", processClock],
])("%s", (_, newClock) => {
  it("moves on while the thread computes, and hardly while it waits", () => {
    const clock = newClock();
    const start = clock.read().cpu;
    compute(0.2);
    const computed = clock.read().cpu - start;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    const waited = clock.read().cpu - start - computed;
    clock.close();
    expect(computed).toBeGreaterThan(0.05);
    expect(waited).toBeLessThan(0.05);
  });
});

describe("kernelClock", () => {
  it("has no clock for a thread that is not there", () => {
    expect(kernelClock(undefined)).toBeUndefined();
    expect(kernelClock("0/task/0")).toBeUndefined();
  });

  it.runIf(process.platform === "linux")("stands still instead of failing once it is closed", () => {
    const clock = kernelClock(ownThreadName())!;
    const before = clock.read();
    expect(before.cpu).toBeGreaterThan(0);
    clock.close();
    expect(clock.read()).toEqual(before);
  });
});
