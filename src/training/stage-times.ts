/** How long the stages of a step take. */

/** From the first to the last moment of each stage; they overlap, so their sum may exceed the step. */
export class StageTimes {
  readonly #clock: () => number;
  readonly #spans = new Map<string, { first: number; last: number }>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  begin(stage: string): void {
    const now = this.#clock();
    if (!this.#spans.has(stage)) this.#spans.set(stage, { first: now, last: now });
  }

  end(stage: string): void {
    this.begin(stage);
    this.#spans.get(stage)!.last = this.#clock();
  }

  seconds(): Record<string, number> {
    return Object.fromEntries(
      [...this.#spans].map(([stage, { first, last }]) => [`time/${stage}`, last - first]),
    );
  }
}
