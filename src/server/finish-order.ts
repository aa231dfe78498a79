/**
 * Runs something for each item, at most so many at a time, and gives the results as they finish. The next item is
 * begun only when a result has been taken: a reader who stops reading stops the work, and results do not pile up.
 */
export async function* inFinishOrder<Item, Result>(
  items: readonly Item[],
  options: { atOnce: number; run: (item: Item, index: number) => Promise<Result> },
): AsyncGenerator<Result> {
  const underWay = new Map<number, Promise<{ index: number; result: Result }>>();
  let next = 0;
  const begin = () => {
    const index = next++;
    underWay.set(
      index,
      options.run(items[index]!, index).then((result) => ({ index, result })),
    );
  };
  while (next < items.length || underWay.size > 0) {
    while (next < items.length && underWay.size < options.atOnce) begin();
    const { index, result } = await Promise.race(underWay.values());
    underWay.delete(index);
    yield result;
  }
}
