/**
 * Runs something for each item, at most so many at a time, and gives the results in the order of the items. After a
 * failure nothing more is begun, and the caller hears of it once everything that was begun has ended: nothing goes on
 * behind its back.
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  { atOnce, run }: { readonly atOnce: number; readonly run: (item: Item, index: number) => Promise<Result> },
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      try {
        results[index] = await run(items[index]!, index);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, lane));
  const broken = ended.find((end) => end.status === "rejected");
  if (broken) throw broken.reason;
  return results;
}
