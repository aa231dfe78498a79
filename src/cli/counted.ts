/** How many of something, in words that fit: "1 pair", "2 pairs". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
