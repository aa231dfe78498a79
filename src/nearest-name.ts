/**
 * The known name that somebody probably meant: for messages about unknown fields, keys and options. Case and
 * separators are forgiven first (`gold_tests` for `goldTests`), then a few wrong letters.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = simplified(name);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(plain, simplified(candidate));
    if (!best || distance < best.distance) best = { name: candidate, distance };
  }
  const tolerated = Math.max(1, Math.floor(plain.length / 3));
  return best && best.distance <= tolerated ? best.name : undefined;
}

function simplified(name: string): string {
  return name
    .slice(0, 50)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** How many letters must be added, removed or replaced, row by row (Wagner and Fischer). */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = previous[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[right.length]!;
}
