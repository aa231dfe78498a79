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

/** How many letters must be added, removed, replaced or swapped with their neighbour (optimal string alignment). */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= left.length; row += 1) {
    const [above, current] = [rows[row - 1]!, [row]];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = above[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
          ? rows[row - 2]![column - 2]! + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1, swapped));
    }
    rows.push(current);
  }
  return rows[left.length]![right.length]!;
}
