/**
 * The time limits of one program, watched from inside its own thread. CPU time can never be more than elapsed time,
 * so the thread's clock is only asked once enough time has passed for a limit to be reachable.
 */
import type { ThreadClock, ThreadTimes } from "./thread-clock.ts";

export interface TimeLimits {
  readonly caseCpuSeconds: number;
  readonly caseWallSeconds: number;
  readonly programCpuSeconds: number;
  readonly programWallSeconds: number;
}

interface Moment extends ThreadTimes {
  /** In milliseconds. */
  readonly wall: number;
}

const shortMilliseconds = 5;

export class Stopwatch {
  readonly #clock: Pick<ThreadClock, "read">;
  readonly #now: () => number;
  readonly #limits: TimeLimits;
  readonly #start: Moment;
  #caseStart: Moment;
  #lastRead: Moment;
  #nextLook = 0;

  /** `now` gives milliseconds. */
  constructor(clock: Pick<ThreadClock, "read">, now: () => number, limits: TimeLimits) {
    this.#clock = clock;
    this.#now = now;
    this.#limits = limits;
    this.#lastRead = { ...clock.read(), wall: now() };
    this.#start = this.#lastRead;
    this.#caseStart = this.#start;
    this.#plan(this.#start);
  }

  /** A frame was sent: the next case begins. Cases may take microseconds, so the clock is not asked for each. */
  nextCase(): void {
    const wall = this.#now();
    const since = wall - this.#lastRead.wall;
    const { cpu, waiting } = this.#lastRead;
    // No more CPU time than that can have passed: the doubt is in favour of the program.
    this.#caseStart = since < shortMilliseconds ? { cpu: cpu + since / 1000, waiting, wall } : this.#read();
    this.#plan(this.#caseStart);
  }

  /** The limit that has passed, if any. Cheap enough to be asked all the time. */
  passedLimit(): "cpu" | "wall" | "program" | undefined {
    if (this.#now() < this.#nextLook) return undefined;
    const moment = this.#read();
    const left = this.#left(moment);
    if (left.caseCpu <= 0) return "cpu";
    if (left.programCpu <= 0 || left.programWall <= 0) return "program";
    if (left.caseWall <= 0) return "wall";
    this.#plan(moment);
    return undefined;
  }

  cpuSeconds(): number {
    return this.#clock.read().cpu - this.#start.cpu;
  }

  #read(): Moment {
    this.#lastRead = { ...this.#clock.read(), wall: this.#now() };
    return this.#lastRead;
  }

  /** Seconds left of each limit. */
  #left(moment: Moment) {
    const { caseCpuSeconds, caseWallSeconds, programCpuSeconds, programWallSeconds } = this.#limits;
    return {
      caseCpu: caseCpuSeconds - (moment.cpu - this.#caseStart.cpu),
      caseWall: caseWallSeconds - wallBetween(this.#caseStart, moment),
      programCpu: programCpuSeconds - (moment.cpu - this.#start.cpu),
      programWall: programWallSeconds - wallBetween(this.#start, moment),
    };
  }

  #plan(moment: Moment): void {
    const soonest = Math.min(...Object.values(this.#left(moment)));
    this.#nextLook = moment.wall + 1000 * Math.max(0, soonest);
  }
}

/** Seconds that passed, without those spent waiting for a processor: they are the machine's fault. */
function wallBetween(start: Moment, end: Moment): number {
  return (end.wall - start.wall) / 1000 - (end.waiting - start.waiting);
}
