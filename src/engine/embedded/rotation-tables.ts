/** Angles of the rotary position encoding: position / 10000^(i / 16) for the 16 pairs of a head. */
import { headSize } from "./model-shape.ts";

/** For each position 16 cosines, then 16 sines. */
export function rotationTables(context: number): Float32Array {
  const pairs = headSize / 2;
  const tables = new Float32Array(context * headSize);
  for (let position = 0; position < context; position++) {
    for (let pair = 0; pair < pairs; pair++) {
      const angle = position / 10000 ** (pair / pairs);
      tables[position * headSize + pair] = Math.cos(angle);
      tables[position * headSize + pairs + pair] = Math.sin(angle);
    }
  }
  return tables;
}
