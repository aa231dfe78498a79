/**
 * The time limits of one program, watched from inside its own thread. CPU time can never be more than elapsed time,
 * so the thread's clock is only asked once enough time has passed for a limit to be reachable.
 */
import type { ThreadClock, ThreadTimes } from "./thread-clock.ts";

export interface TimeLimits {
  readonly caseCpuSeconds: number;
  readonly caseWallSeconds: number;
  readonly programCpuSeconds: number;
}

export class Stopwatch {
  readonly #clock: Pick<ThreadClock, "read">;
  readonly #now: () => number;
  readonly #limits: TimeLimits;
  readonly #start: ThreadTimes;
  #caseStart: ThreadTimes & { readonly wall: number };
  #nextLook = 0;

  /** `now` gives milliseconds. */
  constructor(clock: Pick<ThreadClock, "read">, now: () => number, limits: TimeLimits) {
    this.#clock = clock;
    this.#now = now;
    this.#limits = limits;
    this.#start = clock.read();
    this.#caseStart = { ...this.#start, wall: now() };
    this.#plan(this.#start, this.#caseStart.wall);
  }

  /** A frame was sent: the next case begins. */
  nextCase(): void {
    const times = this.#clock.read();
    this.#caseStart = { ...times, wall: this.#now() };
    this.#plan(times, this.#caseStart.wall);
  }

  /** The limit that has passed, if any. Cheap enough to be asked all the time. */
  passedLimit(): "cpu" | "wall" | "program" | undefined {
    const wall = this.#now();
    if (wall < this.#nextLook) return undefined;
    const times = this.#clock.read();
    const [caseCpu, programCpu, caseWall] = this.#left(times, wall);
    if (caseCpu <= 0) return "cpu";
    if (programCpu <= 0) return "program";
    if (caseWall <= 0) return "wall";
    this.#plan(times, wall);
    return undefined;
  }

  cpuSeconds(): number {
    return this.#clock.read().cpu - this.#start.cpu;
  }

  /** Seconds left of the case's CPU time, the program's CPU time and the case's wall time. */
  #left(times: ThreadTimes, wall: number): [number, number, number] {
    const { caseCpuSeconds, programCpuSeconds, caseWallSeconds } = this.#limits;
    // Time spent waiting for a processor is the machine's fault, not the program's.
    const kept = times.waiting - this.#caseStart.waiting;
    return [
      caseCpuSeconds - (times.cpu - this.#caseStart.cpu),
      programCpuSeconds - (times.cpu - this.#start.cpu),
      caseWallSeconds - ((wall - this.#caseStart.wall) / 1000 - kept),
    ];
  }

  #plan(times: ThreadTimes, wall: number): void {
    this.#nextLook = wall + 1000 * Math.max(0, Math.min(...this.#left(times, wall)));
  }
}
