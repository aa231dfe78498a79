/** Lets a bounded number of pieces of work run at the same time; the others wait in line. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so nobody can slip in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
