/**
 * The embedded engine: tiny transformers that really learn, in this process, on the CPU, with nothing to install.
 * Work runs in worker threads; the main thread only hands it out.
 *
 * Deterministic: for the same build of the kernels and the same kind of processor, the same calls give the same
 * bits with any number of threads, and a loaded state continues as if it had never been saved.
 */
import { availableParallelism } from "node:os";
import { SparringError } from "../../errors.ts";
import type { Engine, EngineDescription, FrozenPolicy, PolicySpec, TrainablePolicy } from "../engine.ts";
import { EmbeddedPolicy } from "./embedded-policy.ts";
import { EngineCore } from "./engine-core.ts";
import { initialWeights } from "./initial-weights.ts";
import { instantiateKernels, type KernelVariant, loadKernelModule } from "./kernels.ts";
import { checkShape, type ModelShape, namedShapes } from "./model-shape.ts";
import { readWeights } from "./policy-files.ts";
import { shardCount } from "./row-batch.ts";
import { SharedMemory } from "./shared-memory.ts";
import { ThreadPool } from "./thread-pool.ts";

export interface EmbeddedEngineOptions {
  /** Left out: one for each core, at most eight. More than eight are not used, which the description notes. */
  readonly threads?: number;
  /** Models by name, besides the built-in ones. */
  readonly shapes?: Readonly<Record<string, ModelShape>>;
  /** Left out: the fastest that the runtime accepts. */
  readonly kernels?: KernelVariant;
  /** Upper bound of all weights, gradients, caches and activations. Untouched memory costs nothing. */
  readonly memoryMegabytes?: number;
}

const defaultMegabytes = 2048;
const mostMegabytes = 4096;

export async function openEmbeddedEngine(options: EmbeddedEngineOptions = {}): Promise<Engine> {
  const wanted = options.threads ?? Math.min(shardCount, availableParallelism());
  if (!Number.isInteger(wanted) || wanted < 1) {
    throw new SparringError({
      code: "engine-threads-invalid",
      message: `The embedded engine was asked for ${wanted} threads; it needs a whole number of at least 1.`,
    });
  }
  const megabytes = options.memoryMegabytes ?? defaultMegabytes;
  if (!Number.isInteger(megabytes) || megabytes < 16 || megabytes > mostMegabytes) {
    throw new SparringError({
      code: "engine-memory-invalid",
      message: `memoryMegabytes is ${megabytes}; it must be a whole number between 16 and ${mostMegabytes}.`,
    });
  }
  const shapes = { ...namedShapes, ...options.shapes };
  for (const [name, shape] of Object.entries(shapes)) checkShape(shape, `Model '${name}'`);
  const { module, variant } = await loadKernelModule(options.kernels);
  const memory = new SharedMemory(megabytes);
  const threads = Math.min(wanted, shardCount);
  const pool = new ThreadPool({ module, memory: memory.memory, threads });
  const core = new EngineCore({ memory, pool, kernels: instantiateKernels(module, memory.memory) });
  return new EmbeddedEngine(core, { shapes, variant, wanted });
}

class EmbeddedEngine implements Engine {
  readonly #core: EngineCore;
  readonly #options: { shapes: Readonly<Record<string, ModelShape>>; variant: KernelVariant; wanted: number };
  readonly #policies = new Set<EmbeddedPolicy>();
  #closed = false;

  constructor(
    core: EngineCore,
    options: { shapes: Readonly<Record<string, ModelShape>>; variant: KernelVariant; wanted: number },
  ) {
    this.#core = core;
    this.#options = options;
  }

  describe(): EngineDescription {
    const { variant, wanted } = this.#options;
    const threads = this.#core.pool.size;
    return {
      kind: "embedded",
      abilities: {
        training: true,
        scoring: true,
        objectives: ["clipped-ratio", "importance-sampling", "cross-entropy"],
        referencePenalty: true,
        trains: ["all"],
        tokens: true,
        immutableSnapshots: true,
        deterministic: true,
        savesState: true,
      },
      details: {
        threads,
        kernels: variant,
        memoryMegabytes: Math.ceil(this.#core.memory.totalBytes / 1024 / 1024),
        memoryUsedMegabytes: Math.ceil(this.#core.memory.usedBytes / 1024 / 1024),
        node: process.versions.node,
        ...(wanted > threads && {
          threadsNote: `${wanted} threads were asked for; ${threads} is the most that help.`,
        }),
      },
    };
  }

  async openPolicy(spec: PolicySpec): Promise<TrainablePolicy> {
    const { role, trains } = spec;
    if (this.#closed) throw new SparringError({ code: "engine-closed", message: "The engine is closed." });
    if (trains !== undefined && trains.kind !== "all") {
      throw new SparringError({
        code: "engine-lacks-ability",
        message: `The embedded engine trains all parameters of a model; '${trains.kind}' was asked for '${role}'.`,
      });
    }
    const start = await this.#start(spec);
    const policy: EmbeddedPolicy = new EmbeddedPolicy(this.#core, {
      ...start,
      role,
      disposed: () => this.#policies.delete(policy),
    });
    this.#policies.add(policy);
    return policy;
  }

  openFrozen(spec: PolicySpec): Promise<FrozenPolicy> {
    // Gradients and optimizer are only allocated when a policy first learns.
    return this.openPolicy(spec);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#policies].map((policy) => policy.dispose()));
    await this.#core.pool.close();
  }

  async #start({
    model,
    seed,
  }: PolicySpec): Promise<{ model: string; shape: ModelShape; weights: Float32Array }> {
    if (model.kind === "folder") {
      const { shape, weights } = await readWeights(model.path);
      return { model: model.path, shape, weights };
    }
    const shape = this.#options.shapes[model.name];
    if (shape === undefined) {
      throw new SparringError({
        code: "engine-model-unknown",
        message: `The embedded engine has no model '${model.name}'.`,
        hint: `Known models: ${Object.keys(this.#options.shapes).join(", ")}.`,
      });
    }
    if (!Number.isSafeInteger(seed))
      throw new SparringError({
        code: "engine-seed-invalid",
        message: `seed is ${seed}; it must be a whole number.`,
      });
    return { model: model.name, shape, weights: initialWeights(shape, seed) };
  }
}
