/**
 * The size of a model. The architecture is fixed: token embedding; layers of attention (heads of 32, positions by
 * rotation) and a feed-forward part (max(x, 0)² between two matrices), each behind a root-mean-square norm and added
 * to the stream; a last norm; an output matrix of its own.
 */
import { SparringError } from "../../errors.ts";

export interface ModelShape {
  readonly layers: number;
  /** Multiple of 32. */
  readonly width: number;
  /** Width of the feed-forward part. Multiple of 32. */
  readonly hidden: number;
  /** Longest prompt and completion together. Multiple of 32. */
  readonly context: number;
}

/** Width of a head: the kernels are written for it. */
export const headSize = 32;

/** What `PolicySpec.model` may name. Parameter counts: 0.04, 0.5, 1.1 and 3.2 million. */
export const namedShapes: Readonly<Record<string, ModelShape>> = {
  tiny: { layers: 1, width: 64, hidden: 128, context: 64 },
  small: { layers: 3, width: 128, hidden: 384, context: 384 },
  medium: { layers: 4, width: 160, hidden: 512, context: 384 },
  large: { layers: 4, width: 256, hidden: 1024, context: 512 },
};

export function checkShape(shape: ModelShape, whose: string): void {
  const limits: readonly [keyof ModelShape, number, number][] = [
    ["layers", 1, 24],
    ["width", headSize, 1024],
    ["hidden", headSize, 4096],
    ["context", 32, 2048],
  ];
  for (const [name, unit, largest] of limits) {
    const value = shape[name];
    if (!Number.isInteger(value) || value < 1 || value > largest || value % unit !== 0) {
      throw new SparringError({
        code: "engine-shape-invalid",
        message: `${whose}: ${name} is ${value}; it must be a multiple of ${unit} between ${unit} and ${largest}.`,
      });
    }
  }
}
