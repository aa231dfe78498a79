/** Kernels on a memory of their own, in the test's thread, with places for plain arrays. */
import { instantiateKernels, type Kernels, type KernelVariant, loadKernelModule } from "../kernels.ts";
import { SharedMemory } from "../shared-memory.ts";
import type { Matrix } from "../workspace.ts";

export interface Workbench {
  readonly kernels: Kernels;
  readonly memory: SharedMemory;
  readonly floats: Float32Array;
  readonly integers: Int32Array;
  /** Copies values into memory and returns their address. */
  place(values: ArrayLike<number>): number;
  placeIntegers(values: ArrayLike<number>): number;
  /** Rows with a padded stride and spare rows behind them. */
  matrix(rows: number, columns: number, values?: ArrayLike<number>): Matrix;
  read(address: number, count: number): number[];
  readMatrix(matrix: Matrix, rows: number, columns: number): number[];
}

export async function openWorkbench(variant: KernelVariant): Promise<Workbench> {
  const memory = new SharedMemory(64);
  const { module } = await loadKernelModule(variant);
  const kernels = instantiateKernels(module, memory.memory);
  const floats = new Float32Array(memory.memory.buffer);
  const integers = new Int32Array(memory.memory.buffer);
  const reserve = (bytes: number) => memory.allocate(bytes, "a test").address;
  return {
    kernels,
    memory,
    floats,
    integers,
    place(values) {
      const address = reserve(values.length * 4);
      floats.set(values, address >> 2);
      return address;
    },
    placeIntegers(values) {
      const address = reserve(values.length * 4);
      integers.set(values, address >> 2);
      return address;
    },
    matrix(rows, columns, values) {
      const stride = (columns + 16) * 4;
      const address = reserve((rows + 8) * stride);
      if (values !== undefined) {
        for (let i = 0; i < rows * columns; i++)
          floats[((address + Math.floor(i / columns) * stride) >> 2) + (i % columns)] = values[i]!;
      }
      return { address, stride };
    },
    read: (address, count) => Array.from(floats.subarray(address >> 2, (address >> 2) + count)),
    readMatrix(matrix, rows, columns) {
      return Array.from({ length: rows * columns }, (_, i) => {
        const row = matrix.address + Math.floor(i / columns) * matrix.stride;
        return floats[(row >> 2) + (i % columns)]!;
      });
    },
  };
}

/** A matrix [rows × columns] in the panels that products read. */
export function toPanels(values: ArrayLike<number>, rows: number, columns: number): number[] {
  const panels = new Array<number>(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      panels[((column >> 3) * rows + row) * 8 + (column & 7)] = values[row * columns + column]!;
  return panels;
}
