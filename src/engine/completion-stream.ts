/** Values that arrive by and by, read with `for await`. Whoever stops reading early is told to the source. */
export class CompletionStream<Value> implements AsyncIterable<Value> {
  #ready: Value[] = [];
  #readers: { resolve: (result: IteratorResult<Value>) => void; reject: (error: unknown) => void }[] = [];
  #end: { readonly error?: unknown } | undefined;
  readonly #abandoned: () => Promise<void>;

  constructor(abandoned: () => Promise<void>) {
    this.#abandoned = abandoned;
  }

  push(value: Value): void {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#ready.push(value);
    else reader.resolve({ done: false, value });
  }

  finish(): void {
    this.#close({});
  }

  /** What has arrived can still be read; then the error is thrown. */
  fail(error: unknown): void {
    this.#close({ error });
  }

  #close(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const reader of this.#readers) {
      if ("error" in end) reader.reject(end.error);
      else reader.resolve({ done: true, value: undefined });
    }
    this.#readers = [];
  }

  [Symbol.asyncIterator](): AsyncIterator<Value> {
    return {
      next: () => {
        const value = this.#ready.shift();
        if (value !== undefined) return Promise.resolve({ done: false, value });
        if (this.#end !== undefined)
          return "error" in this.#end
            ? Promise.reject(this.#end.error)
            : Promise.resolve({ done: true, value: undefined });
        return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
      },
      return: async () => {
        this.#ready = [];
        this.#close({});
        await this.#abandoned();
        return { done: true, value: undefined };
      },
    };
  }
}
