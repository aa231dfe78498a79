import { describe, expect, it } from "vitest";
import { Stopwatch, type TimeLimits } from "./stopwatch.ts";

const limits: TimeLimits = {
  caseCpuSeconds: 1,
  caseWallSeconds: 4,
  programCpuSeconds: 3,
  programWallSeconds: 12,
};

/** A clock that the test moves; CPU and waiting in seconds. */
function newWatch() {
  const time = { wall: 50_000, cpu: 7, waiting: 2, reads: 0 };
  const clock = {
    read() {
      time.reads++;
      return { cpu: time.cpu, waiting: time.waiting };
    },
  };
  const watch = new Stopwatch(clock, () => time.wall, limits);
  const pass = (seconds: { wall: number; cpu?: number; waiting?: number }) => {
    time.wall += seconds.wall * 1000;
    time.cpu += seconds.cpu ?? 0;
    time.waiting += seconds.waiting ?? 0;
  };
  return { watch, time, pass };
}

describe("Stopwatch", () => {
  it("does not ask the clock while no limit can have passed", () => {
    const { watch, time, pass } = newWatch();
    const reads = time.reads;
    for (let look = 0; look < 100; look++) {
      pass({ wall: 0.009, cpu: 0.009 });
      expect(watch.passedLimit()).toBeUndefined();
    }
    expect(time.reads).toBe(reads);
  });

  it("lets a case use its CPU time however long it takes to get it", () => {
    const { watch, pass } = newWatch();
    pass({ wall: 3.5, cpu: 0.9 });
    expect(watch.passedLimit()).toBeUndefined();
    pass({ wall: 0.2, cpu: 0.15 });
    expect(watch.passedLimit()).toBe("cpu");
  });

  it("starts anew with every case, but not for the program", () => {
    const { watch, pass } = newWatch();
    for (let round = 0; round < 3; round++) {
      pass({ wall: 0.95, cpu: 0.95 });
      expect(watch.passedLimit()).toBeUndefined();
      watch.nextCase();
    }
    pass({ wall: 0.2, cpu: 0.2 });
    expect(watch.passedLimit()).toBe("program");
    expect(watch.cpuSeconds()).toBeCloseTo(3.05);
  });

  it("does not ask the clock for cases of microseconds, and charges none of them too much", () => {
    const { watch, time, pass } = newWatch();
    const reads = time.reads;
    for (let index = 0; index < 40; index++) {
      pass({ wall: 0.0001, cpu: 0.0001 });
      watch.nextCase();
    }
    expect(time.reads).toBe(reads);
    pass({ wall: 0.99, cpu: 0.99 });
    expect(watch.passedLimit()).toBeUndefined();
    pass({ wall: 0.02, cpu: 0.02 });
    expect(watch.passedLimit()).toBe("cpu");
  });

  it("ends a sleeper by wall time, and a program that only ever sleeps too", () => {
    const { watch, pass } = newWatch();
    pass({ wall: 4.1 });
    expect(watch.passedLimit()).toBe("wall");
    for (let round = 0; round < 2; round++) {
      watch.nextCase();
      pass({ wall: 3.9 });
      expect(watch.passedLimit()).toBeUndefined();
    }
    watch.nextCase();
    pass({ wall: 0.2 });
    expect(watch.passedLimit()).toBe("program");
  });

  it("does not count time spent waiting for a processor", () => {
    const { watch, pass } = newWatch();
    pass({ wall: 9, cpu: 0.5, waiting: 6 });
    expect(watch.passedLimit()).toBeUndefined();
    pass({ wall: 1.2, waiting: 0.1 });
    expect(watch.passedLimit()).toBe("wall");
  });
});
