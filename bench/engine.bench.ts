/**
 * How fast the embedded engine trains and samples, and how near its matrix product comes to what the machine can
 * do. Every figure is the best of several runs, and the peak is measured in the same run, because machines are
 * shared and differ. Where others keep the cores busy, the second figure of a pair helps: tokens for each second of
 * processor time, times the threads, which is what the same cores would reach undisturbed. Run: `npx tsx bench/engine.bench.ts` (after `npm run build`).
 */
import { availableParallelism, cpus } from "node:os";
import { collectSamples } from "../src/engine/collect-samples.ts";
import { trainingSampling } from "../src/engine/completion.ts";
import { openEmbeddedEngine } from "../src/engine/embedded/embedded-engine.ts";
import {
  instantiateKernels,
  type Kernels,
  kernelVariants,
  loadKernelModule,
} from "../src/engine/embedded/kernels.ts";
import { SharedMemory } from "../src/engine/embedded/shared-memory.ts";
import type { Engine, TrainablePolicy } from "../src/engine/engine.ts";
import { crossEntropy } from "../src/engine/objective.ts";
import { adamDefaults } from "../src/engine/optimizer.ts";

const shapes = {
  "0.5M": { layers: 3, width: 128, hidden: 384, context: 256 },
  "3M": { layers: 4, width: 256, hidden: 1024, context: 256 },
};

interface Rates {
  /** By the clock. */
  readonly seen: number;
  /** By processor time. */
  readonly undisturbed: number;
}

/** The best of several runs of something that processes tokens. */
async function bestRates(
  runs: number,
  threads: number,
  work: (run: number) => Promise<number>,
): Promise<Rates> {
  let seen = 0;
  let undisturbed = 0;
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    const before = process.cpuUsage();
    const tokens = await work(run);
    const used = process.cpuUsage(before);
    seen = Math.max(seen, (1000 * tokens) / (performance.now() - started));
    undisturbed = Math.max(undisturbed, (1e6 * tokens * threads) / (used.user + used.system));
  }
  return { seen, undisturbed };
}

/** Seconds of the fastest of several runs. */
async function best(runs: number, work: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    await work();
    fastest = Math.min(fastest, (performance.now() - started) / 1000);
  }
  return fastest;
}

/** Billions of floating-point operations a second that a product reaches, and what it is compared with. */
async function measureProduct(kernels: Kernels, memory: SharedMemory) {
  const [rows, columns, inner] = [256, 768, 256];
  const operations = 2 * rows * columns * inner;
  const stride = (width: number) => (width + 16) * 4;
  const place = (count: number) => {
    const region = memory.allocate(count * 4, "a benchmark");
    memory.floats(region).fill(0.5);
    return region.address;
  };
  const a = place((rows * stride(inner)) / 4);
  const b = place(inner * columns);
  const c = place((rows * stride(columns)) / 4);
  const product = () =>
    kernels.multiply(rows, columns, inner, a, stride(inner), b, inner * 32, c, stride(columns), 0);
  const transposed = () =>
    kernels.multiplyTransposed(rows, inner, columns, a, stride(inner), c, stride(columns), b, 32, inner * 32);
  const rounds = 500_000;
  // Short runs, many of them: one of them will be left alone, and the first ones only warm up the compiler.
  return {
    peak: (rounds * 96) / (await best(300, () => kernels.multiplyAddPeak(rounds, a))) / 1e9,
    product: operations / (await best(300, product)) / 1e9,
    transposed: operations / (await best(300, transposed)) / 1e9,
  };
}

async function measureTripleLoop(): Promise<number> {
  const size = 256;
  const [a, b, c] = [0, 0, 0].map(() => new Float32Array(size * size).fill(0.5)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const multiply = () => {
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) {
        let sum = 0;
        for (let k = 0; k < size; k++) sum += a[i * size + k]! * b[k * size + j]!;
        c[i * size + j] = sum;
      }
  };
  return (2 * size ** 3) / (await best(60, multiply)) / 1e9;
}

/** Forward, backward and AdamW on 32 sequences of 256 tokens. */
function measureTraining(policy: TrainablePolicy, threads: number): Promise<Rates> {
  const batch = Array.from({ length: 32 }, (_, row) => ({
    tokenIds: Array.from({ length: 256 }, (_, i) => (row * 31 + i * i) % 97),
    promptLength: 1,
    coefficients: new Array<number>(255).fill(1 / (32 * 255)),
  }));
  return bestRates(5, threads, async () => {
    await policy.accumulate(batch, crossEntropy);
    await policy.step({ ...adamDefaults, learningRate: 1e-5 });
    return 32 * 256;
  });
}

/** 64 completions of about 240 tokens, each after its own prompt of 16. */
function measureSampling(policy: TrainablePolicy, threads: number): Promise<Rates> {
  const requests = Array.from({ length: 64 }, (_, row) => ({
    prompt: { kind: "tokens" as const, tokenIds: Array.from({ length: 16 }, (_, i) => (row * 7 + i) % 97) },
    samples: 1,
  }));
  return bestRates(5, threads, async (seed) => {
    const groups = await collectSamples(policy, requests, { ...trainingSampling, maxTokens: 240, seed });
    return groups.flat().reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  });
}

/** A model that has just begun ends its texts at random; taught a little, it writes on to the limit. */
async function teachToWriteOn(policy: TrainablePolicy): Promise<void> {
  const batch = Array.from({ length: 8 }, (_, row) => ({
    tokenIds: Array.from({ length: 64 }, (_, i) => (row * 31 + i * i) % 96),
    promptLength: 1,
    coefficients: new Array<number>(63).fill(1 / 504),
  }));
  for (let step = 0; step < 25; step++) {
    await policy.accumulate(batch, crossEntropy);
    await policy.step({ ...adamDefaults, learningRate: 1e-3 });
  }
  await policy.publish();
}

async function measureEngine(engine: Engine, name: string, threads: number) {
  const policy = await engine.openPolicy({ role: "bench", model: { kind: "named", name }, seed: 1 });
  await teachToWriteOn(policy);
  const result = {
    parameters: policy.describe().parameters!,
    training: await measureTraining(policy, threads),
    sampling: await measureSampling(policy, threads),
  };
  await policy.dispose();
  return result;
}

const print = (line = "") => process.stdout.write(`${line}\n`);
const round = (value: number, digits = 0) =>
  value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });

print(
  `${cpus()[0]?.model ?? "unknown processor"}, ${availableParallelism()} cores, Node ${process.versions.node}`,
);
const tripleLoop = await measureTripleLoop();
print(`plain triple loop in JavaScript, 256 × 256 × 256: ${round(tripleLoop, 1)} GFLOP/s`);
let peak = 0;
for (const variant of [...kernelVariants].reverse()) {
  const memory = new SharedMemory(32);
  const { module } = await loadKernelModule(variant);
  const result = await measureProduct(instantiateKernels(module, memory.memory), memory);
  peak = result.peak;
  for (const kind of ["product", "transposed"] as const)
    print(
      `${variant} ${kind}, one thread: ${round(result[kind], 1)} GFLOP/s = ${round((100 * result[kind]) / result.peak)} % of ` +
        `the multiply-add peak (${round(result.peak, 1)}), ${round(result[kind] / tripleLoop, 1)} × the triple loop`,
    );
}
print();
print(
  "Tokens a second: by the clock / undisturbed (by processor time). Share: of the multiply-add peak, attention not",
);
print("counted as work (six operations for each parameter and token: two forward, four backward).");
print();
print("model   parameters   threads               training    share               sampling");
for (const threads of [1, 2]) {
  const engine = await openEmbeddedEngine({ threads, shapes });
  for (const name of Object.keys(shapes)) {
    const { parameters, training, sampling } = await measureEngine(engine, name, threads);
    const share = (training.undisturbed * 6 * parameters) / (peak * 1e9 * threads);
    const pair = ({ seen, undisturbed }: Rates) => `${round(seen)} / ${round(undisturbed)}`;
    print(
      name.padEnd(8) +
        round(parameters).padStart(10) +
        String(threads).padStart(10) +
        pair(training).padStart(23) +
        `${round(100 * share)} %`.padStart(9) +
        pair(sampling).padStart(23),
    );
  }
  await engine.close();
}
