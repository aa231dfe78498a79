/**
 * Draws one thing after another, in order, and has the next ones drawn while the present one is looked at. The first
 * is drawn alone: it is often enough, and whoever else waits for the same server comes first. What is under way when
 * nobody wants more is called off.
 */
export interface ReadAheadOptions<Item> {
  readonly count: number;
  /** How many are drawn while an earlier one is looked at; with 0 each is drawn when it is wanted. */
  readonly ahead: number;
  readonly draw: (index: number, signal: AbortSignal) => Promise<Item>;
  readonly signal: AbortSignal | undefined;
}

export async function* readAhead<Item>(options: ReadAheadOptions<Item>): AsyncGenerator<Item> {
  const { count, ahead, draw, signal } = options;
  signal?.throwIfAborted();
  const unwanted = new AbortController();
  const stop = () => unwanted.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const underWay: Promise<Item>[] = [];
  let begun = 0;
  const begin = (until: number) => {
    for (; begun < Math.min(until, count); begun += 1) {
      const item = draw(begun, unwanted.signal);
      item.catch(() => undefined); // heard when its turn comes, which may be never
      underWay.push(item);
    }
  };
  try {
    for (let index = 0; index < count; index += 1) {
      signal?.throwIfAborted();
      begin(index + 1);
      const item = await unlessStopped(underWay.shift()!, signal);
      begin(index + 1 + ahead);
      yield item;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    unwanted.abort();
  }
}

/** What is called off fails in words of its own; whoever stopped it knows a better reason. */
async function unlessStopped<Item>(item: Promise<Item>, signal: AbortSignal | undefined): Promise<Item> {
  try {
    return await item;
  } finally {
    signal?.throwIfAborted();
  }
}
