/**
 * Random numbers by counting: a number is a hash of a stream and a position. Draws do not depend on what was drawn
 * before or elsewhere, so a sample's tokens are the same whatever else is in its batch, and nothing has to be saved
 * to resume. The mixer is the well-known finaliser of MurmurHash3, applied to both halves of the state.
 */

export interface RandomStream {
  readonly low: number;
  readonly high: number;
}

export function randomStream(seed: number, key: string, index: number): RandomStream {
  let low = mix(seed >>> 0, 0x9e3779b9);
  let high = mix(Math.floor(seed / 2 ** 32) >>> 0, low);
  for (let i = 0; i < key.length; i++) {
    low = mix(low ^ key.charCodeAt(i), high);
    high = mix(high, low);
  }
  low = mix(low ^ index, high + key.length);
  return { low, high: mix(high, low) };
}

/** A number in [0, 1) with 53 random bits. */
export function uniform({ low, high }: RandomStream, position: number): number {
  const a = mix(low ^ position, high);
  const b = mix(high ^ a, low + position);
  return ((a >>> 5) * 67108864 + (b >>> 6)) / 9007199254740992;
}

function mix(value: number, salt: number): number {
  let h = (value + Math.imul(salt, 0x85ebca6b) + 0x6d2b79f5) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
