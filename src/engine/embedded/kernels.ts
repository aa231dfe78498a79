/**
 * Loads the compiled kernels. The build with relaxed SIMD (fused multiply-add) is taken where the runtime accepts
 * it: newer versions of Node do so by themselves, Node 20 behind a V8 flag that may be set while running. The two
 * builds round differently, so results are reproducible for the same build, and the build is part of the engine's
 * description.
 */
import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import { SparringError } from "../../errors.ts";
import { compiledModule } from "../../package-root.ts";

export const kernelVariants = ["relaxed", "plain"] as const;
export type KernelVariant = (typeof kernelVariants)[number];

/** What `assembly/index.ts` exports. Addresses and strides are bytes; the sources document each. */
export interface Kernels {
  multiply(
    ...[rows, columns, inner, a, aStride, panels, panelStride, c, cStride, accumulate]: Numbers<10>
  ): void;
  multiplyTransposed(
    ...[rows, columnsA, columnsB, a, aStride, b, bStride, c, cRowStride, cPanelStride]: Numbers<10>
  ): void;
  attentionForwardScratch(keys: number): number;
  attentionBackwardScratch(keys: number, length: number): number;
  attentionForward(
    ...[projected, stride, width, row, length, position, prefix, out, outStride, scratch]: Numbers<10>
  ): void;
  attentionBackward(
    ...[
      projected,
      stride,
      width,
      row,
      length,
      position,
      prefix,
      outGradient,
      outStride,
      gradient,
      gradientStride,
      scratch,
    ]: Numbers<12>
  ): void;
  cacheRows(...[projected, stride, width, count, position, blocks, layerOffset]: Numbers<7>): void;
  attentionDecode(...[query, width, count, blocks, layerOffset, out, scratch]: Numbers<7>): void;
  normalise(...[x, xStride, rows, width, gain, y, yStride, scales]: Numbers<8>): void;
  normaliseBackward(
    ...[
      x,
      xStride,
      rows,
      width,
      gain,
      scales,
      yGradient,
      yStride,
      xGradient,
      xGradientStride,
      gainGradient,
    ]: Numbers<11>
  ): void;
  rotate(...[projected, stride, rows, width, positions, tables, queryScale, direction]: Numbers<8>): void;
  activate(...[x, xStride, rows, width, y, yStride]: Numbers<6>): void;
  activateBackward(...[x, xStride, rows, width, gradient, gradientStride]: Numbers<6>): void;
  gatherRows(...[table, tableStride, ids, count, width, out, outStride]: Numbers<7>): void;
  scatterAddRows(...[rows, rowStride, ids, count, width, table, tableStride]: Numbers<7>): void;
  distribution(...[logits, stride, rows, vocabulary, padded, logSums, entropies]: Numbers<7>): void;
  distributionBackward(...[logits, stride, rows, padded, logSums, slopes]: Numbers<6>): void;
  temperedWeights(...[logits, padded, logSum, inverseTemperature, out]: Numbers<5>): void;
  transposePanels(...[source, rows, columns, target]: Numbers<4>): void;
  reduceGradients(...[buffers, count, offset, bytes]: Numbers<4>): number;
  adam(
    ...[
      parameters,
      gradient,
      mean,
      square,
      bytes,
      beta1,
      beta2,
      epsilon,
      stepSize,
      secondScale,
      keep,
      gradientScale,
    ]: Numbers<12>
  ): void;
  copyBytes(target: number, source: number, bytes: number): void;
  zeroBytes(target: number, bytes: number): void;
  multiplyAddPeak(rounds: number, factors: number): number;
}

type Numbers<Count extends number, Result extends number[] = []> = Result["length"] extends Count
  ? Result
  : Numbers<Count, [...Result, number]>;

export interface KernelModule {
  readonly variant: KernelVariant;
  readonly module: WebAssembly.Module;
}

/** The named build, or the fastest that this runtime accepts. */
export async function loadKernelModule(wanted?: KernelVariant): Promise<KernelModule> {
  const variant = wanted ?? "relaxed";
  const bytes = await kernelBytes(variant);
  if (accepts(bytes, variant)) return { variant, module: await WebAssembly.compile(bytes) };
  if (wanted === undefined) return loadKernelModule("plain");
  throw new SparringError({
    code: "engine-kernels-unsupported",
    message: `This runtime (Node ${process.versions.node}) does not accept the '${variant}' kernels.`,
    hint: "Update Node, or let the engine choose its kernels.",
  });
}

export function instantiateKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels {
  const abort = () => {
    throw new Error("A kernel aborted.");
  };
  return new WebAssembly.Instance(module, { env: { memory, abort } }).exports as unknown as Kernels;
}

async function kernelBytes(variant: KernelVariant): Promise<Uint8Array<ArrayBuffer>> {
  const file = compiledModule(`engine/embedded/kernels-${variant}.wasm`);
  try {
    return new Uint8Array(await readFile(file));
  } catch (cause) {
    throw new SparringError({
      code: "engine-kernels-missing",
      message: "The embedded engine's kernels are not compiled.",
      hint: "Run `npm run build` in the package folder.",
      cause,
    });
  }
}

function accepts(bytes: Uint8Array<ArrayBuffer>, variant: KernelVariant): boolean {
  if (WebAssembly.validate(bytes)) return true;
  if (variant !== "relaxed") return false;
  setFlagsFromString("--experimental-wasm-relaxed-simd");
  return WebAssembly.validate(bytes);
}
