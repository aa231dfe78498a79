/** What all policies of an engine share: memory, kernels, threads and the threads' workspaces. */
import type { Kernels } from "./kernels.ts";
import type { ModelShape } from "./model-shape.ts";
import { workspaceRows } from "./row-batch.ts";
import type { Region, SharedMemory } from "./shared-memory.ts";
import type { ThreadPool } from "./thread-pool.ts";
import { planWorkspace } from "./workspace.ts";

export class EngineCore {
  readonly memory: SharedMemory;
  readonly kernels: Kernels;
  readonly pool: ThreadPool;
  readonly #workspaces = new Map<string, readonly Region[]>();

  constructor(options: { memory: SharedMemory; kernels: Kernels; pool: ThreadPool }) {
    this.memory = options.memory;
    this.kernels = options.kernels;
    this.pool = options.pool;
  }

  /**
   * Makes sure that every thread has a workspace, and returns how to find it. A thread does one pass at a time, so
   * policies of the same shape use the same ones. They live as long as the engine.
   */
  workspaces(shape: ModelShape, purpose: "training" | "inference"): (thread: number) => number {
    const key = `${purpose} ${JSON.stringify(shape)}`;
    let regions = this.#workspaces.get(key);
    if (regions === undefined) {
      const { kernels, memory } = this;
      const { bytes } = planWorkspace({ shape, rows: workspaceRows(shape.context), purpose, kernels }, 0);
      regions = memory.allocateMany(this.pool.size, bytes, `the activations of ${purpose}`);
      this.#workspaces.set(key, regions);
    }
    const places = regions;
    return (thread) => places[thread]!.address;
  }
}
